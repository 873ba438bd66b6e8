import Dispatch
import Foundation
import JustPersist

/// Runs parts of a check on the main thread, and records the errors that handlers receive meanwhile.
extension CheckContext {
    /// Whether the caller is on the main thread, or on the main queue if other threads serve it.
    static var isOnMain: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: markOfMain) == true
    }

    private static let markOfMain = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Runs `body` on the main thread, and waits for its end.
    ///
    /// If the program does not serve its main queue, the check is unverified.
    func onMain(_ body: @escaping @Sendable () throws -> Void) throws {
        let hasBegun = Latch()
        let outcome = Promise<Void>()
        let work = DispatchWorkItem {
            hasBegun.open()
            outcome.settle(Result { try body() })
        }
        _ = Self.isOnMain
        DispatchQueue.main.async(execute: work)
        if !hasBegun.opens(within: .seconds(10)) {
            work.cancel()
            try unverified("the program does not serve its main queue")
        }
        try outcome.get()
    }

    /// Runs `body` on the check's own thread, then on the main thread.
    ///
    /// `body` receives a name of the thread.
    func fromEachThread(_ body: @escaping @Sendable (_ caller: String) throws -> Void) throws {
        try body("a background thread")
        try onMain { try body("the main thread") }
    }

    /// Makes a store as `makeStore(named:)` does, but does not retain it: the store is released when the caller
    /// releases it.
    func makeUnheldStore(named name: String) throws -> any DataStore {
        let directory = directory.appending(path: name, directoryHint: .isDirectory)
        return try watchedStore(in: directory)
    }

    /// The errors that the stores' handlers received while `body` ran.
    func reported(_ body: () throws -> Void) rethrows -> [DataStoreError] {
        let before = errors.all.count
        try body()
        return Array(errors.all.dropFirst(before))
    }
}

extension DataStore {
    /// Queues a block, waits for its completion, and returns the error that the completion received.
    func enqueueAndWait(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void
    ) -> (any Error)? {
        let failure = Promise<(any Error)?>()
        enqueueWrite(block) { failure.settle(.success($0)) }
        do { return try failure.get() } catch { return error }
    }
}
