import JustPersist

/// An entry of the change log: the items that a commit has changed.
///
/// ```
/// key    05, number of the commit (8, big-endian)
/// value  0  8  checksum: wyhash of all that follows, seeded with the number of the commit
///        8  …  fields (EntryFields): 1, for each type that the commit has changed, a list of fields:
///              1  type number (4)
///              2  the changes, if they are known, each: 1 created, 2 changed or 3 deleted (1), item id (16), and of one
///                 that was changed the attributes: a bit for each id up to 62, and bit 63 for all others; and the
///                 relationships to many, a bit for each number from 62 downwards (8)
/// ```
///
/// Several changes may concern one item; they are in the order in which they happened.
struct ChangeLogEntry {
    /// The changes of a type's items; `nil` if they are not known.
    struct Part {
        let type: UInt32
        var events: [ItemEvent]?

        /// The maximum size of the part in bytes.
        var size: Int { 24 + (events?.count ?? 0) * 25 }
    }

    var parts: [Part]
    /// Whether a later release has recorded changes that this one cannot read.
    private(set) var isPartial = false

    private enum FieldNumber {
        static let type: UInt8 = 1
    }

    /// Drops the items of the types with the most changes until the size of the entry is within a limit.
    mutating func shorten(to limit: Int) {
        while parts.reduce(8, { $0 + $1.size }) > limit {
            let sizes = parts.map(\.size)
            guard let place = sizes.firstIndex(of: sizes.max() ?? 0), parts[place].events != nil
            else { return }
            parts[place].events = nil
        }
    }

    // MARK: Bytes

    static let keyLength = 9

    static func key(_ commit: UInt64) -> [UInt8] {
        var key = [KeySpace.changeTag]
        key.append(littleEndian: commit.byteSwapped)
        return key
    }

    /// The commit of an entry with that key.
    static func commit(of key: Span<UInt8>) -> UInt64? {
        key.count == keyLength && key[0] == KeySpace.changeTag
            ? key.word64(at: 1).byteSwapped : nil
    }

    func encoded(commit: UInt64) -> [UInt8] {
        var fields = EntryFields()
        for part in parts { fields.append(FieldNumber.type, part.encoded()) }
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes += fields.bytes
        bytes.store(littleEndian: bytes.span.wyhash(8..<bytes.count, seed: commit), at: 0)
        return bytes
    }

    init(_ parts: [Part]) { self.parts = parts }

    /// The entry of a commit; `nil` if it is damaged.
    init?(decoding bytes: Span<UInt8>, commit: UInt64) {
        guard bytes.count >= 8,
            bytes.wyhash(8..<bytes.count, seed: commit) == bytes.word64(at: 0)
        else { return nil }
        parts = []
        var unknown = UnknownFields()
        var read: [Part] = []
        guard
            EntryFields.read(
                bytes, 8..<bytes.count, keeping: &unknown,
                { number, field in
                    guard number == FieldNumber.type else { return false }
                    guard let part = Part(decoding: bytes, field) else { return nil }
                    read.append(part)
                    return true
                })
        else { return nil }
        parts = read
        isPartial = unknown.forbidsReading
    }
}

extension ChangeLogEntry.Part {
    private enum FieldNumber {
        static let type: UInt8 = 1
        static let changes: UInt8 = 2
    }

    fileprivate func encoded() -> [UInt8] {
        var fields = EntryFields()
        fields.append(FieldNumber.type, type)
        guard let events else { return fields.bytes }
        var changes: [UInt8] = []
        changes.reserveCapacity(events.count * 25)
        for event in events {
            changes.append(event.kind.rawValue)
            changes.append(event.id)
            if event.kind == .updated { changes.append(littleEndian: event.attributes) }
        }
        fields.append(FieldNumber.changes, changes)
        return fields.bytes
    }

    fileprivate init?(decoding bytes: Span<UInt8>, _ range: Range<Int>) {
        var type: UInt32?
        var events: [ItemEvent]?
        var unknown = UnknownFields()
        let isSound = EntryFields.read(bytes, range, keeping: &unknown) { number, field in
            switch number {
            case FieldNumber.type where field.count == 4:
                type = bytes.word32(at: field.lowerBound)
            case FieldNumber.changes:
                events = Self.events(in: bytes, field)
                if events == nil { return nil }
            case FieldNumber.type: return nil
            default: return false
            }
            return true
        }
        guard isSound, let type else { return nil }
        // An unknown field that forbids reading stands for changes that are not in the list.
        self.init(type: type, events: unknown.forbidsReading ? nil : events)
    }

    private static func events(in bytes: Span<UInt8>, _ range: Range<Int>) -> [ItemEvent]? {
        var events: [ItemEvent] = []
        // A change takes at least 17 bytes.
        events.reserveCapacity(range.count / 17)
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard range.upperBound - offset >= 17,
                let kind = ItemEvent.Kind(rawValue: bytes[offset]), kind != .passed
            else { return nil }
            let id = ValueDecoding.id(in: bytes, at: offset + 1)
            offset += 17
            var attributes: UInt64 = 0
            if kind == .updated {
                guard range.upperBound - offset >= 8 else { return nil }
                attributes = bytes.word64(at: offset)
                offset += 8
            }
            events.append(ItemEvent(kind, id, attributes: attributes))
        }
        return events
    }
}

extension Block {
    /// The keys of the log's entries; without a log, all keys that an entry might have.
    func changeLogRange() throws(DataStoreError) -> KeyRange {
        // The log belongs to the parent, and a child does not change it.
        if context.root != nil { return KeyRange(prefix: [KeySpace.changeTag]) }
        guard let header = try StoreHeader(reading: reader), let log = header.changeLog else {
            return KeyRange(from: [KeySpace.changeTag], upTo: [KeySpace.changeTag])
        }
        return KeyRange(
            from: ChangeLogEntry.key(log.first), upTo: ChangeLogEntry.key(header.commit) + [0])
    }

    /// The changes in the log between two commits; `nil` if it lacks some of them.
    ///
    /// - Throws: `.corrupted` for an entry that cannot be read.
    func loggedChanges(
        behind start: UInt64, upTo end: UInt64
    ) throws(DataStoreError) -> [(commit: UInt64, entry: ChangeLogEntry)]? {
        var found: [(commit: UInt64, entry: ChangeLogEntry)] = []
        let range = KeyRange(
            from: ChangeLogEntry.key(start &+ 1), upTo: ChangeLogEntry.key(end) + [0])
        try reader.scan(range, reversed: false) { (key, value) throws(DataStoreError) in
            guard let commit = ChangeLogEntry.commit(of: key),
                let entry = ChangeLogEntry(decoding: value, commit: commit)
            else { throw .damagedLogEntry(ChangeLogEntry.commit(of: key)) }
            found.append((commit, entry))
            return .next
        }
        var last = start
        for (commit, entry) in found {
            if commit != last &+ 1 || entry.isPartial { return nil }
            last = commit
        }
        return last == end ? found : nil
    }

    /// Checks the entries of the log: each is intact, and none is missing.
    func verifyChangeLog(_ report: inout VerificationReport) throws(DataStoreError) {
        guard let header = try StoreHeader(reading: reader), let log = header.changeLog,
            log.first <= header.commit
        else { return }
        var problems: [DataStoreError] = []
        var next = log.first
        var missing = 0
        try reader.scan(try changeLogRange(), reversed: false) {
            (key, value) throws(DataStoreError) in
            // The order is checked, so that the number of missing entries cannot exceed the range in the header.
            guard let commit = ChangeLogEntry.commit(of: key), next...header.commit ~= commit else {
                problems.append(.damagedLogEntry(nil))
                return .next
            }
            missing += Int(commit - next)
            next = commit + 1
            if ChangeLogEntry(decoding: value, commit: commit) == nil {
                problems.append(.damagedLogEntry(commit))
            }
            return .next
        }
        missing += Int(header.commit + 1 - next)
        if missing > 0 {
            problems.append(
                DataStoreError(
                    .corrupted, in: "verify",
                    """
                    \(missing) \(missing == 1 ? "entry" : "entries") of the change log are missing. The items are not \
                    affected. Observers read the whole store again instead; turn the log off and on again to begin a \
                    new one.
                    """))
        }
        report.problems += problems
    }
}

extension DataStoreError {
    /// The error for a damaged entry of the change log.
    static func damagedLogEntry(_ commit: UInt64?) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "changes",
            """
            \(commit.map { "The entry of commit \($0)" } ?? "An entry") in the change log is damaged. The items are not \
            affected. Observers read the whole store again instead; turn the log off and on again to begin a new one.
            """)
    }
}
