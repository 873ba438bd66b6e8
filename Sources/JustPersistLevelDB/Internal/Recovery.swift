import Foundation
import JustPersist
import JustPersistRecords

/// Opens a database, after a look at its logs: LevelDB's own is not enough.
///
/// A loss of power can leave the last, unfinished write garbled rather than missing. Asked to be
/// strict, LevelDB then refuses the whole database; asked to be lenient, it drops acknowledged writes
/// from the middle of a log without a word; and a zeroed block it passes over in either mode. So
/// damage is found first: at the end of the last log it is cut off, anywhere else it is an error.
enum Recovery {
    /// Opens the database in `directory`, and tells what had to be done to it first, if anything.
    static func open(
        in directory: URL, _ configuration: LevelDBConfiguration
    ) throws(DataStoreError) -> (database: Database, report: DataStoreError?) {
        let marker = directory.appending(path: "CURRENT")
        var report: DataStoreError?
        if FileManager.default.fileExists(atPath: marker.path) {
            report = try FileLock.withLock(in: directory, for: "open") {
                () throws(DataStoreError) in
                try checkMarker(marker)
                return try cutOffDamage(in: directory, configuration)
            }
        }
        let database = try Database(at: directory.path, configuration)
        if report != nil { try verify(database) }
        return (database, report)
    }

    /// Refuses files that LevelDB did not write, before any of them is put in order.
    private static func checkMarker(_ marker: URL) throws(DataStoreError) {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: marker)
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: marker.path)
        }
        let prefix = Data("MANIFEST-".utf8)
        let number = bytes.dropFirst(prefix.count).dropLast()
        guard bytes.starts(with: prefix), bytes.last == UInt8(ascii: "\n"), !number.isEmpty,
            number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw DataStoreError(
                .corrupted, in: "open",
                "“\(marker.path)” is not as LevelDB writes that file: what lies there is damaged, or no "
                    + "LevelDB database. It was left untouched; restore it from a backup, or choose "
                    + "another path.")
        }
    }

    private static func cutOffDamage(
        in directory: URL, _ configuration: LevelDBConfiguration
    ) throws(DataStoreError) -> DataStoreError? {
        guard let damage = try LogDamage.find(in: directory) else { return nil }

        let place = "“\(damage.fileName)” at byte \(damage.offset)"
        // With full durability a batch is begun only when the one before it is safe, so a batch behind
        // the damage shows that the damaged one had been acknowledged. Without, the system may have
        // written later ones first; they go too, so that what remains is whole.
        guard !damage.isFollowedByLog,
            !damage.isFollowedByBatch || configuration.durability == .relaxed
        else {
            throw DataStoreError(
                .corrupted, in: "open",
                "The LevelDB store at “\(directory.path)” has lost committed data: its log "
                    + "\(place) is damaged. It was left untouched; restore it from a backup.")
        }
        guard !configuration.isReadOnly else {
            throw DataStoreError(
                .corrupted, in: "open",
                "The last write to the LevelDB store at “\(directory.path)” was interrupted. Open "
                    + "it for writing once, so that its log can be put in order.")
        }
        let copy = try copyAside(directory)
        do {
            let file = try FileHandle(
                forWritingTo: directory.appending(path: damage.fileName))
            try file.truncate(atOffset: UInt64(damage.offset))
            try file.synchronize()
            try file.close()
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: directory.path)
        }
        return DataStoreError(
            .recovered, in: "open",
            "The log of the LevelDB store at “\(directory.path)” ended in a damaged write, as a loss "
                + "of power leaves it. That write was cut off; everything committed before it is there. "
                + "The files as they were are in “\(copy.lastPathComponent)” inside the store; "
                + "delete it when you do not need it.",
            engine: DataStoreError.EngineFailure(name: "LevelDB", text: "damaged log: \(place)"))
    }

    /// What the copies are called; LevelDB leaves such names alone.
    static let copyPrefix = "damaged-"

    /// Copies the files into a directory of their own inside the store's.
    private static func copyAside(_ directory: URL) throws(DataStoreError) -> URL {
        let time = Date.now.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        let files = FileManager.default
        do {
            var copy = directory.appending(path: copyPrefix + time)
            if files.fileExists(atPath: copy.path) {
                copy = directory.appending(path: "\(copyPrefix)\(time)-\(UUID().uuidString)")
            }
            try files.createDirectory(
                at: copy, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            do {
                for name in try files.contentsOfDirectory(atPath: directory.path)
                where name != "LOCK" && !name.hasPrefix(copyPrefix) {
                    let original = directory.appending(path: name)
                    let target = copy.appending(path: name)
                    // Tables never change once written, so a link to one is as good as a copy.
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

    /// Deletes the copies.
    static func removeCopies(in directory: URL) throws(DataStoreError) {
        let files = FileManager.default
        do {
            for name in try files.contentsOfDirectory(atPath: directory.path)
            where name.hasPrefix(copyPrefix) {
                try files.removeItem(at: directory.appending(path: name))
            }
        } catch {
            throw DataStoreError(fileError: error, in: "destroy", path: directory.path)
        }
    }

    /// Reads everything once, with its checksums.
    private static func verify(_ database: Database) throws(DataStoreError) {
        let iterator = Iterator(on: database)
        iterator.seek(to: [UInt8]().span)
        while iterator.isValid { iterator.next() }
        try iterator.checkErrors()
    }
}
