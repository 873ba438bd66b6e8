/// Why a run has failed.
public struct SimulationFailure: Error, CustomStringConvertible, Sendable {
    /// A reason for which a run does not come to its end.
    package enum Standstill: Sendable {
        /// All threads wait for each other.
        case deadlock
        /// Threads go on for ever.
        case endless
        /// A thread has waited for an hour of the simulation's time.
        case hour
        /// A thread waits for what the simulation does not know, or one that it does not know has used it.
        case outside
    }

    /// The reason, for people.
    public let description: String
    /// Why the run does not come to its end; `nil` for what a block has found.
    package let standstill: Standstill?

    /// A failure with a reason.
    public init(_ description: String) { self.init(description, nil) }

    init(_ description: String, _ standstill: Standstill?) {
        self.description = description
        self.standstill = standstill
    }
}
