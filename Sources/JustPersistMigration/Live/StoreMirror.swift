import Foundation
import JustPersist

/// Keeps one store, the replica, the same as another one, the primary, while that is written to.
///
/// The primary tells which items have changed, and the mirror copies their present state. To copy an item twice does no harm,
/// so whatever was interrupted is done again. Everything is done under one lock, and each time the state is read anew: an item
/// that changes behind that reading is told as changed, and copied again. Nothing older ever follows something newer.
final class StoreMirror: Sendable {
    let primary: any DataStore
    let replica: any DataStore
    private let state: Locked<State>
    /// The threads that work for the mirror, and how often each has begun.
    private let threads = Locked<[UInt: Int]>([:])
    /// How far the replica was when something was done last, for those who must not wait for the stores.
    private let last: Locked<Position>
    /// Has the file say that it is not known up to where the replica is the same.
    ///
    /// Called before the replica is changed so that the changes since that place do not suffice any more.
    private let forgetPlace: @Sendable () throws -> Void

    fileprivate struct State {
        let observation: any ChangeObservation
        let relay: ChangeRelay
        var schemas: SchemaMirror
        var mode = Mode.copying
        /// The items that are known to have changed and are not copied yet.
        var changed: [String: Set<ItemID>] = [:]
        /// The types of which it is not known which items differ; `nil` for all types.
        var unknown: Set<String>? = []
        /// The types that are being compared, which the replica declares in a relaxed form.
        var compared: Set<String> = []
        /// The type of them whose items are being compared, and those items that have changed meanwhile.
        var comparedType: String?
        var changedMeanwhile: Set<ItemID> = []
        /// The place in the primary's history up to which everything above is said.
        var token: ChangeToken?
        /// Why the replica could not be written to the last time, and when that was.
        var failure: (error: DataStoreError, time: ContinuousClock.Instant)?
        /// Why the stores cannot be compared.
        var obstacle: DataStoreError?
    }

    fileprivate enum Mode {
        /// The replica gets what changes.
        case copying
        /// The relay is told what changes, and the replica left as it is.
        case telling
        /// Nothing is done any more.
        case ended
    }

    /// How far the replica is.
    struct Position {
        /// Whether it is the same as the primary, up to the last write call that has returned.
        let isInStep: Bool
        /// The place in the primary's history up to which it is the same; `nil` if there is none at the moment.
        let token: ChangeToken?
        /// Why not, if something has failed.
        let failure: DataStoreError?
    }

    /// How long a replica that failed is left alone by writers, who would wait for it each time.
    private static let retryInterval = Duration.seconds(1)
    /// If more items have changed, their types are compared.
    fileprivate static let mostChanges = 1 << 20
    /// The items that are copied under the lock at once, while writers wait.
    private static let batchSize = 1000

    /// Begins to follow a primary, both of which are open.
    ///
    /// - Parameters:
    ///   - token: Where the replica was the same as the primary; `nil` if all is to be compared.
    ///   - relay: Is told what the primary tells.
    ///   - forgetPlace: Has the token be forgotten, durably, with all later ones that may be about to be saved.
    init(
        from primary: any DataStore, to replica: any DataStore, since token: ChangeToken?,
        telling relay: ChangeRelay, forgetPlace: @escaping @Sendable () throws -> Void
    ) throws {
        self.primary = primary
        self.replica = replica
        self.forgetPlace = forgetPlace
        // The replica may be later than the token, which is saved after it: it may have items that are deleted by now.
        let observation = try primary.observeChanges(
            .withEveryDeletion(in: .everything), since: token)
        let schemas = SchemaMirror(from: primary, to: replica)
        var state = State(observation: observation, relay: relay, schemas: schemas, token: token)
        if token == nil { state.unknown = nil }
        last = Locked(state.position)
        self.state = Locked(state)
    }

    /// Runs `body` for the mirror: what a store reports meanwhile must not be handled on this thread.
    func working<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = BlockThread.current
        threads.withLock { $0[thread, default: 0] += 1 }
        defer {
            threads.withLock { threads in
                let count = (threads[thread] ?? 1) - 1
                threads[thread] = count > 0 ? count : nil
            }
        }
        // Neither the task nor the deadline of the writer whose thread this is ends it.
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

    /// How far the replica is, with all that the primary has committed by now.
    var position: Position {
        withState { state in
            state.note()
            return state.position
        }
    }

    /// How far the replica was when something was done last, without a wait for either store.
    var lastPosition: Position { last.withLock { $0 } }

    /// Takes up, and tells, what the primary has committed.
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
            // Under the lock: a type that is created later is told as changed, and is then not unknown.
            var keys: Set<String> = []
            for store in [primary, replica] {
                try store.performRead { db in keys.formUnion(try db.schemas().map(\.itemTypeKey)) }
            }
            try primary.performRead { keys = try SchemaMirror.renamed(keys, in: $0) }
            state.unknown = keys
            return keys
        }
    }

    /// Leaves the replica as it is from now on.
    func stopCopying() {
        withState { state in
            state.mode = .telling
            state.failure = nil
            state.obstacle = nil
        }
    }

    /// Does nothing any more, because another mirror follows on this one.
    func end() { withState { $0.mode = .ended } }

    /// Sets why the stores cannot be compared; `nil` if they can.
    func setObstacle(_ error: DataStoreError?) { withState { $0.obstacle = error } }

    // MARK: Changes

    /// Copies what has changed, unless the replica has just failed; returns an error that is new.
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

    /// Copies what has changed, declarations too, or says why that cannot be.
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
                // Their items read otherwise, and are not told as changed.
                state.unknown?.formUnion(redefined)
                // In one order: each is a commit of its own.
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
                // The copies were written in several blocks, or the reading came between two commits that pass a value on;
                // or a value is of a kind that was declared then, and is not any more.
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
    /// - Parameter progress: Called behind each batch with the pass, from 1, the type, and the number of items it compared.
    ///   What it throws ends the work.
    func reconcile(
        _ types: [String],
        progress: (_ pass: Int, _ itemTypeKey: String, _ items: Int) throws -> Void
    ) throws {
        var left = types[...]
        defer {
            withState { state in
                if !left.isEmpty {
                    state.unknown?.formUnion(left)
                    // Also those that were compared: they are declared in a relaxed form.
                    state.schemas.forget(state.compared)
                }
                state.compared = []
            }
        }
        try withState { state in
            try state.checkCopying()
            // First, so that what becomes unknown meanwhile is compared again.
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
            // One at a time: writers wait while the entries of its unique indexes are written.
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

    /// Copies a type in passes, until one finds no difference but those of items that were changed meanwhile.
    private func reconcile(
        _ itemTypeKey: String, progress: (_ pass: Int, _ items: Int) throws -> Void
    ) throws {
        withState { $0.comparedType = itemTypeKey }
        defer { withState { $0.comparedType = nil } }
        for pass in 1...Self.mostPasses {
            withState { $0.changedMeanwhile = [] }
            let differences = try self.pass(over: itemTypeKey) { try progress(pass, $0) }
            if let differences, wereChangedMeanwhile(differences) { return }
            // Then it is compared from the start again.
            if withState({ $0.unknown?.contains(itemTypeKey) ?? true }) { return }
        }
        throw DataStoreError(
            .verificationFailed, in: "migrate",
            """
            The copies of “\(itemTypeKey)” differ each time they are compared. Let nobody but the MigratingDataStore write to \
            its two stores.
            """, itemType: itemTypeKey)
    }

    /// Whether all of these items were changed since the pass began.
    private func wereChangedMeanwhile(_ differences: Set<ItemID>) -> Bool {
        if differences.isEmpty { return true }
        // A commit can be seen just before it is told.
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

// MARK: - What the primary tells

extension StoreMirror.State {
    fileprivate var position: StoreMirror.Position {
        StoreMirror.Position(
            isInStep: isInStep, token: isInStep && changed.isEmpty ? token : nil,
            failure: obstacle ?? failure?.error)
    }

    /// What has changed and is not copied belongs to calls that have not returned, unless something has failed.
    fileprivate var isInStep: Bool {
        unknown == [] && compared.isEmpty && failure == nil && obstacle == nil
    }

    /// Throws if the replica is not to be written to any more.
    fileprivate func checkCopying() throws {
        if mode != .copying { throw CancellationError() }
    }

    /// Takes up what the primary has told since the last time.
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
        // All of them are going to be compared.
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
