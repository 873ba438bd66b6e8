import Foundation
import Synchronization

/// The number of forks between the first process and this one; cheaper to read than the process's id.
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
