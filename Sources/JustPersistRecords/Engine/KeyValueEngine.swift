public import Foundation
public import JustPersist

/// An ordered, transactional key-value store, on which the record layer is built.
///
/// Conform to this to turn any such engine into a whole ``RecordStore``: a data store with items,
/// predicates, sorting and transactions. Keys are ordered as unsigned bytes, a shorter key before the
/// longer one it begins.
///
/// The record layer calls an engine under these rules, so an engine need not enforce them:
/// - ``open()``, ``close()`` and ``destroy()`` never run beside each other or beside a block.
/// - At most one ``write(_:)`` runs at a time; any number of ``read(_:)`` run beside it and each other.
/// - A block, and all calls it makes on its reader or writer, stay on the thread that called. Only if
///   ``KeyValueEngineTraits/isPassedBetweenThreads`` says so may the calls on a writer come from several threads.
/// - A reader or writer is not used after its block has returned.
public protocol KeyValueEngine: Sendable {
    /// What the engine is and promises. Constant over the engine's life.
    var traits: KeyValueEngineTraits { get }

    /// Opens the engine's files, creating them if they are not there. On failure nothing stays open.
    func open() throws(DataStoreError)

    /// Closes the engine and gives up its files and locks. Harmless if it is not open.
    func close()

    /// The directory that holds the engine's files; `nil` for one without files of its own, and by default.
    ///
    /// It tells the items of a store from those of a copy of its files.
    var directory: URL? { get }

    /// Describes what the engine repaired when it was last opened, as an error with the code `.recovered`.
    ///
    /// `nil` if nothing was repaired, which is the default. A store reports it to its error handler.
    var recoveryReport: DataStoreError? { get }

    /// Checks the engine's own file structure in one committed state, and returns the damage found.
    ///
    /// The check must not crash, whatever bytes the files contain. The default checks nothing. Called under the rules of
    /// ``read(_:)``.
    func verify() throws(DataStoreError) -> [DataStoreError]

    /// The same, and tells how far it is.
    ///
    /// The default tells nothing. A check that reads much should: a program may give up one of which it hears nothing.
    ///
    /// - Throws: What ``verify()`` throws, and what the meter's caller has thrown.
    func verify(_ meter: MaintenanceMeter) throws -> [DataStoreError]

    /// Writes a copy of the committed state into an empty directory, synced, from which the engine can open it.
    ///
    /// The file by which the engine knows a store comes last, so that an unfinished copy is none. Called under the rules
    /// of ``read(_:)``, outside of blocks of the calling thread. The default refuses with `.unsupported`.
    ///
    /// - Parameters:
    ///   - directory: Where to write to.
    ///   - previous: An earlier copy, with which files may be shared.
    ///   - pausingWrites: Runs a closure while no write block runs.
    ///   - meter: Is told of the bytes that were copied.
    func backUp(
        to directory: URL, since previous: URL?, pausingWrites: (() throws -> Void) throws -> Void,
        _ meter: MaintenanceMeter
    ) throws -> BackupReport

    /// Gives room back that the data no longer need.
    ///
    /// Called under the rules of ``read(_:)``, outside of blocks of the calling thread. The engine waits for blocks, or
    /// has them wait, where it cannot work beside them. The default refuses with `.unsupported`.
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
    /// None.
    public var directory: URL? { nil }

    /// Nothing had to be repaired.
    public var recoveryReport: DataStoreError? { nil }

    /// Nothing is looked for.
    public func verify() throws(DataStoreError) -> [DataStoreError] { [] }

    /// Nothing is told.
    public func verify(_ meter: MaintenanceMeter) throws -> [DataStoreError] { try verify() }

    /// Refused.
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

    /// Refused.
    public func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        throw DataStoreError(
            .unsupported, in: "compact",
            "A store of \(traits.name) has no way to be compacted. Nothing was changed.")
    }
}

/// One snapshot of an engine.
///
/// Valid until its block returns.
public protocol KeyValueReader: AnyObject {
    /// A number that two snapshots have in common only if they are of the same committed state; `nil` if the engine has
    /// no such number, and by default.
    ///
    /// The record layer then spares itself what it knows of that state already.
    var snapshotNumber: UInt64? { get }

    /// Calls `body` with the value of `key`, and tells whether there was one.
    ///
    /// The bytes are valid only inside `body`.
    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool

    /// Calls `body` with each key in `range` and its value, in ascending order or in descending.
    ///
    /// The bytes are valid only inside `body`. `body` may read from this reader (scan again, look a key
    /// up) but not write; what it throws ends the scan and is thrown on.
    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError)

    /// The same without the values.
    ///
    /// By default they are read and left aside; an engine that can do without reading them has its own.
    func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError)

    /// Calls `body` with each of several keys that is there: with its place in `keys`, and its value.
    ///
    /// In the order of `keys`, under the rules of ``scan(_:reversed:_:)``. By default one key is looked up after
    /// the other; an engine to which a look-up is a round trip has its own.
    func withValues(
        forKeys keys: [[UInt8]],
        _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError)
}

/// One open transaction of an engine.
///
/// Reads through it see what it has written.
public protocol KeyValueWriter: KeyValueReader {
    /// Stores `value` under `key`, replacing what was there. A key has 1 to
    /// ``KeyValueEngineTraits/maximumKeyLength`` bytes; a value may be empty.
    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError)

    /// Stores a value of `count` bytes under `key`, which `fill` writes where the engine wants them.
    ///
    /// `fill` is called once and appends exactly `count` bytes. By default they go through a buffer; an engine that
    /// can hand out its own memory saves that copy.
    func put(
        count: Int, forKey key: Span<UInt8>, _ fill: (inout OutputSpan<UInt8>) -> Void
    ) throws(DataStoreError)

    /// Removes `key`, and tells whether it was there.
    func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool

    /// Removes all keys in a range, and gives their number.
    ///
    /// By default one by one.
    func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int

    /// Runs `body` in a savepoint: if it throws, its changes are undone, and the error is thrown on.
    ///
    /// `body` must use only the writer that it is given. Savepoints can be nested. If the engine itself fails, the
    /// whole transaction must be rolled back, because some changes may not be undone. By default, `body` writes to a
    /// ``KeyValueOverlay``, whose changes are written when it has returned.
    func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws

    /// Whether a savepoint that has just failed at its end, behind its `body`, was undone all the same.
    ///
    /// If not, which is the default, the transaction is rolled back.
    var undoesFailedSavepoints: Bool { get }
}

/// Whether a scan goes on.
public enum ScanStep: Sendable {
    /// On to the next key.
    case next
    /// No further.
    case stop
}

/// What an engine is, and what it promises.
public struct KeyValueEngineTraits: Sendable {
    /// The engine's name as people know it: "LMDB".
    public var name: String
    /// Whether data outlives the process.
    public var isPersistent: Bool
    /// What a committed write survives.
    public var durability: Durability
    /// Whether other processes may write to the store while it is open here.
    public var isSharedBetweenProcesses: Bool
    /// Whether ``KeyValueEngine/write(_:)`` is refused.
    public var isReadOnly: Bool
    /// The longest key the engine takes, in bytes; at least 480.
    public var maximumKeyLength: Int
    /// Whether the engine itself notices when stored bytes have changed, so that records are read without
    /// comparing their checksums.
    public var checksBytes: Bool
    /// Whether other threads than the one that called ``KeyValueEngine/write(_:)`` may use its writer, one at a time and
    /// each after the one before, while that thread waits inside the call.
    ///
    /// Then threads that write at the same time share transactions, and so wait for one commit instead of several. Without
    /// it, only blocks that are queued do.
    public var isPassedBetweenThreads: Bool

    /// Traits of an engine.
    public init(
        name: String, isPersistent: Bool, durability: Durability = .full,
        isSharedBetweenProcesses: Bool = false, isReadOnly: Bool = false,
        maximumKeyLength: Int = 480, checksBytes: Bool = false,
        isPassedBetweenThreads: Bool = false
    ) {
        self.name = name
        self.isPersistent = isPersistent
        self.durability = durability
        self.isSharedBetweenProcesses = isSharedBetweenProcesses
        self.isReadOnly = isReadOnly
        self.maximumKeyLength = maximumKeyLength
        self.checksBytes = checksBytes
        self.isPassedBetweenThreads = isPassedBetweenThreads
    }
}
