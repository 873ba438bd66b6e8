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
    private static let insideKey = "JustPersist.isOnMainQueue"

    /// Whether the caller is on it, and would wait for itself if it waited for the queue.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
            || Thread.current.threadDictionary[insideKey] != nil
    }

    /// Runs `body` on it, at once if the caller is there, and returns when it has run.
    static func run(_ body: () throws -> Void) throws {
        // A function, for a closure would be taken for one of the main actor.
        func here() throws { try runHere(body) }
        if isCurrent { try here() } else { try DispatchQueue.main.sync(execute: here) }
    }

    /// Remembers where `body` runs: an engine may do it on a queue of its own, of which the main queue does
    /// not know that it waits for it.
    private static func runHere(_ body: () throws -> Void) throws {
        let dictionary = Thread.current.threadDictionary
        let outer = dictionary[insideKey]
        dictionary[insideKey] = true
        defer { dictionary[insideKey] = outer }
        try body()
    }
}
