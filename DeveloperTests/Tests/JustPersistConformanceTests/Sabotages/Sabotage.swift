import Foundation
import Testing

@testable import JustPersist
@testable import JustPersistConformance

/// A store with one thing wrong, as a value: what it does otherwise than the reference store, and which check must notice.
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
        WaySabotages.all, MultitudeSabotages.all, PrimitiveSabotages.all,
    ].flatMap { $0 }
}

/// The fixture of all sabotages: which one it is, is written in the name of the directory that the run has.
enum SabotagedFixture: ConformanceFixture {
    private static let prefix = "sabotage-"

    private static let faults: [String: Faults] = Dictionary(
        uniqueKeysWithValues: Sabotage.all.map { (name(of: $0), $0.faults) })

    /// The last part of a path, which tells one sabotage from all others.
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
}

/// The reference store with faults; what it holds outlives it in its process.
final class FaultyStore: SabotagedStore, @unchecked Sendable {
    private static let disk = Locked<[URL: ReferenceState]>([:])

    override class func threading(_ memory: Memory) -> DataStoreThreading {
        memory.directory.withLock { $0 }.map { SabotagedFixture.faults(in: $0).threading }
            ?? .callingThread
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        guard let directory = memory.directory.withLock({ $0 }) else { return rules }
        let faults = SabotagedFixture.faults(in: directory)
        rules.opened = { () throws(DataStoreError) in
            disk.withLock { $0[directory] } ?? ReferenceState()
        }
        rules.published = { _, after in disk.withLock { $0[directory] = after } }
        rules.reader = { FaultyAccessor($0, faults) }
        rules.writer = { FaultyAccessor($0, faults) }
        faults.rules(&rules, memory)
        return rules
    }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.persistence = .reopening
        return capabilities
    }

    override func destroy() throws {
        try super.destroy()
        Self.disk.withLock { $0[directory] = nil }
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        guard SabotagedFixture.faults(in: directory).waitsForMainQueue, !MainQueue.isCurrent else {
            return try super.performRead(block)
        }
        try DispatchQueue.main.sync { try super.performRead(block) }
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
}
