import Dispatch
import Foundation
import JustPersist

/// Work that a check does on several threads.
extension CheckContext {
    /// Runs `body` on so many threads at once, waits for all, and throws the first error of any.
    func threads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let running = (0..<count).map { index in ThreadHandle { try body(index) } }
        var failure: (any Error)?
        for thread in running {
            do { try thread.join() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Starts a thread; wait for it with `join()`.
    func start(_ body: @escaping @Sendable () throws -> Void) -> ThreadHandle { ThreadHandle(body) }

    /// Runs what suspends, and waits for it.
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

    /// Waits until it has ended, and throws what it threw.
    func join() throws { try outcome.get() }

    /// Waits so long for its end at most, and says whether it came.
    func ends(within limit: Duration) -> Bool {
        comesTrue(within: limit) { outcome.isSettled }
    }
}

/// A gate between threads: closed until it is opened, and open from then on.
final class Latch: Sendable {
    private let isOpen = Locked(false)

    /// Lets all threads through.
    func open() { isOpen.change { $0 = true } }

    /// Waits until it is open.
    func wait() { isOpen.wait { $0 ? () : nil } }

    /// Waits so long at most until it is open, and says whether it is.
    func opens(within limit: Duration) -> Bool { comesTrue(within: limit) { hasOpened } }

    /// Whether it is open.
    var hasOpened: Bool { isOpen.withLock { $0 } }
}

/// Polls a condition until it is true, for at most so long, and returns whether it became true.
func comesTrue(within limit: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now > deadline { return false }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return true
}
