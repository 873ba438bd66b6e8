import CLMDB
import Foundation
import JustPersist
import JustPersistRecords
import Synchronization

/// One open environment of LMDB with its one table; closed with the last reference.
// An environment of LMDB is free-threaded; the engine closes it when no transaction is open.
@safe final class Environment: @unchecked Sendable {
    let directory: StoreDirectory
    let table: MDB_dbi
    /// Identifies this environment among all that were opened.
    let opening = Environment.openings.add(1, ordering: .relaxed).newValue
    private static let openings = Atomic<UInt64>(0)
    /// The size of its address space, which is the maximum size of its file.
    let reservedSize: Int
    /// The maximum number of pages of committed data; see ``LMDBConfiguration/maximumSize``.
    let capacity: Int
    private(set) var pointer: OpaquePointer?
    // Renewing a transaction avoids the lock of the reader table, which all processes share.
    private let idleReaders = ThreadParts { [IdleReader]() }
    /// The mapped pages, if their place in memory is known; set by ``findPages()`` while no block runs.
    private(set) var pages: MappedPages?
    let pageSize: Int
    private let forkCount: Int
    private let descriptor: Int32
    private let place: FilePlace
    /// The place of the file with the locks and the readers' snapshots; `nil` if the store is read without locks.
    private let lockPlace: FilePlace?

    /// The claim on the files, released after they are closed.
    let claim: OpenStores.Claim

    // The maximum for each part of ``idleReaders``. More would keep other processes from using slots of the reader
    // table.
    private static let maximumIdleReaders = 1

    /// Opens the files of a claimed directory, with the given address space.
    init(
        _ claim: OpenStores.Claim, _ configuration: LMDBConfiguration, reserving size: Int
    ) throws(DataStoreError) {
        let directory = claim.directory
        var flags = MDB_NOTLS
        if configuration.isReadOnly { flags |= MDB_RDONLY }
        // MDB_NOMETASYNC still syncs the pages before the root that refers to them is written. MDB_NOSYNC does not, so
        // after a loss of power a root could refer to pages that were never written.
        if configuration.durability == .relaxed { flags |= MDB_NOMETASYNC }

        var code = Int32(MDB_SUCCESS)
        var opened = unsafe Self.open(directory, configuration, size, flags, &code)
        var isLocked = true
        if code == EACCES, configuration.isReadOnly, Self.lockFileIsOutOfReach(in: directory) {
            isLocked = false
            unsafe opened = Self.open(directory, configuration, size, flags | MDB_NOLOCK, &code)
        }
        try LMDBError.check(code, in: "open", at: directory)
        guard let pointer = unsafe opened else {
            throw LMDBError.error(ENOMEM, in: "open", at: directory)
        }

        // Slots of readers whose process died would keep old pages from being reused, and could fill the table.
        var deadReaders: Int32 = 0
        unsafe mdb_reader_check(pointer, &deadReaders)
        do throws(DataStoreError) {
            table = try unsafe Self.openTable(of: pointer, in: directory)
        } catch {
            unsafe mdb_env_close(pointer)
            throw error
        }

        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(pointer, &info)
        var statistics = MDB_stat()
        unsafe mdb_env_stat(pointer, &statistics)
        pageSize = Int(statistics.ms_psize)
        reservedSize = unsafe info.me_mapsize
        let pages = configuration.maximumSize / pageSize
        capacity = pages - min(pages / 16, (1 << 30) / pageSize)
        forkCount = ForkCount.current
        var descriptor: Int32 = -1
        unsafe mdb_env_get_fd(pointer, &descriptor)
        self.descriptor = descriptor
        // Without the place, every write would be reported as one to a file that was replaced.
        guard let place = FilePlace(of: DataFile.name, in: directory, descriptor: descriptor) else {
            let number = errno
            unsafe mdb_env_close(pointer)
            throw DataStoreError(systemError: number, in: "open", path: directory.path)
        }
        self.place = place
        lockPlace = isLocked ? FilePlace(of: DataFile.lockName, in: directory) : nil
        self.directory = directory
        self.claim = claim
        unsafe self.pointer = pointer
    }

    deinit { close() }

    /// Closes the files; no transaction may be open.
    func close() {
        // In a forked child, closing would remove the parent's readers.
        if let pointer = unsafe pointer, ForkCount.current == forkCount {
            endIdleReaders()
            unsafe mdb_env_close(pointer)
        }
        unsafe pointer = nil
    }

    /// Frees the slots of the reader table that are kept for the next blocks.
    private func endIdleReaders() {
        for part in idleReaders.all {
            let readers = part.withLock { readers in
                defer { readers = [] }
                return readers
            }
            for reader in readers { reader.end() }
        }
    }

    /// Whether it was closed, which is final.
    var isClosed: Bool { unsafe pointer == nil }

    /// The size of the part of the file that is in use.
    var usedSize: Int {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(pointer, &info)
        return unsafe (info.me_last_pgno + 1) * pageSize
    }

    /// The number of pages with data, as the transaction sees it.
    @unsafe func pageCount(in transaction: OpaquePointer) -> Int {
        var statistics = MDB_stat()
        unsafe mdb_stat(transaction, table, &statistics)
        return statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
    }

    func beginReading() throws(DataStoreError) -> TransactionHandle {
        try checkProcess(in: "read")
        try place.checkNowAndThen()
        try lockPlace?.checkNowAndThen()
        var transaction = try beginReading(
            idleReaders.all[ThreadPart.mine].withLock { $0.popLast() }?.renew())
        // LMDB reads the number of the last commit, and then the meta page of that commit. The commit after the next
        // one overwrites the page: a reader in between may see the new state before it is committed, under the old
        // number. The number of attempts is limited because the number lags if processes were killed as they committed,
        // and damaged pages may contain the number of a commit that was never made.
        for _ in 0..<16 where lastCommit >= transaction.number &+ 2 {
            transaction = try beginReading(transaction.reset().renew())
        }
        try pages?.checkRoot(ofSnapshot: transaction.number)
        return transaction
    }

    private func beginReading(
        _ renewed: consuming TransactionHandle?
    ) throws(DataStoreError) -> TransactionHandle {
        if let renewed { return renewed }
        return try unsafe begin(UInt32(MDB_RDONLY), in: "read")
    }

    /// The number of the last commit in the present meta pages.
    private var lastCommit: UInt64 {
        guard let pointer = unsafe pointer else { return 0 }
        var information = unsafe MDB_envinfo()
        return unsafe mdb_env_info(pointer, &information) == MDB_SUCCESS
            ? UInt64(information.me_last_txnid) : 0
    }

    /// Writes a copy of the last commit to a new file, and returns its length.
    ///
    /// The caller keeps a transaction open, so the environment is not closed meanwhile.
    func copy(to file: URL, for operation: String, _ meter: MaintenanceMeter) throws -> Int {
        guard let pointer = unsafe pointer else { throw LMDBEngine.notOpen(directory.url) }
        try checkProcess(in: operation)
        try meter.begin(.files, totalBytes: usedSize)
        return try unsafe EnvironmentCopy.write(
            pointer, to: file, compacting: false, at: directory, for: operation, meter)
    }

    func beginWriting() throws(DataStoreError) -> TransactionHandle {
        try checkProcess(in: "write")
        try checkPlace(in: "write")
        let transaction = try unsafe begin(0, in: "write")
        try pages?.checkRoot(ofSnapshot: transaction.number &- 1)
        return transaction
    }

    /// A transaction nested in an open one, which must not be used until the nested one has ended.
    @unsafe func beginWriting(
        inside outer: OpaquePointer
    ) throws(DataStoreError) -> TransactionHandle {
        try checkProcess(in: "write")
        return try unsafe begin(0, inside: outer, in: "write")
    }

    private func begin(
        _ flags: UInt32, inside outer: OpaquePointer? = nil, in operation: String
    ) throws(DataStoreError) -> TransactionHandle {
        guard let pointer = unsafe pointer else { throw LMDBEngine.notOpen(directory.url) }
        var transaction: OpaquePointer?
        var code = unsafe mdb_txn_begin(pointer, outer, flags, &transaction)
        if code == MDB_READERS_FULL {
            endIdleReaders()
            var deadReaders: Int32 = 0
            unsafe mdb_reader_check(pointer, &deadReaders)
            code = unsafe mdb_txn_begin(pointer, outer, flags, &transaction)
        }
        try check(code, in: operation)
        guard let transaction = unsafe transaction else {
            throw LMDBError.error(MDB_BAD_TXN, in: operation, at: directory)
        }
        return unsafe TransactionHandle(owning: transaction)
    }

    /// Keeps a read transaction that is no longer used for a later one.
    func retire(_ transaction: consuming TransactionHandle) {
        // In a forked child the slot belongs to the parent.
        guard ForkCount.current == forkCount else { return }
        let reader = transaction.reset()
        let isKept = idleReaders.all[ThreadPart.mine].withLock { readers in
            guard readers.count < Self.maximumIdleReaders else { return false }
            readers.append(reader)
            return true
        }
        if !isKept { reader.end() }
    }

    /// Throws if the store's path no longer leads to the open files.
    ///
    /// Writes to these files are lost, and without the lock file, other processes neither wait for this one's writes nor
    /// keep the pages that it reads.
    ///
    /// - Parameter isCommitted: Whether a commit has succeeded. It is valid then, and must not be reported as failed only
    ///   because the path could not be checked.
    func checkPlace(in operation: String, isCommitted: Bool = false) throws(DataStoreError) {
        try place.check(in: operation, isCertain: !isCommitted)
        try lockPlace?.check(in: operation, isCertain: !isCommitted)
    }

    func checkProcess(in operation: String) throws(DataStoreError) {
        guard ForkCount.current == forkCount else {
            throw DataStoreError(
                .notSetUp, in: operation,
                "The store at “\(directory.path)” was set up before this process was forked. "
                    + "Set up a store of its own in the child process.")
        }
    }

    func check(_ code: Int32, in operation: String) throws(DataStoreError) {
        try LMDBError.check(code, in: operation, at: directory)
    }

    // MARK: Opening

    private static func open(
        _ directory: StoreDirectory, _ configuration: LMDBConfiguration, _ size: Int,
        _ flags: Int32,
        _ code: inout Int32
    ) -> OpaquePointer? {
        var pointer: OpaquePointer?
        code = unsafe mdb_env_create(&pointer)
        if code == MDB_SUCCESS { code = unsafe mdb_env_set_mapsize(pointer, size) }
        if code == MDB_SUCCESS {
            code = unsafe mdb_env_set_maxreaders(pointer, UInt32(configuration.maximumReaders))
        }
        if code == MDB_SUCCESS {
            code = unsafe mdb_env_open(pointer, directory.path, UInt32(flags), 0o600)
        }
        if code == MDB_SUCCESS { return unsafe pointer }
        // LMDB requires this after a failed open, too.
        if unsafe pointer != nil { unsafe mdb_env_close(pointer) }
        return nil
    }

    private static func openTable(
        of pointer: OpaquePointer, in directory: StoreDirectory
    ) throws(DataStoreError) -> MDB_dbi {
        var transaction: OpaquePointer?
        try LMDBError.check(
            unsafe mdb_txn_begin(pointer, nil, UInt32(MDB_RDONLY), &transaction), in: "open",
            at: directory)
        var table: MDB_dbi = 0
        var flags: UInt32 = 0
        var code = unsafe mdb_dbi_open(transaction, nil, 0, &table)
        if code == MDB_SUCCESS { code = unsafe mdb_dbi_flags(transaction, table, &flags) }
        if code == MDB_SUCCESS {
            code = unsafe mdb_txn_commit(transaction)
        } else {
            unsafe mdb_txn_abort(transaction)
        }
        // A table with flags orders its keys differently, and is not one of this engine.
        if flags != 0 { code = MDB_INCOMPATIBLE }
        try LMDBError.check(code, in: "open", at: directory)
        return table
    }

    /// Whether ``findPages()`` has found them, or cannot find them.
    var knowsPages: Bool { pages != nil || !MappedPages.canBeTold(pageSize: pageSize) }

    /// Whether ``findPages()`` can still find pages: a store that is empty when it is opened has none.
    var lacksPages: Bool {
        guard !knowsPages, let pointer = unsafe pointer else { return false }
        var statistics = MDB_stat()
        unsafe mdb_env_stat(pointer, &statistics)
        return statistics.ms_entries > 0
    }

    /// Finds the pages in memory, and accesses some of them: the file must be known to be complete.
    func findPages() throws(DataStoreError) {
        let file = DataFile(directory: directory)
        for _ in 0..<100 {
            let snapshot = try beginReading()
            let leaf = try file.firstLeaf(inSnapshot: snapshot.number)
            // The path may lead to another file by now, which says nothing about this one's pages.
            guard place.holds else { return retire(snapshot) }
            // If there is no leaf, other processes have committed twice since, and another snapshot is tried.
            if let leaf {
                unsafe pages = firstKey(in: snapshot.pointer).map { key in
                    unsafe MappedPages(
                        firstKey: key, leaf: leaf, length: reservedSize, pageSize: pageSize,
                        file: FileLength(descriptor: descriptor), path: directory.path)
                }
                return retire(snapshot)
            }
            retire(snapshot)
        }
    }

    @unsafe private func firstKey(in transaction: OpaquePointer) -> MDB_val? {
        var opened: OpaquePointer?
        guard unsafe mdb_cursor_open(transaction, table, &opened) == MDB_SUCCESS,
            let opened = unsafe opened
        else { return nil }
        let cursor = unsafe Cursor(owning: opened)
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        return unsafe cursor.move(MDB_FIRST, &key, &value) == MDB_SUCCESS ? key : nil
    }

    private static func lockFileIsOutOfReach(in directory: StoreDirectory) -> Bool {
        let files = FileManager.default
        let lockFile = directory.url.appending(path: DataFile.lockName).path
        return files.fileExists(atPath: lockFile)
            ? !files.isWritableFile(atPath: lockFile)
            : !files.isWritableFile(atPath: directory.path)
    }
}
