import Dispatch
import Foundation
import JustPersist

/// Runs parts of a check on several threads.
extension CheckContext {
    /// Runs `body` on `count` threads concurrently, waits for all of them, and throws the first error of any.
    func threads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let running = (0..<count).map { index in ThreadHandle { try body(index) } }
        var failure: (any Error)?
        for thread in running {
            do { try thread.join() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Starts a thread.
    ///
    /// Wait for its end with `join()`.
    func start(_ body: @escaping @Sendable () throws -> Void) -> ThreadHandle { ThreadHandle(body) }

    /// Runs asynchronous code, and waits for its end.
    func runAsync(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Promise<Void>()
        Task {
            do {
                outcome.settle(.success(try await body()))
            } catch {
                outcome.settle(.failure(error))
            }
        }
        try outcome.get()
    }
}

/// A thread that a check started.
final class ThreadHandle: Sendable {
    private let outcome = Promise<Void>()

    /// Starts a thread that runs `body`.
    init(_ body: @escaping @Sendable () throws -> Void) {
        let outcome = outcome
        let thread = Thread { outcome.settle(Result { try body() }) }
        // Enough for deeply nested predicates, in a debug build too.
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Waits until the thread has ended, and throws its error.
    func join() throws { try outcome.get() }

    /// Waits for the end of the thread, at most for `limit`, and returns whether it has ended.
    func ends(within limit: Duration) -> Bool {
        comesTrue(within: limit) { outcome.isSettled }
    }
}

/// A gate between threads: closed until it is opened, and open from then on.
final class Latch: Sendable {
    private let isOpen = Locked(false)

    /// Lets all threads through.
    func open() { isOpen.change { $0 = true } }

    /// Waits until the latch is open.
    func wait() { isOpen.wait { $0 ? () : nil } }

    /// Waits until the latch is open, at most for `limit`, and returns whether it is open.
    func opens(within limit: Duration) -> Bool { comesTrue(within: limit) { hasOpened } }

    /// Whether the latch is open.
    var hasOpened: Bool { isOpen.withLock { $0 } }
}

/// Polls a condition until it is true, at most for `limit`, and returns whether it became true.
func comesTrue(within limit: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now > deadline { return false }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return true
}
