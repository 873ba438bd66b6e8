public import JustPersist
import JustPersistMemory
public import JustPersistRecords

/// The storage of a simulated store, which survives the death of a process.
///
/// It belongs to one run of a simulation, see ``Simulation/disk(_:durability:)``. Make a store over it in each process that
/// uses it.
public final class SimulatedDisk: Sendable {
    /// Its name in decisions.
    public let name: String
    /// The durability of a commit: with `.full` it survives every crash; with `.relaxed` a crash may lose any number of
    /// the last commits.
    public let durability: Durability
    let simulation: Simulation
    // This lock is not a point of the simulation, because the disk is used while a process dies.
    private let state = Locked(State(), isProcessWide: true)

    private struct State {
        var entries = OrderedKeyMap<[UInt8]>()
        /// The states before commits that are not durable, the oldest first.
        var volatile: [OrderedKeyMap<[UInt8]>] = []
        /// The engine that is open.
        var owner: Owner?
        /// The numbers of calls by processes.
        var reads = 0
        var commits = 0
        /// The number of coming commits for which the disk is full.
        var refusals = 0
    }

    private struct Owner {
        weak var engine: SimulatedEngine?
        let process: SimulatedProcess?

        /// Whether the engine still exists, and its process is running.
        var isPresent: Bool { engine != nil && process?.isRunning ?? true }
    }

    init(_ name: String, _ durability: Durability, _ simulation: Simulation) {
        self.name = name
        self.durability = durability
        self.simulation = simulation
    }

    /// A closed store over the disk.
    ///
    /// - Parameters:
    ///   - changeLog: The amount of history that the store keeps; `nil` for the amount that it keeps already.
    ///   - errorHandler: Receives the failures that no call throws.
    public func store(
        changeLog: ChangeLogLength? = nil, errorHandler: DataStoreErrorHandler? = nil
    ) -> RecordStore<SimulatedEngine> {
        // Without a handler, failures would be written to standard error, thousands of times.
        RecordStore(
            engine: engine(), changeLog: changeLog,
            errorHandler: errorHandler ?? { _ in })
    }

    /// A closed engine over the disk, for a store of your own or one that wraps it.
    public func engine() -> SimulatedEngine { SimulatedEngine(self) }

    /// Makes an engine the open one; returns false if another one is open.
    func claim(by engine: SimulatedEngine, _ process: SimulatedProcess?) -> Bool {
        state.withLock { state in
            if let owner = state.owner, owner.isPresent, owner.engine !== engine { return false }
            state.owner = Owner(engine: engine, process: process)
            return true
        }
    }

    func release(by engine: SimulatedEngine) {
        state.withLock { if $0.owner?.engine === engine { $0.owner = nil } }
    }

    var entries: OrderedKeyMap<[UInt8]> { state.withLock { $0.entries } }

    func nextRead() -> Int {
        state.withLock { state in
            state.reads += 1
            return state.reads
        }
    }

    func nextCommit() -> Int {
        state.withLock { state in
            state.commits += 1
            return state.commits
        }
    }

    func fill(for commits: Int) { state.withLock { $0.refusals = commits } }

    /// Counts a commit, and returns whether the disk is full for it.
    func isFull() -> Bool {
        state.withLock { state in
            if state.refusals > 0 { state.refusals -= 1 }
            return state.refusals > 0
        }
    }

    func commit(_ entries: OrderedKeyMap<[UInt8]>) {
        state.withLock { state in
            if durability != .full { state.volatile.append(state.entries) }
            state.entries = entries
        }
    }

    /// Makes all commits durable.
    func synchronize() { state.withLock { $0.volatile = [] } }

    /// Loses commits that are not durable.
    func crash(losing count: (Int) -> Int) {
        state.withLock { state in
            let lost = count(state.volatile.count)
            if lost > 0 { state.entries = state.volatile[state.volatile.count - lost] }
            (state.volatile, state.refusals) = ([], 0)
        }
    }

    func erase() { state.withLock { $0 = State(owner: $0.owner) } }
}
