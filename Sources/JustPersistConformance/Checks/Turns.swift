import JustPersist

/// Counts what some threads do again and again, such as reading, so that others do not finish before they begin.
final class Turns: Sendable {
    private let state = Locked((count: 0, areOver: false))

    /// Whether a thread has ended, so that the other threads end too and do not wait for it.
    var areOver: Bool { state.withLock { $0.areOver } }

    func end() { state.change { $0.areOver = true } }

    /// Counts a turn.
    func note() { state.change { $0.count += 1 } }

    /// Waits for `count` more turns.
    func wait(forMore count: Int) {
        let wanted = state.withLock { $0.count } + count
        state.wait { $0.areOver || $0.count >= wanted ? () : nil }
    }
}
