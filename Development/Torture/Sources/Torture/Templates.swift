import Foundation
import Synchronization
import Workload

/// Stores that trials start from, each made once.
final class Templates: Sendable {
    private let parent: String
    private let made = Mutex<[String: Result<Directory, TortureError>]>([:])

    init(in parent: String) { self.parent = parent }

    /// The store of a name and subject; `make` fills the directory on the first call.
    func template(
        _ name: String, _ subject: Subject, make: (Directory) throws -> Void
    ) throws -> Directory {
        try made.withLock { made in
            let key = "template-\(name)-\(subject.engine.rawValue)-\(subject.seed)"
            if let result = made[key] { return try result.get() }
            let result = Result {
                let directory = try Directory(in: parent, key)
                try make(directory)
                return directory
            }.mapError { TortureError("\(key): \($0)") }
            made[key] = result
            return try result.get()
        }
    }
}
