import Foundation
import Synchronization

/// How often the way to this process has forked; cheaper to ask than the process's number.
package enum ForkCount {
    private static let forks = Atomic<Int>(0)
    private static let registration = pthread_atfork(nil, nil) {
        ForkCount.forks.add(1, ordering: .relaxed)
    }

    package static var current: Int {
        _ = registration
        return forks.load(ordering: .relaxed)
    }
}
