import Foundation
import JustPersist
import JustPersistRecords

/// Reads the tables and logs of a damaged database leniently: every entry with a correct checksum is taken.
///
/// Each entry has the number of its change, which identifies the newest of several. A damaged place may have contained
/// newer values than older files have under the same keys: those are taken, but marked as doubtful.
struct FileSalvage {
    private let directory: URL
    private let entries: SalvagedEntries
    private let meter: MaintenanceMeter

    /// LevelDB ends a table once it has reached its size, of some megabytes, after an entry that is no longer than a
    /// block.
    private static let largestTable: UInt64 = 2 << 30

    init(in directory: URL, into entries: SalvagedEntries, _ meter: MaintenanceMeter) {
        self.directory = directory
        self.entries = entries
        self.meter = meter
    }

    func run(_ names: [String]) throws {
        let sizes = names.map { name in
            (try? FileManager.default.attributesOfItem(atPath: path(name))[.size] as? Int) ?? 0
        }
        try meter.begin(.structure, totalBytes: sizes.reduce(0, +))
        let manifest = Manifest.lastReadable(among: names, in: directory)
        if manifest == nil {
            entries.mayLackChanges = true
            entries.note(
                "its list of files cannot be read, so that tables are read that may have been replaced, and deleted items may be back",
                at: directory.path)
        }
        for table in tables(names, manifest) { try salvage(table) }
        try checkClosing(names, manifest)
        let logs = names.compactMap { name in LogFile(named: name).map { ($0, name) } }
            .filter { $0.0.isKept || manifest?.needsLog($0.0.number) ?? true }
            .sorted { ($0.0.number, $0.1) < ($1.0.number, $1.1) }
        var salvage = LogSalvage(into: entries)
        for (_, name) in logs {
            guard var file = LenientFile(directory.appending(path: name), entries) else { continue }
            try salvage.read(path(name)) {
                let block = file.next(upTo: LogRecord.blockSize)
                try meter.advance(bytes: block?.count ?? 0)
                return block
            }
        }
    }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    /// Compares the logs with the note written when the store was closed.
    private func checkClosing(_ names: [String], _ manifest: Manifest?) throws {
        guard let manifest else { return }
        do throws(DataStoreError) {
            let logs = names.filter { name in
                LogFile(named: name).map { $0.isKept || manifest.needsLog($0.number) } ?? false
            }
            try CleanClose.check(manifest, LogScan(of: logs, in: directory), in: directory)
            let found = Set(logs.compactMap { LogFile(named: $0)?.number })
            if manifest.logNumber != 0, !found.contains(manifest.logNumber) {
                entries.mayLackChanges = true
                entries.note("the log with the last changes is missing", at: directory.path)
            }
        } catch {
            entries.mayLackChanges = true
            entries.note(
                "the last changes are missing: a log ends before the last commit before the store was closed",
                at: directory.path)
        }
    }

    // MARK: Tables

    /// A table to read; the name is `nil` if the table is missing.
    private struct TableName {
        let number: UInt64
        let name: String?
        let state: Manifest.Table?
    }

    /// The tables in use, oldest first: by descending level, and in the first level by ascending number.
    private func tables(_ names: [String], _ manifest: Manifest?) -> [TableName] {
        var found: [UInt64: String] = [:]
        for name in names {
            if let number = Manifest.tableNumber(name) { found[number] = name }
        }
        let numbers = manifest.map { Array($0.tables.keys) } ?? Array(found.keys)
        return numbers.map {
            TableName(number: $0, name: found[$0], state: manifest?.tables[$0])
        }.sorted { one, other in
            let levels = (one.state?.level ?? 0, other.state?.level ?? 0)
            return levels.0 == levels.1 ? one.number < other.number : levels.0 > levels.1
        }
    }

    private func salvage(_ table: TableName) throws {
        guard let name = table.name, let bytes = read(name) else {
            entries.note("table \(table.number) is missing or cannot be read", at: directory.path)
            return try entries.distrust(Self.range(table.state?.first ?? [], table.state?.last))
        }
        try meter.advance(bytes: bytes.count)
        let file = TableFile(bytes)
        var last = table.state?.first ?? []
        // A damaged part ends where the next intact block begins.
        var damaged: TableFile.Part?
        try file.forEachPart { part in
            guard let contents = part.contents else {
                if let pending = damaged {
                    damaged = TableFile.Part(
                        range: pending.range.lowerBound..<part.range.upperBound, contents: nil,
                        lastKey: part.lastKey)
                } else {
                    damaged = part
                }
                return
            }
            if let part = damaged {
                try salvage(
                    part, of: file, name, Self.range(last, contents.firstKey ?? part.lastKey))
                damaged = nil
            }
            try take(contents, isTold: file.hasIndex)
            last = contents.lastKey ?? last
        }
        if let part = damaged {
            try salvage(part, of: file, name, Self.range(last, part.lastKey ?? table.state?.last))
        }
        if !file.hasIndex {
            entries.note("its index is damaged; its blocks were searched for", at: path(name))
        }
    }

    private static func range(_ first: [UInt8], _ last: [UInt8]?) -> KeyRange {
        KeyRange(from: first, upTo: last.map { $0 + [0] })
    }

    private func salvage(
        _ part: TableFile.Part, of file: TableFile, _ name: String, _ range: KeyRange
    ) throws {
        entries.note(
            "bytes \(part.range.lowerBound) to \(part.range.upperBound) are damaged", at: path(name)
        )
        try entries.distrust(range)
        try file.carve(part.range) { entry, value in
            guard entry.isValue else { return false }
            let trust = SalvagedEntries.Trust(version: entry.version, isVersionDoubtful: true)
            if try entries.take(entry.key, value, trust) { return true }
            try entries.lose(entry.key, value)
            return false
        }
    }

    private func take(_ contents: TableFile.Contents, isTold: Bool) throws {
        try contents.forEach { entry, value in
            guard SalvagedEntries.isWanted(entry.key) else { return }
            let trust = SalvagedEntries.Trust(version: entry.version)
            if !entry.isValue { return try entries.takeDeletion(entry.key, trust) }
            if try !entries.take(entry.key, value, trust), isTold {
                try entries.lose(entry.key, value, version: entry.version)
            }
        }
    }

    /// The bytes of a table; `nil` if there are none, or more than LevelDB writes into one.
    private func read(_ name: String) -> [UInt8]? {
        guard var file = LenientFile(directory.appending(path: name), entries) else { return nil }
        guard file.length <= Self.largestTable else {
            entries.note("it is larger than any table", at: path(name))
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(file.length))
        while let part = file.next(upTo: 1 << 16) { bytes += part }
        return bytes
    }
}
