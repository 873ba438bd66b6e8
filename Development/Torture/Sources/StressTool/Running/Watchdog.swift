import Foundation

/// Ends the program when a worker has stood still for a minute, and says which.
final class Watchdog: Sendable {
    static let patience = 60

    private let pulses = Guarded<[Pulse]>([])
    private let description: String

    init(_ description: String) {
        self.description = description
        let thread = Thread { [self] in
            while true {
                sleep(1)
                look()
            }
        }
        thread.name = "watchdog"
        thread.start()
    }

    func watch(_ pulse: Pulse) {
        pulses.with { pulses in
            pulses.removeAll { $0.silence == nil }
            pulses.append(pulse)
        }
    }

    private func look() {
        let still = pulses.with { pulses in
            pulses.compactMap { pulse in
                pulse.silence.flatMap { $0 >= Self.patience ? "\(pulse.name) (\($0) s)" : nil }
            }
        }
        guard !still.isEmpty else { return }
        Outcome.fail("\(description): stood still: \(still.sorted().joined(separator: ", "))")
    }
}
