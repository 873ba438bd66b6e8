/// The outcome of a script.
struct InterleavingOutcome: Sendable {
    /// The outcome of one step.
    struct StepResult: Sendable {
        /// The result of a read; nil if the step was not executed.
        var numbers: [Int]?
        /// Whether the step ended before the script continued.
        var isPrompt = false
        /// The error of the step, if it was refused.
        var error: String?
        /// Whether the step has ended, successfully or not.
        var hasEnded = false
    }

    /// The outcome of one session.
    struct SessionOutcome: Sendable {
        /// The results of the session's reads, in order.
        var reads: [[Int]] = []
        /// Whether the block returned and its changes were committed.
        var isCommitted = false
        /// The store's error, if the session was refused.
        var error: String?
        /// Whether the session's block has ended.
        var hasEnded = false
    }

    let script: Interleaving
    /// The results by step of the script.
    let results: [StepResult]
    let sessions: [Session: SessionOutcome]
    /// The numbers of the items at the end, by name.
    let final: [String: Int]

    subscript(session: Session) -> SessionOutcome { sessions[session] ?? SessionOutcome() }

    /// The result of a session's first read.
    func firstRead(_ session: Session) -> [Int]? { self[session].reads.first }
}

extension InterleavingOutcome: CustomStringConvertible {
    /// The script with the result of each step, and the items at the end.
    var description: String {
        let width = script.steps.map { $0.session.name.count }.max() ?? 0
        var lines = ["\(script.title), from \(Self.text(script.start.map { ($0.key, $0.value) })):"]
        for (step, result) in zip(script.steps, results) {
            let name = step.session.name
            let space = String(repeating: " ", count: width - name.count)
            lines.append("  \(name)\(space)  \(step.text)" + Self.text(of: result))
        }
        lines.append(
            "  at the end: \(Self.text(final.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))"
        )
        return lines.joined(separator: "\n")
    }

    private static func text(of result: StepResult) -> String {
        guard result.hasEnded else { return "   … never ended" }
        var text = result.isPrompt ? "" : "   (waited)"
        if let numbers = result.numbers { text += "   → \(numbers)" }
        if let error = result.error { text += "   ✗ \(error)" }
        return text
    }

    private static func text(_ items: [(String, Int)]) -> String {
        items.isEmpty ? "nothing" : items.map { "\($0) = \($1)" }.joined(separator: ", ")
    }
}
