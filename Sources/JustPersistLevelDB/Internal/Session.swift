import Foundation
import JustPersist
import JustPersistRecords

/// An open store, from opening to closing, including failed writes.
final class Session: Sendable {
    private enum Phase {
        case open(Database)
        /// A write failed. Readers may continue; before the next write the database is reopened.
        case suspect(Database, FailedCommit)
        /// Reopening has failed so far. No reader is inside.
        case down(FailedCommit, DataStoreError)
        case ended
    }

    private let directory: StoreDirectory
    private let configuration: LevelDBConfiguration
    private let claim: OpenStores.Claim
    private let forkCount = ForkCount.current
    private let readers = Readers()
    /// The directory in which the database is open, if its own cannot be written to, or is on a full disk.
    private let view: PrivateView?
    /// The place of the lock file, which must not change: without it, another process can open the database.
    private let place: FilePlace
    private let reserve: Reserve?
    private let phase: Locked<Phase>
    private let report: Locked<DataStoreError?>

    init(
        in directory: StoreDirectory, _ configuration: LevelDBConfiguration
    ) throws(DataStoreError) {
        self.configuration = configuration
        // The store is claimed before LevelDB sees the path: a second attempt to open it would release its lock.
        claim = try OpenStores.claim(directory, files: ["LOCK"])
        var view =
            configuration.isReadOnly && PrivateView.isNeeded(for: directory)
            ? try PrivateView(of: directory) : nil
        reserve = configuration.isReadOnly ? nil : Reserve(in: directory)
        if !configuration.isReadOnly { PrivateFiles.inherit(in: directory.url) }
        let (database, report): (Database, DataStoreError?)
        do throws(DataStoreError) {
            (database, report) = try Self.open(
                in: view?.directory ?? directory, configuration, reserve,
                mayCreate: !directory.holdsStore && configuration.createsIfMissing
                    && !configuration.isReadOnly)
        } catch {
            // The disk of the temporary directory may have space.
            guard configuration.isReadOnly, error.code == .storageFull, view == nil,
                let other = try? PrivateView(of: directory),
                let opened = try? Self.open(
                    in: other.directory, configuration, nil, mayCreate: false)
            else { throw view?.renamed(error, of: directory) ?? error }
            view = other
            (database, report) = opened
        }
        self.view = view
        self.directory = view?.directory ?? directory
        try claim.add(files: ["LOCK"])
        PrivateFiles.restrict(in: self.directory.url)
        guard let place = FilePlace(of: view == nil ? "LOCK" : "CURRENT", in: directory) else {
            throw DataStoreError(systemError: errno, in: "open", path: directory.path)
        }
        self.place = place
        // The process that created the database may have been killed before it synced the parent directory.
        if database.inherited == nil, !configuration.isReadOnly {
            try directory.synchronize(in: "open", isNew: true)
        }
        phase = Locked(.open(database))
        self.report = Locked(report)
    }

    /// Opens the database; if the disk is too full, uses the reserved space.
    private static func open(
        in directory: StoreDirectory, _ configuration: LevelDBConfiguration, _ reserve: Reserve?,
        mayCreate: Bool
    ) throws(DataStoreError) -> (database: Database, report: DataStoreError?) {
        if let reserve, reserve.isThere, let free = directory.freeSpace,
            free < (try? Room.estimate(in: directory)) ?? 0
        {
            reserve.release()
        }
        let opened = try Recovery.open(in: directory, configuration, mayCreate: mayCreate)
        reserve?.keep()
        return opened
    }

    /// Whether the database is open as a view of its directory.
    var isView: Bool { view != nil }

    var recoveryReport: DataStoreError? { report.withLock { $0 } }

    deinit { end() }

    /// Closes the database, in which no block may be running.
    func end() {
        guard ForkCount.current == forkCount else { return }
        // A failed commit may have reached the log: this is the last chance to revert it.
        if needsReopening { try? reopen(in: "close") }
        readers.unpin()
        let commit = phase.withLock { phase -> UInt64? in
            defer { phase = .ended }
            guard case .open(let database) = phase else { return nil }
            return database.loggedCommit
        }
        if let commit, place.holds {
            try? FileLock.withLock(in: directory.url, for: "close") { () throws(DataStoreError) in
                CleanClose.note(commit: commit, in: directory)
            }
        }
        PrivateFiles.restrict(in: directory.url)
        claim.release()
    }

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try checkProcess(in: "read")
        try place.checkNowAndThen()
        if isDown { try reopen(in: "read") }
        try readers.read({ () throws(DataStoreError) in try database(in: "read") }, body)
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try checkProcess(in: "write")
        let lack = needsReopening ? try reopenUnlessFull(in: "write") : nil
        let (changes, isOfLoad) = try changes(by: body)
        guard !changes.isEmpty else { return }
        // The block may have forked, and have returned in the child as well.
        try checkProcess(in: "write")
        try place.check(in: "write")
        do throws(DataStoreError) {
            if let lack { throw lack }
            try checkGrowth(changes)
            try commit(changes, isOfLoad)
        } catch {
            // After a merge of tables has met a full disk, the next write fails, even if there is enough space by then.
            guard error.code == .storageFull, reopen(toCommit: changes) else { throw error }
            try commit(changes, isOfLoad)
        }
        reserve?.note(changes)
        try place.check(in: "write", isCertain: false)
    }

    /// The open database, for work on its files.
    func databaseForMaintenance(_ operation: String) throws(DataStoreError) -> Database {
        try checkProcess(in: operation)
        try place.check(in: operation)
        if needsReopening { try reopen(in: "write") }
        return try database(in: operation)
    }

    /// The open database, for compaction: on a full disk it uses the reserved space.
    func databaseForCompaction() throws(DataStoreError) -> Database {
        guard let reserve else { return try databaseForMaintenance("compact") }
        func isFull() -> Bool {
            (try? Room(in: directory, compacting: true)).map { !$0.isEnough } ?? false
        }
        if isFull() {
            reserve.release()
            if let room = try Room(in: directory, compacting: true), !room.isEnough {
                reserve.keep()
                throw room.error(in: "compact", engine: nil)
            }
        }
        return try databaseForMaintenance("compact")
    }

    /// Called after a compaction.
    func didCompact() { reserve?.keep() }

    /// The changes that a block makes, and whether they are a part of a load.
    private func changes(
        by body: (any KeyValueWriter) throws -> Void
    ) throws -> (OrderedKeyMap<[UInt8]?>, isOfLoad: Bool) {
        let snapshot = Snapshot(of: try database(in: "write"))
        defer { snapshot.end() }
        let overlay = KeyValueOverlay(over: snapshot)
        try body(overlay)
        return (overlay.changes, overlay.isOfLoad)
    }

    private func commit(
        _ changes: OrderedKeyMap<[UInt8]?>, _ isOfLoad: Bool
    ) throws(DataStoreError) {
        let database = try database(in: "write")
        let batch = try WriteBatch(of: changes)
        defer { readers.unpin() }
        do throws(DataStoreError) {
            try database.commit(batch, isOfLoad: isOfLoad) { readers.pin(database) }
        } catch {
            let failed = FailedCommit(of: changes, in: database)
            phase.withLock { $0 = .suspect(database, failed) }
            if error.code == .storageFull, let room = try? Room(in: directory) {
                throw room.error(in: "write", engine: error.engine)
            }
            throw error
        }
    }

    // MARK: After a failed write

    private var needsReopening: Bool {
        phase.withLock {
            switch $0 {
            case .open, .ended: false
            case .suspect, .down: true
            }
        }
    }

    private var failedCommit: FailedCommit? {
        phase.withLock { if case .suspect(_, let commit) = $0 { commit } else { nil } }
    }

    private var isDown: Bool { phase.withLock { if case .down = $0 { true } else { false } } }

    /// Refuses changes that need more space while the reserved space is in use.
    private func checkGrowth(_ changes: OrderedKeyMap<[UInt8]?>) throws(DataStoreError) {
        guard let reserve, reserve.isInUse, try !shrink(changes), !reserve.keep() else { return }
        throw reserve.error
    }

    /// Whether changes delete more than they add, apart from their entry in the change log.
    private func shrink(_ changes: OrderedKeyMap<[UInt8]?>) throws(DataStoreError) -> Bool {
        let database = try database(in: "write")
        var growth = 0
        try changes.scan(.all) { (key, value) throws(DataStoreError) in
            var old: Int?
            if let found = try database.value(forKey: key) { try found.withSpan { old = $0.count } }
            if let value { growth += value.count + key.count }
            if let old { growth -= old + key.count }
            if value == nil, old != nil { growth -= Reserve.deletion }
            return .next
        }
        return growth <= 0
    }

    /// Reopens the database; returns an error if the disk is too full, in which case changes that delete may still
    /// succeed.
    private func reopenUnlessFull(in operation: String) throws(DataStoreError) -> DataStoreError? {
        do throws(DataStoreError) {
            try reopen(in: operation)
            return nil
        } catch {
            guard error.code == .storageFull, !isDown, reserve?.isThere == true else { throw error }
            return error
        }
    }

    /// Reopens the database after a failed commit, if there is space for that and for the changes; returns whether it
    /// did, and the changes still apply to the reopened state.
    private func reopen(toCommit changes: OrderedKeyMap<[UInt8]?>) -> Bool {
        if let reserve, reserve.isThere, (try? shrink(changes)) == true { reserve.release() }
        guard let failed = failedCommit, let room = try? Room(in: directory),
            room.isEnough(beside: changes), (try? reopen(in: "write")) != nil,
            let database = try? database(in: "write")
        else { return false }
        return failed.isLatest(in: database)
    }

    /// Closes and reopens the database, once no reader is inside.
    private func reopen(in operation: String) throws(DataStoreError) {
        try place.check(in: operation)
        // A database that is closed now cannot be read until it is reopened.
        if !isDown, let room = try Room(in: directory), !room.isEnough {
            throw room.error(in: operation, engine: nil)
        }
        let isDone = try readers.whenNobodyIsInside { () throws(DataStoreError) in
            let failed: FailedCommit
            weak var open: Database?
            switch phase.withLock({ $0 }) {
            case .open, .ended:
                return  // Another thread has reopened it.
            case .suspect(let database, let commit):
                open = database
                failed = try commit.withOldValues(of: database)
            case .down(let commit, _):
                failed = commit
            }
            // Closes the database, unless there are other references to it.
            phase.withLock { $0 = .ended }
            if let open {
                phase.withLock { $0 = .suspect(open, failed) }
                throw DataStoreError(
                    .storageFailure, in: operation,
                    """
                    The LevelDB store at “\(directory.path)” must be opened again after a failed write, and is \
                    being compacted or backed up. Repeat the call when that has ended.
                    """)
            }
            do throws(DataStoreError) {
                let (database, report) = try Recovery.open(
                    in: directory, configuration, mayCreate: false)
                try failed.revert(in: database)
                PrivateFiles.restrict(in: directory.url)
                if let report { self.report.withLock { $0 = report } }
                phase.withLock { $0 = .open(database) }
            } catch {
                phase.withLock { $0 = .down(failed, error) }
                throw error
            }
        }
        // A reader may have begun after another thread had reopened it.
        guard isDone || !needsReopening else {
            throw DataStoreError(
                .storageFailure, in: operation,
                "The LevelDB store at “\(directory.path)” must be opened again after a failed write, "
                    + "and read blocks are open that have not ended in time, or are this thread's own. "
                    + "Repeat the call when they have ended.")
        }
    }

    private func database(in operation: String) throws(DataStoreError) -> Database {
        switch phase.withLock({ $0 }) {
        case .open(let database), .suspect(let database, _):
            return database
        case .down(_, let error):
            throw error
        case .ended:
            throw DataStoreError(
                .notSetUp, in: operation,
                "The LevelDB store at “\(directory.path)” is closed. Set it up again.")
        }
    }

    private func checkProcess(in operation: String) throws(DataStoreError) {
        guard ForkCount.current == forkCount else {
            throw DataStoreError(
                .notSetUp, in: operation,
                "The LevelDB store at “\(directory.path)” was opened by another process, from "
                    + "which this one was forked. Close it there, and open it here.")
        }
    }
}
