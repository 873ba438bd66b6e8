import Foundation
import JustPersist

/// The error that a ``FailingStore`` throws.
struct InjectedFailure: Error {}

/// A store of which a call can fail.
final class FailingStore: DataStore {
    private let store: any DataStore
    private let state: Locked<State>

    private struct State {
        var calls = 0
        var failing: Int?
        var always = false
        var writesLeft: Int?
        var refusesQueued = false
        var stall: DispatchSemaphore?
    }

    init(_ store: any DataStore, failing: Int? = nil) {
        self.store = store
        state = Locked(State(failing: failing))
    }

    /// Whether all write blocks fail, and no other calls.
    var failsWrites: Bool {
        get { state.withLock { $0.writesLeft == 0 } }
        set { state.withLock { $0.writesLeft = newValue ? 0 : nil } }
    }

    /// Makes all write blocks fail after `count` successful ones.
    func failWrites(after count: Int) { state.withLock { $0.writesLeft = count } }

    /// From now on, refuses queued blocks inside of the call that queues them.
    func refuseQueuedBlocks() { state.withLock { $0.refusesQueued = true } }

    /// Delays the next write block until the semaphore is signalled.
    func stall(on semaphore: DispatchSemaphore) { state.withLock { $0.stall = semaphore } }

    /// Whether the write block to be delayed has begun.
    var isStalled: Bool { state.withLock { $0.stall == nil } }

    var failsAlways: Bool {
        get { state.withLock { $0.always } }
        set { state.withLock { $0.always = newValue } }
    }

    /// Whether the call that must fail was made.
    var hasFailed: Bool { state.withLock { $0.calls > $0.failing ?? .max } }

    private func count() throws {
        let fails = state.withLock { state in
            defer { state.calls += 1 }
            return state.always || state.calls == state.failing
        }
        if fails { throw InjectedFailure() }
    }

    var capabilities: DataStoreCapabilities { store.capabilities }

    var errorHandler: DataStoreErrorHandler? {
        get { store.errorHandler }
        set { store.errorHandler = newValue }
    }

    func open() throws {
        try count()
        try store.open()
    }

    func close() throws { try store.close() }

    func destroy() throws { try store.destroy() }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try count()
        try store.performRead(block)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        let (isRefused, stall) = state.withLock { state in
            defer { state.writesLeft = state.writesLeft.map { max(0, $0 - 1) } }
            return (state.writesLeft == 0, state.stall.take())
        }
        stall?.wait()
        if isRefused { throw InjectedFailure() }
        try count()
        try store.performWrite(block)
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        if state.withLock({ $0.refusesQueued }) { return completion(InjectedFailure()) }
        store.enqueueWrite(block, completion: completion)
    }

    func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        try count()
        return try store.observeChanges(scope, since: token)
    }
}
