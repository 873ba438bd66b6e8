import Foundation
import JustPersist

/// Keeps one store, the replica, the same as another store, the primary, while the primary is in use.
///
/// The primary reports which items have changed, and the mirror copies their present state. Copying an item twice does
/// no harm, so interrupted work is repeated. All work is done under one lock, and reads the present state each time: an
/// item that changes after it was read is reported as changed, and copied again. An older state never replaces a newer
/// one.
final class StoreMirror: Sendable {
    let primary: any DataStore
    let replica: any DataStore
    private let state: Locked<State>
    /// The threads that work for the mirror, with the number of nested calls of each.
    private let threads = Locked<[UInt: Int]>([:])
    /// The position after the latest work, for callers that must not wait for the stores.
    private let last: Locked<Position>
    /// Removes the token from the file.
    ///
    /// Called before the replica is changed in such a way that the changes since the token no longer suffice to update
    /// it.
    private let forgetPlace: @Sendable () throws -> Void

    fileprivate struct State {
        let observation: any ChangeObservation
        let relay: ChangeRelay
        var schemas: SchemaMirror
        var mode = Mode.copying
        /// The items that have changed and are not copied yet.
        var changed: [String: Set<ItemID>] = [:]
        /// The types with items that may differ without being known; `nil` for all types.
        var unknown: Set<String>? = []
        /// The types that are being compared, which the replica declares in a relaxed form.
        var compared: Set<String> = []
        /// The type whose items are being compared, and the items of it that have changed since.
        var comparedType: String?
        var changedMeanwhile: Set<ItemID> = []
        /// The place in the primary's history to which the properties above apply.
        var token: ChangeToken?
        /// The last failure to write to the replica, and its time.
        var failure: (error: DataStoreError, time: ContinuousClock.Instant)?
        /// The error that prevents a comparison of the stores.
        var obstacle: DataStoreError?
    }

    fileprivate enum Mode {
        /// Changes are copied to the replica.
        case copying
        /// Changes are reported to the relay, but not copied.
        case telling
        /// No more work is done.
        case ended
    }

    /// The position of the replica in the primary's history.
    struct Position {
        /// Whether it is the same as the primary, up to the last write call that has returned.
        let isInStep: Bool
        /// The place in the primary's history up to which it is the same; `nil` if there is none at the moment.
        let token: ChangeToken?
        /// The failure that keeps the replica from being the same, if any.
        let failure: DataStoreError?
    }

    /// Writers do not try again to write to a failed replica for this long, because each would have to wait for it.
    private static let retryInterval = Duration.seconds(1)
    /// If more items have changed, their types are compared.
    fileprivate static let mostChanges = 1 << 20
    /// The number of items that are copied at a time under the lock, while writers wait.
    private static let batchSize = 1000

    /// Starts to follow a primary; both stores are open.
    ///
    /// - Parameters:
    ///   - token: The place where the replica was the same as the primary; `nil` to compare everything.
    ///   - relay: Receives the changes that the primary reports.
    ///   - forgetPlace: Durably removes the token from the file, and keeps older calls from saving a later one.
    init(
        from primary: any DataStore, to replica: any DataStore, since token: ChangeToken?,
        telling relay: ChangeRelay, forgetPlace: @escaping @Sendable () throws -> Void
    ) throws {
        self.primary = primary
        self.replica = replica
        self.forgetPlace = forgetPlace
        // The replica may be newer than the token, which is saved later: it may have items that are deleted by now.
        let observation = try primary.observeChanges(
            .withEveryDeletion(in: .everything), since: token)
        let schemas = SchemaMirror(from: primary, to: replica)
        var state = State(observation: observation, relay: relay, schemas: schemas, token: token)
        if token == nil { state.unknown = nil }
        last = Locked(state.position)
        self.state = Locked(state)
    }

    /// Runs `body` for the mirror; events that a store reports meanwhile must not be handled on this thread.
    func working<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = BlockThread.current
        threads.withLock { $0[thread, default: 0] += 1 }
        defer {
            threads.withLock { threads in
                let count = (threads[thread] ?? 1) - 1
                threads[thread] = count > 0 ? count : nil
            }
        }
        // The work runs on a writer's thread, but the cancellation and the deadline of its task do not end it.
        return try WorkLimit.withCancellation(Cancellation(), body)
    }

    /// Whether the calling thread works for the mirror.
    var isWorkingHere: Bool { threads.withLock { $0[BlockThread.current] != nil } }

    private func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try working {
            try state.withLock { state in
                defer { last.withLock { $0 = state.position } }
                return try body(&state)
            }
        }
    }

    /// The position of the replica, after reading all commits of the primary.
    var position: Position {
        withState { state in
            state.note()
            return state.position
        }
    }

    /// The position of the replica after the latest work, without waiting for either store.
    var lastPosition: Position { last.withLock { $0 } }

    /// Reads and reports the primary's commits.
    func takeUpChanges() { withState { $0.note() } }

    /// The types that have to be compared.
    func unknownTypes() throws -> Set<String> {
        try withState { state in
            state.note()
            if let unknown = state.unknown {
                if unknown.isEmpty { return [] }
                var renamed: Set<String> = []
                try primary.performRead { renamed = try SchemaMirror.renamed(unknown, in: $0) }
                state.unknown = renamed
                return renamed
            }
            // This happens under the lock: a type that is created later is reported as changed, and is therefore not
            // unknown.
            var keys: Set<String> = []
            for store in [primary, replica] {
                try store.performRead { db in keys.formUnion(try db.schemas().map(\.itemTypeKey)) }
            }
            try primary.performRead { keys = try SchemaMirror.renamed(keys, in: $0) }
            state.unknown = keys
            return keys
        }
    }

    /// Stops copying to the replica.
    func stopCopying() {
        withState { state in
            state.mode = .telling
            state.failure = nil
            state.obstacle = nil
        }
    }

    /// Ends all work, because another mirror takes over.
    func end() { withState { $0.mode = .ended } }

    /// Sets the error that prevents a comparison of the stores; `nil` if there is none.
    func setObstacle(_ error: DataStoreError?) { withState { $0.obstacle = error } }

    // MARK: Changes

    /// Copies the changes, unless the replica has just failed; returns a new error.
    func follow() -> DataStoreError? {
        withState { state in
            if let failure = state.failure,
                failure.time.duration(to: Surroundings.now) < Self.retryInterval
            {
                state.note()
                return nil
            }
            return apply(&state)
        }
    }

    /// Copies the changes, including declarations, or throws the error that prevents it.
    func catchUp() throws(DataStoreError) {
        let failure = withState { state in
            _ = apply(&state, withDeclarations: true)
            return state.failure
        }
        if let failure { throw failure.error }
    }

    /// Declarations without items need not be copied with each write.
    private func apply(_ state: inout State, withDeclarations: Bool = false) -> DataStoreError? {
        state.note()
        if state.mode != .copying { return nil }
        do {
            try primary.performRead { primary in
                let types = withDeclarations ? nil : Set(state.changed.keys)
                if types?.isEmpty ?? false { return }
                let (schemas, redefined) = try state.schemas.update(
                    types, from: primary, beforeRedefining: forgetPlace)
                // Their items have other values now, but are not reported as changed.
                state.unknown?.formUnion(redefined)
                // The order is always the same, because each type is a separate commit.
                for (type, ids) in state.changed.sorted(by: { $0.key < $1.key }) {
                    try copy(ids.sorted(), ofType: type, schemas[type], from: primary)
                }
            }
            state.changed = [:]
            state.failure = nil
            return nil
        } catch {
            let isNew = state.failure == nil
            let error = DataStoreError.migrationFailed(error)
            if [.uniqueViolation, .kindMismatch].contains(error.code) {
                // The copies were written in several blocks, or were read between two commits that pass a value on, or
                // a value is of a kind that is no longer declared.
                state.unknown?.formUnion(state.changed.keys)
                state.changed = [:]
                return nil
            }
            state.failure = (error, Surroundings.now)
            return isNew ? error : nil
        }
    }

    // MARK: Comparing

    /// Makes all items of some types the same.
    ///
    /// - Parameter progress: Called after each batch with the pass, from 1, the type, and the number of items compared.
    ///   Its errors end the work.
    func reconcile(
        _ types: [String],
        progress: (_ pass: Int, _ itemTypeKey: String, _ items: Int) throws -> Void
    ) throws {
        var left = types[...]
        defer {
            withState { state in
                if !left.isEmpty {
                    state.unknown?.formUnion(left)
                    // These include the compared types, whose declarations are relaxed.
                    state.schemas.forget(state.compared)
                }
                state.compared = []
            }
        }
        try withState { state in
            try state.checkCopying()
            // This comes first, so types that become unknown meanwhile are compared again.
            state.note()
            state.unknown?.subtract(types)
            state.compared = Set(types)
            try forgetPlace()
            try primary.performRead { db in
                try state.schemas.relax(state.compared, from: db)
            }
        }
        for type in types {
            try progress(1, type, 0)
            try reconcile(type) { try progress($0, type, $1) }
            if type != types.last { left.removeFirst() }
        }
        for type in types {
            // Types are processed one at a time, because writers wait while the entries of the type's unique indexes
            // are written.
            try withState { state in
                try state.checkCopying()
                try primary.performRead { db in
                    let redefined = try state.schemas.tighten(
                        type, from: db, beforeRedefining: forgetPlace)
                    state.unknown?.formUnion(redefined)
                }
            }
        }
        left = []
    }

    /// Copies a type in passes, until all differences of a pass are items that were changed meanwhile.
    private func reconcile(
        _ itemTypeKey: String, progress: (_ pass: Int, _ items: Int) throws -> Void
    ) throws {
        withState { $0.comparedType = itemTypeKey }
        defer { withState { $0.comparedType = nil } }
        for pass in 1...Self.mostPasses {
            withState { $0.changedMeanwhile = [] }
            let differences = try self.pass(over: itemTypeKey) { try progress(pass, $0) }
            if let differences, wereChangedMeanwhile(differences) { return }
            // The type is compared from the start again.
            if withState({ $0.unknown?.contains(itemTypeKey) ?? true }) { return }
        }
        throw DataStoreError(
            .verificationFailed, in: "migrate",
            """
            The copies of “\(itemTypeKey)” differ each time they are compared. Only the MigratingDataStore may \
            write to its two stores.
            """, itemType: itemTypeKey)
    }

    /// Whether all of these items were changed since the pass began.
    private func wereChangedMeanwhile(_ differences: Set<ItemID>) -> Bool {
        if differences.isEmpty { return true }
        // A commit may be visible just before it is reported.
        for _ in 0..<10 {
            let isSo = withState { state in
                state.note()
                return differences.isSubset(of: state.changedMeanwhile)
            }
            if isSo { return true }
            Surroundings.sleep(seconds: 0.005)
        }
        return false
    }

    private static let mostPasses = 5
    /// If more items differ, they are not collected, and another pass follows.
    private static let mostDifferences = 1 << 16

    /// Compares each item of a type once; returns the items that differed and were copied, or `nil` if they were many.
    private func pass(
        over itemTypeKey: String, _ progress: (_ items: Int) throws -> Void
    ) throws -> Set<ItemID>? {
        let type = ItemType(dynamic: itemTypeKey)
        let all = DataStoreRequest(itemTypeKey: itemTypeKey)
        var differences: Set<ItemID>? = []
        var ids: [ItemID] = []
        func flush() throws {
            if ids.isEmpty { return }
            let copied = try withState { state in
                try state.checkCopying()
                var copied: [ItemID] = []
                try primary.performRead { primary in
                    let (schemas, redefined) = try state.schemas.update(
                        [itemTypeKey], from: primary, beforeRedefining: forgetPlace)
                    state.unknown?.formUnion(redefined)
                    if schemas[itemTypeKey] == nil,
                        try SchemaMirror.renamed([itemTypeKey], in: primary) != [itemTypeKey]
                    {
                        state.unknown?.insert(itemTypeKey)
                    }
                    copied = try copy(
                        ids, ofType: itemTypeKey, schemas[itemTypeKey], from: primary)
                }
                return copied
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
        // Items that only the replica has.
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

// MARK: - Changes of the primary

extension StoreMirror.State {
    fileprivate var position: StoreMirror.Position {
        StoreMirror.Position(
            isInStep: isInStep, token: isInStep && changed.isEmpty ? token : nil,
            failure: obstacle ?? failure?.error)
    }

    /// Whether changes that are not copied belong only to calls that have not returned, and nothing has failed.
    fileprivate var isInStep: Bool {
        unknown == [] && compared.isEmpty && failure == nil && obstacle == nil
    }

    /// Throws if the replica must not be written to any more.
    fileprivate func checkCopying() throws {
        if mode != .copying { throw CancellationError() }
    }

    /// Reads the changes that the primary has reported since the last time.
    fileprivate mutating func note() {
        if mode == .ended { return }
        while let set = observation.poll() {
            relay.publish(set)
            token = set.token
            if mode == .telling { continue }
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
        // All items of the type are going to be compared.
        guard let unknown, !unknown.contains(key) else { return }
        guard changes.isComplete else {
            self.unknown?.insert(key)
            changed[key] = nil
            return
        }
        let ids = changes.inserted + changes.updated.map(\.id) + changes.deleted
        changed[key, default: []].formUnion(ids)
        guard key == comparedType else { return }
        changedMeanwhile.formUnion(ids)
        if changedMeanwhile.count > StoreMirror.mostChanges { self.unknown?.insert(key) }
    }
}
