package import Foundation

/// A directory that is filled next to its final place, and renamed when it is complete.
///
/// The engine writes the file that identifies a store last, so the remains of a crash are not taken for a store.
package final class BackupDraft {
    /// The directory to fill.
    package let url: URL
    private let target: URL
    private var isFinished = false

    /// Makes an empty directory, accessible to its owner only, next to a place where nothing exists.
    ///
    /// - Throws: `.targetNotEmpty` if something exists at that place, or the file system's error.
    package init(for target: URL) throws(DataStoreError) {
        guard target.isFileURL, !target.lastPathComponent.isEmpty, !target.path.contains("\0")
        else {
            throw DataStoreError(
                .invalidStoreURL, in: "backUp",
                "“\(target)” is not the path of a directory. Give a file URL without NUL characters."
            )
        }
        self.target = target
        guard try FileAttributes(ofItemAt: target) == nil else { throw Self.isTaken(target) }
        url = target.deletingLastPathComponent()
            .appending(path: "\(target.lastPathComponent).unfinished-\(UUID().uuidString)")
        guard unsafe mkdir(url.path, 0o700) == 0 else { throw Self.failure(errno, url) }
    }

    deinit {
        if !isFinished { try? FileManager.default.removeItem(at: url) }
    }

    /// Renames the directory, whose files are synced, to its final place.
    ///
    /// - Returns: An error if its names might not survive a loss of power; the directory is complete and in its place
    ///   even then.
    package func finish() throws(DataStoreError) -> DataStoreError? {
        var failure: DataStoreError?
        func sync(_ place: URL) {
            do throws(DataStoreError) {
                try place.synchronizeDirectory(in: "backUp")
            } catch {
                failure = .notDurable(target.path, because: error)
            }
        }
        sync(url)
        // Succeeds over an empty directory that was made meanwhile, and fails over anything else.
        guard unsafe rename(url.path, target.path) == 0 else {
            let number = errno
            if [ENOTEMPTY, EEXIST, ENOTDIR].contains(number) { throw Self.isTaken(target) }
            throw Self.failure(number, target)
        }
        isFinished = true
        sync(target.deletingLastPathComponent())
        return failure
    }

    private static func isTaken(_ target: URL) -> DataStoreError {
        DataStoreError(
            .targetNotEmpty, in: "backUp",
            "There is something at “\(target.path)” already. It was left untouched; choose another path."
        )
    }

    private static func failure(_ number: Int32, _ place: URL) -> DataStoreError {
        DataStoreError(systemError: number, in: "backUp", path: place.path)
    }
}
