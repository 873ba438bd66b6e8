public import Foundation
public import JustPersist

/// An ordered, transactional key-value store, on which the record layer is built.
///
/// Conform to this to turn any such engine into a whole ``RecordStore``: a data store with items,
/// predicates, sorting and transactions. Keys are ordered as unsigned bytes, and a prefix comes before the
/// longer key.
///
/// The record layer calls an engine under these rules, so an engine need not enforce them:
/// - ``open()``, ``close()`` and ``destroy()`` never run concurrently with each other or with a block.
/// - At most one ``write(_:)`` runs at a time; any number of ``read(_:)`` run concurrently with it and each other.
/// - A block, and all calls it makes on its reader or writer, stay on the calling thread. Calls on a writer may come
///   from several threads only if ``KeyValueEngineTraits/isPassedBetweenThreads`` is true.
/// - A reader or writer is not used after its block has returned.
public protocol KeyValueEngine: Sendable {
    /// The engine's features and guarantees. Constant over the engine's life.
    var traits: KeyValueEngineTraits { get }

    /// Opens the engine's files, creating them if they do not exist. After a failure nothing stays open.
    func open() throws(DataStoreError)

    /// Closes the engine and releases its files and locks. Does nothing if it is not open.
    func close()

    /// The directory that holds the engine's files; `nil` for one without files of its own, and by default.
    ///
    /// Distinguishes the items of a store from those of a copy of its files.
    var directory: URL? { get }

    /// Whether the keys and values represent a framework's rows. Rows can hold items only, not index entries, a change
    /// log or checksums. `false` by default, and `true` for each ``RowEngine``.
    var storesRows: Bool { get }

    /// Describes what the engine repaired when it was last opened, as an error with the code `.recovered`.
    ///
    /// `nil` if nothing was repaired, which is the default. A store reports it to its error handler.
    var recoveryReport: DataStoreError? { get }

    /// Checks the engine's own file structure in one committed state, and returns the damage found.
    ///
    /// The check must not crash, whatever bytes the files contain. The default checks nothing. Called under the rules of
    /// ``read(_:)``.
    func verify() throws(DataStoreError) -> [DataStoreError]

    /// Checks the engine's own file structure, and reports progress.
    ///
    /// The default reports no progress. A check that reads a lot of data should report it, because a program may cancel
    /// a check without progress.
    ///
    /// - Throws: The errors of ``verify()``, and the error of the meter's caller.
    func verify(_ meter: MaintenanceMeter) throws -> [DataStoreError]

    /// Writes a copy of the committed state into an empty directory, synced, from which the engine can open it.
    ///
    /// The file that identifies a store is written last, so an unfinished copy is not a store. Called under the rules
    /// of ``read(_:)``, outside of blocks of the calling thread. The default throws `.unsupported`.
    ///
    /// - Parameters:
    ///   - directory: The directory to write to.
    ///   - previous: An earlier copy, with which files may be shared.
    ///   - pausingWrites: Runs a closure while no write block runs.
    ///   - meter: Receives the number of bytes copied.
    func backUp(
        to directory: URL, since previous: URL?, pausingWrites: (() throws -> Void) throws -> Void,
        _ meter: MaintenanceMeter
    ) throws -> BackupReport

    /// Frees disk space that the data no longer needs.
    ///
    /// Called under the rules of ``read(_:)``, outside of blocks of the calling thread. If the engine cannot compact
    /// while blocks run, it waits for them and holds up new ones. The default throws `.unsupported`.
    func compact(_ meter: MaintenanceMeter) throws -> CompactionReport

    /// Deletes everything that a closed engine keeps, so that the next ``open()`` finds it empty.
    func destroy() throws(DataStoreError)

    /// Runs `body` on one snapshot of the committed state, taken before it starts.
    ///
    /// Never waits for a writer. May be called inside a block of either kind on the same thread, and
    /// then sees the committed state.
    func read(_ body: (any KeyValueReader) throws -> Void) throws

    /// Runs `body` in a transaction, and commits it if `body` returns.
    ///
    /// When this returns, all changes are visible to later blocks and durable as
    /// ``KeyValueEngineTraits/durability`` says. When `body` or the commit throws, nothing has changed.
    func write(_ body: (any KeyValueWriter) throws -> Void) throws
}

extension KeyValueEngine {
    /// No directory.
    public var directory: URL? { nil }

    /// `false`: the engine stores keys and values.
    public var storesRows: Bool { false }

    /// Nothing had to be repaired.
    public var recoveryReport: DataStoreError? { nil }

    /// Checks nothing.
    public func verify() throws(DataStoreError) -> [DataStoreError] { [] }

    /// Reports no progress.
    public func verify(_ meter: MaintenanceMeter) throws -> [DataStoreError] { try verify() }

    /// Throws `.unsupported`.
    public func backUp(
        to directory: URL, since previous: URL?, pausingWrites: (() throws -> Void) throws -> Void,
        _ meter: MaintenanceMeter
    ) throws -> BackupReport {
        throw DataStoreError(
            .unsupported, in: "backUp",
            """
            A store of \(traits.name) keeps no files that could be backed up. Copy it into another store with a \
            migration.
            """)
    }

    /// Throws `.unsupported`.
    public func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        throw DataStoreError(
            .unsupported, in: "compact",
            "A store of \(traits.name) cannot be compacted. Nothing was changed.")
    }
}

/// One snapshot of an engine.
///
/// Valid until its block returns.
public protocol KeyValueReader: AnyObject {
    /// A number that two snapshots share only if they are of the same committed state; `nil` if the engine has no such
    /// number, and by default.
    ///
    /// The record layer uses it to reuse its knowledge of that state.
    var snapshotNumber: UInt64? { get }

    /// Calls `body` with the value of `key`, and returns whether there was one.
    ///
    /// The bytes are valid only inside `body`. `body` may read from this reader but not write.
    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool

    /// Calls `body` with each key in `range` and its value, in ascending or descending order.
    ///
    /// The bytes are valid only inside `body`. `body` may read from this reader (scan again, look a key up) but not
    /// write. An error of `body` ends the scan and is rethrown.
    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError)

    /// Calls `body` with each key in `range`, in ascending or descending order.
    ///
    /// The default reads the values, too. Implement this if the engine can skip them.
    func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError)

    /// Calls `body` with each of several keys that exist: with its index in `keys`, and its value.
    ///
    /// The calls are made in the order of `keys`, under the rules of ``scan(_:reversed:_:)``. The default looks up one
    /// key after the other. Implement this if each look-up of the engine is a round trip.
    func withValues(
        forKeys keys: [[UInt8]],
        _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError)

    /// Whether a look-up takes a round trip to a server; `false` by default.
    ///
    /// The record layer then calls ``prepare(keys:ranges:)`` before it looks up many keys one by one.
    var isRemote: Bool { get }

    /// Announces look-ups of keys, and scans of small ranges that do not overlap, which the reader may perform together.
    ///
    /// The default does nothing.
    func prepare(keys: [[UInt8]], ranges: [KeyRange]) throws(DataStoreError)
}

/// One open transaction of an engine.
///
/// Reads through it see what it has written.
public protocol KeyValueWriter: KeyValueReader {
    /// Stores `value` under `key`, replacing an existing value. A key has 1 to
    /// ``KeyValueEngineTraits/maximumKeyLength`` bytes; a value may be empty.
    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError)

    /// Removes `key`, and returns whether it existed.
    func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool

    /// Removes `key`, if it exists.
    ///
    /// The default calls ``delete(_:)``. Implement this if finding out whether a key exists costs a look-up.
    func remove(_ key: Span<UInt8>) throws(DataStoreError)

    /// Removes all keys in a range, and returns their number.
    ///
    /// The default removes them one by one.
    func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int

    /// Runs `body` in a savepoint: if it throws, its changes are undone, and the error is rethrown.
    ///
    /// `body` must use only the writer that it receives. Savepoints can be nested. If the engine itself fails, the
    /// whole transaction must be rolled back, because some changes might not be undone. By default, `body` writes to a
    /// ``KeyValueOverlay``, whose changes are written after it has returned.
    func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws

    /// Marks the transaction as a part of a load: the store is not used until a later transaction, without this mark,
    /// completes the load.
    ///
    /// A load writes records in the order of their keys. An engine that records its commits need not record this one,
    /// so that each file holds adjacent keys only. The default does nothing.
    func noteLoad()

    /// Whether the changes of a savepoint that fails after its `body` has returned are undone.
    ///
    /// If not, which is the default, the transaction is rolled back.
    var undoesFailedSavepoints: Bool { get }
}

/// Whether a scan continues.
public enum ScanStep: Sendable {
    /// Continue with the next key.
    case next
    /// End the scan.
    case stop
}

/// An engine's features and guarantees.
public struct KeyValueEngineTraits: Sendable {
    /// The engine's name, as messages show it: "LMDB".
    public var name: String
    /// Whether data outlives the process.
    public var isPersistent: Bool
    /// The events that a committed write survives.
    public var durability: Durability
    /// Whether other processes may write to the store while it is open here.
    public var isSharedBetweenProcesses: Bool
    /// Whether ``KeyValueEngine/write(_:)`` is refused.
    public var isReadOnly: Bool
    /// The longest key that the engine accepts, in bytes; at least 480.
    public var maximumKeyLength: Int
    /// Whether threads other than the caller of ``KeyValueEngine/write(_:)`` may use its writer, one at a time and in
    /// order, while the caller waits inside the call.
    ///
    /// If true, threads that write at the same time share transactions, and wait for one commit instead of several.
    /// Otherwise only queued blocks share transactions.
    public var isPassedBetweenThreads: Bool
    /// Whether the engine limits the size of a transaction so much that each block needs one of its own.
    ///
    /// If true, blocks do not share transactions, because a block must not fail on the size of another one.
    public var hasSmallTransactions: Bool

    /// Traits of an engine.
    public init(
        name: String, isPersistent: Bool, durability: Durability = .full,
        isSharedBetweenProcesses: Bool = false, isReadOnly: Bool = false,
        maximumKeyLength: Int = 480, isPassedBetweenThreads: Bool = false,
        hasSmallTransactions: Bool = false
    ) {
        self.name = name
        self.isPersistent = isPersistent
        self.durability = durability
        self.isSharedBetweenProcesses = isSharedBetweenProcesses
        self.isReadOnly = isReadOnly
        self.maximumKeyLength = maximumKeyLength
        self.isPassedBetweenThreads = isPassedBetweenThreads
        self.hasSmallTransactions = hasSmallTransactions
    }
}
