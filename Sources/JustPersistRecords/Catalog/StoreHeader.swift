import JustPersist

/// The first entry of a store: its format, its id, and the number of its commits.
///
/// ```
/// 0   8   the bytes "JPstore" and a line feed
/// 8   4   format version
/// 12  4   0; any other value belongs to a later release
/// 16  16  id of the store
/// 32  8   version of the catalog
/// 40  8   number of the commit
/// 48  …   fields (EntryFields): 1 the change log; 2 (bits 6 and 7 set, no contents) the store is being loaded; 3 (bits 6 and 7 set,
///         no contents) a step of a schema plan is unfinished; and those of later releases
///     8   checksum: wyhash of all bytes before, seed 0
/// ```
struct StoreHeader: Sendable {
    static let formatVersion: UInt32 = 2
    private static let magic: UInt64 = 0x0a65_726f_7473_504a
    private static let leastLength = 56
    /// More commits than a store can make.
    ///
    /// With greater numbers, arithmetic could overflow.
    static let mostCommits: UInt64 = 1 << 62

    let id: ItemID
    /// Counts the commits that changed the catalog.
    var catalogVersion: UInt64 = 0
    /// Counts the commits that changed anything.
    var commit: UInt64 = 0
    /// The change log; `nil` if the store keeps none.
    var changeLog: ChangeLogState?
    /// Whether a copy into the store has begun and not ended.
    ///
    /// The counters then do not agree with the records.
    var isLoading = false
    /// Whether a step of a schema plan has changed a part of the store, and is not complete.
    var hasUnfinishedStep = false
    private(set) var unknown = UnknownFields()

    private enum FieldNumber {
        static let changeLog: UInt8 = 1
        static let loading: UInt8 = 2
        static let unfinishedStep: UInt8 = 3
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: Self.formatVersion)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(id)
        bytes.append(littleEndian: catalogVersion)
        bytes.append(littleEndian: commit)
        var fields = EntryFields()
        if let changeLog { fields.append(FieldNumber.changeLog, changeLog.encoded()) }
        if isLoading { fields.append(FieldNumber.loading | EntryFields.neitherReadNorWritten, []) }
        if hasUnfinishedStep {
            fields.append(FieldNumber.unfinishedStep | EntryFields.neitherReadNorWritten, [])
        }
        fields.append(unknown)
        bytes += fields.bytes
        bytes.append(littleEndian: bytes.span.wyhash(0..<bytes.count, seed: 0))
        return bytes
    }

    /// The header of a new store.
    init(id: ItemID) { self.id = id }

    /// The header of a new store without history, with the fields that a later release has added to this header, and with a
    /// step that is unfinished.
    func renewed() -> StoreHeader {
        var header = StoreHeader(id: ItemID())
        header.hasUnfinishedStep = hasUnfinishedStep
        header.unknown = unknown
        return header
    }

    init(decoding bytes: Span<UInt8>) throws(DataStoreError) {
        guard bytes.word64(at: 0) == Self.magic else { throw Self.notAStore }
        let version = bytes.word32(at: 8)
        // Checked before the checksum, which a newer format may store differently.
        guard version <= Self.formatVersion else {
            throw DataStoreError(
                .newerFormat, in: "open",
                """
                The store has format \(version), and this release reads formats up to \
                \(Self.formatVersion). Open it with a newer release; it was left untouched.
                """)
        }
        guard version == Self.formatVersion else {
            throw DataStoreError(
                .olderFormat, in: "open",
                """
                The store has format \(version), of builds before the first release, and this release reads format \
                \(Self.formatVersion). Export it with the build that wrote it, and import that into a new store; it was \
                left untouched.
                """)
        }
        let end = bytes.count - 8
        var log: ChangeLogState?
        var (isLoading, hasUnfinishedStep) = (false, false)
        guard bytes.count >= Self.leastLength,
            bytes.word64(at: end) == bytes.wyhash(0..<end, seed: 0),
            EntryFields.read(
                bytes, 48..<end, keeping: &unknown,
                { number, field in
                    switch number {
                    case FieldNumber.changeLog:
                        log = ChangeLogState(decoding: bytes, field)
                        return log == nil ? nil : true
                    case FieldNumber.loading:
                        isLoading = true
                        return field.isEmpty ? true : nil
                    case FieldNumber.unfinishedStep:
                        hasUnfinishedStep = true
                        return field.isEmpty ? true : nil
                    default: return false
                    }
                }), max(bytes.word64(at: 32), bytes.word64(at: 40)) < Self.mostCommits,
            log.map({ $0.first <= bytes.word64(at: 40) + 1 }) ?? true
        else {
            throw DataStoreError(
                .corrupted, in: "open",
                "The store's header is damaged; \(DataStoreError.rescue)")
        }
        if unknown.forbidsReading || bytes.word32(at: 12) != 0 {
            throw Self.newer("reading", in: "open")
        }
        id = ValueDecoding.id(in: bytes, at: 16)
        catalogVersion = bytes.word64(at: 32)
        commit = bytes.word64(at: 40)
        changeLog = log
        self.isLoading = isLoading
        self.hasUnfinishedStep = hasUnfinishedStep
    }

    /// Throws if the store holds a part of a copy that has not ended.
    func checkWhole(in operation: String) throws(DataStoreError) {
        guard isLoading else { return }
        throw DataStoreError(
            .unfinishedCopy, in: operation,
            """
            The store holds a part of a migration that has not ended, so it cannot be used yet. Run the migration again \
            to complete it, or delete the store.
            """)
    }

    /// Throws if a later release has forbidden this one to write.
    func checkWriting() throws(DataStoreError) {
        if unknown.forbidsWriting { throw Self.newer("writing", in: "write") }
    }

    private static func newer(_ use: String, in operation: String) -> DataStoreError {
        DataStoreError(
            .newerFormat, in: operation,
            """
            A later release has put something into the store that \(use) it with this release would break. Use \
            that release; nothing was changed.
            """)
    }

    /// The header of the state that a reader sees; `nil` if the store is empty.
    init?(reading reader: any KeyValueReader) throws(DataStoreError) {
        var header: StoreHeader?
        let isThere = try reader.withValue(forKey: KeySpace.header) {
            (value) throws(DataStoreError) in header = try StoreHeader(decoding: value)
        }
        guard isThere, let header else {
            var isEmpty = true
            try reader.scan(.all, reversed: false) { (_, _) throws(DataStoreError) in
                isEmpty = false
                return .stop
            }
            if !isEmpty { throw Self.notAStore }
            return nil
        }
        self = header
    }

    private static let notAStore = DataStoreError(
        .notAStore, in: "open",
        """
        The files hold keys, but not the header of a JustPersist store: it is damaged, or they belong to another program. \
        \(DataStoreError.rescueOrMove)
        """)
}
