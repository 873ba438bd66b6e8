import Foundation
import JustPersist

/// The surroundings of a check: stores to examine, a place for its findings, and random numbers.
///
/// Safe to use from the threads that a check starts.
final class CheckContext: Sendable {
    /// The maker of the stores.
    let fixture: any ConformanceFixture.Type
    /// The state in which stores are examined.
    let variant: StoreVariant
    /// The capabilities of the store under examination.
    let capabilities: DataStoreCapabilities
    /// How thoroughly to look.
    let profile: ConformanceProfile
    /// The seed of every random choice.
    let seed: UInt64
    /// The seconds without a sign of life after which a check is given up.
    let timeout: Double
    /// Where failing histories are kept.
    let replayDirectory: URL
    /// An empty directory that is removed when the check has ended.
    let directory: URL
    /// The errors that the stores' handlers received.
    let errors = ErrorLog()

    /// Whether the check's stores keep a change log, though the fixture's do not.
    let hasChangeLog = Locked(false)

    /// The locations of the stores, which it retains, so that none ends before its check.
    let directories = Locked<[ObjectIdentifier: (store: any DataStore, name: String)]>([:])
    let checkID: String
    let recorder: Recorder
    let children: ChildStarter?

    init(
        fixture: any ConformanceFixture.Type, checkID: String, variant: StoreVariant,
        capabilities: DataStoreCapabilities, options: ConformanceOptions, directory: URL,
        recorder: Recorder, children: ChildStarter?
    ) {
        self.fixture = fixture
        self.checkID = checkID
        self.variant = variant
        self.capabilities = capabilities
        profile = options.profile
        seed = options.seed
        timeout = options.timeout
        replayDirectory = options.replayDirectory
        self.directory = directory
        self.recorder = recorder
        self.children = children
    }

    /// A generator of random numbers for one purpose of this check; the same in each run with its seed.
    func generator(_ purpose: String = "") -> SeededGenerator {
        SeededGenerator(seed: seed, name: checkID + "/" + purpose)
    }

    /// Says that the check is alive, in a loop that expects nothing for long.
    func tick() { recorder.tick() }

    /// Reports a figure.
    func measure(_ name: String, _ value: Double, unit: String) {
        recorder.record(at: name)
        recorder.measure(CheckResult.Measurement(name: name, value: value, unit: unit))
    }

    /// Ends the check: what it asks cannot be found out here.
    func unverified(_ why: String) throws -> Never { throw CheckStop.unverified(why) }

    /// Ends the check: it does not concern this store.
    func notApplicable(_ why: String) throws -> Never { throw CheckStop.notApplicable(why) }
}

/// A check that ends before its last line.
enum CheckStop: Error {
    /// A recorded expectation failed, on which the rest depends.
    case failed
    case unverified(String)
    case notApplicable(String)

    /// Why a check of a run that was cancelled is unverified.
    static let cancellation = "the run was cancelled"
}

/// The errors that a store's handler received, in order, and their threads.
final class ErrorLog: Sendable {
    private let entries = Locked<[(error: DataStoreError, thread: ObjectIdentifier)]>([])

    func append(_ error: DataStoreError) {
        let thread = ObjectIdentifier(Thread.current)
        entries.withLock { $0.append((error, thread)) }
    }

    var all: [DataStoreError] { entries.withLock { $0.map(\.error) } }
    var codes: [DataStoreError.Code] { all.map(\.code) }
    /// The threads on which the errors came.
    var threads: [ObjectIdentifier] { entries.withLock { $0.map(\.thread) } }
    func removeAll() { entries.withLock { $0 = [] } }
}
