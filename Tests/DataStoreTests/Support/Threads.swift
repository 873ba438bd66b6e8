import Foundation
import JustPersist

/// Runs `body` on `count` new threads concurrently, waits for all of them, and throws the first error.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let threads = (0..<count).map { index in BackgroundBlock { try body(index) } }
    for thread in threads { try thread.wait() }
}

/// A closure that runs on its own thread.
final class BackgroundBlock: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let failure = Locked<(any Error)?>(nil)
    private let isOver = Locked(false)

    /// Waits for the end, and ignores the error of the body.
    ///
    /// Several threads may wait.
    func waitForEnd() { isOver.wait { $0 ? () : nil } }

    init(_ body: @escaping @Sendable () throws -> Void) {
        let thread = Thread { [self] in
            do { try body() } catch { failure.withLock { $0 = error } }
            isOver.change { $0 = true }
            ended.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Waits for the end, and throws the error of the body.
    func wait() throws {
        ended.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// A list that several threads append to.
final class SharedList<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    func append(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock { $0 } }
}
