import Foundation
import Testing

@testable import JustPersist
@testable import JustPersistConformance

/// A store with one fault, as a value: its difference from the reference store, and the check that must detect it.
struct Sabotage: Sendable, CustomTestStringConvertible {
    let name: String
    let caughtBy: String
    /// Whether it never returns from a call, so that its check needs a process of its own.
    var hangs: Bool { faults.waitsForMainQueue }
    /// How thoroughly to look for it.
    let profile: ConformanceProfile
    var faults = Faults()

    init(
        _ name: String, caughtBy check: String, profile: ConformanceProfile = .quick,
        _ sabotage: (inout Faults) -> Void
    ) {
        self.name = name
        self.profile = profile
        caughtBy = check
        sabotage(&faults)
    }

    var testDescription: String { name }

    /// No fault at all.
    static let none = Sabotage("nothing", caughtBy: "") { _ in }

    static let all = [
        WaySabotages.all, MultitudeSabotages.all, PrimitiveSabotages.all, MergeSabotages.all,
        StoreSabotages.all, RelationshipSabotages.all, EvolutionSabotages.all,
    ].flatMap { $0 }
}

/// The fixture of all sabotages: the name of the run's directory identifies the sabotage.
enum SabotagedFixture: ConformanceFixture {
    private static let prefix = "sabotage-"

    private static let faults: [String: Faults] = Dictionary(
        uniqueKeysWithValues: Sabotage.all.map { (name(of: $0), $0.faults) })

    /// The last part of a path, which identifies the sabotage.
    private static func name(of sabotage: Sabotage) -> String {
        prefix + Data(sabotage.name.utf8).base64EncodedString().replacing("/", with: "_")
    }

    /// The directory for the run of a sabotage.
    static func directory(of sabotage: Sabotage) -> URL {
        FileManager.default.temporaryDirectory.appending(path: name(of: sabotage))
    }

    /// The faults of the store in a directory of such a run.
    static func faults(in directory: URL) -> Faults {
        directory.pathComponents.first { $0.hasPrefix(prefix) }.flatMap { faults[$0] } ?? Faults()
    }

    static func makeStore(in directory: URL) -> FaultyStore { FaultyStore(in: directory) }

    static func makeStoreWithChangeLog(in directory: URL) -> (any DataStore)? {
        LoggedFaultyStore(in: directory)
    }

    static func backUp(_ store: FaultyStore, to directory: URL) -> Bool {
        let kind = faults(in: directory).backup
        FaultyDisk.contents.withLock { contents in
            var copy = contents[store.directory] ?? FaultyDisk.Content()
            if kind == .incomplete, let last = copy.state.rows.last {
                _ = copy.state.remove(last.key)
            }
            contents[directory] = copy
            if kind == .live { contents[store.directory]?.copy = directory }
        }
        if kind == .moving { store.memory.publish(ReferenceState()) }
        return true
    }

    static func corrupt(in directory: URL) -> Bool {
        FaultyDisk.contents.withLock { $0[directory]?.isDamaged = true }
        return true
    }

    static func syncAudit(of store: FaultyStore) -> Int? {
        faults(in: store.directory).syncs(
            FaultyDisk.contents.withLock { $0[store.directory]?.writes ?? 0 })
    }
}

/// The reference store with faults; its contents outlive it in its process.
class FaultyStore: SabotagedStore, MaintainableDataStore, @unchecked Sendable {
    override class func threading(_ memory: Memory) -> DataStoreThreading {
        memory.directory.withLock { $0 }.map { SabotagedFixture.faults(in: $0).threading }
            ?? .callingThread
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        guard let directory = memory.directory.withLock({ $0 }) else { return rules }
        let faults = SabotagedFixture.faults(in: directory)
        rules.opened = { () throws(DataStoreError) in
            let content = FaultyDisk.contents.withLock { $0[directory] } ?? FaultyDisk.Content()
            if content.isDamaged, faults.noticesDamage {
                throw DataStoreError(.corrupted, in: "open", "The store is damaged.")
            }
            return content.state
        }
        rules.published = { _, after in FaultyDisk.write(after, to: directory) }
        rules.reader = { FaultyAccessor($0, faults) }
        rules.writer = { FaultyAccessor($0, faults) }
        faults.rules(&rules, memory)
        return rules
    }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.persistence = .powerLoss
        SabotagedFixture.faults(in: directory).declareCapabilities(&capabilities)
        return capabilities
    }

    override func destroy() throws {
        try super.destroy()
        FaultyDisk.contents.withLock { $0[directory] = nil }
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        guard SabotagedFixture.faults(in: directory).waitsForMainQueue, !MainQueue.isCurrent else {
            return try super.performRead(block)
        }
        try withoutActuallyEscaping(block) { block in
            // This thread waits while the main thread runs it.
            nonisolated(unsafe) let block = block
            try DispatchQueue.main.sync { try unsafe super.performRead(block) }
        }
    }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        SabotagedFixture.faults(in: directory).observe(
            try super.observeChanges(scope, since: token))
    }

    override func buildIndexes(progress: (IndexProgress) throws -> Void) throws {
        try SabotagedFixture.faults(in: directory).buildIndexes(reference, progress)
    }

    // MARK: Maintenance

    func performVerification(_ meter: MaintenanceMeter) throws -> VerificationReport {
        try verify()
    }

    func performRepair(_ meter: MaintenanceMeter) -> RepairReport { RepairReport() }

    func performBackup(
        to directory: URL, since previous: URL?, _ meter: MaintenanceMeter
    ) -> BackupReport { BackupReport(bytes: 0) }

    func performCompaction(_ meter: MaintenanceMeter) -> CompactionReport {
        var state = memory.committed
        SabotagedFixture.faults(in: directory).compact(&state)
        memory.publish(state)
        FaultyDisk.write(state, to: directory)
        return CompactionReport(bytesBefore: 0, bytesAfter: 0)
    }
}
