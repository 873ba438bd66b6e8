public import Foundation
public import JustPersist
public import JustPersistRecords

/// A store's data in a LevelDB database: one directory, one process.
///
/// LevelDB has no transactions. A write block collects its changes in memory, and commits them as one batch, which is a
/// second copy. A read block keeps the state with which it started. The engine can be used from any thread, under the
/// rules of `KeyValueEngine`.
///
/// Consider before you choose it:
/// - Only one process may have a store open, and only on a local file system.
/// - LevelDB ends the process when memory runs out.
/// - It sorts its files in the background, and a write may have to wait for that: there is no upper
///   bound for how long one takes.
/// - Its maintainers give it "very limited" maintenance.
/// - Keys that begin with the byte 0xFF and the text “JustPersist” are its own.
/// - A forked child cannot use its parent's stores.
///
/// After a failed write, LevelDB could lose later writes that it acknowledges. The engine therefore reopens the
/// database before the next write. Read blocks continue until there is enough disk space to reopen. Reopening needs a
/// moment without read blocks: new ones wait, for at most one second, until the running ones have ended. If these take
/// longer, or if the write was called inside one, the write is refused with `.storageFailure`. Repeat it when they have
/// ended.
///
/// LevelDB needs disk space to open a database, and to compact its files later. `.storageFull` states how much is
/// needed: up to the size of all data if many keys change. On Linux the engine reserves that space, up to 64 MB, in the
/// file `RESERVE` for blocks that delete more than they add, and for ``compact(_:)``.
public final class LevelDBEngine: KeyValueEngine {
    /// The directory of the store.
    public let url: URL
    /// The directory of the store.
    public var directory: URL? { url }
    /// The configuration of the store.
    public let configuration: LevelDBConfiguration

    /// The engine's features and guarantees.
    public let traits: KeyValueEngineTraits

    private let session = Locked<Session?>(nil)

    /// An engine for the store in the directory at `url`, which is not accessed until ``open()``.
    public init(at url: URL, configuration: LevelDBConfiguration = LevelDBConfiguration()) {
        self.url = url
        self.configuration = configuration
        traits = KeyValueEngineTraits(
            name: "LevelDB", isPersistent: true, durability: configuration.durability,
            isReadOnly: configuration.isReadOnly, maximumKeyLength: 511,
            isPassedBetweenThreads: true)
    }

    /// Describes how a store whose log had a damaged end was opened, as an error with the code `.recovered`; `nil` if
    /// nothing had to be repaired.
    ///
    /// A loss of power during a write leaves such an end. All earlier commits are intact. The report is kept until the
    /// engine is closed.
    public var recoveryReport: DataStoreError? { session.withLock { $0 }?.recoveryReport }

    /// Opens the store, and creates it if it does not exist.
    ///
    /// Does nothing if it is open.
    ///
    /// - Throws: `.lockedByAnotherProcess`, `.alreadyOpen`, `.notAStore`, `.storeNotFound`,
    ///   `.accessDenied`, `.corrupted`, or another failure of the storage.
    public func open() throws(DataStoreError) {
        guard session.withLock({ $0 }) == nil else { return }
        let directory = try StoreDirectory.prepare(
            at: url, marker: "CURRENT", engineName: "LevelDB",
            createIfMissing: configuration.createsIfMissing, readOnly: configuration.isReadOnly,
            isLeftover: Self.isLeftover, isPart: Self.isPart)
        try directory.checkFiles(DirectoryListing.names(in: directory.url).filter(Self.isOwn))
        let opened = try Session(in: directory, configuration)
        session.withLock { $0 = opened }
    }

    /// Closes the store, and releases its files and its lock.
    public func close() {
        let open = session.withLock { session in
            let open = session
            session = nil
            return open
        }
        open?.end()
    }

    /// Deletes the store's files and, if nothing else is in its directory, the directory.
    ///
    /// Does nothing if there is no store. If it fails, some of the files may be gone: call it again.
    ///
    /// - Throws: `.readOnly`, `.alreadyOpen`, `.lockedByAnotherProcess`, `.notAStore`, `.corrupted` if a file of it is missing, or a
    ///   failure of the storage.
    public func destroy() throws(DataStoreError) {
        try refuseIfReadOnly("destroy")
        // The remains of a crash during creation are deleted, too, but an empty directory is not a store.
        let mayBeLeftover = try DirectoryListing.holdsFiles(url, for: "destroy")
        let directory: StoreDirectory
        do throws(DataStoreError) {
            directory = try StoreDirectory.prepare(
                at: url, marker: "CURRENT", engineName: "LevelDB",
                createIfMissing: mayBeLeftover, isLeftover: Self.isLeftover, isPart: Self.isPart)
        } catch {
            if error.code == .storeNotFound { return }
            throw error
        }
        let claim = try OpenStores.claim(directory, files: ["LOCK"])
        defer { claim.release() }
        try directory.checkFiles(["LOCK"])
        // LevelDB's own call treats a directory that it cannot list as empty, and deletes in any order.
        try FileLock.withLock(in: directory.url, for: "destroy") { () throws(DataStoreError) in
            let names = try DirectoryListing.names(in: directory.url, for: "destroy").filter {
                Self.isOwn($0) || $0.hasPrefix(Recovery.copyPrefix)
            }
            // As long as the marker exists, files that could not be deleted are known as a store's, and can be deleted
            // later.
            let last = ["CURRENT", "LOCK"]
            try directory.removeFiles(names.filter { !last.contains($0) } + last)
        }
        // The directory stays if something else is in it.
        unsafe rmdir(directory.path)
    }

    /// Runs `body` on the present committed state.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try openSession(in: "read").read(body)
    }

    /// Runs `body`, and commits its changes in one batch if it returns.
    ///
    /// - Throws: The error of `body`; `.readOnly`; `.storageFull`, `.storageFailure` also as described above, or
    ///   another failure of the storage. In these cases nothing has changed.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try refuseIfReadOnly("write")
        try openSession(in: "write").write(body)
    }

    func openSession(in operation: String) throws(DataStoreError) -> Session {
        guard let session = session.withLock({ $0 }) else {
            throw DataStoreError(
                .notSetUp, in: operation,
                "The LevelDB store at “\(url.path)” is not open. Set it up first.")
        }
        return session
    }

    func refuseIfReadOnly(_ operation: String) throws(DataStoreError) {
        guard configuration.isReadOnly else { return }
        throw DataStoreError(
            .readOnly, in: operation,
            "The LevelDB store at “\(url.path)” was opened read-only.",
            advice: "Open it without isReadOnly to change it.")
    }

    /// Whether a file of that name belongs to LevelDB or the engine.
    static func isOwn(_ name: String) -> Bool {
        let unnumbered = ["CURRENT", "LOCK", "LOG", "LOG.old", Room.fileName, Reserve.fileName]
        return (unnumbered + CleanClose.fileNames).contains(name)
            || name.wholeMatch(of: /MANIFEST-[0-9]+|[0-9]+\.(log|log\.kept|ldb|sst|dbtmp)/) != nil
    }

    /// Whether LevelDB creates a file of that name before the one that marks a database.
    static func isLeftover(_ name: String) -> Bool {
        ["LOCK", "LOG", "LOG.old", "MANIFEST-000001", "000001.dbtmp"].contains(name)
    }

    /// Whether a file of that name shows that a database has been there.
    static func isPart(_ name: String) -> Bool {
        holdsData(name) || name.hasPrefix("MANIFEST-") && isOwn(name) && !isLeftover(name)
    }

    static func holdsData(_ name: String) -> Bool {
        Manifest.tableNumber(name) != nil || LogFile(named: name) != nil
    }
}
