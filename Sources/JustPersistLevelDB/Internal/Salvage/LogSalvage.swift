import JustPersist
import JustPersistRecords

/// Reads LevelDB's logs leniently: batches of changes, each in one or more records with checksums.
struct LogSalvage {
    private let entries: SalvagedEntries
    /// The number of the change that follows the last intact batch.
    private var nextVersion: UInt64 = 0
    /// The records of the present batch so far.
    private var batch: [UInt8] = []
    private var isInsideBatch = false
    private var isDamaged = false
    /// The changes of a block, and the same size again for what is stored between them.
    private static let mostBytes = 2 * DataStoreLimits.contract.writeBlockBytes

    /// Create it after all tables are read, because logs are newer.
    init(into entries: SalvagedEntries) {
        self.entries = entries
        nextVersion = entries.newestVersion + 1
    }

    /// Reads the contents of one log.
    ///
    /// - Parameter next: Returns the next block of the log, and `nil` at its end.
    mutating func read(_ path: String, next: () throws -> [UInt8]?) throws {
        (batch, isInsideBatch, isDamaged) = ([], false, false)
        var damages = 0
        var start = 0
        while let block = try next() {
            defer { start += block.count }
            var offset = 0
            while block.count - offset >= LogRecord.headerSize {
                if let record = LogRecord(in: block, at: offset) {
                    try take(record, of: block)
                    offset = record.payload.upperBound
                    continue
                }
                let found = (offset + 1..<block.count).first {
                    LogRecord(in: block, at: $0) != nil
                }
                if damages == 0 {
                    entries.note("it is damaged from byte \(start + offset) on", at: path)
                }
                damages += 1
                if !isInsideBatch { batch = [] }
                let end = found ?? block.count
                // The next record may begin where the header of this one would be.
                batch += block[min(offset + LogRecord.headerSize, end)..<end]
                isInsideBatch = true
                isDamaged = true
                offset = end
                // No batch is longer, so the rest belongs to other batches.
                if batch.count > Self.mostBytes { try finish(isWhole: false) }
            }
        }
        // The end of the log is missing, or was never written.
        if isInsideBatch { try finish(isWhole: false) }
        if damages > 0 { entries.mayLackChanges = true }
    }

    private mutating func take(_ record: LogRecord, of block: [UInt8]) throws {
        if record.isFirst {
            if isInsideBatch { try finish(isWhole: false) }
            batch = []
            isDamaged = false
        } else if !isInsideBatch {
            batch = []
            isDamaged = true
        }
        batch += block[record.payload]
        isInsideBatch = !record.isLast
        if record.isLast { try finish(isWhole: !isDamaged) }
    }

    /// Takes the changes of a batch.
    private mutating func finish(isWhole: Bool) throws {
        isInsideBatch = false
        if isWhole, let (first, changes) = Self.changes(in: batch) {
            for (number, change) in changes.enumerated()
            where SalvagedEntries.isWanted(change.key) {
                let trust = SalvagedEntries.Trust(version: first + UInt64(number))
                if let value = change.value {
                    let value = Array(batch[value])
                    if try !entries.take(change.key, value, trust) {
                        try entries.lose(change.key, value, version: trust.version)
                    }
                } else {
                    try entries.takeDeletion(change.key, trust)
                }
            }
            nextVersion = first + UInt64(changes.count)
            return
        }
        entries.mayLackChanges = true
        try carve()
    }

    /// The number of the first change of a batch.
    private static func firstVersion(of batch: [UInt8]) -> UInt64? {
        batch.count < 12 ? nil : batch[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private typealias Change = (key: [UInt8], value: Range<Int>?)

    /// The number of the first change of a batch, and its changes; `nil` if LevelDB would not write it.
    private static func changes(in batch: [UInt8]) -> (first: UInt64, changes: [Change])? {
        guard let first = firstVersion(of: batch), first < 1 << 56 else { return nil }
        let count = batch[8..<12].reversed().reduce(0) { $0 << 8 | Int($1) }
        var changes: [Change] = []
        var offset = 12
        while offset < batch.count {
            guard let change = change(in: batch, &offset) else { return nil }
            changes.append(change)
        }
        return changes.count == count ? (first, changes) : nil
    }

    /// Reads the change at `offset`: its kind, its key, and the value if one is set.
    private static func change(in batch: [UInt8], _ offset: inout Int) -> Change? {
        guard offset < batch.count, batch[offset] <= 1 else { return nil }
        let isValue = batch[offset] == 1
        offset += 1
        guard let keySize = Varint.read(batch, &offset, batch.count),
            keySize <= batch.count - offset
        else { return nil }
        let key = Array(batch[offset..<offset + keySize])
        offset += keySize
        guard isValue else { return (key, nil) }
        guard let size = Varint.read(batch, &offset, batch.count), size <= batch.count - offset
        else { return nil }
        defer { offset += size }
        return (key, offset..<offset + size)
    }

    /// Takes the records that are found in the rest of damaged batches.
    private mutating func carve() throws {
        // The rest of a batch continues the previous one, or follows others that are damaged.
        if let first = Self.firstVersion(of: batch),
            (nextVersion...nextVersion + 1_000_000).contains(first)
        {
            nextVersion = first
        }
        var start = 0
        while start < batch.count {
            // A change begins with its kind, the length of the key, and the key.
            if batch[start] == 1, start + 2 < batch.count, [1, 5, 21].contains(batch[start + 1]) {
                var offset = start
                if let change = Self.change(in: batch, &offset), let value = change.value,
                    SalvagedEntries.isWanted(change.key),
                    try entries.take(
                        change.key, Array(batch[value]),
                        .init(version: nextVersion, isVersionDoubtful: true))
                {
                    nextVersion += 1
                    start = offset
                    continue
                }
            }
            start += 1
        }
        batch = []
    }
}
