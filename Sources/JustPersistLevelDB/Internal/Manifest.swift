import Foundation
import JustPersist

/// The contents of LevelDB's MANIFEST after all of its changes: the tables and the first log.
///
/// LevelDB treats a missing log as one that never existed. Files written by an opening that failed are only removed by
/// the next successful one, which a full disk may prevent.
struct Manifest: Equatable {
    /// A table in a level of the tree.
    struct Table: Equatable {
        let level: Int
        let byteCount: Int
        /// The first key and the last.
        let first: [UInt8]
        let last: [UInt8]
    }

    /// The file's name.
    let fileName: String
    private(set) var byteCount = 0
    /// Whether the first change is present, which is written for a complete database.
    private var isComplete = false
    /// The oldest log whose batches are not in tables; there may be later ones.
    private(set) var logNumber: UInt64 = 0
    /// An older log, of old versions of LevelDB; 0 if there is none.
    private(set) var previousLogNumber: UInt64 = 0
    private(set) var tables: [UInt64: Table] = [:]

    /// The present manifest of a directory; `nil` if it is damaged, which LevelDB reports itself.
    ///
    /// - Throws: `.corrupted` if CURRENT is not in LevelDB's form, or an error of the file system.
    static func current(in directory: URL) throws(DataStoreError) -> Manifest? {
        try read(currentName(in: directory), in: directory)
    }

    /// The present manifest or, if it is unknown, the last readable one.
    static func lastReadable(among names: [String], in directory: URL) -> Manifest? {
        if let manifest = try? current(in: directory) { return manifest }
        let numbers = names.compactMap { name in
            name.hasPrefix("MANIFEST-") ? UInt64(name.dropFirst(9)).map { ($0, name) } : nil
        }
        return numbers.max { $0.0 < $1.0 }.flatMap { try? read($0.1, in: directory) }
    }

    private static func read(
        _ fileName: String, in directory: URL
    ) throws(DataStoreError) -> Manifest? {
        var manifest = Manifest(fileName: fileName)
        let place = directory.appending(path: manifest.fileName)
        guard try FileAttributes(ofItemAt: place)?.type == .typeRegular else { return nil }
        var change: [UInt8] = []
        var isInsideChange = false
        do {
            let file = try FileHandle(forReadingFrom: place)
            defer { try? file.close() }
            while let data = try file.read(upToCount: LogRecord.blockSize), !data.isEmpty {
                let block = [UInt8](data)
                manifest.byteCount += block.count
                var offset = 0
                while block.count - offset >= LogRecord.headerSize {
                    guard let record = LogRecord(in: block, at: offset) else {
                        // The last record may be unfinished. LevelDB treats a record with a damaged length as
                        // unfinished, too, and ignores the rest.
                        let isCutOff =
                            block.count < LogRecord.blockSize
                            && LogRecord.end(in: block, at: offset) > block.count
                        guard isCutOff else { return nil }
                        let isLast = ((offset + 1)..<block.count)
                            .allSatisfy { LogRecord(in: block, at: $0) == nil }
                        guard isLast else { throw manifest.damaged(in: directory) }
                        return manifest.isComplete ? manifest : nil
                    }
                    guard record.isFirst != isInsideChange else { return nil }
                    change += block[record.payload]
                    guard change.count <= Self.largestChange else { return nil }
                    isInsideChange = !record.isLast
                    if record.isLast {
                        guard manifest.apply(change) else { return nil }
                        change = []
                    }
                    offset = record.payload.upperBound
                }
            }
        } catch let error as DataStoreError {
            throw error
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: place.path)
        }
        return manifest.isComplete ? manifest : nil
    }

    /// More than the names of a million tables.
    private static let largestChange = 256 << 20

    private func damaged(in directory: URL) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "open",
            "The LevelDB store at “\(directory.path)” is damaged: its list of files, “\(fileName)”, "
                + "has a gap. It was left untouched; \(DataStoreError.rescue)")
    }

    private static func currentName(in directory: URL) throws(DataStoreError) -> String {
        let marker = directory.appending(path: "CURRENT")
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
                    + "LevelDB database. \(DataStoreError.rescueOrMove)")
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    /// Whether the batches in a log are to be read at the next opening.
    func needsLog(_ number: UInt64) -> Bool {
        number >= logNumber || number == previousLogNumber && number != 0
    }

    /// Refuses a database that lacks a file.
    func checkFiles(_ names: [String], in directory: URL) throws(DataStoreError) {
        let logs = Set(names.compactMap { LogFile(named: $0)?.number })
        var missing = [logNumber, previousLogNumber].filter { $0 != 0 && !logs.contains($0) }
            .map(LogFile.name)
        let found = Set(names.compactMap(Self.tableNumber))
        missing += tables.keys.filter { !found.contains($0) }.sorted().map { "table \($0)" }
        guard let first = missing.first else { return }
        throw DataStoreError(
            .corrupted, in: "open",
            "The LevelDB store at “\(directory.path)” has lost data: \(missing.count) of its files "
                + "are missing, “\(first)” for one. It was left untouched; \(DataStoreError.rescue)"
        )
    }

    /// The files that LevelDB has written but no longer needs, or never used.
    func orphans(among names: [String]) -> [String] {
        names.filter { name in
            if let number = Self.tableNumber(name) { return tables[number] == nil }
            return name.hasSuffix(".dbtmp") || name.hasPrefix("MANIFEST-") && name != fileName
        }
    }

    static func tableNumber(_ name: String) -> UInt64? {
        guard name.hasSuffix(".ldb") || name.hasSuffix(".sst") else { return nil }
        return fileNumber(name.dropLast(4))
    }

    /// The number in a file's name; `nil` if it is greater than LevelDB's numbers.
    static func fileNumber(_ digits: Substring) -> UInt64? {
        UInt64(digits).flatMap { $0 < 1 << 56 ? $0 : nil }
    }

    // MARK: The changes

    /// Applies one change; returns false if it is not one that LevelDB writes.
    private mutating func apply(_ change: [UInt8]) -> Bool {
        var fields = Fields(of: change)
        while !fields.isAtEnd {
            switch fields.number() {
            case 1: guard fields.skipText() else { return false }  // The order of keys.
            case 2:
                guard let number = fields.number() else { return false }
                logNumber = number
            case 3:  // The next number for a file.
                guard fields.number() != nil else { return false }
                isComplete = true
            case 4: guard fields.number() != nil else { return false }  // Counts changes of keys.
            case 5:  // Where the next compaction of a level starts.
                guard fields.number() != nil, fields.skipText() else { return false }
            case 6:
                guard fields.number() != nil, let table = fields.number() else { return false }
                tables[table] = nil
            case 7:
                guard let level = fields.number(), level < 64, let table = fields.number(),
                    let byteCount = fields.number(), let first = fields.text(),
                    let last = fields.text()
                else { return false }
                // Each key is followed by the number and the kind of a change.
                tables[table] = Table(
                    level: Int(level), byteCount: Int(clamping: byteCount),
                    first: first.dropLast(8), last: last.dropLast(8))
            case 9:
                guard let number = fields.number() else { return false }
                previousLogNumber = number
            default: return false
            }
        }
        return true
    }

    /// Numbers of seven bits a byte, and texts preceded by their lengths.
    ///
    /// LevelDB counts files, bytes and changes of keys in 56 bits. Greater numbers are invalid, and sums of smaller
    /// ones do not overflow.
    private struct Fields {
        private var rest: ArraySlice<UInt8>

        init(of bytes: [UInt8]) { rest = bytes[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func number() -> UInt64? {
            var number: UInt64 = 0
            for shift in stride(from: 0 as UInt64, through: 56, by: 7) {
                guard let byte = rest.popFirst() else { return nil }
                number |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return number < 1 << 56 ? number : nil }
            }
            return nil
        }

        mutating func skipText() -> Bool { text() != nil }

        mutating func text() -> [UInt8]? {
            guard let length = number(), length <= UInt64(rest.count) else { return nil }
            defer { rest.removeFirst(Int(length)) }
            return Array(rest.prefix(Int(length)))
        }
    }
}
