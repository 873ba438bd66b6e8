import JustPersist

/// The expected items of a store and what relates them, as dictionaries of names.
///
/// It changes as clauses 22 and 23 require, and independently of how a store keeps relationships.
struct Graph: Sendable {
    /// One relationship of one item, written `item.relationship`.
    struct End: Hashable, Sendable, CustomStringConvertible {
        let item: String
        let name: String

        init(_ item: String, _ name: String) { (self.item, self.name) = (item, name) }

        init(_ path: String) {
            let parts = path.split(separator: ".").map(String.init)
            self.init(parts[0], parts[1])
        }

        var description: String { "\(item).\(name)" }
    }

    let shape: GraphShape
    /// All items so far by their names, also deleted ones.
    private(set) var known: [String: ItemReference] = [:]
    /// The items that exist.
    private(set) var items: Set<String> = []
    /// The others of each item, in their order; deleted ones are among them under the rules `deny` and `noAction`.
    private var others: [End: [String]] = [:]
    private var denied: Set<End> = []
    private var touched: Set<End> = []

    init(_ shape: GraphShape) { self.shape = shape }

    // MARK: Reading

    func reference(_ item: String) -> ItemReference? { known[item] }

    func name(_ id: ItemID) -> String {
        known.first { $0.value.id == id }?.key ?? "an unknown item"
    }

    /// The items of a type, in the order of their creation.
    func items(of type: String) -> [String] {
        inOrder(items.filter { known[$0]?.itemTypeKey == type })
    }

    private func inOrder(_ names: some Sequence<String>) -> [String] {
        names.compactMap { name in known[name].map { (name, $0.id) } }.sorted { $0.1 < $1.1 }
            .map(\.0)
    }

    func schema(_ end: End) -> RelationshipSchema? {
        shape.relationship(end.name, of: known[end.item]?.itemTypeKey ?? "")
    }

    /// The existing others of an item, as properties read them.
    func read(_ end: End) -> [String] {
        let found = (others[end] ?? []).filter(items.contains)
        return schema(end)?.isOrdered == true ? found : inOrder(found)
    }

    /// Whether a deleted item is among the others.
    func isDangling(_ end: End) -> Bool { others[end]?.allSatisfy(items.contains) == false }

    /// All relationships of the existing items.
    var ends: [End] {
        items.sorted().flatMap { item in
            shape.relationships(of: known[item]?.itemTypeKey ?? "").map { End(item, $0.name) }
        }
    }

    /// What deleting an item deletes with it.
    func cascade(of item: String) -> Set<String> {
        var found: Set = [item]
        var pending = [item]
        while let next = pending.popLast() {
            for end in ends(of: next) where schema(end)?.deleteRule == .cascade {
                pending += read(end).filter { found.insert($0).inserted }
            }
        }
        return found.subtracting([item])
    }

    /// The relationships that must not be so at the end of a block.
    var violations: [String] {
        let denied = denied.filter { !read($0).isEmpty }.map { "\($0) denies the deletion" }
        let limited = touched.filter { end in
            guard items.contains(end.item), let schema = schema(end) else { return false }
            let count = read(end).count
            return count < schema.minimum || count > schema.maximum ?? .max
        }.map { "\($0) has \(read($0).count)" }
        return (denied + limited).sorted()
    }

    // MARK: Changing

    mutating func endBlock() { (denied, touched) = ([], []) }

    mutating func create(_ item: String, _ reference: ItemReference) {
        known[item] = reference
        items.insert(item)
        touched.formUnion(ends(of: item))
    }

    private func ends(of item: String) -> [End] {
        shape.relationships(of: known[item]?.itemTypeKey ?? "").map { End(item, $0.name) }
    }

    private func inverse(_ end: End, of other: String) -> End? {
        guard let schema = schema(end), let type = known[end.item]?.itemTypeKey else { return nil }
        return shape.inverse(of: schema, type).map { End(other, $0.name) }
    }

    /// Adds an item to the others of another, and returns whether it was not there; one that is there moves to a place.
    @discardableResult
    mutating func insert(_ other: String, _ end: End, at place: Int? = nil) -> Bool {
        if others[end]?.contains(other) == true {
            guard let place, schema(end)?.isOrdered == true else { return false }
            others[end]?.removeAll { $0 == other }
            add(other, to: end, at: place)
            return false
        }
        let back = inverse(end, of: other)
        for (one, item) in [(end, other), back.map { ($0, end.item) }].compactMap(\.self)
        where schema(one)?.isToMany == false {
            for former in others[one] ?? [] where former != item { remove(former, one) }
        }
        add(other, to: end, at: place)
        if let back, back != End(end.item, end.name) { add(end.item, to: back, at: nil) }
        return true
    }

    private mutating func add(_ other: String, to end: End, at place: Int?) {
        // Items that were deleted, to which references stay, take no place.
        let list = others[end] ?? []
        let free = list.indices.filter { items.contains(list[$0]) }
        let index = place.flatMap { $0 < free.count ? free[$0] : nil } ?? list.count
        others[end, default: []].insert(other, at: index)
        touched.insert(end)
    }

    /// Removes an item from the others of another, and returns whether it was there.
    @discardableResult
    mutating func remove(_ other: String, _ end: End) -> Bool {
        guard others[end]?.contains(other) == true else { return false }
        others[end]?.removeAll { $0 == other }
        touched.insert(end)
        if let back = inverse(end, of: other) {
            others[back]?.removeAll { $0 == end.item }
            touched.insert(back)
        }
        return true
    }

    mutating func set(_ end: End, to other: String?) {
        for former in others[end] ?? [] where former != other { remove(former, end) }
        if let other { insert(other, end) }
    }

    mutating func replace(_ end: End, with new: [String]) {
        for former in others[end] ?? [] where !new.contains(former) {
            // Deleted ones that a rule has left there go too, unless they themselves refer to this one.
            let isKept =
                !items.contains(former)
                && inverse(end, of: former).flatMap(schema)?.isToMany == false
            if !isKept { remove(former, end) }
        }
        for (place, other) in new.enumerated() { insert(other, end, at: place) }
    }

    mutating func delete(_ item: String) {
        var pending = [item]
        while let next = pending.popLast() {
            guard items.contains(next) else { continue }
            for end in ends(of: next) {
                let others = read(end)
                switch schema(end)?.deleteRule {
                case .cascade:
                    pending += others
                    for other in others { remove(other, end) }
                case .deny: denied.insert(end)
                case .noAction: break
                default: for other in others { remove(other, end) }
                }
            }
            let type = known[next]?.itemTypeKey
            for (end, others) in others
            where schema(end)?.destination == type && others.contains(next)
                && inverse(end, of: next) == nil
            {
                remove(next, end)
            }
            items.remove(next)
        }
    }

    mutating func deleteAll(_ type: String) {
        for item in items(of: type) { delete(item) }
    }
}
