import JustPersist

/// A change of a graph, in a store and in the graph that is expected.
///
/// Items have names, and relationships are written `item.relationship`.
enum GraphStep: Sendable {
    case create(String, [String])
    case insert(String, into: String, at: Int? = nil)
    case remove(String, from: String)
    case set(String, to: String?)
    case replace(String, with: [String])
    case removeAll(String)
    case delete(String)
    case deleteAll(String)
    /// States the others that a relationship must have now.
    case reads(String, [String])
    /// States that the block must be refused at its end.
    case mustFail
}

extension GraphStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .create(let type, let names): "create \(names.joined(separator: ", ")) of \(type)"
        case .insert(let other, let path, let place):
            "insert \(other) into \(path)\(place.map { " at \($0)" } ?? "")"
        case .remove(let other, let path): "remove \(other) from \(path)"
        case .set(let path, let other): "set \(path) to \(other ?? "nil")"
        case .replace(let path, let names): "set \(path) to \(names)"
        case .removeAll(let path): "remove all from \(path)"
        case .delete(let item): "delete \(item)"
        case .deleteAll(let type): "delete all of \(type)"
        case .reads(let path, let names): "\(path) reads \(names)"
        case .mustFail: "the block fails"
        }
    }
}

extension Graph {
    /// A random step that is possible now, with a new name for an item that it creates.
    func randomStep(using random: inout SeededGenerator) -> GraphStep? {
        let type = random.pick(shape.schemas).itemTypeKey
        let dice = random.int(in: 0..<20)
        if items.isEmpty || dice < 3 && items.count < 40 {
            return .create(type, ["\(type.prefix(1).lowercased())\(known.count)"])
        }
        let item = random.pick(items.sorted())
        if dice == 3 { return .delete(item) }
        if dice == 4, random.int(in: 0..<10) == 0 { return .deleteAll(type) }
        let ends = ends.filter { $0.item == item }
        guard !ends.isEmpty else { return nil }
        let end = random.pick(ends)
        guard let schema = schema(end) else { return nil }
        let candidates = items(of: schema.destination)
        guard !candidates.isEmpty else { return nil }
        let (now, other) = (read(end), random.pick(candidates))
        if !schema.isToMany {
            return .set("\(end)", to: random.int(in: 0..<4) == 0 ? nil : other)
        }
        switch dice {
        case 5, 6, 7: return .remove(now.isEmpty ? other : random.pick(now), from: "\(end)")
        case 8, 9, 10: return .insert(other, into: "\(end)", at: random.int(in: 0...now.count))
        case 11:
            return .replace("\(end)", with: Array(random.shuffled(candidates).prefix(4)))
        case 12: return random.bool() ? .removeAll("\(end)") : nil
        default: return .insert(other, into: "\(end)")
        }
    }
}

extension Graph {
    /// Carries out a step that creates nothing.
    mutating func apply(_ step: GraphStep) {
        switch step {
        case .insert(let other, let path, let place): insert(other, End(path), at: place)
        case .remove(let other, let path): remove(other, End(path))
        case .set(let path, let other): set(End(path), to: other)
        case .replace(let path, let names): replace(End(path), with: names)
        case .removeAll(let path): replace(End(path), with: [])
        case .delete(let item): delete(item)
        case .deleteAll(let type): deleteAll(type)
        case .create, .reads, .mustFail: break
        }
    }
}
