import JustPersist

/// Does something ten times a second, as long as it says that there is a reason to.
final class ChangePoller: Sendable {
    private let isRunning = Locked(false)
    private let queue = SerialQueue(label: "JustPersist.poll")

    private static let interval = Duration.milliseconds(100)

    /// Begins, unless it has begun; ends when `body` gives false.
    func start(_ body: @escaping @Sendable () -> Bool) {
        let isMine = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        if isMine { runLater(body) }
    }

    private func runLater(_ body: @escaping @Sendable () -> Bool) {
        queue.async(after: Self.interval) { [weak self] in
            guard let self else { return }
            // Noted first: whoever comes while `body` looks for a reason begins anew.
            isRunning.withLock { $0 = false }
            if body() { start(body) }
        }
    }
}
