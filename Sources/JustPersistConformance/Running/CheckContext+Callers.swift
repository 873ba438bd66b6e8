import Dispatch
import Foundation
import JustPersist

/// Work that a check does on the main thread, and blocks that it queues.
extension CheckContext {
    /// Whether the caller is on the main thread, or on the main queue where that is served by others.
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
    /// A program that does not serve its main queue leaves the check unverified.
    func onMain(_ body: @escaping @Sendable () throws -> Void) throws {
        let hasBegun = Latch()
        let outcome = Locked<Result<Void, any Error>?>(nil)
        let work = DispatchWorkItem {
            hasBegun.open()
            let result = Result { try body() }
            outcome.change { $0 = result }
        }
        _ = Self.isOnMain
        DispatchQueue.main.async(execute: work)
        if !hasBegun.opens(within: .seconds(10)) {
            work.cancel()
            try unverified("the program does not serve its main queue")
        }
        try outcome.wait { $0 }.get()
    }

    /// Runs `body` on the check's own thread, then on the main thread; gives it their names.
    func fromEachThread(_ body: @escaping @Sendable (_ caller: String) throws -> Void) throws {
        try body("a background thread")
        try onMain { try body("the main thread") }
    }

    /// Queues a block, waits for its completion, and gives the error that it brought.
    func enqueueAndWait(
        _ store: any DataStore,
        _ block:
            @escaping @Sendable (borrowing any DataStoreReadWriteAccessor & ~Copyable) throws ->
            Void
    ) -> (any Error)? {
        let outcome = Locked<Result<Void, any Error>?>(nil)
        store.enqueueWrite(block) { error in
            outcome.change { $0 = error.map { .failure($0) } ?? .success(()) }
        }
        do {
            try outcome.wait { $0 }.get()
            return nil
        } catch {
            return error
        }
    }

    /// Demands that a call succeeds.
    func expectSuccess(
        _ what: @autoclosure () -> String, file: String = #fileID, line: Int = #line,
        via inner: Int = #line,
        _ body: () throws -> Void
    ) {
        do {
            try body()
            expect(true, "", file: file, line: line, via: inner)
        } catch {
            expect(
                false, "\(what()): expected no error, got \(error)", file: file, line: line,
                via: inner)
        }
    }

    /// The same as `makeStore(named:)` for a store that ends when the caller lets it go.
    func makeUnheldStore(named name: String) throws -> any DataStore {
        let directory = directory.appending(path: name, directoryHint: .isDirectory)
        return try fixture.store(in: directory) { [errors] in errors.append($0) }
    }

    /// What the stores' error handlers were given while `body` ran.
    func reported(_ body: () throws -> Void) rethrows -> [DataStoreError] {
        let before = errors.all.count
        try body()
        return Array(errors.all.dropFirst(before))
    }

    /// Leaves the check unverified for a store without an error handler.
    func requireErrorHandler(of store: any DataStore) throws {
        if !hearsErrors {
            try unverified(
                """
                the fixture gives its store no error handler: implement makeStore(in:errorHandler:)
                """)
        }
    }
}

extension Latch {
    /// Waits so long at most until it is open, and says whether it is.
    func opens(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !hasOpened {
            if ContinuousClock.now > deadline { return false }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return true
    }
}
