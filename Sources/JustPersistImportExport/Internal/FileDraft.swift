import Foundation
import JustPersist

/// A file that is written next to its final place and moved when it is complete; a device or a pipe is written
/// directly.
final class FileDraft {
    private let target: URL
    private let replaces: Bool
    /// The file to be moved; `nil` if there is none.
    private let draft: URL?
    private let handle: FileHandle
    private var isFinished = false

    /// Creates an empty file next to a place.
    ///
    /// - Throws: `.targetNotEmpty` if a file exists at the place and must not be replaced.
    init(for file: URL, replacing replaces: Bool) throws(DataStoreError) {
        // A link is kept, and will point to the new file.
        target = file.resolvingSymlinksInPath()
        self.replaces = replaces
        let path = target.path(percentEncoded: false)
        guard file.isFileURL, !target.lastPathComponent.isEmpty, !path.contains("\0") else {
            throw DataStoreError(
                .invalidInput, in: "export",
                "“\(path)” is not the path of a file. Give another one.")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let type = attributes?[.type] as? FileAttributeType
        if type == .typeDirectory {
            throw DataStoreError(
                .targetNotEmpty, in: "export", "“\(path)” is a directory. Give the path of a file.")
        }
        if let type, type != .typeRegular {
            draft = nil
            do {
                handle = try FileHandle(forWritingTo: target)
            } catch {
                throw DataStoreError(fileError: error, in: "export", path: path)
            }
            return
        }
        if type != nil, !replaces { throw Self.isTaken(path) }
        let draft = target.deletingLastPathComponent()
            .appending(path: ".\(UUID().uuidString).unfinished")
        // The new file has the permissions of the replaced one.
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.uint16Value
        let descriptor = unsafe open(
            draft.path(percentEncoded: false), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(errno, target) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.draft = draft
        if let mode { _ = fchmod(descriptor, mode_t(mode)) }
    }

    deinit {
        try? handle.close()
        if let draft, !isFinished { try? FileManager.default.removeItem(at: draft) }
    }

    func write(_ bytes: [UInt8]) throws(DataStoreError) {
        if bytes.isEmpty { return }
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw DataStoreError(
                fileError: error, in: "export", path: target.path(percentEncoded: false))
        }
    }

    /// Moves the file to its final place.
    func finish() throws(DataStoreError) {
        guard let draft else { return isFinished = true }
        let path = target.path(percentEncoded: false)
        do {
            try handle.synchronize()
            try handle.close()
        } catch {
            throw DataStoreError(fileError: error, in: "export", path: path)
        }
        let draftPath = draft.path(percentEncoded: false)
        if !replaces {
            // Unlike renaming, this does not replace a file that was created meanwhile.
            if unsafe link(draftPath, path) == 0 {
                try? FileManager.default.removeItem(at: draft)
                return try end()
            }
            if errno == EEXIST { throw Self.isTaken(path) }
        }
        guard unsafe rename(draftPath, path) == 0 else { throw Self.failure(errno, target) }
        try end()
    }

    private func end() throws(DataStoreError) {
        isFinished = true
        do throws(DataStoreError) {
            try target.deletingLastPathComponent().synchronizeDirectory(in: "export")
        } catch {
            throw .notDurable(target.path(percentEncoded: false), because: error)
        }
    }

    private static func isTaken(_ path: String) -> DataStoreError {
        DataStoreError(
            .targetNotEmpty, in: "export",
            "There is a file “\(path)” already. It was left untouched; choose another name, or replace it (--yes)."
        )
    }

    private static func failure(_ number: Int32, _ file: URL) -> DataStoreError {
        let directory = file.deletingLastPathComponent().path(percentEncoded: false)
        if number == ENOENT || number == ENOTDIR {
            return DataStoreError(
                .invalidInput, in: "export",
                "There is no directory “\(directory)”. Make it, or choose another path.")
        }
        return DataStoreError(
            systemError: number, in: "export", path: file.path(percentEncoded: false))
    }
}
