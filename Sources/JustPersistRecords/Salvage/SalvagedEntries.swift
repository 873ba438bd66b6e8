package import JustPersist

/// Entries of a damaged store that are copied to a new one.
///
/// The entries are written to the new store's engine as they are found. If a key has several values, the newest one is
/// kept. The version of an entry and the trust in it are needed until all entries are found. They are stored under a
/// separate key, so that the use of memory does not grow with the store.
package final class SalvagedEntries {
    private let engine: any KeyValueEngine
    /// The entries that are not written yet.
    private var pending: [[UInt8]: Entry] = [:]
    private var pendingBytes = 0
    private static let pendingLimit = 4 << 20

    /// The damage found in the files.
    package private(set) var damages: [DataStoreError] = []
    private static let mostDamages = 200
    private var untold = 0
    /// The greatest version of an entry so far.
    package private(set) var newestVersion: UInt64 = 0
    /// Whether changes may be missing anywhere.
    package var mayLackChanges = false
    /// Ranges in which entries may be lost.
    private var lost: [KeyRange] = []
    /// The ids of which every copy of the record is damaged.
    private(set) var lostIDs: [UInt32: Set<ItemID>] = [:]
    /// The keys of types whose catalog entry is damaged.
    private(set) var typeKeys: [UInt32: String] = [:]

    /// The first byte of the keys under which versions and trust are stored.
    static let markTag: UInt8 = 0xFE

    init(in engine: any KeyValueEngine) { self.engine = engine }

    // MARK: Called by engines

    /// Whether a key is salvaged.
    ///
    /// All other keys are derived from these.
    package static func isWanted(_ key: [UInt8]) -> Bool {
        key.first.map { isWanted(tag: $0, length: key.count) } ?? false
    }

    /// Whether a key with that first byte and length is salvaged.
    package static func isWanted(tag: UInt8, length: Int) -> Bool {
        switch tag {
        case KeySpace.headerTag: length == 1
        case KeySpace.catalogTag, KeySpace.counterTag: length == 5
        case KeySpace.recordTag: length == RecordKey.length
        case KeySpace.linkTag, KeySpace.workTag: 1...511 ~= length
        default: false
        }
    }

    /// Whether a valid store may contain the key.
    package static func isPossible(_ key: [UInt8]) -> Bool {
        switch key.first {
        case KeySpace.indexTag: key.count > 22 && key.count <= 511
        case KeySpace.changeTag: key.count == 9
        case KeySpace.engineTag: key.count <= 511
        default: isWanted(key)
        }
    }

    /// Whether a value has the checksum that a salvaged key requires.
    package static func isSound(_ value: [UInt8], under key: [UInt8]) -> Bool {
        let (bytes, keyBytes) = (value.span, key.span)
        switch key.first {
        case KeySpace.headerTag: return isSoundHeader(bytes)
        case KeySpace.catalogTag:
            return bytes.count > 18
                && bytes.wyhash(8..<bytes.count, seed: UInt64(keyBytes.word32(at: 1).byteSwapped))
                    == bytes.word64(at: 0)
        case KeySpace.counterTag: return counter(in: bytes, keyBytes) != nil
        case KeySpace.recordTag:
            guard let (type, id) = RecordKey.parts(of: keyBytes) else { return false }
            return RecordFormat.isProven(bytes, type: type, id: id)
        case KeySpace.linkTag, KeySpace.workTag: return KeySpace.isSoundLater(keyBytes, bytes)
        default: return false
        }
    }

    /// The number of the commit in the header of a store; `nil` if that is damaged.
    package static func commit(inHeader value: [UInt8]) -> UInt64? {
        (try? StoreHeader(decoding: value.span))?.commit
    }

    private static func isSoundHeader(_ bytes: Span<UInt8>) -> Bool {
        do throws(DataStoreError) {
            _ = try StoreHeader(decoding: bytes)
            return true
        } catch {
            // The header of another release is intact nevertheless, and states the restrictions.
            return error.code == .newerFormat || error.code == .olderFormat
        }
    }

    private static func counter(in bytes: Span<UInt8>, _ key: Span<UInt8>) -> UInt64? {
        let type = key.word32(at: 1).byteSwapped
        guard bytes.count == 16,
            bytes.wyhash(0..<8, seed: UInt64(type)) == bytes.word64(at: 8)
        else { return nil }
        return bytes.word64(at: 0)
    }

    // MARK: Entries of an engine

    /// The trust in an entry's value.
    package struct Trust: Equatable, Sendable {
        /// The value with the greater version is the newer one of two values under a key.
        package var version: UInt64 = 0
        /// Whether the version may be damaged.
        package var isVersionDoubtful = false
        /// Whether a newer value, or the deletion of the entry, may be in an unreadable place.
        package var isDoubtful = false
        /// The greatest version of a damaged value under the key.
        fileprivate var lostVersion: UInt64 = 0

        /// Whether the value may be older than the key's last one.
        var mayBeOld: Bool { isDoubtful || lostVersion > version }

        package init(
            version: UInt64 = 0, isVersionDoubtful: Bool = false, isDoubtful: Bool = false
        ) {
            self.init(
                version: version, isVersionDoubtful: isVersionDoubtful, isDoubtful: isDoubtful,
                lostVersion: 0)
        }

        fileprivate init(
            version: UInt64, isVersionDoubtful: Bool, isDoubtful: Bool, lostVersion: UInt64
        ) {
            self.lostVersion = lostVersion
            self.version = version
            self.isVersionDoubtful = isVersionDoubtful
            self.isDoubtful = isDoubtful
        }
    }

    /// Takes a value found under a salvaged key; returns false if it is damaged.
    @discardableResult
    package func take(
        _ key: [UInt8], _ value: [UInt8], _ trust: Trust = Trust()
    ) throws -> Bool {
        guard Self.isSound(value, under: key) else { return false }
        try put(key, Entry(value: value, trust: trust))
        return true
    }

    /// Notes that a key was deleted.
    package func takeDeletion(_ key: [UInt8], _ trust: Trust) throws {
        try put(key, Entry(value: nil, trust: trust))
    }

    /// Notes that the value with that version under a salvaged key is damaged in every copy.
    package func lose(_ key: [UInt8], _ value: [UInt8], version: UInt64 = 0) throws {
        if version > 0 {
            var known = try entry(of: key) ?? Entry(value: nil, trust: Trust())
            known.trust.lostVersion = max(known.trust.lostVersion, version)
            keep(key, known)
            if pendingBytes >= Self.pendingLimit { try flush() }
            if key.first != KeySpace.recordTag {
                append(
                    "The header, a number of items, or an entry of the catalog or of a later release is damaged."
                )
            }
        }
        if let (type, id) = RecordKey.parts(of: key.span) {
            // A damaged key may contain any type number.
            if lostIDs[type]?.count ?? lostIDs.count < SalvageReport.mostIDs {
                lostIDs[type, default: []].insert(id)
            }
        } else if key.first == KeySpace.catalogTag {
            let number = key.span.word32(at: 1).byteSwapped
            if let found = CatalogType.key(number: number, in: value.span)?.key {
                typeKeys[number] = found
            }
        }
    }

    /// Notes a place that cannot be read.
    package func note(_ damage: String, at path: String) {
        append("“\(path)”: \(damage).")
    }

    private func append(_ damage: String) {
        guard damages.count < Self.mostDamages else { return untold += 1 }
        damages.append(DataStoreError(.corrupted, in: "salvage", damage))
    }

    /// Notes that entries in a range of keys cannot be read.
    package func lose(_ range: KeyRange) { lost.append(range) }

    /// Notes that the entries found so far in a range of keys may be older than those that could not be read.
    package func distrust(_ range: KeyRange) throws {
        lose(range)
        try flush()
        var rest: KeyRange? = range
        while let part = rest {
            var marks: [(key: [UInt8], mark: Mark)] = []
            rest = nil
            try engine.read { reader in
                try reader.scanKeys(part, reversed: false) { (key) throws(DataStoreError) in
                    let key = key.copied()
                    guard key.first != Self.markTag else { return .stop }
                    if marks.count == 10_000 {
                        rest = KeyRange(from: key, upTo: part.upper)
                        return .stop
                    }
                    var trust = try mark(of: key, in: reader)?.trust ?? Trust()
                    trust.isDoubtful = true
                    marks.append((key, Mark(trust)))
                    return .next
                }
            }
            guard !marks.isEmpty else { return }
            try engine.write { writer in
                for (key, mark) in marks {
                    try writer.put(mark.bytes, forKey: [Self.markTag] + key)
                }
            }
        }
    }

    // MARK: Storage

    private struct Entry {
        /// `nil` for one that was deleted.
        var value: [UInt8]?
        var trust: Trust
    }

    private func put(_ key: [UInt8], _ entry: Entry) throws {
        var entry = entry
        newestVersion = max(newestVersion, entry.trust.version)
        if let known = try self.entry(of: key) {
            let lostVersion = max(known.trust.lostVersion, entry.trust.lostVersion)
            defer { entry.trust.lostVersion = lostVersion }
            if known.value == entry.value {
                entry.trust.version = max(entry.trust.version, known.trust.version)
                entry.trust.isDoubtful = entry.trust.isDoubtful && known.trust.isDoubtful
                entry.trust.isVersionDoubtful =
                    entry.trust.isVersionDoubtful && known.trust.isVersionDoubtful
            } else {
                let isDoubtful = entry.trust.isVersionDoubtful || known.trust.isVersionDoubtful
                let isNewer =
                    entry.trust.version == known.trust.version
                    ? known.trust.isDoubtful && !entry.trust.isDoubtful
                    : entry.trust.version > known.trust.version
                if !isNewer {
                    guard isDoubtful, !known.trust.isDoubtful else { return }
                    entry = known
                }
                if isDoubtful { entry.trust.isDoubtful = true }
            }
        }
        keep(key, entry)
        if pendingBytes >= Self.pendingLimit { try flush() }
    }

    private func keep(_ key: [UInt8], _ entry: Entry) {
        pending[key] = entry
        pendingBytes += key.count + (entry.value?.count ?? 0) + 64
    }

    private func entry(of key: [UInt8]) throws -> Entry? {
        if let known = pending[key] { return known }
        var entry: Entry?
        try engine.read { reader in
            let mark = try mark(of: key, in: reader)
            _ = try reader.withValue(forKey: key) { (value) throws(DataStoreError) in
                entry = Entry(value: value.copied(), trust: mark?.trust ?? Trust())
            }
            if entry == nil, let mark { entry = Entry(value: nil, trust: mark.trust) }
        }
        return entry
    }

    /// Writes the pending entries.
    func flush() throws {
        guard !pending.isEmpty else { return }
        let entries = pending.sorted { $0.key.span.isOrdered(before: $1.key.span) }
        try engine.write { writer in
            for (key, entry) in entries {
                if let value = entry.value {
                    try writer.put(value, forKey: key)
                } else {
                    _ = try writer.delete(key)
                }
                let mark = Mark(entry.trust)
                if entry.value == nil || entry.trust != Trust() {
                    try writer.put(mark.bytes, forKey: [Self.markTag] + key)
                } else {
                    _ = try writer.delete([Self.markTag] + key)
                }
            }
        }
        pending = [:]
        pendingBytes = 0
    }

    /// The stored trust in an entry.
    struct Mark {
        let trust: Trust

        init(_ trust: Trust) { self.trust = trust }

        init(_ bytes: Span<UInt8>) {
            let flags = bytes.count > 8 ? bytes[8] : 0
            trust = Trust(
                version: bytes.word64(at: 0), isVersionDoubtful: flags & 1 != 0,
                isDoubtful: flags & 2 != 0, lostVersion: bytes.count > 16 ? bytes.word64(at: 9) : 0)
        }

        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(littleEndian: trust.version)
            bytes.append((trust.isVersionDoubtful ? 1 : 0) | (trust.isDoubtful ? 2 : 0))
            bytes.append(littleEndian: trust.lostVersion)
            return bytes
        }
    }

    private func mark(
        of key: [UInt8], in reader: any KeyValueReader
    ) throws(DataStoreError) -> Mark? {
        var mark: Mark?
        _ = try reader.withValue(forKey: [Self.markTag] + key) { (value) throws(DataStoreError) in
            mark = Mark(value)
        }
        return mark
    }

    // MARK: The end

    /// The damages, with a count of those that are not listed.
    var allDamages: [DataStoreError] {
        guard untold > 0 else { return damages }
        return damages + [
            DataStoreError(
                .corrupted, in: "salvage",
                "\(untold.counted("more place")) cannot be read.")
        ]
    }

    /// Whether a newer value of a key may be lost.
    func isDoubtful(_ key: [UInt8], in reader: any KeyValueReader) throws(DataStoreError) -> Bool {
        try mark(of: key, in: reader)?.trust.mayBeOld ?? false
    }

    /// The number of items that the store had of a type, if it is known.
    func count(ofType number: UInt32, in reader: any KeyValueReader) throws(DataStoreError) -> Int?
    {
        let key = KeySpace.key(KeySpace.counterTag, type: number)
        if try isDoubtful(key, in: reader) { return nil }
        var count: Int?
        let isThere = try reader.withValue(forKey: key) { (value) throws(DataStoreError) in
            count = Self.counter(in: value, key.span).flatMap { Int(exactly: $0) }
        }
        // A type that never had an item has no stored number of items.
        let mayBeLost = mayLackChanges || lost.contains { $0.contains(key) }
        return isThere || mayBeLost ? count : 0
    }
}

extension RecordFormat {
    /// Whether a record has the checksum for its key, and if this release knows its form, a table inside of it.
    static func isProven(_ record: Span<UInt8>, type: UInt32, id: ItemID) -> Bool {
        record.count >= headerLength && hasChecksum(record, type: type, id: id)
            && (Table(record) != nil || isLater(record, type: type, id: id))
    }
}
