/// A script of sessions whose blocks are open at one time, step by step.
///
/// The items have a name and a number, and a session is one block of a store, on a thread of its own:
///
/// ```swift
/// let t1 = Session("T1"), t2 = Session("T2")
/// let script = Interleaving("two writers", ["x": 10, "y": 20]) {
///     t1.begin
///     t2.begin
///     t1.set("x", to: 11)
///     t2.set("x", to: 12)
///     t1.commit
///     t2.commit
/// }
/// ```
///
/// A step that waits for another session is left to wait, and the script goes on; its session takes its
/// further steps when it can. So one script serves stores that make writers wait and stores that let them
/// run and compare later. What is judged is the outcome, never who waited for whom.
///
/// The scripts of the isolation checks are after those of Hermitage (Kleppmann, 2014).
struct Interleaving: Sendable {
    /// The anomaly or rule that it examines.
    let title: String
    /// The numbers of the items at the start, by name.
    let start: KeyValuePairs<String, Int>
    let steps: [Step]

    /// A script over items with these numbers, in which each session begins, and commits or rolls back.
    init(_ title: String, _ start: KeyValuePairs<String, Int>, @StepBuilder steps: () -> [Step]) {
        self.title = title
        self.start = start
        self.steps = steps()
    }

    /// The sessions, in the order in which they begin.
    var sessions: [Session] {
        steps.reduce(into: []) { sessions, step in
            if !sessions.contains(step.session) { sessions.append(step.session) }
        }
    }

    /// Lists steps one below the other.
    @resultBuilder
    enum StepBuilder {
        static func buildExpression(_ step: Step) -> [Step] { [step] }
        static func buildBlock(_ steps: [Step]...) -> [Step] { steps.flatMap { $0 } }
    }
}
