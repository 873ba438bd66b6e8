/// A script that executes the steps of several concurrent sessions in a given order.
///
/// The items have a name and a number. A session is one block of a store, on its own thread:
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
/// If a step waits for another session, the script continues, and the session executes its further steps when it can.
/// One script can therefore be used for stores in which writers wait, and for stores that detect conflicts later. Only
/// the outcome is evaluated, not which session waited.
///
/// The scripts of the isolation checks are based on those of Hermitage (Kleppmann, 2014).
struct Interleaving: Sendable {
    /// The anomaly or rule that the script examines.
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

    /// Builds the list of steps, one on each line.
    @resultBuilder
    enum StepBuilder {
        static func buildExpression(_ step: Step) -> [Step] { [step] }
        static func buildBlock(_ steps: [Step]...) -> [Step] { steps.flatMap { $0 } }
    }
}
