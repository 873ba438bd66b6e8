import JustPersist
import JustPersistRecords

/// The numbers of the latest commits, stored in the database itself, one key for each.
///
/// Each commit writes its number over the oldest one, except those of a load, whose numbers the next commit writes. If commits
/// are lost that later ones followed, the ring has a gap.
enum CommitRing {
    static let slots: UInt64 = 64

    /// The prefix of the engine's own keys.
    static let prefix: [UInt8] = [0xFF] + Array("JustPersist".utf8)

    /// Whether `key` is one of the engine's own.
    static func owns(_ key: Span<UInt8>) -> Bool {
        guard !key.isEmpty, key[0] == 0xFF else { return false }
        let prefix = prefix
        return key.count >= prefix.count && prefix.indices.allSatisfy { key[$0] == prefix[$0] }
    }

    /// A commit and its author.
    struct Entry: Hashable, Sendable {
        /// Counted from 1.
        var number: UInt64
        /// A random number that identifies one opening of the database.
        var author: UInt64

        fileprivate var bytes: [UInt8] {
            [number, author].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            }
        }

        fileprivate init?(_ bytes: [UInt8]) {
            // Two bits of the number stay free for further commits.
            guard bytes.count == 16, bytes[7] < 0x40 else { return nil }
            number = bytes[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            author = bytes[8...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// The entry that is the last change in a batch; `nil` if another change is.
        ///
        /// - Parameter bytes: The last ``noteLength`` bytes of the batch.
        init?(endOfBatch bytes: [UInt8]) {
            guard bytes.count == CommitRing.noteLength, let entry = Entry([UInt8](bytes.suffix(16)))
            else {
                return nil
            }
            let slot = CommitRing.key(ofSlotFor: entry.number)
            // The change sets a value: the key's length and the key, then the value's length.
            guard bytes.dropLast(16).elementsEqual([1, UInt8(slot.count)] + slot + [16]) else {
                return nil
            }
            self = entry
        }

        init(number: UInt64, author: UInt64) {
            self.number = number
            self.author = author
        }
    }

    /// The number of bytes at the end of a batch that note its commit.
    static let noteLength = 2 + prefix.count + 1 + 1 + 16

    /// Notes the commit of a batch, as its last change.
    static func note(_ entry: Entry, in batch: borrowing WriteBatch) {
        let key = key(ofSlotFor: entry.number)
        let value = entry.bytes
        batch.put(value.span, forKey: key.span)
    }

    /// The last commit; `nil` if there was none.
    ///
    /// - Throws: `.corrupted` if the ring has a gap.
    static func lastCommit(in database: Database) throws(DataStoreError) -> Entry? {
        var found: [[UInt8]: Entry] = [:]
        let iterator = Iterator(on: database)
        var bytes: [UInt8] = []
        iterator.seek(to: prefix.span)
        while iterator.isValid {
            let keyCount = iterator.copyKey(to: &bytes)
            let key = Array(bytes[..<keyCount])
            guard owns(key.span) else { break }
            let count = iterator.copyValue(to: &bytes)
            guard let entry = Entry(Array(bytes[..<count])) else {
                throw corrupted(database, "the record of a commit is malformed")
            }
            found[key] = entry
            iterator.next()
        }
        try iterator.checkErrors()

        guard let last = found.values.max(by: { $0.number < $1.number }) else { return nil }
        let oldest = last.number > slots ? last.number - slots : 0
        for number in oldest..<last.number
        where found[Self.key(ofSlotFor: number + 1)]?.number != number + 1 {
            throw corrupted(
                database, "commit \(number + 1) is missing, but \(last.number) is there")
        }
        return last
    }

    private static func key(ofSlotFor number: UInt64) -> [UInt8] {
        prefix + [UInt8(number % slots)]
    }

    private static func corrupted(_ database: Database, _ reason: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "open",
            "The LevelDB store at “\(database.path)” is damaged: \(reason); \(DataStoreError.rescue)"
        )
    }
}
