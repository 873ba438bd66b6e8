import JustPersist

/// An entry of the change log: which items a commit has changed.
///
/// ```
/// key    05, number of the commit (8, big-endian)
/// value  0  8  checksum: wyhash of all that follows, seeded with the number of the commit
///        8  …  for each type that the commit has changed:
///              type number (4), 1 if the changes are listed or 0 if it may be any (1), number of changes (4), and
///              each change: 1 created, 2 changed or 3 deleted (1), item id (16), and of one that was changed the
///              attributes: a bit for each id up to 62, and bit 63 for all others (8)
/// ```
///
/// Several changes may be of one item; they are in the order in which they happened.
struct ChangeLogEntry {
    /// What happened to the items of a type; `nil` if it is not known.
    struct Part {
        let type: UInt32
        var events: [ItemEvent]?

        /// The bytes that it takes at most.
        var size: Int { 9 + (events?.count ?? 0) * 25 }
    }

    var parts: [Part]

    /// Forgets which items it was of the types with most changes, until the entry is no longer than a limit.
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

    /// The commit whose entry a key is of.
    static func commit(of key: Span<UInt8>) -> UInt64? {
        key.count == keyLength && key[0] == KeySpace.changeTag
            ? key.word64(at: 1).byteSwapped : nil
    }

    func encoded(commit: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.reserveCapacity(parts.reduce(8) { $0 + $1.size })
        for part in parts {
            bytes.append(littleEndian: part.type)
            bytes.append(part.events == nil ? 0 : 1)
            bytes.append(littleEndian: UInt32(part.events?.count ?? 0))
            for event in part.events ?? [] {
                bytes.append(event.kind.rawValue)
                bytes.append(event.id)
                if event.kind == .updated { bytes.append(littleEndian: event.attributes) }
            }
        }
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
        var offset = 8
        while offset < bytes.count {
            guard bytes.count - offset >= 9 else { return nil }
            let isListed = bytes[offset + 4]
            let count = Int(bytes.word32(at: offset + 5))
            var part = Part(
                type: bytes.word32(at: offset), events: isListed == 1 ? [] : nil)
            offset += 9
            // A change takes 17 bytes at the least.
            guard isListed <= 1, count <= (bytes.count - offset) / 17, isListed == 1 || count == 0
            else { return nil }
            part.events?.reserveCapacity(count)
            for _ in 0..<count {
                guard bytes.count - offset >= 17,
                    let kind = ItemEvent.Kind(rawValue: bytes[offset]), kind != .passed
                else { return nil }
                let id = ValueDecoding.id(in: bytes, at: offset + 1)
                offset += 17
                var attributes: UInt64 = 0
                if kind == .updated {
                    guard bytes.count - offset >= 8 else { return nil }
                    attributes = bytes.word64(at: offset)
                    offset += 8
                }
                part.events?.append(ItemEvent(kind, id, attributes: attributes))
            }
            parts.append(part)
        }
    }
}

extension Block {
    /// The keys of the log's entries; those from an empty one on if the store keeps none.
    func changeLogRange() throws(DataStoreError) -> KeyRange {
        // That of its parent, which a child leaves alone.
        if context.root != nil { return KeyRange(prefix: [KeySpace.changeTag]) }
        guard let header = try StoreHeader(reading: reader), let log = header.changeLog else {
            return KeyRange(from: [KeySpace.changeTag], upTo: [KeySpace.changeTag])
        }
        return KeyRange(
            from: ChangeLogEntry.key(log.first), upTo: ChangeLogEntry.key(header.commit) + [0])
    }

    /// What the log has of the commits behind one up to another; `nil` if it does not have all of them.
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
        for (commit, _) in found {
            if commit != last &+ 1 { return nil }
            last = commit
        }
        return last == end ? found : nil
    }

    /// Checks the entries of the log: each is sound, and none is missing.
    func verifyChangeLog(_ report: inout VerificationReport) throws(DataStoreError) {
        guard let header = try StoreHeader(reading: reader), let log = header.changeLog,
            log.first <= header.commit
        else { return }
        var problems: [DataStoreError] = []
        var next = log.first
        var missing = 0
        try reader.scan(try changeLogRange(), reversed: false) {
            (key, value) throws(DataStoreError) in
            // In order, so that the sum of what is missing is no more than the header says there are.
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
                    concerned. Whoever follows the changes of the store reads it anew; turn the log off and on again to \
                    begin a new one.
                    """))
        }
        report.problems += problems
    }
}

extension DataStoreError {
    /// A damaged entry of the change log.
    static func damagedLogEntry(_ commit: UInt64?) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "changes",
            """
            \(commit.map { "The entry of commit \($0)" } ?? "An entry") in the change log is damaged. The items are not \
            concerned. Whoever follows the changes of the store reads it anew; turn the log off and on again to begin a \
            new one.
            """)
    }
}
