import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// The reference store with one fault: a subclass defines the fault and names the checks that must detect it.
///
/// The class itself has no fault, and passes every check.
// Sendable because its properties are, and subclasses have none but constants and locks.
class SabotagedStore: DataStore, @unchecked Sendable {
    /// The checks that must detect the fault.
    class var caughtBy: [String] { [] }
    /// The number of the fault in the list of faults that the kit must detect; nil for one that is not in it.
    class var number: Int? { nil }
    /// The seconds without any sign of life after which a check of the store is given up.
    class var timeout: Double { hangs ? 2 : 10 }
    /// How thoroughly to look for it.
    class var profile: ConformanceProfile { .quick }
    /// Whether the fault ends the process: a trap can be detected only in a process of its own.
    class var endsItsProcess: Bool { false }
    /// Whether the fault is a call that never returns, or a thread that is never released.
    class var hangs: Bool { false }

    /// The sizes it takes: small, so that the checks reach them.
    class var limits: DataStoreLimits {
        DataStoreLimits(nameBytes: 255, valueBytes: 4 << 20, writeBlockBytes: 64 << 20)
    }

    let directory: URL
    let reference: ReferenceDataStore
    /// The memory of faults that involve several blocks.
    let memory: Memory
    let maker: SabotagedStore?

    required init(in directory: URL) {
        self.directory = directory
        memory = Memory()
        memory.directory.withLock { $0 = directory }
        reference = ReferenceDataStore(
            rules: Self.rules(memory), threading: Self.threading(memory), limits: Self.limits)
        maker = nil
        memory.store.withLock { $0 = WeakStore(store: reference) }
    }

    /// A child with the same fault.
    required init(childOf maker: SabotagedStore, _ reference: ReferenceDataStore) {
        directory = maker.directory
        memory = maker.memory
        self.reference = reference
        self.maker = maker
    }

    /// On which threads its blocks run.
    class func threading(_ memory: Memory) -> DataStoreThreading { .callingThread }

    /// The rules of the reference store, one of them wrong.
    class func rules(_ memory: Memory) -> ReferenceRules { ReferenceRules() }

    var capabilities: DataStoreCapabilities { reference.capabilities }
    var errorHandler: DataStoreErrorHandler? {
        get { reference.errorHandler }
        set { reference.errorHandler = newValue }
    }
    var parent: (any DataStore)? { maker }

    func open() throws { try reference.open() }

    func close() throws { try reference.close() }

    func destroy() throws { try reference.destroy() }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try reference.performRead(block)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try reference.performWrite(block)
    }

    func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws {
        try reference.performStep(block)
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        reference.enqueueWrite(block, completion: completion)
    }

    func makeChild() throws -> any DataStore {
        let child = try reference.makeChild()
        guard let child = child as? ReferenceDataStore else { return child }
        return type(of: self).init(childOf: self, child)
    }

    func performMerge(_ child: any DataStore, policy: MergePolicy) throws -> MergeReport {
        let child = (child as? SabotagedStore)?.reference ?? child
        return try reference.performMerge(child, policy: policy)
    }

    func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        try reference.observeChanges(scope, since: token)
    }

    func verify() throws -> VerificationReport { try reference.verify() }

    func buildIndexes(progress: (IndexProgress) throws -> Void) throws {
        try reference.buildIndexes(progress: progress)
    }
}

/// The memory of a fault from one call to the next.
final class Memory: Sendable {
    /// The store that the fault is in, once it is made.
    let store = Locked(WeakStore(store: nil))
    /// Rows that a fault keeps.
    let rows = Locked<[ReferenceRow]>([])
    /// A state that a fault keeps.
    let state = Locked<ReferenceState?>(nil)
    /// Counts something.
    let count = Locked(0)
    /// The changes that a fault reports in place of the store.
    let feed = ChangeFeed()
    /// The blocks that have done something already.
    let blocks = Locked<Set<ObjectIdentifier>>([])
    /// Where a persistent store lies.
    let directory = Locked<URL?>(nil)
    /// The file of a persistent store that is open.
    let log = Locked<CommitLog?>(nil)

    /// The state that is committed now.
    var committed: ReferenceState {
        store.withLock { $0.store }?.tree.withLock { $0.state(of: ReferenceTree.root) }
            ?? ReferenceState()
    }

    /// Puts a state in the committed one's place.
    func publish(_ state: ReferenceState) {
        guard let store = store.withLock({ $0.store }) else { return }
        store.tree.withLock { tree in
            guard let before = tree.state(of: ReferenceTree.root) else { return }
            tree.commit(ReferenceTree.root, from: before, to: state)
        }
    }

    /// Whether this is the first call in a block.
    func isFirst(in block: ReferenceBlock) -> Bool {
        blocks.withLock { $0.insert(ObjectIdentifier(block)).inserted }
    }

    /// Counts one more, and gives the number.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// A store that is not kept alive.
struct WeakStore: Sendable {
    weak let store: ReferenceDataStore?
}

/// A sabotaged store that is examined, and not only a base class.
protocol Fault: AnyObject {}

/// The type of a store with a fault.
typealias SabotagedType = any (SabotagedStore & Fault).Type

/// No fault at all.
final class Faultless: SabotagedStore, Fault, @unchecked Sendable {
    // Processes start slowly while hundreds of others run, and that is no fault.
    override class var timeout: Double { 60 }
}

/// The fixture of a sabotaged store.
enum Mutant<Store: SabotagedStore & Fault>: ConformanceFixture {
    static func makeStore(in directory: URL) -> Store { Store(in: directory) }
}
