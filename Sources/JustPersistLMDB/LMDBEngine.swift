public import Foundation
public import JustPersist
public import JustPersistRecords

/// A key-value engine on LMDB: a memory-mapped tree that several processes may share.
///
/// Reads run concurrently with each other and with the writer, without waiting. Writers of all processes take turns.
/// Each process must have a number (PID) of its own, which processes in different containers might lack. The store
/// must be on a local file system, and its files must be trusted: LMDB has no checksums, and a damaged page can end the
/// process.
public final class LMDBEngine: KeyValueEngine {
    /// The directory of the store.
    public let url: URL
    /// The directory of the store.
    public var directory: URL? { url }
    /// The configuration of the store.
    public let configuration: LMDBConfiguration
    /// The engine's features and guarantees.
    public let traits: KeyValueEngineTraits

    static let keyLengths = 1...511

    private let state: Locked<State>
    /// The environment and the open transactions of each thread.
    private let users = EnvironmentUsers()

    private struct State {
        /// Closed if reopening it has failed, which is tried again at the next use.
        var environment: Environment?
        var space: AddressSpace
        var work = Work.none
    }

    /// Work during which no transaction may be open.
    private enum Work: Equatable {
        case none
        /// A thread waits for all transactions to end, and new ones wait for the thread.
        case waiting(thread: UInt)
        /// The work is running, with the environment closed.
        case running
    }

    /// An engine for the store in the directory at `url`, which is not accessed until ``open()``.
    public init(at url: URL, configuration: LMDBConfiguration = .init()) {
        self.url = url
        self.configuration = configuration
        state = Locked(State(space: AddressSpace(configuration)))
        traits = KeyValueEngineTraits(
            name: "LMDB", isPersistent: true, durability: configuration.durability,
            isSharedBetweenProcesses: true, isReadOnly: configuration.isReadOnly,
            maximumKeyLength: Self.keyLengths.upperBound, isPassedBetweenThreads: true)
    }

    // MARK: Life

    /// Opens the store, and creates it if it does not exist.
    ///
    /// - Throws: `.alreadyOpen`, `.notAStore`, `.storeNotFound`, `.corrupted` if the file was cut off, or an error of
    ///   the system.
    public func open() throws(DataStoreError) {
        try configuration.validate()
        let directory = try prepareDirectory(createIfMissing: configuration.createsIfMissing)
        let claim = try OpenStores.claim(directory, files: DataFile.names)
        let file = DataFile(directory: directory)
        try file.checkStart()
        if !directory.holdsStore {
            try file.create()
        } else if !configuration.isReadOnly, try file.hasDraft() {
            // The process that gave the data file its name may have been killed before it synced the directory.
            try directory.synchronize(in: "open", isNew: true)
        }
        try file.allocateLock(for: configuration.maximumReaders)
        let space = AddressSpace(configuration)
        let environment = try space.open(claim)
        try claim.add(files: DataFile.names)
        try file.checkLength(for: environment.beginReading())
        if environment.lacksPages { try environment.findPages() }
        state.withLock { state in
            _ = users.count()
            state = State(environment: environment, space: space)
        }
    }

    /// Closes the store, and releases its files.
    public func close() {
        state.wait { state -> Void? in
            if state.work == .running { return nil }
            if users.count() == 0, let environment = state.environment {
                environment.close()
                // A retained item of a write block may keep its transaction alive, and with it the environment.
                environment.claim.release()
            }
            state.environment = nil
            return ()
        }
    }

    /// Deletes the files of the store, and leaves its directory empty.
    ///
    /// Does nothing if there is no store. A process that has it open, which this one cannot see, receives
    /// `.storeDeleted` from its next write block, and from read blocks that begin a few hundredths of a second later.
    ///
    /// - Throws: `.readOnly`, `.alreadyOpen`, `.notAStore`, or an error of the system.
    public func destroy() throws(DataStoreError) {
        try refuseIfReadOnly("destroy")
        let directory: StoreDirectory
        do throws(DataStoreError) {
            // Also deletes the remains of a crash during creation or deletion.
            directory = try prepareDirectory(
                createIfMissing: DirectoryListing.holdsFiles(url, for: "destroy"))
        } catch {
            if error.code == .storeNotFound { return }
            throw error
        }
        let claim = try OpenStores.claim(directory, files: DataFile.names)
        defer { claim.release() }
        let drafts = try DirectoryListing.names(in: directory.url, for: "destroy")
            .filter(DataFile.isDraft)
        // The data is deleted last: without its lock file it is still a store.
        try directory.removeFiles(drafts + DataFile.names.reversed())
    }

    private func prepareDirectory(createIfMissing: Bool) throws(DataStoreError) -> StoreDirectory {
        try StoreDirectory.prepare(
            at: url, marker: DataFile.name, engineName: traits.name,
            createIfMissing: createIfMissing, readOnly: configuration.isReadOnly,
            isLeftover: { $0 == DataFile.lockName || DataFile.isDraft($0) })
    }

    /// Checks that every page of the file is in its place, and is either in use or free, exactly once.
    public func verify() throws(DataStoreError) -> [DataStoreError] { try verify { _ in true } }

    /// Checks the pages, and reports the number of bytes read.
    public func verify(_ meter: MaintenanceMeter) throws -> [DataStoreError] {
        let damages = try verify { meter.note(bytes: $0) }
        // A check that was cancelled has found no damage.
        try meter.check()
        return damages
    }

    private func verify(
        _ goesOn: (_ bytes: Int) -> Bool
    ) throws(DataStoreError) -> [DataStoreError] {
        for _ in 0..<100 {
            let transaction: ReadTransaction
            do throws(DataStoreError) {
                transaction = try beginReading()
            } catch {
                // A root in a wrong place is found immediately.
                guard error.code == .corrupted else { throw error }
                return [error]
            }
            defer { end(transaction) }
            if let number = transaction.number,
                let damages = try DataFile(directory: transaction.environment.directory)
                    .damages(inSnapshot: number, goesOn)
            {
                return damages
            }
        }
        throw DataStoreError(
            .storageFailure, in: "verify",
            "Other processes write to the store at “\(url.path)” too fast for it to be verified. Try "
                + "again when they have finished.")
    }

    // MARK: Blocks

    /// Runs `body` on one snapshot of the committed state.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        let transaction = try beginReading()
        defer { end(transaction) }
        try body(transaction)
    }

    private func beginReading() throws(DataStoreError) -> ReadTransaction {
        try begin { environment throws(DataStoreError) in
            ReadTransaction(environment, try environment.beginReading())
        }
    }

    /// Runs `body` with an open snapshot, which keeps the environment open.
    func withTransaction<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
        let transaction = try beginReading()
        defer { end(transaction) }
        return try body(transaction)
    }

    /// Runs `body` in a transaction, and commits it if `body` returns.
    ///
    /// Waits while another process writes to the store.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try refuseIfReadOnly("write")
        try enlargeSpace { space, environment in space.isTooSmall(environment) }
        let transaction = try begin(isWriting: true) { environment throws(DataStoreError) in
            WriteTransaction(environment, try environment.beginWriting())
        }
        defer {
            if transaction.hasRunOut {
                state.withLock { $0.space.hasRunOut = true }
            }
            end(transaction, isWriting: true)
        }
        try body(transaction)
        try transaction.commit()
    }

    private func begin<Transaction>(
        isWriting: Bool = false,
        _ start: (Environment) throws(DataStoreError) -> Transaction
    ) throws(DataStoreError) -> Transaction {
        do throws(DataStoreError) {
            return try attempt(isWriting, start)
        } catch {
            guard error.isMapOutgrown || error.isUnfinishedCommit,
                try enlargeSpace(if: { _, _ in true })
            else { throw error }
            return try attempt(isWriting, start)
        }
    }

    private func attempt<Transaction>(
        _ isWriting: Bool, _ start: (Environment) throws(DataStoreError) -> Transaction
    ) throws(DataStoreError) -> Transaction {
        let thread = BlockThread.current
        let users = users.mine
        var environment = users.withLock { users in
            if users.environment != nil { users.begin(thread, isWriting: isWriting) }
            return users.environment
        }
        if environment == nil {
            environment = try firstUse(by: users, thread, isWriting: isWriting)
        }
        guard let environment else { throw Self.notOpen(url) }
        do throws(DataStoreError) {
            return try start(environment)
        } catch {
            noteEnd(thread, isWriting: isWriting)
            throw error
        }
    }

    /// Begins a thread's first use of the environment since it was opened, or since another thread waits for its users.
    private func firstUse(
        by users: Locked<EnvironmentUsers.Part>, _ thread: UInt, isWriting: Bool
    ) throws(DataStoreError) -> Environment? {
        try state.wait { state throws(DataStoreError) -> Environment?? in
            guard mayBegin(state.work, thread, isWriting: isWriting) else { return nil }
            guard var environment = state.environment else { return .some(nil) }
            if environment.isClosed {
                environment = try state.space.enlarge(environment)
                state.environment = environment
            }
            if environment.lacksPages {
                // Pages are searched for only while there are no other users. If this fails, the next block tries
                // again: LMDB itself does not need it.
                if self.users.count() == 0 { try? environment.findPages() }
            }
            users.withLock { users in
                users.begin(thread, isWriting: isWriting)
                if environment.knowsPages, state.work == .none { users.environment = environment }
            }
            return environment
        }
    }

    private func end(_ transaction: ReadTransaction, isWriting: Bool = false) {
        transaction.end()
        // A block ends on the thread that began it.
        noteEnd(BlockThread.current, isWriting: isWriting)
    }

    private func noteEnd(_ thread: UInt, isWriting: Bool) {
        let isAwaited = users.mine.withLock { users in
            users.end(thread, isWriting: isWriting)
            return users.isAwaited
        }
        if isAwaited { state.signal() }
    }

    /// Reopens the environment with more space, if required and no transaction is open in it.
    @discardableResult
    private func enlargeSpace(
        if isWanted: (AddressSpace, Environment) -> Bool
    ) throws(DataStoreError) -> Bool {
        try state.wait { state throws(DataStoreError) -> Bool? in
            if state.work == .running { return nil }
            guard let environment = state.environment,
                environment.isClosed || isWanted(state.space, environment), users.count() == 0
            else { return false }
            state.environment = try state.space.enlarge(environment)
            return true
        }
    }

    // MARK: Work without blocks

    /// Closes the environment once no block runs, runs `body` while no other process has the store open, and reopens
    /// the environment; blocks that begin meanwhile wait.
    func whileUnused<Value>(
        for operation: String, _ body: (StoreDirectory) throws -> Value
    ) throws -> Value {
        let environment = try closeWhenUnused(for: operation)
        let result = Result {
            // The lock is released before the environment is opened, which acquires it again.
            try ExclusiveLock.withLock(in: environment.directory, for: operation) {
                try body(environment.directory)
            }
        }
        state.change { state in
            // If that fails, the next block tries again.
            if let opened = try? state.space.open(environment.claim) {
                state.environment = opened
                try? opened.findPages()
            }
            state.work = .none
        }
        return try result.get()
    }

    /// The maximum time to wait for blocks, in seconds.
    private static let patience = 10.0

    /// Waits until no transaction is open, and closes the environment.
    ///
    /// New blocks wait meanwhile, but not for long, because a running block may wait for a block of another thread.
    /// Between two attempts they may run for as long as they had to wait.
    private func closeWhenUnused(for operation: String) throws -> Environment {
        var interval = 0.05
        var waited = 0.0
        while waited < Self.patience {
            state.wait { $0.work == .none ? () : nil }
            let end = Surroundings.date(inSeconds: min(interval, Self.patience - waited))
            if let environment = try closeIfUnused(by: end, for: operation) { return environment }
            state.wait(upTo: Surroundings.date(inSeconds: interval)) { _ -> Void? in nil }
            waited += 2 * interval
            interval *= 2
        }
        throw DataStoreError(
            .insideBlock, in: operation,
            "Blocks of the store at “\(url.path)” are running, and have not ended in ten "
                + "seconds. Try again when they have.")
    }

    private func closeIfUnused(by end: Date, for operation: String) throws -> Environment? {
        let thread = BlockThread.current
        defer {
            state.change { if $0.work == .waiting(thread: thread) { $0.work = .none } }
        }
        return try state.wait(upTo: end) { state -> Environment? in
            guard let environment = state.environment else { throw Self.notOpen(url) }
            guard state.work == .none || state.work == .waiting(thread: thread) else { return nil }
            state.work = .waiting(thread: thread)
            guard users.count(isAwaited: true) == 0 else { return nil }
            try environment.checkPlace(in: operation)
            environment.close()
            state.work = .running
            return environment
        }
    }

    /// Whether a transaction may begin while a thread waits for all of them to end.
    private func mayBegin(_ work: Work, _ thread: UInt, isWriting: Bool) -> Bool {
        switch work {
        case .none: return true
        case .running: return false
        case .waiting(let waiting):
            // The main thread runs blocks of others while it waits.
            if waiting == thread { return true }
            return users.mayNeed(thread, isWriting: isWriting)
        }
    }

    private func refuseIfReadOnly(_ operation: String) throws(DataStoreError) {
        guard configuration.isReadOnly else { return }
        throw DataStoreError(
            .readOnly, in: operation,
            "The store at “\(url.path)” was opened read-only.",
            advice: "Open it without isReadOnly to change it.")
    }

    static func notOpen(_ url: URL) -> DataStoreError {
        DataStoreError(
            .notSetUp, in: "begin", "The store at “\(url.path)” is not open. Set it up first.")
    }
}
