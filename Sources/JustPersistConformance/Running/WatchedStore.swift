import JustPersist

/// A store whose calls are recorded: their beginnings and ends as progress, and the name of a call that does not end.
final class WatchedStore: DataStore {
    /// The store that does the work.
    let store: any DataStore
    /// The store that made this one, retained as a child retains its parent.
    private let maker: WatchedStore?
    private let recorder: Recorder

    init(_ store: any DataStore, recorder: Recorder, maker: WatchedStore? = nil) {
        self.store = store
        self.recorder = recorder
        self.maker = maker
        recorder.watched.withLock { $0[ObjectIdentifier(store)] = WeakWatchedStore(store: self) }
    }

    var capabilities: DataStoreCapabilities { store.capabilities }
    var errorHandler: DataStoreErrorHandler? {
        get { store.errorHandler }
        set { store.errorHandler = newValue }
    }

    /// The parent that the store reports, as the watched store that the check uses.
    var parent: (any DataStore)? {
        guard let parent = store.parent else { return nil }
        return recorder.watched.withLock { $0[ObjectIdentifier(parent)]?.store } ?? parent
    }

    func open() throws { try recorder.during("open") { _ in try store.open() } }

    func close() throws { try recorder.during("close") { _ in try store.close() } }

    func destroy() throws { try recorder.during("destroy") { _ in try store.destroy() } }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try recorder.during("performRead") { call in
            try store.performRead { [recorder] db in
                try recorder.during("the block of performRead", in: call) { try block(db) }
            }
        }
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try recorder.during("performWrite") { call in
            try store.performWrite { [recorder] db in
                try recorder.during("the block of performWrite", in: call) { try block(db) }
            }
        }
    }

    func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws {
        try recorder.during("performStep") { call in
            try store.performStep { [recorder] db in
                try recorder.during("the block of performStep", in: call) { try block(db) }
            }
        }
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let call = recorder.beginQueued("enqueueWrite up to its completion")
        store.enqueueWrite(
            { [recorder] db in
                try recorder.during("the block of enqueueWrite", in: call) { try block(db) }
            }
        ) { [recorder] error in
            recorder.end(call)
            completion(error)
        }
    }

    func makeChild() throws -> any DataStore {
        let child = try recorder.during("makeChild") { _ in try store.makeChild() }
        return WatchedStore(child, recorder: recorder, maker: self)
    }

    func performMerge(_ child: any DataStore, policy: MergePolicy) throws -> MergeReport {
        try recorder.during("performMerge") { _ in
            try store.performMerge((child as? WatchedStore)?.store ?? child, policy: policy)
        }
    }

    func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        try recorder.during("observeChanges") { _ in
            try store.observeChanges(scope, since: token)
        }
    }

    func verify() throws -> VerificationReport {
        try recorder.during("verify") { _ in try store.verify() }
    }

    func buildIndexes(progress: (IndexProgress) throws -> Void) throws {
        try recorder.during("buildIndexes") { _ in try store.buildIndexes(progress: progress) }
    }
}

/// A weak reference to a watched store.
struct WeakWatchedStore: Sendable {
    weak let store: WatchedStore?
}
