import Dispatch

/// Calls the completions of queued blocks one after the other, on a queue apart from the blocks: a completion may wait
/// for blocks that were queued after its own.
package final class CompletionQueue: Sendable {
    private struct State {
        var added = 0
        var ended = 0
    }

    private let queue: SerialQueue
    private let state = Locked(State())
    private let isHere = DispatchSpecificKey<Bool>()

    /// A queue with a descriptive name.
    package init(label: String) {
        queue = SerialQueue(label: label)
        queue.dispatchQueue?.setSpecific(key: isHere, value: true)
    }

    /// Whether it belongs to a simulation.
    var isSimulated: Bool { queue.dispatchQueue == nil }

    /// Whether the calling thread is in a completion.
    private var isInside: Bool { DispatchQueue.getSpecific(key: isHere) != nil }

    /// Adds completions, and returns immediately.
    package func async(_ completions: [@Sendable () -> Void]) {
        state.withLock { $0.added += completions.count }
        queue.async { [state] in
            for completion in completions {
                completion()
                state.change { $0.ended += 1 }
            }
        }
    }

    /// Adds a completion, and returns immediately.
    package func async(_ completion: @escaping @Sendable () -> Void) { async([completion]) }

    /// Waits until the completions that are queued now have ended, or none has ended for `patience` seconds; does not
    /// wait inside a completion.
    package func finish(patience: Double) {
        if isInside { return }
        let added = state.withLock { $0.added }
        state.waitForProgress(patience: patience, to: added) { $0.ended }
    }
}

extension Locked {
    /// Waits until a number has grown to `goal`, or has not grown for `patience` seconds.
    package func waitForProgress(patience: Double, to goal: Int, _ number: (Value) -> Int) {
        var reached = Int.min
        while reached < goal {
            let deadline = Surroundings.date(inSeconds: patience)
            let more = wait(upTo: deadline) { value -> Int? in
                let now = number(value)
                return now > reached ? now : nil
            }
            guard let more else { return }
            reached = more
        }
    }
}
