import Foundation
import Synchronization

/// Whether the path of a file of an open store still leads to the file that was opened.
///
/// If not, the store was deleted, replaced or moved: what is written to it is lost, and another process may open what is at
/// the path now. You can call every member from any thread.
package final class FilePlace: Sendable {
    private let directory: StoreDirectory
    private let name: String
    private let path: String
    private let number: FileNumber
    private let descriptor: Int32?
    /// When a block last looked, in milliseconds.
    private let lastLook = Atomic<UInt64>(0)

    /// How long a look holds for read blocks, in milliseconds; asking the system takes as long as a short block.
    private static let lookInterval: UInt64 = 10

    /// The place of a file that is open, or of one that stands beside it; `nil` if the system does not tell which it is.
    ///
    /// - Parameter descriptor: That of the open file, if it is known.
    package init?(of name: String, in directory: StoreDirectory, descriptor: Int32? = nil) {
        path = directory.url.appending(path: name).path
        let number = descriptor.map(FileNumber.init) ?? (try? FileNumber.of(path).get())
        guard let number else { return nil }
        self.number = number
        self.directory = directory
        self.name = name
        self.descriptor = descriptor
    }

    /// Whether the file is still there, as far as the system tells.
    package var holds: Bool { (try? FileNumber.of(path).get()) == number }

    /// Throws if the path does not lead to the file any more.
    ///
    /// - Parameter isCertain: Whether it is an error if the path cannot be looked at.
    package func check(in operation: String, isCertain: Bool = true) throws(DataStoreError) {
        switch FileNumber.of(path) {
        case .success(let found) where found == number: return
        case .success: throw deleted(in: operation)
        case .failure(let error):
            switch error.code {
            case .ENOENT, .ENOTDIR: throw deleted(in: operation)
            // A process may give up the right to look.
            case .EACCES, .EPERM: return
            case _ where !isCertain:
                if let descriptor, FileNumber.isDeleted(descriptor: descriptor) {
                    throw deleted(in: operation)
                }
            default: throw DataStoreError(fileError: error, in: operation, path: path)
            }
        }
    }

    /// The same for read blocks, which can do without: not if one has looked just now, and not if the path cannot be looked
    /// at.
    package func checkNowAndThen() throws(DataStoreError) {
        let now = CoarseClock.milliseconds
        guard now &- lastLook.load(ordering: .relaxed) >= Self.lookInterval else { return }
        try check(in: "read", isCertain: false)
        lastLook.store(now, ordering: .relaxed)
    }

    private func deleted(in operation: String) -> DataStoreError {
        // The next block looks again.
        lastLook.store(0, ordering: .relaxed)
        return DataStoreError(
            .storeDeleted, in: operation,
            """
            The store at “\(directory.path)” was deleted, moved or replaced while it was open: “\(name)” is not there, or not \
            the file that was opened. Tear it down; set it up again to use what is there now.
            """)
    }
}
