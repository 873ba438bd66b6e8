/// The reason for which a run has failed.
public struct SimulationFailure: Error, CustomStringConvertible, Sendable {
    /// A reason for which a run does not end.
    package enum Standstill: Sendable {
        /// All threads wait for each other.
        case deadlock
        /// Threads continue forever.
        case endless
        /// A thread has waited for an hour of the simulation's time.
        case hour
        /// A thread waits for something outside the simulation, or a thread outside the simulation has used it.
        case outside
    }

    /// The reason as text.
    public let description: String
    /// The reason for which the run does not end; `nil` for a failure that a block has reported.
    package let standstill: Standstill?

    /// A failure with a reason.
    public init(_ description: String) { self.init(description, nil) }

    init(_ description: String, _ standstill: Standstill?) {
        self.description = description
        self.standstill = standstill
    }
}
