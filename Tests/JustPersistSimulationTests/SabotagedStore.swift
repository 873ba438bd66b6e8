import JustPersist
import JustPersistRecords
import JustPersistSimulation

/// A store with a deliberate fault, or without one. It offers only the calls of the contract, and no access to its
/// records.
// Sendable because only one thread of a simulation runs at a time.
final class SabotagedStore: DataStore, @unchecked Sendable {
    private let store: any DataStore
    private let sabotage: Sabotage
    private let timer = SerialQueue(label: "sabotage")
    private var waiting:
        [(
            block: @Sendable (borrowing DataStoreWriter) throws -> Void,
            completion: @Sendable ((any Error)?) -> Void
        )] = []

    init(_ store: any DataStore, _ sabotage: Sabotage) {
        self.store = store
        self.sabotage = sabotage
    }

    var capabilities: DataStoreCapabilities { store.capabilities }

    var errorHandler: DataStoreErrorHandler? {
        get { store.errorHandler }
        set { store.errorHandler = newValue }
    }

    func open() throws { try store.open() }

    func close() throws {
        if sabotage == .queueIsReversed { flush() }
        try store.close()
    }

    func destroy() throws { try store.destroy() }

    func verify() throws -> VerificationReport { try store.verify() }

    func buildIndexes(progress: (IndexProgress) throws -> Void) throws {
        try store.buildIndexes(progress: progress)
    }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try store.performRead(block)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        switch sabotage {
        case .refusedBlockRunsTwice:
            do {
                try store.performWrite(block)
            } catch let error as DataStoreError where error.code == .storageFailure {
                // The refused block is run again, but the refusal is reported.
                try? store.performWrite(block)
                throw error
            }
        case .fullDiskIsSilent:
            do {
                try store.performWrite(block)
            } catch let error as DataStoreError where error.code == .storageFull {
                // The caller considers the block committed.
            }
        default: try store.performWrite(block)
        }
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        switch sabotage {
        case .completionBeforeCommit:
            let isCalled = Shared(false)
            store.enqueueWrite(
                { db in
                    try block(db)
                    isCalled.value = true
                    completion(nil)
                }, completion: { if !isCalled.value { completion($0) } })
        case .queueIsReversed:
            waiting.append((block, completion))
            timer.async(after: .milliseconds(1)) { self.flush() }
        case .queuedRefusalIsSwallowed:
            store.enqueueWrite(block) { error in
                let isRefused = (error as? DataStoreError)?.code == .storageFailure
                completion(isRefused ? nil : error)
            }
        default: store.enqueueWrite(block, completion: completion)
        }
    }

    private func flush() {
        let reversed = waiting.reversed()
        waiting = []
        for (block, completion) in reversed { store.enqueueWrite(block, completion: completion) }
    }

    func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        var scope = scope
        // An item that one commit creates and a later one deletes is left out, although the observer requests it.
        if sabotage == .streamPassesOverShortLives, case .withEveryDeletion(let inner) = scope {
            scope = inner
        }
        let forgets = sabotage == .streamForgetsItsToken && token != nil
        let now = forgets ? try store.readSync { try $0.changeToken } : token
        return SabotagedObservation(try store.observeChanges(scope, since: now), store, sabotage)
    }
}

// Sendable because only one thread of a simulation runs at a time.
private final class SabotagedObservation: ChangeObservation, @unchecked Sendable {
    private let observation: any ChangeObservation
    private let store: any DataStore
    private let sabotage: Sabotage
    private var count = 0

    init(_ observation: any ChangeObservation, _ store: any DataStore, _ sabotage: Sabotage) {
        self.observation = observation
        self.store = store
        self.sabotage = sabotage
    }

    func next() async -> ChangeSet? { await observation.next() }

    func poll() -> ChangeSet? {
        guard let set = observation.poll() else { return nil }
        count += 1
        switch sabotage {
        case .streamLosesASet: return count % 4 == 0 ? poll() : set
        case .streamIsBeforeCommit:
            // The token belongs to a later commit, which does not exist yet.
            let token = ChangeToken(origin: set.token.origin, position: set.token.position + 1)
            return ChangeSet(types: set.types, isComplete: set.isComplete, token: token)
        case .streamTellsNoDeletions:
            let types = set.types.map {
                ItemChanges(
                    itemTypeKey: $0.itemTypeKey, inserted: $0.inserted, updated: $0.updated,
                    isComplete: $0.isComplete, token: $0.token)
            }
            return ChangeSet(types: types, isComplete: set.isComplete, token: set.token)
        case .incompleteSetIsComplete:
            return ChangeSet(types: set.types, isComplete: true, token: set.token)
        default: return set
        }
    }
}
