package import Foundation

/// A directory that is filled beside its place, and put there when it is complete.
///
/// The engine makes the file by which a store is known last; so what a crash leaves is not taken for a store.
package final class BackupDraft {
    /// The directory to fill.
    package let url: URL
    private let target: URL
    private var isFinished = false

    /// Makes an empty directory, open to its owner only, beside a place where nothing is.
    ///
    /// - Throws: `.targetNotEmpty` if something is at that place, or what the file system reports.
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

    /// Puts the directory, whose files are synced, in its place.
    ///
    /// - Returns: Why its names may not survive a loss of power, if that is so: it is whole and in its place all the same.
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
        // Over an empty directory that somebody made meanwhile it succeeds, and over anything else it does not.
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
