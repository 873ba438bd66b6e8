public import JustPersist
import JustPersistMemory
public import JustPersistRecords

/// The engine of a simulated store.
///
/// It is in memory, and its calls may fail, take long, or be the last of their process.
public final class SimulatedEngine: KeyValueEngine {
    /// The disk that holds its data.
    public let disk: SimulatedDisk
    private let process = Locked<Opened?>(nil, isProcessWide: true)

    private struct Opened: Sendable {
        /// The process of the caller; `nil` outside processes, where nothing fails.
        let process: SimulatedProcess?
    }

    /// A closed engine.
    init(_ disk: SimulatedDisk) { self.disk = disk }

    /// The engine's features: its transactions may be passed between threads.
    public var traits: KeyValueEngineTraits {
        KeyValueEngineTraits(
            name: "Simulated", isPersistent: true, durability: disk.durability,
            maximumKeyLength: 511, isPassedBetweenThreads: true)
    }

    private var scheduler: SimulatedScheduler { disk.simulation.scheduler }
    private var choices: Choices { scheduler.choices }

    /// Opens the engine for the process of the calling thread.
    ///
    /// - Throws: `.alreadyOpen` if another engine over the disk is open.
    public func open() throws(DataStoreError) {
        let own = try called("open")
        guard disk.claim(by: self, own.process) else {
            throw DataStoreError(
                .alreadyOpen, in: "open",
                "The simulated disk “\(disk.name)” is in use by another store. Close that first.")
        }
        process.withLock { $0 = own }
    }

    /// Closes the engine.
    public func close() {
        guard let own = process.withLock({ $0.take() }) else { return }
        disk.release(by: self)
        if own.process?.isAlive ?? true { disk.synchronize() }
    }

    /// Empties the disk.
    public func destroy() throws(DataStoreError) {
        _ = try called("destroy")
        disk.erase()
    }

    /// Counts as a read, because there is nothing to compact.
    public func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        _ = try snapshot("compact")
        return CompactionReport(bytesBefore: 0, bytesAfter: 0)
    }

    /// Runs `body` on a snapshot.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try body(InMemorySnapshot(of: snapshot("read")))
    }

    private func snapshot(_ operation: String) throws(DataStoreError) -> OrderedKeyMap<[UInt8]> {
        let own = try opened(operation)
        scheduler.point()
        let number = own.process == nil ? 0 : disk.nextRead()
        switch fault("read", number, [.refusedRead, .delay], own) {
        case .refusedRead: throw refusal(own, .storageFailure, operation, "a read")
        case .delay: delay("read", number)
        default: break
        }
        try checkLife(own)
        return disk.entries
    }

    /// Runs `body` on a private copy, which becomes the state of the disk.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let own = try opened("write")
        scheduler.point()
        try checkLife(own)
        let transaction = InMemoryTransaction(of: disk.entries)
        try body(transaction)
        scheduler.point()
        try checkLife(own)
        let number = own.process == nil ? 0 : disk.nextCommit()
        let fault = fault(
            "commit", number,
            [.deathBeforeCommit, .deathAfterCommit, .refusedCommit, .fullDisk, .delay], own)
        switch fault {
        case .deathBeforeCommit: own.process?.die("before commit \(number) of “\(disk.name)”")
        case .refusedCommit: throw refusal(own, .storageFailure, "write", "commit \(number)")
        case .fullDisk: disk.fill(for: Int(choices.draw("full \(disk.name)", number) % 6) + 2)
        case .delay: delay("commit", number)
        default: break
        }
        try checkLife(own)
        if own.process != nil, disk.isFull() {
            throw refusal(own, .storageFull, "write", "commit \(number)")
        }
        disk.commit(transaction.entries)
        if fault == .deathAfterCommit {
            own.process?.die("after commit \(number) of “\(disk.name)”")
            try checkLife(own)
        }
        scheduler.point()
    }

    // MARK: Faults

    private func opened(_ operation: String) throws(DataStoreError) -> Opened {
        guard let own = process.withLock({ $0 }) else { throw .notSetUp(in: operation) }
        let user = try called(operation)
        // After the run, a test may examine the resulting state.
        guard user.process === own.process || scheduler.caller == nil else {
            throw DataStoreError(
                .invalidRequest, in: operation,
                """
                A store over the simulated disk “\(disk.name)” was opened in one process, and is used in another one. Make a \
                store in each process that uses the disk.
                """)
        }
        try checkLife(own)
        return own
    }

    /// The process of the caller.
    private func called(_ operation: String) throws(DataStoreError) -> Opened {
        if scheduler.isMisused(for: "for a call of the disk “\(disk.name)”") {
            throw DataStoreError(
                .storageFailure, in: operation, "The calling thread is outside of the simulation.")
        }
        let caller = Opened(process: scheduler.caller?.process)
        try checkLife(caller)
        return caller
    }

    private func checkLife(_ own: Opened) throws(DataStoreError) {
        let isAlive = own.process?.isAlive ?? true
        if isAlive, !scheduler.isStopped { return }
        throw DataStoreError(
            .storageFailure, in: "use",
            isAlive ? "The simulation has been stopped." : "The simulated process has died.")
    }

    private func fault(
        _ call: String, _ number: Int, _ possible: [SimulationFault], _ own: Opened
    ) -> SimulationFault? {
        guard let process = own.process, process.isAlive else { return nil }
        let fault = choices.fault(on: "\(disk.name).\(call)", number, of: possible)
        if let fault { scheduler.event("\(fault) at \(call) \(number) of “\(disk.name)”") }
        return fault
    }

    private func refusal(
        _ own: Opened, _ code: DataStoreError.Code, _ operation: String, _ call: String
    ) -> DataStoreError {
        own.process?.hasRefused = true
        return DataStoreError(
            code, in: operation, "The simulated disk “\(disk.name)” has refused \(call).")
    }

    private func delay(_ call: String, _ number: Int) {
        let magnitude = choices.draw("delay \(disk.name) \(call)", number) % 4
        scheduler.sleep(seconds: [0.001, 0.05, 0.6, 3][Int(magnitude)])
    }
}
