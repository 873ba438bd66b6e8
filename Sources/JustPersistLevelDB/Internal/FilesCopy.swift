import Foundation
import JustPersist
import JustPersistRecords

/// A copy of a database's files, made while it is open.
///
/// Tables never change, so they are copied while blocks run. The manifest and the logs are copied while no block
/// writes. Even then, LevelDB may sort a log into a table or merge tables; if a file disappears meanwhile, the copy
/// starts again with the manifest.
struct FilesCopy {
    private let source: URL
    private let target: URL
    private let previous: URL?
    /// Whether tables of the source may be links to others: see ``PrivateView``.
    private let hasLinks: Bool
    private let meter: MaintenanceMeter
    /// The sizes of the files that are in the target, by name.
    private var copied: [String: Int] = [:]
    private var sharedBytes = 0

    init(
        from source: URL, hasLinks: Bool, to target: URL, since previous: URL?,
        _ meter: MaintenanceMeter
    ) {
        self.source = source
        self.hasLinks = hasLinks
        self.target = target
        self.previous = previous
        self.meter = meter
    }

    /// Makes the copy; the file CURRENT, which marks a database, is written last.
    mutating func make(pausingWrites: (() throws -> Void) throws -> Void) throws -> BackupReport {
        if let manifest = try Manifest.current(in: source) {
            try meter.begin(
                .files, totalBytes: manifest.tables.values.reduce(0) { $0 + $1.byteCount })
        }
        _ = try copyTables()
        var copy = self
        try pausingWrites {
            for _ in 0..<100 { if try copy.copyState() { return } }
            throw DataStoreError(
                .storageFailure, in: "backUp",
                "The files of the LevelDB store at “\(source.path)” change too fast to be copied. Try again."
            )
        }
        self = copy
        return BackupReport(
            bytes: copied.values.reduce(0, +), sharedBytes: sharedBytes)
    }

    /// Copies the tables of the present manifest that are not copied yet; returns false if one disappears meanwhile.
    private mutating func copyTables() throws -> Bool {
        // LevelDB may be about to write the manifest.
        guard let manifest = try Manifest.current(in: source) else { return false }
        let names = try DirectoryListing.names(in: source, for: "backUp")
        for name in names {
            guard let number = Manifest.tableNumber(name), manifest.tables[number] != nil,
                copied[name] == nil
            else { continue }
            guard try copyTable(name) else { return false }
        }
        let found = Set(names.compactMap(Manifest.tableNumber))
        return manifest.tables.keys.allSatisfy(found.contains)
    }

    /// Copies the manifest, its logs and new tables; returns false if they have changed meanwhile.
    private mutating func copyState() throws -> Bool {
        guard try copyTables(), let manifest = try Manifest.current(in: source) else {
            return false
        }
        let logs = try DirectoryListing.names(in: source, for: "backUp").filter { name in
            LogFile(named: name).map { !$0.isKept && manifest.needsLog($0.number) } ?? false
        }
        for name in logs + [manifest.fileName] {
            guard try copy(name, replacing: true) else { return false }
        }
        guard let now = try Manifest.current(in: source), now == manifest else { return false }
        for name in copied.keys {
            guard let number = Manifest.tableNumber(name), manifest.tables[number] == nil else {
                continue
            }
            try FileManager.default.removeItem(at: target.appending(path: name))
            copied[name] = nil
        }
        return try copy("CURRENT", replacing: true)
    }

    private mutating func copyTable(_ name: String) throws -> Bool {
        let place = place(of: name)
        if let earlier = previous?.appending(path: name),
            FileManager.default.contentsEqual(atPath: place.path, andPath: earlier.path),
            unsafe link(earlier.path, target.appending(path: name).path) == 0
        {
            let size = try size(of: target.appending(path: name))
            copied[name] = size
            sharedBytes += size
            try meter.advance(bytes: size)
            return true
        }
        return try copy(name, replacing: false)
    }

    /// Copies and syncs one file; returns false if it does not exist any more.
    private mutating func copy(_ name: String, replacing: Bool) throws -> Bool {
        let place = target.appending(path: name)
        let input: FileHandle
        do {
            input = try PlainFile.handle(self.place(of: name), O_RDONLY)
        } catch let error as POSIXError where error.code == .ENOENT {
            return false
        }
        defer { try? input.close() }
        if replacing { unsafe unlink(place.path) }
        let output = try PlainFile.handle(place, O_WRONLY | O_CREAT | O_EXCL)
        defer { try? output.close() }
        var size = 0
        while let bytes = try input.read(upToCount: 1 << 18), !bytes.isEmpty {
            try output.write(contentsOf: bytes)
            size += bytes.count
            try meter.advance(bytes: bytes.count)
        }
        try output.synchronize()
        copied[name] = size
        return true
    }

    /// The file to read for a name in the source.
    private func place(of name: String) -> URL {
        let place = source.appending(path: name)
        guard hasLinks, Manifest.tableNumber(name) != nil else { return place }
        return place.resolvingSymlinksInPath()
    }

    private func size(of file: URL) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
    }
}
