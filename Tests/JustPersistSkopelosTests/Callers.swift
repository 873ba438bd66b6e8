import Foundation

/// The threads from which the original libraries' tests call a store.
enum Caller: CaseIterable {
    case mainThread, background

    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether the calling thread serves the main queue.
    ///
    /// In an asynchronous program, this need not be the first thread.
    static var isOnMain: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    private var queue: DispatchQueue {
        self == .mainThread ? .main : DispatchQueue(label: "background")
    }

    /// Runs `body` on such a thread.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}

/// The recorded events, in order.
final class Steps: @unchecked Sendable {
    private let lock = NSLock()
    private var steps: [Int] = []

    var all: [Int] { lock.withLock { steps } }
    func add(_ step: Int) { lock.withLock { steps.append(step) } }
}
