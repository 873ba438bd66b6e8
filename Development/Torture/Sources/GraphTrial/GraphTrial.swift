public import JustPersist

/// Random blocks over five related types, which depend on a seed alone, and the graph that they leave.
///
/// The store keeps the number of the last block that was committed, so that another process can rebuild the graph by
/// carrying out the blocks in the model alone, and go on.
public struct GraphTrial {
    /// The number of blocks.
    public static let blocks = 200
    private static let ledger = "Ledger"

    /// A store that holds something else than the model.
    public struct Difference: Error, CustomStringConvertible {
        /// Where they differ.
        public let description: String
    }

    /// A block that its program stops.
    private struct Stopped: Error {}

    /// How a block is carried out.
    private enum Way { case plain, stopped, merged, discarded }

    private struct Block {
        let way: Way
        let steps: [GraphStep]
        /// The graph at the end of the block, which has to be committed or refused.
        let graph: Graph
        var isKept: Bool { (way == .plain || way == .merged) && graph.violations.isEmpty }
    }

    private let seed: UInt64
    private let open: () throws -> any DataStore
    private let kill: () -> Void
    private let shape: GraphShape
    private var store: any DataStore
    private var graph: Graph
    /// What happened, and how often.
    public private(set) var tallies: [String: Int] = [:]

    /// A trial in a store, which `open` opens, also again; `kill` may begin to kill the process.
    public init(
        seed: UInt64, kill: @escaping () -> Void, open: @escaping () throws -> any DataStore
    ) throws {
        (self.seed, self.kill, self.open) = (seed, kill, open)
        var random = SeededGenerator(seed: seed, name: "shape")
        shape = .trial(using: &random)
        graph = Graph(shape)
        store = try open()
    }

    /// Goes on after the last block in the store, which must be one from `first` on, with `killBlock` as the one that is killed.
    ///
    /// - Parameters:
    ///   - acknowledged: The last block whose call returned; `nil` if there is none.
    ///   - note: Is called before a block, and after it.
    public mutating func run(
        acknowledged: Int?, killAt killBlock: Int?, note: (_ block: Int, _ isDone: Bool) -> Void
    ) throws {
        let next = try resume(after: acknowledged)
        // A block that is in the store though its process was killed must stay there.
        if next > 0 { note(next - 1, true) }
        for number in next..<max(next, Self.blocks) {
            note(number, false)
            try carryOut(number, isKilled: killBlock.map { number >= $0 } ?? false)
            note(number, true)
            if number % 4 == 3 { try compare("after block \(number)") }
            if number % 100 == 99 { try verify("after block \(number)") }
            if SeededGenerator.chance(seed, "reopen \(number)") {
                try store.close()
                store = try open()
                tallies["reopenings", default: 0] += 1
                try compare("reopened after block \(number)")
            }
        }
        try compare("at the end")
        try verify("at the end")
        try store.close()
    }

    /// Rebuilds the graph of the blocks that are in the store, and returns the number of the next block.
    private mutating func resume(after acknowledged: Int?) throws -> Int {
        let last = try store.read { db -> Int? in
            guard try db.schemas().contains(where: { $0.itemTypeKey == Self.ledger }),
                let item = try db.dynamicItems(DataStoreRequest(itemTypeKey: Self.ledger)).first
            else { return nil }
            return if case .int(let number) = item["block"] { Int(number) } else { nil }
        }
        // A block that is not kept leaves no trace: the next one is the first that is neither acknowledged nor stored.
        let next = max(last.map { $0 + 1 } ?? 0, acknowledged.map { $0 + 1 } ?? 0)
        var kept: Int?
        for number in 0..<next {
            let block = block(number)
            guard block.isKept else { continue }
            kept = number
            graph = block.graph
            graph.endBlock()
        }
        guard kept == last, next <= (acknowledged ?? -1) + 2 else {
            throw Difference(
                description:
                    "block \(acknowledged ?? -1) was acknowledged, and the store has block \(last ?? -1)"
            )
        }
        if next > 0 {
            try compare("resumed after block \(next - 1)")
            try verify("resumed after block \(next - 1)")
        }
        return next
    }

    /// What a block does to the graph before it.
    private func block(_ number: Int) -> Block {
        var random = SeededGenerator(seed: seed, name: "block \(number)")
        let way: Way =
            switch random.int(in: 0..<10) {
            case 0: .stopped
            case 1, 2: .merged
            case 3: .discarded
            default: .plain
            }
        var graph = graph
        var steps: [GraphStep] = []
        for _ in 0..<random.int(in: 1...20) {
            guard let step = graph.randomStep(using: &random) else { continue }
            steps.append(step)
            if case .create(let type, let names) = step {
                for name in names {
                    let id = ItemID(
                        high: (0x0190_0000_0000 + UInt64(graph.known.count)) << 16 | 0x7000,
                        low: 1 << 63)
                    graph.create(name, ItemReference(itemTypeKey: type, id: id))
                }
            } else {
                graph.apply(step)
            }
        }
        return Block(way: way, steps: steps, graph: graph)
    }

    private mutating func carryOut(_ number: Int, isKilled: Bool) throws {
        let block = block(number)
        tallies["operations", default: 0] += block.steps.count
        tallies["blocks \(block.way)", default: 0] += 1
        let isChild = block.way == .merged || block.way == .discarded
        let writer = isChild ? try store.makeChild() : store
        if isChild { try writer.open() }
        do {
            try writer.write { db in
                for schema in shape.schemas { try db.declare(schema) }
                try db.declare(
                    ItemSchema(Self.ledger, attributes: [AttributeSchema("block", kinds: [.int])]))
                for step in block.steps { try apply(step, block.graph, db) }
                try note(number, db)
                if block.way == .stopped { throw Stopped() }
                if isKilled, !isChild { kill() }
            }
            guard block.graph.violations.isEmpty else {
                throw Difference(
                    description: "block \(number) was not refused: \(block.graph.violations)")
            }
        } catch is Stopped {
        } catch let error as DataStoreError where error.code == .validationFailed {
            guard !block.graph.violations.isEmpty else { throw error }
            tallies["blocks refused", default: 0] += 1
        }
        if block.way == .merged, block.isKept {
            if isKilled { kill() }
            let conflicts = try store.merge(writer, policy: .fail).conflicts
            guard conflicts.isEmpty else {
                throw Difference(description: "block \(number) has conflicts: \(conflicts)")
            }
        }
        if isChild { try writer.close() }
        guard block.isKept else { return }
        graph = block.graph
        graph.endBlock()
    }

    private func note(_ number: Int, _ db: borrowing DataStoreWriter) throws {
        let request = DataStoreRequest(itemTypeKey: Self.ledger)
        let item = try db.dynamicItems(request).first ?? db.create(Self.ledger)
        item["block"] = .int(Int64(number))
    }

    // MARK: Changing

    private func apply(
        _ step: GraphStep, _ graph: Graph, _ db: borrowing DataStoreWriter
    ) throws {
        switch step {
        case .create(let type, let names):
            for name in names {
                guard let id = graph.reference(name)?.id else { continue }
                _ = db.insert(
                    DynamicItem(type, id: id, values: [GraphShape.label: .string(name)]))
            }
        case .insert(let other, let path, let place):
            let (others, item) = (try many(path, graph, db), try item(other, graph, db))
            if let place { others.insert(item, at: place) } else { others.insert(item) }
        case .remove(let other, let path):
            try many(path, graph, db).remove(try item(other, graph, db))
        case .set(let path, let other): try set(path, to: other, graph, db)
        case .replace(let path, let names):
            guard graph.schema(Graph.End(path))?.isToMany == true else {
                return try set(path, to: names.first, graph, db)
            }
            var items: [DynamicItem] = []
            for name in names { items.append(try item(name, graph, db)) }
            try many(path, graph, db).replace(with: items)
        case .removeAll(let path): try many(path, graph, db).removeAll()
        case .delete(let name): try db.delete(try item(name, graph, db))
        case .deleteAll(let type):
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: type)) {
                let live = try db.performFetchItem(ItemType(dynamic: type), id: item.uniqueToken)
                if let live { try db.delete(live) }
            }
        case .reads, .mustFail: break
        }
    }

    private func set(
        _ path: String, to other: String?, _ graph: Graph, _ db: borrowing DataStoreWriter
    ) throws {
        let end = Graph.End(path)
        var target: DynamicItem?
        if let other { target = try item(other, graph, db) }
        try item(end.item, graph, db).setRelatedItem(end.name, to: target)
    }

    private func many(
        _ path: String, _ graph: Graph, _ db: borrowing DataStoreWriter
    ) throws -> ToMany<DynamicItem> {
        let end = Graph.End(path)
        return ToMany(of: try item(end.item, graph, db), end.name)
    }

    private func item(
        _ name: String, _ graph: Graph, _ db: borrowing DataStoreWriter
    ) throws -> DynamicItem {
        guard let reference = graph.reference(name),
            let item = try db.performFetchItem(
                ItemType(dynamic: reference.itemTypeKey), id: reference.id) as? DynamicItem
        else { throw Difference(description: "the item \(name) is not there") }
        return item
    }

    // MARK: Comparing

    private mutating func verify(_ when: String) throws {
        tallies["verifies", default: 0] += 1
        if let problem = try store.verify().problems.first {
            throw Difference(description: "\(when), verify: \(problem)")
        }
    }

    /// Compares all items and all relationships, from both sides and by requests.
    private mutating func compare(_ when: String) throws {
        tallies["comparisons", default: 0] += 1
        let graph = graph
        let names = Dictionary(uniqueKeysWithValues: graph.known.map { ($0.value.id, $0.key) })
        func expect(_ what: String, _ found: [ItemID], _ wanted: [String]) throws {
            let found = found.map { names[$0] ?? "\($0)" }
            if found != wanted {
                throw Difference(description: "\(when), \(what): \(found), not \(wanted)")
            }
        }
        try store.read { db in
            let declared = Set(try db.schemas().map(\.itemTypeKey))
            for schema in shape.schemas {
                let type = schema.itemTypeKey
                let all = graph.items(of: type)
                if !declared.contains(type) { continue }
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: type))
                try expect("the items of \(type)", items.map(\.uniqueToken), all)
                for relationship in schema.relationships {
                    let name = relationship.name
                    for (item, key) in zip(items, all) {
                        let end = Graph.End(key, name)
                        let wanted = graph.read(end)
                        guard relationship.isToMany else {
                            let other: DynamicItem? = item.related(name)
                            try expect("\(end)", other.map { [$0.uniqueToken] } ?? [], wanted)
                            continue
                        }
                        let others: ToMany<DynamicItem> = item.related(toMany: name)
                        try expect("\(end)", others.items.map(\.uniqueToken), wanted)
                        if others.count != wanted.count {
                            throw Difference(
                                description: "\(when), \(end).count: \(others.count), not \(wanted)"
                            )
                        }
                    }
                    let format = relationship.isToMany ? "\(name).@count > 1" : "\(name) != nil"
                    let request = DataStoreRequest(
                        type: ItemType(dynamic: type), predicate: try DataStorePredicate(format))
                    try expect(
                        "\(type) where \(format)",
                        try db.dynamicItems(request).map(\.uniqueToken),
                        all.filter {
                            graph.read(Graph.End($0, name)).count > (relationship.isToMany ? 1 : 0)
                        })
                }
            }
        }
    }
}

extension SeededGenerator {
    /// True once in 25.
    fileprivate static func chance(_ seed: UInt64, _ name: String) -> Bool {
        var random = SeededGenerator(seed: seed, name: name)
        return random.int(in: 0..<25) == 0
    }
}
