import JustPersist

/// A store on which a history is run, and the items that the history's numbers identify in it.
final class ModelSubject {
    /// The item that a number identifies.
    private struct Known {
        let type: String
        let id: ItemID
    }

    private struct Rollback: Error {}

    /// The store and its children by number, without discarded ones.
    private var stores: [Int: any DataStore]
    private let reopen: (any DataStore) throws -> any DataStore
    private let attributes: [String]
    private var items: [Int: Known] = [:]
    private var numbers: [ItemID: Int] = [:]

    /// A subject over an open, empty store.
    ///
    /// `reopen` closes a store, and returns an open one over the same data. The types of the history are declared with
    /// `attributes`.
    init(
        _ store: any DataStore, attributes: [String],
        reopen: @escaping (any DataStore) throws -> any DataStore
    ) {
        stores = [0: store]
        self.attributes = attributes
        self.reopen = reopen
    }

    /// The committed states of the store and its children, with items named by their numbers.
    func dumps(typeKeys: [String]) throws -> [Int: StoreDump] {
        try stores.mapValues { try StoreDump(of: $0, typeKeys: typeKeys, naming: name) }
    }

    /// Closes all stores and deletes their data.
    func destroy() throws {
        for (number, store) in stores.sorted(by: { $0.key > $1.key }) {
            if number == 0 { try store.destroy() } else { try store.close() }
        }
    }

    /// Runs one operation, and returns the outcome of each of its steps.
    func run(_ operation: ModelOperation) -> [String] {
        do {
            switch operation {
            case .reopen:
                stores[0] = try stores[0].map(reopen)
                return ["reopened"]
            case .read(let requests, let store):
                return try stores[store].map { try read(requests, $0) } ?? ["no such store"]
            case .write(let steps, let store, let isRolledBack):
                return try stores[store].map { try write(steps, $0, isRolledBack: isRolledBack) }
                    ?? ["no such store"]
            case .makeChild(let number, let parent):
                guard let parent = stores[parent] else { return ["no such store"] }
                let child = try parent.makeChild()
                try child.open()
                stores[number] = child
                return ["made"]
            case .merge(let number, let policy):
                guard let child = stores[number], let parent = child.parent else {
                    return ["no such child"]
                }
                let report = try parent.merge(child, policy: policy)
                return ["merged" + report.conflicts.map { " " + text(of: $0) }.sorted().joined()]
            case .discard(let number):
                try stores.removeValue(forKey: number)?.close()
                return ["discarded"]
            }
        } catch {
            return ["the call threw \(text(of: error))"]
        }
    }

    private func text(of conflict: MergeConflict) -> String {
        "\(conflict.kind.rawValue) \(name(conflict.id)) \((conflict.attribute ?? "").escaped)"
    }

    // MARK: Blocks

    private func read(_ requests: [ModelRequest], _ store: any DataStore) throws -> [String] {
        var outcomes: [String]?
        try store.performRead { db in outcomes = requests.map { answer($0, db) } }
        guard let outcomes else { throw BlockDidNotRun(operation: "read") }
        return outcomes
    }

    private func write(
        _ steps: [ModelStep], _ store: any DataStore, isRolledBack: Bool
    ) throws -> [String] {
        let frozen = try itemsToThaw(steps, store)
        var outcomes: [String] = []
        var runs = 0
        do {
            try store.performWrite { db in
                runs += 1
                for step in steps { outcomes.append(run(step, frozen, db)) }
                if isRolledBack { throw Rollback() }
            }
            outcomes.append(isRolledBack ? "the block's error did not come out" : "committed")
        } catch is Rollback {
            outcomes.append("the block's error came out")
        }
        return runs == 1 ? outcomes : outcomes + ["the block ran \(runs) times"]
    }

    /// The items that the steps change through a mutable version, as an earlier read block returns them.
    private func itemsToThaw(
        _ steps: [ModelStep], _ store: any DataStore
    ) throws -> [Int: any DataStoreItem] {
        let wanted = steps.compactMap(\.thawed)
        var frozen: [Int: any DataStoreItem] = [:]
        if wanted.isEmpty { return frozen }
        try store.performRead { db in
            for number in wanted {
                guard let known = items[number] else { continue }
                frozen[number] = try db.performFetchItem(
                    ItemType(dynamic: known.type), id: known.id)
            }
        }
        return frozen
    }

    // MARK: Steps

    private func run(
        _ step: ModelStep, _ frozen: [Int: any DataStoreItem],
        _ db: borrowing DataStoreWriter
    ) -> String {
        do {
            switch step {
            case .create(let number, let type, let values):
                try declare(type, db)
                let item = try db.performCreate(ItemType(dynamic: type))
                know(number, Known(type: type, id: item.uniqueToken))
                for (attribute, value) in values.sorted(by: { $0.key.precedesInBytes($1.key) }) {
                    try item.backing.setValue(stored(value), forAttribute: attribute)
                }
                return "made"
            case .insert(let number, let type, let values):
                let known = items[number] ?? Known(type: type, id: ItemID())
                try declare(known.type, db)
                know(number, known)
                let item = DynamicItem(
                    known.type, id: known.id, values: values.mapValues { stored($0) })
                return try db.performInsert(item) ? "taken in" : "was there before"
            case .set(let number, let attribute, let value):
                guard let item = try live(number, db) else { return "no such item" }
                try item.backing.setValue(stored(value), forAttribute: attribute)
                return "set"
            case .setThawed(let number, let attribute, let value):
                guard let item = frozen[number] else { return "no such item before the block" }
                guard let live = try db.performMutableVersion(of: item) else {
                    return "no mutable version"
                }
                try live.backing.setValue(stored(value), forAttribute: attribute)
                return "set"
            case .delete(let number):
                guard let item = try live(number, db) else { return "no such item" }
                return try db.performDelete(item) ? "deleted" : "was not there"
            case .deleteAll(let types):
                try db.performDeleteAll(types.map { ItemType(dynamic: $0) })
                return "deleted all"
            case .request(let request): return answer(request, db)
            }
        } catch {
            return text(of: error)
        }
    }

    private func declare(
        _ type: String, _ db: borrowing DataStoreWriter
    ) throws {
        try db.declare(ItemSchema(type, attributes: attributes.map { AttributeSchema($0) }))
    }

    private func know(_ number: Int, _ item: Known) {
        items[number] = item
        numbers[item.id] = number
    }

    private func live(
        _ number: Int, _ db: borrowing DataStoreWriter
    ) throws -> (any DataStoreItem)? {
        guard let known = items[number] else { return nil }
        return try db.performFetchItem(ItemType(dynamic: known.type), id: known.id)
    }

    // MARK: Requests

    /// The items with their values, the count and the first item, or the error.
    private func answer<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ request: ModelRequest, _ db: borrowing Accessor
    ) -> String {
        do {
            let request = DataStoreRequest(
                type: ItemType(dynamic: request.type),
                predicate: request.predicate?.mapReferences(stored),
                sortDescriptors: request.sort.isEmpty ? nil : request.sort,
                offset: request.offset, limit: request.limit)
            let items = try db.dynamicItems(request).map {
                try StoreDump.Item($0, naming: name).text
            }
            let first = db.firstItem(forRequest: request).map { name($0.uniqueToken) }
            return """
                items: \(items.joined(separator: " ")); count: \(try db.performCount(request)); \
                first: \(first ?? "none")
                """
        } catch {
            return text(of: error)
        }
    }

    private func text(of error: any Error) -> String {
        // Each store has its own messages, but the contract defines the codes.
        (error as? DataStoreError).map { "error \($0.code.rawValue)" } ?? "error \(error)"
    }

    // MARK: Numbers and ids

    private func name(_ id: ItemID) -> String {
        numbers[id].map { "#\($0)" } ?? (id.high == 0 ? "#\(id.low)" : id.description)
    }

    /// A value with the ids of this store in place of numbers.
    private func stored(_ value: DataStoreValue) -> DataStoreValue {
        value.mapReferences(stored)
    }

    private func stored(_ reference: ItemReference) -> ItemReference {
        guard let number = reference.number, let known = items[number] else { return reference }
        return ItemReference(itemTypeKey: known.type, id: known.id)
    }
}

extension ModelStep {
    /// The item whose mutable version the step changes.
    fileprivate var thawed: Int? {
        if case .setThawed(let item, _, _) = self { item } else { nil }
    }
}
