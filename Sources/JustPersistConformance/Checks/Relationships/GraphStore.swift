import JustPersist

/// An open store with the types of a shape, and the comparisons of its contents with a graph.
struct GraphStore: Sendable {
    let check: CheckContext
    let store: any DataStore
    let shape: GraphShape

    /// A store in which the types of the shape are declared.
    init(_ check: CheckContext, _ shape: GraphShape, in store: (any DataStore)? = nil) throws {
        let store = try store ?? check.openStore()
        self.init(check: check, store: store, shape: shape)
        try store.write { db in
            for schema in shape.schemas where shape.classes[schema.itemTypeKey] == nil {
                try db.declare(schema)
            }
        }
    }

    init(check: CheckContext, store: any DataStore, shape: GraphShape) {
        (self.check, self.store, self.shape) = (check, store, shape)
    }

    /// This store, closed and opened again.
    func reopened() throws -> GraphStore { inPlace(of: try check.reopened(store)) }

    /// An open child of this store.
    func child() throws -> GraphStore {
        let child = try store.makeChild()
        try child.open()
        return inPlace(of: child)
    }

    /// Another store with the same types.
    func inPlace(of store: any DataStore) -> GraphStore {
        GraphStore(check: check, store: store, shape: shape)
    }

    // MARK: Changing

    /// Carries out steps in one block, and returns the graph after it: unchanged if the block has to fail and does.
    func commit(
        _ steps: [GraphStep], to graph: Graph, comparing: Bool = true, _ note: String = "",
        file: String = #fileID, line: Int = #line
    ) throws -> Graph {
        try commit(graph, note, file, line) { changed, db in
            for step in steps {
                try apply(step, to: &changed, db)
                let when = "\(note) in the block, after \(step)"
                if comparing { try expect(changed, when, db, file: file, line: line) }
            }
            return steps
        }
    }

    /// Carries out random steps in one block; a block that is stopped throws an error of its own at its end.
    func commitRandom(
        _ count: Int, to graph: Graph, isStopped: Bool = false, comparing: Bool = false,
        _ random: inout SeededGenerator, file: String = #fileID, line: Int = #line
    ) throws -> Graph {
        do {
            return try commit(graph, " (seed \(check.seed))", file, line) { changed, db in
                var steps: [GraphStep] = []
                for _ in 0..<count {
                    guard let step = changed.randomStep(using: &random) else { continue }
                    steps.append(step)
                    try apply(step, to: &changed, db)
                }
                if comparing {
                    let when = "in the block (seed \(check.seed)), after \(steps.suffix(20))"
                    try expect(changed, when, db, file: file, line: line)
                }
                if isStopped { throw Stopped() }
                return steps
            }
        } catch is Stopped {
            return graph
        }
    }

    private func commit(
        _ graph: Graph, _ note: String, _ file: String, _ line: Int,
        _ body: (inout Graph, borrowing DataStoreWriter) throws -> [GraphStep]
    ) throws -> Graph {
        var changed = graph
        var steps: [GraphStep] = []
        do {
            try store.performWrite { db in steps = try body(&changed, db) }
            check.expectEqual(
                changed.violations, [],
                "\(shape.name)\(note): what the store must refuse after a block with \(steps)",
                file: file, line: line)
        } catch let error as DataStoreError where error.code == .validationFailed {
            check.expect(
                !changed.violations.isEmpty,
                "\(shape.name)\(note): a block was refused, and nothing in it is wrong: \(error)",
                file: file, line: line)
            return graph
        }
        changed.endBlock()
        return changed
    }

    /// Carries out one step in an open block.
    func apply(
        _ step: GraphStep, to graph: inout Graph, _ db: borrowing DataStoreWriter
    ) throws {
        switch step {
        case .create(let type, let names):
            for name in names {
                let item = try create(type, db)
                try item.backing.setValue(.string(name), forAttribute: GraphShape.label)
                graph.create(name, ItemReference(to: item))
            }
        case .insert(let other, let path, let place):
            let end = Graph.End(path)
            let (owner, item) = (try item(end.item, graph, db), try item(other, graph, db))
            let isNew = graph.insert(other, end, at: place)
            if let was = insert(item, into: owner, end.name, at: place) {
                check.expectEqual(
                    was, isNew, "\(shape.name): the result of inserting \(other) into \(path)")
            }
        case .remove(let other, let path):
            let end = Graph.End(path)
            let (owner, item) = (try item(end.item, graph, db), try item(other, graph, db))
            check.expectEqual(
                remove(item, from: owner, end.name), graph.remove(other, end),
                "\(shape.name): the result of removing \(other) from \(path)")
        case .set(let path, let other):
            let end = Graph.End(path)
            let item = try item(end.item, graph, db)
            try item.setRelatedItem(end.name, to: try other.map { try self.item($0, graph, db) })
            graph.set(end, to: other)
        case .replace(let path, let names):
            let end = Graph.End(path)
            if graph.schema(end)?.isToMany == false {
                return try apply(.set(path, to: names.first), to: &graph, db)
            }
            let items = try names.map { try item($0, graph, db) }
            replace(
                of: try item(end.item, graph, db), end.name, items,
                as: itemClass(graph.schema(end)))
            graph.replace(end, with: names)
        case .removeAll(let path):
            try apply(.replace(path, with: []), to: &graph, db)
        case .delete(let name):
            let item = try item(name, graph, db)
            check.expectEqual(
                Set(try db.cascadeTargets(of: item).map { graph.name($0.id) }),
                graph.cascade(of: name),
                "\(shape.name): the items that cascadeTargets gives for \(name)")
            try db.delete(item)
            graph.delete(name)
        case .deleteAll(let type):
            if let itemClass = shape.classes[type] {
                try db.deleteAll(itemClass)
            } else {
                for name in graph.items(of: type) {
                    let id = graph.reference(name)?.id
                    let item = try id.flatMap {
                        try db.performFetchItem(ItemType(dynamic: type), id: $0)
                    }
                    if let item { try db.delete(item) }
                }
            }
            graph.deleteAll(type)
        case .reads(let path, let names):
            check.expectEqual(
                graph.read(Graph.End(path)), names, "\(shape.name): \(path) by the kit's own model")
        case .mustFail:
            check.expect(
                !graph.violations.isEmpty, "\(shape.name): the kit's own model allows the block")
        }
    }

    private func create(
        _ type: String, _ db: borrowing DataStoreWriter
    ) throws -> any MutableDataStoreItem {
        guard let itemClass = shape.classes[type] else { return try db.create(type) }
        return try create(itemClass, db)
    }

    private func create<Item: MutableDataStoreItem>(
        _ itemClass: Item.Type, _ db: borrowing DataStoreWriter
    ) throws -> any MutableDataStoreItem { try db.create(itemClass) }

    /// The live item of a name.
    func item(
        _ name: String, _ graph: Graph, _ db: borrowing DataStoreWriter
    ) throws -> any MutableDataStoreItem {
        let reference = try check.require(graph.reference(name), "the item \(name)")
        return try check.require(
            try db.performFetchItem(shape.itemType(reference.itemTypeKey), id: reference.id)
                as? any MutableDataStoreItem,
            "\(shape.name): the item \(name), which exists")
    }

    private func itemClass(
        _ relationship: RelationshipSchema?
    ) -> any MutableDataStoreItem.Type {
        relationship.flatMap { shape.classes[$0.destination] } ?? DynamicItem.self
    }

    private func insert<Item: MutableDataStoreItem>(
        _ item: Item, into owner: any MutableDataStoreItem, _ name: String, at place: Int?
    ) -> Bool? {
        let others = ToMany<Item>(of: owner, name)
        guard let place else { return others.insert(item) }
        others.insert(item, at: place)
        return nil
    }

    private func remove<Item: MutableDataStoreItem>(
        _ item: Item, from owner: any MutableDataStoreItem, _ name: String
    ) -> Bool { ToMany<Item>(of: owner, name).remove(item) }

    private func replace<Item: MutableDataStoreItem>(
        of owner: any MutableDataStoreItem, _ name: String,
        _ items: [any MutableDataStoreItem], as itemClass: Item.Type
    ) { ToMany<Item>(of: owner, name).replace(with: items.compactMap { $0 as? Item }) }

    // MARK: Comparing

    /// Expects in a read block that the store has the items and the relationships of a graph.
    func expect(
        _ graph: Graph, _ when: String, file: String = #fileID,
        line: Int = #line
    ) throws {
        try store.read { db in
            try expect(graph, when, db, file: file, line: line)
        }
    }

    /// Expects that the items and the relationships of a block are those of a graph.
    ///
    func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ graph: Graph, _ when: String, _ db: borrowing Accessor,
        file: String = #fileID, line: Int = #line
    ) throws {
        var differences: [String] = []
        func compare<Value: Equatable>(_ what: String, _ seen: Value, _ wanted: Value) {
            if seen != wanted { differences.append("\(what): expected \(wanted), got \(seen)") }
        }
        let reported = check.errors.all.count
        var names: [ItemID: String] = [:]
        for (name, reference) in graph.known { names[reference.id] = name }
        func name(_ id: ItemID) -> String { names[id] ?? "an unknown item" }
        for schema in shape.schemas {
            let key = schema.itemTypeKey
            let items = try db.performFetch(DataStoreRequest(type: shape.itemType(key)))
            compare("the items of \(key)", items.map { name($0.uniqueToken) }, graph.items(of: key))
            for item in items {
                for relationship in schema.relationships {
                    let end = Graph.End(name(item.uniqueToken), relationship.name)
                    let wanted = graph.read(end)
                    let itemClass = itemClass(relationship)
                    if !relationship.isToMany {
                        let seen = one(of: item, end.name, itemClass)
                        compare("\(end)", seen.map { [name($0.uniqueToken)] } ?? [], wanted)
                        continue
                    }
                    let seen = many(of: item, end.name, itemClass)
                    var existing: [String] = []
                    for id in seen.ids {
                        let type = shape.itemType(relationship.destination)
                        if try db.performFetchItem(type, id: id) != nil {
                            existing.append(name(id))
                        }
                    }
                    compare("\(end)", existing, wanted)
                    if itemClass != DynamicItem.self {
                        compare("\(end).items", seen.items.map(name), wanted)
                    }
                    compare("\(end).count", seen.count, wanted.count)
                    if !graph.isDangling(end) {
                        compare("\(end).ids", seen.ids.map(name), wanted)
                    }
                    compare("whether \(end) contain each of them", seen.containsAll, true)
                }
            }
        }
        compare(
            "errors that were reported meanwhile",
            check.errors.all.dropFirst(reported).map(\.message), [])
        check.expect(
            differences.isEmpty,
            "\(shape.name) \(when): \(differences.prefix(6).joined(separator: "; "))", file: file,
            line: line)
    }

    /// Expects the order of some of the others of an item, or of all.
    func expect(
        _ graph: Graph, _ when: String, only wanted: [String], of end: Graph.End,
        areAll: Bool = false,
        file: String = #fileID, line: Int = #line
    ) throws {
        let reference = try check.require(graph.reference(end.item), "the item \(end.item)")
        let seen = try store.read { db in
            let item = try check.require(
                try db.performFetchItem(shape.itemType(reference.itemTypeKey), id: reference.id),
                "\(shape.name): the item \(end.item), which exists")
            return many(of: item, end.name, itemClass(graph.schema(end))).ids.map(graph.name)
        }
        let isWanted = Set(wanted)
        check.expectEqual(
            areAll ? seen : seen.filter(isWanted.contains), wanted,
            "\(shape.name), \(when): \(end)", file: file,
            line: line)
    }

    private func one<Item: DataStoreItem>(
        of owner: any DataStoreItem, _ name: String, _ itemClass: Item.Type
    ) -> (any DataStoreItem)? { owner.related(name, as: Item.self) }

    private func many<Item: DataStoreItem>(
        of owner: any DataStoreItem, _ name: String, _ itemClass: Item.Type
    ) -> (items: [ItemID], count: Int, ids: [ItemID], containsAll: Bool) {
        let others = owner.related(toMany: name, as: Item.self)
        // `rel/types-without-class` examines the items of types without a class.
        let items = Item.self == DynamicItem.self ? [] : others.items
        return (
            items.map(\.uniqueToken), others.count, others.ids, items.allSatisfy(others.contains)
        )
    }
}
