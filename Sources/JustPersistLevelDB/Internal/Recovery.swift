import Foundation
import JustPersist
import JustPersistRecords

/// Opens a database after checking its files, because LevelDB's own checks are not sufficient.
///
/// A loss of power can leave the last, unfinished write garbled rather than missing. In strict mode, LevelDB then
/// refuses the whole database; in lenient mode, it silently drops acknowledged writes from the middle of a log; and it
/// skips a zeroed block in both modes. Therefore the files are checked for damage first: at the end of the last log it
/// is cut off, anywhere else it is an error.
///
/// LevelDB also treats a file that it cannot see as one that never existed, whether it is a log or the whole database.
/// So the caller decides whether LevelDB may create a database, and logs are kept until their commits are in it.
struct Recovery {
    private let directory: StoreDirectory
    private let configuration: LevelDBConfiguration
    private let mayCreate: Bool
    private var report: DataStoreError?

    /// Opens the database in `directory`, and returns a report if it had to be repaired first.
    ///
    /// - Parameter mayCreate: Whether a database is created if the directory holds no file of one.
    static func open(
        in directory: StoreDirectory, _ configuration: LevelDBConfiguration, mayCreate: Bool
    ) throws(DataStoreError) -> (database: Database, report: DataStoreError?) {
        var recovery = Recovery(
            directory: directory, configuration: configuration, mayCreate: mayCreate)
        let database = try recovery.open()
        if recovery.report != nil { try verify(database) }
        return (database, recovery.report)
    }

    private mutating func open() throws(DataStoreError) -> Database {
        var reached: UInt64?
        var opportunities = 2
        while true {
            let kept = try FileLock.withLock(in: directory.url, for: "open") {
                () throws(DataStoreError) in try prepare(reached: reached)
            }
            let database = try openPrepared(kept)
            // LevelDB has renamed CURRENT. Without this sync, a commit to the new log can reach the disk before the new
            // name.
            try directory.synchronize(in: "open")
            let commit = database.inherited?.number ?? 0
            guard let kept, try !kept.release(upTo: commit) else { return database }
            // Another attempt follows, with the next log or the same one.
            if let reached, commit <= reached { opportunities -= 1 }
            guard opportunities > 0 else {
                throw DataStoreError(
                    .storageFailure, in: "open",
                    "LevelDB did not read all logs of the store at “\(directory.path)”: the system may "
                        + "have failed to list them. They are kept beside it. Check the disk, and open "
                        + "the store again.")
            }
            reached = commit
        }
    }

    /// Prepares the files for LevelDB; `nil` if a database is to be created.
    private mutating func prepare(reached: UInt64?) throws(DataStoreError) -> KeptLogs? {
        let names = try DirectoryListing.names(in: directory.url)
        guard names.contains("CURRENT") else {
            guard mayCreate, names.allSatisfy(LevelDBEngine.isLeftover) else {
                throw DataStoreError(
                    .storeNotFound, in: "open",
                    "There is no LevelDB store at “\(directory.path)” any more: its file CURRENT is not "
                        + "there. Restore it from a backup.")
            }
            return nil
        }
        let manifest = try Manifest.current(in: directory.url)
        try manifest?.checkFiles(names, in: directory.url)
        let logs = try LogScan(
            of: try KeptLogs.names(among: names, of: manifest, in: directory), in: directory.url)
        if let manifest { try CleanClose.check(manifest, logs, in: directory.url) }
        if let damage = logs.damage { report = try cutOff(damage) }
        if !configuration.isReadOnly {
            for log in logs.logs where log.byteCount > log.soundByteCount {
                try truncate(log.fileName, to: log.soundByteCount)
            }
        }
        if let manifest { try directory.removeFiles(manifest.orphans(among: names)) }
        let kept = KeptLogs(logs, in: directory)
        try kept.prepare(reached: reached, names: names)
        return kept
    }

    /// Opens the database whose files are prepared, or creates one if there are none.
    private func openPrepared(_ kept: KeptLogs?) throws(DataStoreError) -> Database {
        do throws(DataStoreError) {
            return try Database(at: directory.path, configuration, mayCreate: kept == nil)
        } catch {
            guard kept != nil, error.code != .lockedByAnotherProcess else { throw error }
            // The files that it has written would prevent the next opening.
            try? FileLock.withLock(in: directory.url, for: "open") { () throws(DataStoreError) in
                let names = try DirectoryListing.names(in: directory.url)
                let manifest = try Manifest.current(in: directory.url)
                try directory.removeFiles(manifest?.orphans(among: names) ?? [])
                _ = try KeptLogs.names(among: names, of: manifest, in: directory)
            }
            throw told(error)
        }
    }

    /// An error of LevelDB, corrected by the findings before the call.
    private func told(_ error: DataStoreError) -> DataStoreError {
        if error.code == .storageFull, let room = try? Room(in: directory) {
            return room.error(in: "open", engine: error.engine)
        }
        // The files exist: LevelDB treats a failed system call as one that found nothing.
        let isUnseen = error.engine?.text.contains("missing files") == true
        guard error.code == .storeNotFound || isUnseen else { return error }
        return DataStoreError(
            .storageFailure, in: "open",
            DataStoreError.message(for: .storageFailure, path: directory.path), engine: error.engine
        )
    }

    private func cutOff(_ damage: LogDamage) throws(DataStoreError) -> DataStoreError {
        let place = "“\(damage.fileName)” at byte \(damage.offset)"
        // With full durability a batch is started only after the previous one is safe, so a batch after the damage
        // shows that the damaged one had been acknowledged. Otherwise the system may have written later batches first;
        // they are cut off, too, so the rest is complete.
        guard !damage.isFollowedByLog,
            !damage.isFollowedByBatch || configuration.durability == .relaxed
        else {
            throw DataStoreError(
                .corrupted, in: "open",
                "The LevelDB store at “\(directory.path)” has lost committed data: its log "
                    + "\(place) is damaged. It was left untouched; \(DataStoreError.rescue)")
        }
        guard !configuration.isReadOnly else {
            throw DataStoreError(
                .corrupted, in: "open",
                "The last write to the LevelDB store at “\(directory.path)” was interrupted. Open "
                    + "it for writing once, so that its log can be put in order.")
        }
        let copy = try copyAside()
        try truncate(damage.fileName, to: damage.offset)
        return DataStoreError(
            .recovered, in: "open",
            "The log of the LevelDB store at “\(directory.path)” ended in a damaged write, as a loss "
                + "of power leaves it. That write was cut off; everything committed before it is there. "
                + "The files as they were are in “\(copy.lastPathComponent)” inside the store; "
                + "delete it when you do not need it.",
            engine: DataStoreError.EngineFailure(name: "LevelDB", text: "damaged log: \(place)"))
    }

    private func truncate(_ name: String, to byteCount: Int) throws(DataStoreError) {
        do {
            let file = try PlainFile.handle(directory.url.appending(path: name), O_WRONLY)
            defer { try? file.close() }
            try file.truncate(atOffset: UInt64(byteCount))
            try file.synchronize()
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: directory.path)
        }
    }

    /// The prefix of the copies' names; LevelDB ignores such names.
    static let copyPrefix = "damaged-"

    /// Copies the store's files into a new directory inside its own.
    ///
    /// Other files do not belong to the engine, and reading a pipe would never end.
    private func copyAside() throws(DataStoreError) -> URL {
        let time = Date.now.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        let files = FileManager.default
        let names = try DirectoryListing.names(in: directory.url)
        var copyName = Self.copyPrefix + time
        if names.contains(copyName) { copyName += "-\(UUID().uuidString)" }
        let copy = directory.url.appending(path: copyName)
        do {
            try files.createDirectory(
                at: copy, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            do {
                for name in names
                where !["LOCK", Reserve.fileName].contains(name) && LevelDBEngine.isOwn(name) {
                    let original = directory.url.appending(path: name)
                    let target = copy.appending(path: name)
                    // Tables never change, so a link to one is as good as a copy.
                    let isTable = name.hasSuffix(".ldb") || name.hasSuffix(".sst")
                    if isTable, (try? files.linkItem(at: original, to: target)) != nil { continue }
                    try files.copyItem(at: original, to: target)
                }
            } catch {
                try? files.removeItem(at: copy)
                throw error
            }
            PrivateFiles.restrict(in: copy)
            return copy
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: directory.path)
        }
    }

    /// Reads all data once, and verifies its checksums.
    private static func verify(_ database: Database) throws(DataStoreError) {
        let iterator = Iterator(on: database)
        iterator.seek(to: [UInt8]().span)
        while iterator.isValid { iterator.next() }
        try iterator.checkErrors()
    }
}
