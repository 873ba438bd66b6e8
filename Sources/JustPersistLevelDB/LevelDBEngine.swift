public import Foundation
public import JustPersist
public import JustPersistRecords

/// A store's data in a LevelDB database: one directory, one process.
///
/// LevelDB has no transactions. A write block collects its changes in memory, and commits them as one batch, which is
/// a second copy. A read block keeps the state with which it started. You can use the engine from any thread,
/// under the rules of `KeyValueEngine`.
///
/// What to know before you choose it:
/// - Only one process may have a store open, and only on a local file system.
/// - LevelDB ends the process when memory runs out.
/// - It sorts its files in the background, and a write may have to wait for that: there is no upper
///   bound for how long one takes.
/// - Its maintainers give it "very limited" maintenance.
/// - Keys that begin with the byte 0xFF and the text “JustPersist” are its own.
/// - A forked child cannot use its parent's stores.
///
/// After a failed write, LevelDB could lose later writes that it acknowledges. The engine therefore reopens the
/// database before the next write. Read blocks go on until there is enough disk space to reopen. Reopening needs a
/// moment without read blocks: new ones wait, for at most one second, until the running ones have ended. If these
/// take longer, or if the write was called inside one, the write is refused with `.storageFailure`. Repeat it when
/// they have ended.
///
/// LevelDB needs disk space to open a database, and to compact its files later. `.storageFull` says how much is
/// needed: up to the size of all the data if many keys change. On Linux the engine keeps so much, up to 64 MB, in the file
/// `RESERVE` for blocks that delete more than they add, and for ``compact(_:)``.
public final class LevelDBEngine: KeyValueEngine {
    /// The directory of the store.
    public let url: URL
    /// The same.
    public var directory: URL? { url }
    /// How the store is opened.
    public let configuration: LevelDBConfiguration

    /// What the engine is and promises.
    public let traits: KeyValueEngineTraits

    private let session = Locked<Session?>(nil)

    /// An engine for the store in the directory at `url`, which ``open()`` touches first.
    public init(at url: URL, configuration: LevelDBConfiguration = LevelDBConfiguration()) {
        self.url = url
        self.configuration = configuration
        traits = KeyValueEngineTraits(
            name: "LevelDB", isPersistent: true, durability: configuration.durability,
            isReadOnly: configuration.isReadOnly, maximumKeyLength: 511,
            isPassedBetweenThreads: true)
    }

    /// What was done to open a store whose log had a damaged end, as an error with the code
    /// `.recovered`; `nil` if nothing had to be.
    ///
    /// A loss of power during a write leaves such an end. Everything committed before that write is
    /// there. Set until the engine is closed.
    public var recoveryReport: DataStoreError? { session.withLock { $0 }?.recoveryReport }

    /// Opens the store, and makes it if it is not there.
    ///
    /// Harmless if it is open.
    ///
    /// - Throws: `.lockedByAnotherProcess`, `.alreadyOpen`, `.notAStore`, `.storeNotFound`,
    ///   `.accessDenied`, `.corrupted`, or another failure of the storage.
    public func open() throws(DataStoreError) {
        guard session.withLock({ $0 }) == nil else { return }
        let directory = try StoreDirectory.prepare(
            at: url, marker: "CURRENT", engineName: "LevelDB",
            createIfMissing: configuration.createsIfMissing, readOnly: configuration.isReadOnly,
            isLeftover: Self.isLeftover)
        try directory.checkFiles(DirectoryListing.names(in: directory.url).filter(Self.isOwn))
        let opened = try Session(in: directory, configuration)
        session.withLock { $0 = opened }
    }

    /// Closes the store, and gives up its files and its lock.
    public func close() {
        let open = session.withLock { session in
            let open = session
            session = nil
            return open
        }
        open?.end()
    }

    /// Deletes the store's files and, if nothing else is in it, its directory.
    ///
    /// Harmless if there is no store. If it fails, some of the files may be gone: call it again.
    ///
    /// - Throws: `.readOnly`, `.alreadyOpen`, `.lockedByAnotherProcess`, `.notAStore`, or a failure of the storage.
    public func destroy() throws(DataStoreError) {
        try refuseIfReadOnly("destroy")
        // What a crash left of a store in the making is one to delete, but an empty directory is none.
        let mayBeLeftover = try DirectoryListing.holdsFiles(url, for: "destroy")
        let directory: StoreDirectory
        do throws(DataStoreError) {
            directory = try StoreDirectory.prepare(
                at: url, marker: "CURRENT", engineName: "LevelDB",
                createIfMissing: mayBeLeftover, isLeftover: Self.isLeftover)
        } catch {
            if error.code == .storeNotFound { return }
            throw error
        }
        let claim = try OpenStores.claim(directory, files: ["LOCK"])
        defer { claim.release() }
        try directory.checkFiles(["LOCK"])
        // LevelDB's own call takes a directory that it cannot list for an empty one, and does not care for the order.
        try FileLock.withLock(in: directory.url, for: "destroy") { () throws(DataStoreError) in
            let names = try DirectoryListing.names(in: directory.url, for: "destroy").filter {
                Self.isOwn($0) || $0.hasPrefix(Recovery.copyPrefix)
            }
            // As long as the marker is there, what could not be deleted is known for a store's, and can be later.
            let last = ["CURRENT", "LOCK"]
            try directory.removeFiles(names.filter { !last.contains($0) } + last)
        }
        // It stays if something else is in it.
        unsafe rmdir(directory.path)
    }

    /// Runs `body` on the state that is committed now.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try openSession(in: "read").read(body)
    }

    /// Runs `body`, and commits its changes in one batch if it returns.
    ///
    /// - Throws: What `body` throws; `.readOnly`; `.storageFull`, `.storageFailure` also as told
    ///   above, or another failure of the storage. Nothing has changed then.
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

    /// Whether LevelDB or the engine gives a file that name.
    static func isOwn(_ name: String) -> Bool {
        let unnumbered = ["CURRENT", "LOCK", "LOG", "LOG.old", Room.fileName, Reserve.fileName]
        return (unnumbered + CleanClose.fileNames).contains(name)
            || name.wholeMatch(of: /MANIFEST-[0-9]+|[0-9]+\.(log|log\.kept|ldb|sst|dbtmp)/) != nil
    }

    /// What LevelDB makes before the file that says a database is there.
    static func isLeftover(_ name: String) -> Bool {
        ["LOCK", "LOG", "LOG.old", "MANIFEST-000001", "000001.dbtmp"].contains(name)
    }
}
