import Dispatch
import Foundation

/// The main queue as the main thread: a program with an asynchronous `main` may serve it from others.
package enum ReferenceMainThread {
    private static let mark = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Runs `body` there, and waits for it.
    package static func run(_ body: () throws -> Void) throws {
        if Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true {
            try body()
        } else {
            try DispatchQueue.main.sync(execute: body)
        }
    }
}
