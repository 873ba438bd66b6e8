import Foundation
import JustPersist

/// The environment of a check: it makes the stores to examine, records the findings, and makes random numbers.
///
/// Safe to use from the threads that a check starts.
final class CheckContext: Sendable {
    /// The fixture that makes the stores.
    let fixture: any ConformanceFixture.Type
    /// The state in which stores are examined.
    let variant: StoreVariant
    /// The capabilities of the store under examination.
    let capabilities: DataStoreCapabilities
    /// The thoroughness of the run.
    let profile: ConformanceProfile
    /// The seed of every random choice.
    let seed: UInt64
    /// The seconds without progress after which a check is ended.
    let timeout: Double
    /// The directory for failing histories.
    let replayDirectory: URL
    /// An empty directory that is removed when the check has ended.
    let directory: URL
    /// The errors that the stores' handlers received.
    let errors = ErrorLog()

    /// Whether the check's stores keep a change log, although the fixture's usual stores do not.
    let hasChangeLog = Locked(false)

    /// The stores and the names of their directories.
    ///
    /// The stores are retained until the check ends.
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

    /// A generator of random numbers for one purpose of this check.
    ///
    /// In each run with one seed, it makes equal numbers.
    func generator(_ purpose: String = "") -> SeededGenerator {
        SeededGenerator(seed: seed, name: checkID + "/" + purpose)
    }

    /// Records progress of the check.
    ///
    /// Call it in a loop that has no expectation for a long time.
    func tick() { recorder.tick() }

    /// Records a measurement.
    func measure(_ name: String, _ value: Double, unit: String) {
        recorder.record(at: name)
        recorder.measure(CheckResult.Measurement(name: name, value: value, unit: unit))
    }

    /// Ends the check as unverified: its question cannot be answered here.
    func unverified(_ why: String) throws -> Never { throw CheckStop.unverified(why) }

    /// Ends the check as not applicable to this store.
    func notApplicable(_ why: String) throws -> Never { throw CheckStop.notApplicable(why) }
}

/// The reason that a check ends early.
enum CheckStop: Error {
    /// An expectation failed on which the rest of the check depends.
    case failed
    case unverified(String)
    case notApplicable(String)

    /// The reason that the checks of a cancelled run are unverified.
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
    /// The threads on which the errors were reported.
    var threads: [ObjectIdentifier] { entries.withLock { $0.map(\.thread) } }
    func removeAll() { entries.withLock { $0 = [] } }
}
