import JustPersist

/// Calls a function ten times a second, until it returns false.
final class ChangePoller: Sendable {
    private let isRunning = Locked(false)
    private let queue = SerialQueue(label: "JustPersist.poll")

    private static let interval = Duration.milliseconds(100)

    /// Begins polling, unless it is running already.
    ///
    /// Polling ends when `body` returns false.
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
            // Set first, so that a call of `start` while `body` runs starts polling again.
            isRunning.withLock { $0 = false }
            if body() { start(body) }
        }
    }
}
