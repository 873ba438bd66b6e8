public import Foundation

/// The directory of a store in files: found or created, checked, and private to its owner.
///
/// An engine prepares it before it opens anything inside, so that foreign files at that path are refused and left
/// untouched.
public struct StoreDirectory: Sendable {
    /// The directory, with a symbolic link at its end resolved.
    public let url: URL
    /// The path of ``url``.
    public let path: String
    /// Whether a store of the wanted kind was in it when it was prepared.
    public let holdsStore: Bool

    /// Finds or creates the directory at `url`, and checks that a store may be opened in it.
    ///
    /// A directory that is created, or found empty, is accessible to its owner only. If this throws, nothing has
    /// changed, except that missing parent directories may have been created.
    ///
    /// - Parameters:
    ///   - url: The place of the directory.
    ///   - marker: The file that identifies a store of this kind.
    ///   - engineName: The name of the kind of store, for messages.
    ///   - createIfMissing: Whether a missing store is to be created.
    ///   - readOnly: Whether nothing may be changed; a missing store is then not created.
    ///   - isLeftover: The files that the engine writes before its marker: a directory with only these, after a crash
    ///     at that moment, counts as empty.
    ///   - isPart: The files that show that a store has lost its marker.
    /// - Throws: `.invalidStoreURL`, `.storeNotFound`, `.notAStore`, `.corrupted`, `.accessDenied`, or the file system's
    ///   error.
    public static func prepare(
        at url: URL, marker: String, engineName: String, createIfMissing: Bool = true,
        readOnly: Bool = false, isLeftover: (_ fileName: String) -> Bool = { _ in false },
        isPart: (_ fileName: String) -> Bool = { _ in false }
    ) throws(DataStoreError) -> StoreDirectory {
        guard url.isFileURL, !url.path(percentEncoded: false).isEmpty,
            !url.path(percentEncoded: false).contains("\0")
        else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "“\(url)” is not the path of a directory. Give a file URL without NUL characters.")
        }
        let mayCreate = createIfMissing && !readOnly
        var place = url
        var isNew = false
        var attributes = try FileAttributes(ofItemAt: place)
        if attributes?.type == .typeSymbolicLink {
            place = url.resolvingSymlinksInPath()
            attributes = try FileAttributes(ofItemAt: place)
            guard attributes != nil, attributes?.type != .typeSymbolicLink else {
                throw DataStoreError(
                    .storeNotFound, in: "open",
                    "“\(url.path)” is a link to a place that is not there. Remove or correct it.")
            }
        } else if attributes == nil, mayCreate {
            try create(place.path)
            isNew = true
            attributes = try FileAttributes(ofItemAt: place)
        }
        guard let attributes else { throw notFound(url, engineName) }
        guard attributes.type == .typeDirectory else {
            throw DataStoreError(
                .notAStore, in: "open",
                "“\(url.path)” is a file, but \(engineName) keeps a store in a directory. "
                    + "Choose another path.")
        }
        try checkAccess(to: place, attributes, readOnly: readOnly)

        let names = try DirectoryListing.names(in: place)
        let holdsStore = names.contains(marker)
        if !holdsStore {
            if names.contains(where: isPart) {
                throw DataStoreError(
                    .corrupted, in: "open",
                    "“\(url.path)” has files of a \(engineName) store, or of another program, and no file “\(marker)”. "
                        + DataStoreError.rescueOrMove)
            }
            guard names.allSatisfy(isLeftover) else {
                throw DataStoreError(
                    .notAStore, in: "open",
                    "“\(url.path)” holds files, but no \(engineName) store. It was left untouched; "
                        + "choose an empty directory or another path.")
            }
            guard mayCreate else { throw notFound(url, engineName) }
            if !isNew, attributes.permissions & 0o777 != 0o700 {
                // Best effort: some file systems have no permissions.
                try? FileManager.default.setAttributes(
                    [.posixPermissions: 0o700], ofItemAtPath: place.path)
            }
        }
        return StoreDirectory(url: place, path: place.path, holdsStore: holdsStore)
    }

    /// The free bytes on the directory's volume, for this user; `nil` if the system does not report them.
    public var freeSpace: Int? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    }

    /// Whether this process may not make a file so long, or not so much longer, though the disk has room.
    ///
    /// - Parameter scratch: The name of a file that is there only while the system is asked for room.
    package func isLimited(fileSize: Int, growth: Int, scratch: String) -> Bool {
        #if os(Linux)
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            // To ask for more than that would end the process.
            guard limit.rlim_cur >= UInt(fileSize) else { return true }
            // A quota shows only when the room is taken.
            let file = unsafe open(
                path + "/" + scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 else { return false }
            defer { close(file) }
            unsafe unlink(path + "/" + scratch)
            return posix_fallocate(file, 0, off_t(growth)) == EDQUOT
        #else
            return false
        #endif
    }

    /// Syncs the directory, so that newly created files in it survive a loss of power.
    ///
    /// On some file systems, syncing a file does not make its name durable. File systems that cannot sync a directory
    /// are ignored.
    ///
    /// - Parameters:
    ///   - operation: The name of the operation, for the error.
    ///   - isNew: Whether the directory itself may be new: then its parent is synced too.
    public func synchronize(
        in operation: String, isNew: Bool = false
    ) throws(DataStoreError) {
        try url.synchronizeDirectory(in: operation)
        if isNew { try url.deletingLastPathComponent().synchronizeDirectory(in: operation) }
    }

    /// Deletes those of the named files of a closed store that exist, in this order.
    ///
    /// - Throws: `.accessDenied`, or another error of the file system; the files after the failed one stay.
    public func removeFiles(_ names: [String]) throws(DataStoreError) {
        for name in names {
            let file = url.appending(path: name)
            do {
                try FileManager.default.removeItem(at: file)
            } catch {
                let failure = DataStoreError(fileError: error, in: "destroy", path: file.path)
                if failure.code != .storeNotFound { throw failure }
            }
        }
    }

    /// Creates a directory, and its missing parents.
    ///
    /// `FileManager.createDirectory` recurses to the parent whenever `stat` fails, for any reason, and so never stops
    /// if `stat` fails on `/` too.
    package static func create(_ path: String) throws(DataStoreError) {
        var failure = makeDirectory(path)
        if failure == .ENOENT, let end = path.lastIndex(of: "/"), end > path.startIndex {
            try create(String(path[..<end]))
            failure = makeDirectory(path)
        }
        guard let failure else { return }
        throw DataStoreError(fileError: POSIXError(failure), in: "open", path: path)
    }

    /// Creates one directory if nothing exists at the path; returns the error that prevented it.
    private static func makeDirectory(_ path: String) -> POSIXErrorCode? {
        if unsafe mkdir(path, 0o700) == 0 { return nil }
        let number = errno
        return number == EEXIST ? nil : POSIXErrorCode(rawValue: number) ?? .EIO
    }

    private static func checkAccess(
        to url: URL, _ attributes: FileAttributes, readOnly: Bool
    ) throws(DataStoreError) {
        let user = geteuid()
        // The owner of a directory can replace the files of an open store in it.
        guard user == 0 || attributes.owner == user else {
            throw DataStoreError(
                .accessDenied, in: "open",
                "“\(url.path)” belongs to another user. Open the store as its owner, "
                    + "or choose another path.")
        }
        let files = FileManager.default
        guard files.isReadableFile(atPath: url.path), files.isExecutableFile(atPath: url.path),
            readOnly || files.isWritableFile(atPath: url.path)
        else {
            throw DataStoreError(
                .accessDenied, in: "open",
                DataStoreError.message(for: .accessDenied, path: url.path))
        }
    }

    private static func notFound(_ url: URL, _ engineName: String) -> DataStoreError {
        DataStoreError(
            .storeNotFound, in: "open",
            "There is no \(engineName) store at “\(url.path)”.",
            advice: "Check the path, or let the store be created.")
    }
}
