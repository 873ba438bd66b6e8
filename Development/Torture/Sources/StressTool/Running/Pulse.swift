import Foundation
import Synchronization

/// How often a worker has done its work, and when it did so last.
///
/// Relaxed atomics and no lock: a lock that all workers take would order them, and hide races from the sanitizer.
final class Pulse: Sendable {
    let name: String
    private let beats = Atomic(0)
    private let last = Atomic(Pulse.now)
    private let running = Atomic(true)

    init(_ name: String) { self.name = name }

    func beat() {
        beats.add(1, ordering: .relaxed)
        last.store(Self.now, ordering: .relaxed)
    }

    func end() { running.store(false, ordering: .relaxed) }

    var count: Int { beats.load(ordering: .relaxed) }

    /// The seconds since the last beat; `nil` if there are to be no more.
    var silence: Int? {
        guard running.load(ordering: .relaxed) else { return nil }
        return Self.now - last.load(ordering: .relaxed)
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
