import Foundation
import JustPersist

/// A group of threads that die together.
// Sendable because only the thread with the baton uses it.
final class SimulatedProcess: @unchecked Sendable {
    let name: String
    let kind: String
    let deathPoint: Int?
    private let whenDying: (String) -> Void
    private(set) var isAlive = true
    var points = 0
    /// The number of threads that have not ended.
    var strands = 0
    /// Whether it is alive and has threads.
    var isRunning: Bool { isAlive && strands > 0 }
    /// Whether a disk has refused a call.
    var hasRefused = false
    /// The refusal that its block has thrown.
    var refusal: (any Error)?
    /// Wakes the thread that waits until all threads have ended.
    var whenEnded: () -> Void = {}

    init(
        _ name: String, of kind: String, deathPoint: Int?, whenDying: @escaping (String) -> Void
    ) {
        self.name = name
        self.kind = kind
        self.deathPoint = deathPoint
        self.whenDying = whenDying
    }

    /// Ends the process: its threads continue until they end, and nothing that they do has an effect.
    func die(_ place: String) {
        guard isAlive else { return }
        isAlive = false
        whenDying(place)
    }
}
