import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// A store without a fault that counts the calls of each primitive, over all stores of the process; its
/// contents outlive it.
final class CountingStore: SabotagedStore, Fault, @unchecked Sendable {
    /// The calls so far, by the primitive's name.
    static let calls = Locked<[String: Int]>([:])
    private static let disk = Locked<[URL: ReferenceState]>([:])

    private static func count(_ primitive: String) {
        calls.withLock { $0[primitive, default: 0] += 1 }
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        @Sendable func directory() -> URL { memory.directory.withLock { $0 } ?? URL(filePath: "/") }
        var faults = Faults()
        faults.called = { count($0) }
        // The first accessor of a block is its own, and items ask for the others.
        rules.reader = { [faults] block in
            if !memory.isFirst(in: block) { count("withReader") }
            return FaultyAccessor(block, faults)
        }
        rules.writer = { [faults] block in
            var faults = faults
            if !memory.isFirst(in: block) {
                faults.called = {
                    if $0 == "links" { count("withWriter") }
                    count($0)
                }
            }
            return FaultyAccessor(block, faults)
        }
        rules.opened = { () throws(DataStoreError) in
            disk.withLock { $0[directory()] } ?? ReferenceState()
        }
        rules.published = { _, after in disk.withLock { $0[directory()] = after } }
        return rules
    }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.persistence = .reopening
        return capabilities
    }

    // MARK: Primitives of stores

    override func open() throws {
        Self.count("open")
        try super.open()
    }

    override func close() throws {
        Self.count("close")
        try super.close()
    }

    override func destroy() throws {
        Self.count("destroy")
        try super.destroy()
        Self.disk.withLock { $0[directory] = nil }
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        Self.count("performRead")
        try super.performRead(block)
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        Self.count("performWrite")
        // The primitive of items has no hook: what a block may change, it may set.
        Self.count("set")
        try super.performWrite(block)
    }

    override func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws {
        Self.count("performStep")
        try super.performStep(block)
    }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.count("enqueueWrite")
        super.enqueueWrite(block, completion: completion)
    }

    override func makeChild() throws -> any DataStore {
        Self.count("makeChild")
        return try super.makeChild()
    }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        Self.count("performMerge")
        return try super.performMerge(child, policy: policy)
    }

    override func verify() throws -> VerificationReport {
        Self.count("verify")
        return try super.verify()
    }

    override func buildIndexes(progress: (IndexProgress) throws -> Void) throws {
        Self.count("buildIndexes")
        try super.buildIndexes(progress: progress)
    }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        Self.count("observeChanges")
        return try super.observeChanges(scope, since: token)
    }
}
