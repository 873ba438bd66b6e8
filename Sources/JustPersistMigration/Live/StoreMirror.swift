import Foundation
import JustPersist

/// Keeps one store, the replica, the same as another one, the primary, while that is written to.
///
/// The primary tells which items have changed, and the mirror copies their present state: to copy an item twice does no harm,
/// so whatever is interrupted is done again. Everything is done under one lock, and each time the state is read anew. So an
/// item that changes behind that reading is told as changed, and copied again; nothing older ever follows something newer.
final class StoreMirror: Sendable {
    let primary: any DataStore
    let replica: any DataStore
    private let state: Locked<State>

    fileprivate struct State {
        let observation: any ChangeObservation
        let feed: ChangeFeed
        /// Whether the replica is not to be written to any more.
        var isStopped = false
        var schemas = SchemaMirror()
        /// The items that are known to have changed and are not copied yet.
        var changed: [String: Set<ItemID>] = [:]
        /// The types of which it is not known which items differ; `nil` for all types.
        var unknown: Set<String>? = []
        /// The type whose items are being compared, and those of them that have changed meanwhile.
        var watched: String?
        var told: Set<ItemID> = []
        /// The place in the primary's history up to which `changed` and `unknown` say everything.
        var token: ChangeToken?
        /// Why the replica could not be written to the last time.
        var failure: MirrorFailure?
    }

    /// How far the replica is.
    struct Position {
        /// Whether it is the same as the primary, by what is known.
        let isInStep: Bool
        /// The place in the primary's history up to which it is the same; `nil` if it is not.
        let token: ChangeToken?
        /// Why not.
        let failure: DataStoreError?
    }

    /// How long a replica that failed is left alone, so that writers do not pay for it each time.
    private static let patience = Duration.seconds(1)
    /// More changed items than these are found by comparing.
    fileprivate static let mostChanges = 1 << 20
    /// The items that are copied under the lock at once, while writers wait.
    static let batchSize = 1000

    /// Begins to follow a primary, both of which are open.
    ///
    /// - Parameters:
    ///   - token: Where the replica was the same as the primary; `nil` if all is to be compared.
    ///   - feed: Is told what the primary tells.
    init(
        from primary: any DataStore, to replica: any DataStore, since token: ChangeToken?,
        telling feed: ChangeFeed
    ) throws {
        self.primary = primary
        self.replica = replica
        let observation = try primary.observeChanges(.everything, since: token)
        var state = State(observation: observation, feed: feed, token: token)
        if token == nil { state.unknown = nil }
        self.state = Locked(state)
    }

    /// How far the replica is, by what was told up to now.
    var position: Position {
        state.withLock { state in
            state.note()
            let isInStep = state.isInStep
            return Position(
                isInStep: isInStep, token: isInStep ? state.token : nil,
                failure: state.failure?.error)
        }
    }

    /// The types that have to be compared.
    ///
    /// Those that one of the stores does not have any more are not among them.
    func unknownTypes() throws -> Set<String> {
        let unknown = state.withLock { state in
            state.note()
            return state.unknown
        }
        if let unknown { return unknown }
        var keys: Set<String> = []
        for store in [primary, replica] {
            try store.performRead { db in keys.formUnion(try db.schemas().map(\.itemTypeKey)) }
        }
        state.withLock { $0.unknown = $0.unknown ?? keys }
        return keys
    }

    /// Leaves the replica as it is from now on.
    func stopCopying() { state.withLock { $0.isStopped = true } }

    /// Notes why the replica cannot be made the same.
    func note(_ error: any Error) {
        state.withLock { $0.failure = MirrorFailure(error) }
    }

    // MARK: Changes

    /// Copies what has changed, unless the replica has just failed; returns an error that is new.
    func follow() -> DataStoreError? {
        state.withLock { state in
            if let failure = state.failure, failure.time.duration(to: .now) < Self.patience {
                state.note()
                return nil
            }
            return apply(&state)
        }
    }

    /// Copies what has changed, declarations too, or says why that cannot be.
    func catchUp() throws(DataStoreError) {
        let failure = state.withLock { state in
            _ = apply(&state, withDeclarations: true)
            return state.failure
        }
        if let failure { throw failure.error }
    }

    /// A type that has no items needs not be declared with each write.
    private func apply(_ state: inout State, withDeclarations: Bool = false) -> DataStoreError? {
        state.note()
        if state.isStopped { return nil }
        do {
            try attempting(&state) { state in
                try primary.performRead { primary in
                    if withDeclarations { try state.schemas.update(of: replica, from: primary) }
                    let schemas = try state.schemas.update(
                        Set(state.changed.keys), of: replica, from: primary)
                    for (type, ids) in state.changed {
                        try copy(ids.sorted(), ofType: type, schemas[type], from: primary)
                    }
                }
            }
            state.changed = [:]
            state.failure = nil
            return nil
        } catch {
            let isNew = state.failure == nil
            let failure = MirrorFailure(error)
            state.failure = failure
            return isNew ? failure.error : nil
        }
    }

    /// Runs `body` again if it came between two commits that pass a unique value from one item to another: then it has seen
    /// the second without the first.
    private func attempting<Result>(
        _ state: inout State, _ body: (inout State) throws -> Result
    ) throws -> Result {
        for _ in 0..<3 {
            do {
                return try body(&state)
            } catch let error as DataStoreError where error.code == .uniqueViolation {
                state.note()
            }
        }
        return try body(&state)
    }

    // MARK: Comparing

    /// Makes all items of some types the same.
    ///
    /// - Parameter progress: Called behind each batch with the pass, from 1, the type, and the number of items it compared.
    ///   What it throws ends the work.
    func reconcile(
        _ types: [String],
        progress: (_ pass: Int, _ itemTypeKey: String, _ items: Int) throws -> Void
    ) throws {
        var left = types[...]
        do {
            try state.withLock { state in
                // First, so that what becomes unknown meanwhile is compared again.
                state.note()
                state.unknown?.subtract(types)
                try primary.performRead { db in
                    try state.schemas.open(Set(types), of: replica, from: db)
                }
            }
            while let type = left.first {
                try progress(1, type, 0)
                try reconcile(type) { try progress($0, type, $1) }
                left.removeFirst()
            }
            try state.withLock { state in
                try primary.performRead { db in
                    try state.schemas.close(Set(types), of: replica, from: db)
                }
            }
        } catch {
            state.withLock { state in _ = state.unknown?.formUnion(left) }
            throw error
        }
    }

    /// Copies a type in passes, until one finds no difference but those of items that were changed meanwhile.
    private func reconcile(
        _ itemTypeKey: String, progress: (_ pass: Int, _ items: Int) throws -> Void
    ) throws {
        state.withLock { $0.watched = itemTypeKey }
        defer { state.withLock { $0.watched = nil } }
        for pass in 1...Self.mostPasses {
            state.withLock { $0.told = [] }
            let differences = try self.pass(over: itemTypeKey) { try progress(pass, $0) }
            if let differences, isExplained(differences) { return }
        }
        throw DataStoreError(
            .verificationFailed, in: "migrate",
            """
            The copies of “\(itemTypeKey)” differ each time they are compared. Let nobody but the MigratingDataStore write to \
            its two stores.
            """, itemType: itemTypeKey)
    }

    /// Whether all of these items were changed since the pass began.
    private func isExplained(_ differences: Set<ItemID>) -> Bool {
        if differences.isEmpty { return true }
        // A commit can be seen just before it is told.
        for _ in 0..<10 {
            let isExplained = state.withLock { state in
                state.note()
                return differences.isSubset(of: state.told)
            }
            if isExplained { return true }
            Thread.sleep(forTimeInterval: 0.005)
        }
        return false
    }

    private static let mostPasses = 5
    /// More are not kept: then there is another pass.
    private static let mostDifferences = 1 << 16

    /// Compares each item of a type once; returns those that differed, which are the same now, or `nil` if they were many.
    private func pass(
        over itemTypeKey: String, _ progress: (_ items: Int) throws -> Void
    ) throws -> Set<ItemID>? {
        let type = ItemType(dynamic: itemTypeKey)
        let all = DataStoreRequest(itemTypeKey: itemTypeKey)
        var differences: Set<ItemID>? = []
        var ids: [ItemID] = []
        func flush() throws {
            if ids.isEmpty { return }
            let copied = try state.withLock { state in
                try attempting(&state) { state in
                    var copied: [ItemID] = []
                    try primary.performRead { primary in
                        let schema = try state.schemas.update(
                            [itemTypeKey], of: replica, from: primary)[itemTypeKey]
                        copied = try copy(ids, ofType: itemTypeKey, schema, from: primary)
                    }
                    return copied
                }
            }
            differences?.formUnion(copied)
            if differences?.count ?? 0 > Self.mostDifferences { differences = nil }
            try progress(ids.count)
            ids = []
        }
        func compare(_ id: ItemID) throws {
            ids.append(id)
            if ids.count == Self.batchSize { try flush() }
        }
        try primary.performRead { try $0.forEach(all) { try compare($0.uniqueToken) } }
        try flush()
        // And what the replica has beside those.
        try replica.performRead { replica in
            try primary.performRead { primary in
                try replica.forEach(all) { copy in
                    let id = copy.uniqueToken
                    if try primary.performFetchItem(type, id: id) == nil { try compare(id) }
                }
            }
        }
        try flush()
        return differences
    }
}

/// Why a replica could not be written to, and when.
private struct MirrorFailure {
    let error: DataStoreError
    let time = ContinuousClock.now

    init(_ error: any Error) { self.error = .migrationFailed(error) }
}

extension StoreMirror.State {
    fileprivate var isInStep: Bool { changed.isEmpty && unknown == [] && failure == nil }

    /// Takes up what the primary has told since the last time.
    fileprivate mutating func note() {
        while let set = observation.poll() {
            feed.publish(CommittedChanges(set))
            token = set.token
            if isStopped { continue }
            guard set.isComplete else {
                unknown = nil
                changed = [:]
                continue
            }
            for changes in set.types { note(changes) }
        }
        guard changed.values.reduce(0, { $0 + $1.count }) > StoreMirror.mostChanges else { return }
        unknown?.formUnion(changed.keys)
        changed = [:]
    }

    private mutating func note(_ changes: ItemChanges) {
        let key = changes.itemTypeKey
        // All of them are going to be compared.
        guard let unknown, !unknown.contains(key) else { return }
        guard changes.isComplete else {
            self.unknown?.insert(key)
            changed[key] = nil
            return
        }
        let ids = changes.inserted + changes.updated.map(\.id) + changes.deleted
        changed[key, default: []].formUnion(ids)
        if key == watched { told.formUnion(ids) }
    }
}

// MARK: - Items

extension StoreMirror {
    /// The most bytes of values that one write block of the replica is given.
    private var batchBytes: Int { min(4 << 20, replica.capabilities.limits.writeBlockBytes / 2) }

    private typealias Difference = (id: ItemID, values: [String: DataStoreValue]?)

    /// Makes items of the replica what they are in the primary; returns those that were not.
    @discardableResult
    private func copy(
        _ ids: [ItemID], ofType key: String, _ schema: ItemSchema?,
        from primary: borrowing DataStoreReader
    ) throws -> [ItemID] {
        let type = ItemType(dynamic: key)
        // Where null is not what an item has that holds no value.
        let nullable = schema?.attributes.filter { $0.defaultValue != nil }.map(\.name) ?? []
        var copied: [ItemID] = []
        var differences: [Difference] = []
        var bytes = 0
        func flush() throws {
            if differences.isEmpty { return }
            try write(differences, type)
            copied += differences.map(\.id)
            (differences, bytes) = ([], 0)
        }
        try replica.performRead { replica in
            for id in ids {
                let item = try primary.performFetchItem(type, id: id)
                let copy = try replica.performFetchItem(type, id: id)
                if let item, let copy {
                    if try item.hasSameValues(as: copy) { continue }
                } else if item == nil, copy == nil {
                    continue
                }
                let values = try item?.storedValues(withNullsOf: nullable)
                differences.append((id, values))
                let sizes = values?.values.map { $0.storedSize(limit: batchBytes) ?? 0 }
                bytes += sizes?.reduce(0, +) ?? 0
                if bytes >= batchBytes { try flush() }
            }
        }
        try flush()
        return copied
    }

    private func write(_ differences: [Difference], _ type: ItemType) throws {
        try replica.performWrite { db in
            for (id, values) in differences {
                let known = try db.performFetchItem(type, id: id)
                switch (known, values) {
                case (let known?, nil): _ = try db.performDelete(known)
                case (nil, let values?):
                    _ = try db.performInsert(DynamicItem(type.key, id: id, values: values))
                case (let known?, let values?):
                    for name in known.backing.attributeNames {
                        let value = values[name] ?? .null
                        if try known.backing.value(forAttribute: name).isIdentical(to: value) {
                            continue
                        }
                        try known.backing.setValue(value, forAttribute: name)
                    }
                case (nil, nil): break
                }
            }
        }
    }
}

extension CommittedChanges {
    /// The same changes, as another store tells them.
    fileprivate init(_ set: ChangeSet) {
        self = set.isComplete ? CommittedChanges() : .unknown
        for changes in set.types {
            let key = changes.itemTypeKey
            if !changes.isComplete { changeAll(ofType: key) }
            for id in changes.inserted { insert(id, ofType: key) }
            for update in changes.updated {
                self.update(update.id, ofType: key, attributes: update.attributes)
            }
            for id in changes.deleted { delete(id, ofType: key) }
        }
    }
}
