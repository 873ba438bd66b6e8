import Foundation
import JustPersist
import JustPersistConformanceTesting
import JustPersistMemory

/// A store in memory that misbehaves as a whole, in one way.
final class MisbehavingStore: DataStore {
    enum Fault: Sendable {
        case none, hangsInRead, trapsInWrite, breaksAConditionInWrite, claimsPersistence
        case trapsOnLeftovers, computesForLong
    }

    private let store: InMemoryDataStore
    private let fault: Fault

    private let directory: URL?

    init(_ fault: Fault, in directory: URL? = nil, errorHandler: DataStoreErrorHandler? = nil) {
        store = InMemoryDataStore(errorHandler: errorHandler)
        self.fault = fault
        self.directory = directory
    }

    var capabilities: DataStoreCapabilities {
        var capabilities = store.capabilities
        // They would be children of the store in it.
        capabilities.childStores = .none
        if [.claimsPersistence, .trapsOnLeftovers].contains(fault) {
            capabilities.persistence = .processCrash
        }
        return capabilities
    }

    var errorHandler: DataStoreErrorHandler? {
        get { store.errorHandler }
        set { store.errorHandler = newValue }
    }

    func open() throws {
        if fault == .computesForLong {
            let end = ContinuousClock.now + .seconds(2)
            while ContinuousClock.now < end {}
        }
        if fault == .trapsOnLeftovers, let directory {
            if FileManager.default.fileExists(atPath: directory.path) {
                preconditionFailure("the store does not know what to do with its own files")
            }
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }
        try store.open()
    }

    func close() throws { try store.close() }

    func destroy() throws { try store.destroy() }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        if fault == .hangsInRead { Thread.sleep(forTimeInterval: 600) }
        try store.performRead(block)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        if fault == .trapsInWrite { preconditionFailure("the store's own words") }
        precondition(fault != .breaksAConditionInWrite, "the store's own condition")
        try store.performWrite(block)
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        store.enqueueWrite(block, completion: completion)
    }
}

enum SoundFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore { MisbehavingStore(.none) }
}

/// A store with an error handler of its own.
enum LoggingFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore {
        MisbehavingStore(.none, errorHandler: { _ in })
    }
}

enum HangingFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore { MisbehavingStore(.hangsInRead) }
}

enum TrappingFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore { MisbehavingStore(.trapsInWrite) }
}

enum PreconditionFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore {
        MisbehavingStore(.breaksAConditionInWrite)
    }
}

/// A store that computes for longer than a check may be still.
enum SlowFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore {
        MisbehavingStore(.computesForLong)
    }
}

/// A store that cannot be opened again after its process has died.
enum LeftoversFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore {
        MisbehavingStore(.trapsOnLeftovers, in: directory)
    }
}

enum LyingFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore {
        MisbehavingStore(.claimsPersistence)
    }
}

enum ThrowingFixture: ConformanceFixture {
    struct NoServer: Error {}

    static func makeStore(in directory: URL) throws -> MisbehavingStore { throw NoServer() }
}

/// A fixture that lists a check as failing that does not exist.
enum MisspeltFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore { MisbehavingStore(.none) }

    static var knownFailures: [KnownFailure] { [KnownFailure("dur/reopne", reason: "a typo")] }
}

/// A fixture that lists two checks as failing, of which one passes.
enum KnownFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> MisbehavingStore {
        MisbehavingStore(.claimsPersistence)
    }

    static var knownFailures: [KnownFailure] {
        [
            KnownFailure("dur/reopen", reason: "keeps nothing yet", link: "https://example.com/1"),
            KnownFailure("crud/set-nil-clears", reason: "was broken once"),
        ]
    }
}
