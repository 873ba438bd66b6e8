import Foundation
import JustPersist
import JustPersistRecords

/// The disk space needed to open a database and to write to it, and the space available.
///
/// LevelDB cannot be opened without writing: it sorts its logs into tables. Then it begins to merge tables if there are
/// too many, and accepts no further write after that has failed.
struct Room {
    /// A file that exists only while the available space is determined.
    static let fileName = "room.dbtmp"

    let needed: Int
    let available: Int
    /// Whether a quota or a limit of this process allows less.
    private let isLimited: Bool
    private let path: String

    /// The space for the database in a directory, a high estimate; `nil` if it is unknown.
    ///
    /// Changes no file of LevelDB's, so the database may be open.
    ///
    /// - Parameter compacting: Whether all tables are to be merged.
    init?(in directory: StoreDirectory, compacting: Bool = false) throws(DataStoreError) {
        guard let free = directory.freeSpace,
            let manifest = try Manifest.current(in: directory.url)
        else { return nil }
        let names = try DirectoryListing.names(in: directory.url)
        let logs = try LogScan(
            of: names.filter { LogFile(named: $0).map { manifest.needsLog($0.number) } ?? false },
            in: directory.url)
        let sorting = Self.sorting(logs.soundByteCount)
        needed = manifest.room(addingTo: sorting, compacting: compacting)
        let orphans = manifest.orphans(among: names).map { directory.url.appending(path: $0) }
        available = free + logs.tornByteCount + orphans.reduce(0) { $0 + Self.size(of: $1) }
        // The limits are not tested if the disk is full, because space that is taken even for a moment is missing
        // elsewhere. LevelDB ignores the file's name, and a file left by a crash is removed at the next opening.
        let largest = sorting + 64 << 10
        isLimited =
            available >= needed
            && directory.isLimited(fileSize: largest, growth: largest, scratch: Self.fileName)
        path = directory.path
    }

    /// The space needed to open the database and to merge tables, without reading the logs.
    static func estimate(in directory: StoreDirectory) throws(DataStoreError) -> Int {
        guard let manifest = try Manifest.current(in: directory.url) else { return 0 }
        let logs = try DirectoryListing.names(in: directory.url).filter { name in
            LogFile(named: name).map { manifest.needsLog($0.number) } ?? false
        }
        let byteCount = logs.reduce(0) { $0 + size(of: directory.url.appending(path: $1)) }
        return manifest.room(addingTo: sorting(byteCount), compacting: true)
    }

    /// The size of a table with the contents of logs: it adds an index and a filter, but omits the part of a key that
    /// is shared with the previous one.
    private static func sorting(_ byteCount: Int) -> Int { byteCount + byteCount / 8 }

    var isEnough: Bool { available >= needed && !isLimited }

    /// Whether there is also space for a batch of changes, in a log and then in a table.
    func isEnough(beside changes: OrderedKeyMap<[UInt8]?>) -> Bool {
        isEnough && available - needed >= 2 * changes.byteCount
    }

    /// The error of a write or an opening for which there is not enough space.
    func error(in operation: String, engine: DataStoreError.EngineFailure?) -> DataStoreError {
        let lack =
            available < needed
            ? "\(Self.text(needed - available)) more than is free"
            : isEnough
                ? "and for a large write more than is free"
                : "more than a quota or a limit on the size of files allows"
        return DataStoreError(
            .storageFull, in: operation,
            "There is no room left to write to the LevelDB store at “\(path)”. It needs up to "
                + "\(Self.text(needed)) to put its files in order, \(lack). Free some "
                + "space and try again; what was committed is there.",
            engine: engine)
    }

    static func text(_ byteCount: Int) -> String {
        "\((byteCount + 999_999) / 1_000_000) MB"
    }

    private static func size(of file: URL) -> Int {
        (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0
    }
}

extension OrderedKeyMap<[UInt8]?> {
    /// The size of changes in a log, in bytes.
    var byteCount: Int {
        var byteCount = 0
        scanAll { key, value in byteCount += key.count + (value?.count ?? 0) + 16 }
        return byteCount
    }
}

extension Manifest {
    /// The size in bytes of sorting logs into a table of that size, and then merging tables.
    fileprivate func room(addingTo newTable: Int, compacting: Bool) -> Int {
        newTable + mergeByteCount(addingTo: newTable, isDue: compacting) + 2 * byteCount + 64 << 10
    }

    /// The maximum number of bytes that the next merge of tables writes before it deletes any, with a new table of that
    /// size; 0 if none is due.
    private func mergeByteCount(addingTo newTable: Int, isDue isAlwaysDue: Bool) -> Int {
        var counts: [Int: Int] = [:]
        var byteCounts: [Int: Int] = [:]
        for table in tables.values {
            counts[table.level, default: 0] += 1
            byteCounts[table.level, default: 0] += table.byteCount
        }
        if newTable > 0 {
            counts[0, default: 0] += 1
            byteCounts[0, default: 0] += newTable
        }
        var most = 0
        for (level, byteCount) in byteCounts {
            // Four tables in the first level, 10 MiB in the second, ten times as much in each below.
            let isDue =
                isAlwaysDue || level == 0
                ? isAlwaysDue || counts[0, default: 0] >= 4
                : Double(byteCount) >= pow(10, Double(level)) * Double(1 << 20)
            guard isDue else { continue }
            let merged = byteCount + byteCounts[level + 1, default: 0]
            // In the first level, all tables may be merged at once; below, one table and those that it overlaps.
            most = max(most, level == 0 ? merged : min(merged, 50 << 20))
        }
        return most
    }
}
