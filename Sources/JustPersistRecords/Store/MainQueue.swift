import Dispatch
import Foundation

/// The main queue, which stands for the main thread.
///
/// A program may serve it from other threads: with an asynchronous `main` on Linux the main thread itself
/// only waits.
enum MainQueue {
    private static let mark = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether the caller is on it, and would wait for itself if it waited for the queue.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
    }
}
