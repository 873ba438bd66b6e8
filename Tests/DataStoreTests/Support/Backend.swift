import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import Testing

/// The stores that tests of the contract run against.
///
/// The conformance kit examines each of them. A test here takes more than one engine only where the engine matters.
enum Backend: String, CaseIterable, Codable, CustomTestStringConvertible {
    case memory, lmdb, levelDB, reference

    var testDescription: String { rawValue }

    static let persistent: [Backend] = [.lmdb, .levelDB]
    /// The backends of the record layer.
    static let ofRecords: [Backend] = [.memory, .lmdb, .levelDB]
    /// One of the record layer, and the reference store: for code that lies above the engines.
    static let memoryAndReference: [Backend] = [.memory, .reference]

    /// Whether data outlives closing.
    var isPersistent: Bool { Self.persistent.contains(self) }

    /// A closed store in a directory.
    func make(
        at url: URL, threading: DataStoreThreading = .callingThread,
        options: DataStoreOptions = DataStoreOptions(), errors: ErrorLog = ErrorLog()
    ) -> any DataStore {
        let handler: DataStoreErrorHandler = { errors.append($0) }
        switch self {
        case .memory: return InMemoryDataStore(threading: threading, errorHandler: handler)
        case .reference: return ReferenceDataStore(threading: threading, errorHandler: handler)
        case .lmdb:
            return LMDBDataStore(
                at: url,
                configuration: LMDBConfiguration(
                    durability: options.durability, isReadOnly: options.isReadOnly,
                    createsIfMissing: options.createsIfMissing, changeLog: options.changeLog),
                threading: threading, errorHandler: handler)
        case .levelDB:
            return LevelDBDataStore(
                at: url,
                configuration: LevelDBConfiguration(
                    durability: options.durability, isReadOnly: options.isReadOnly,
                    createsIfMissing: options.createsIfMissing, changeLog: options.changeLog),
                threading: threading, errorHandler: handler)
        }
    }

    /// Runs a test on an open, empty store, and checks the store afterwards.
    func withStore(
        errors: ErrorLog = ErrorLog(), threading: DataStoreThreading = .callingThread,
        _ body: (any DataStore) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let store = make(at: directory, threading: threading, errors: errors)
            try store.open()
            try body(store)
            try store.open()
            try expectSound(store)
            try store.close()
        }
    }

    /// Runs an asynchronous test on an open, empty store, and checks the store afterwards.
    func withStore(
        options: DataStoreOptions = DataStoreOptions(), errors: ErrorLog = ErrorLog(),
        _ body: (any DataStore) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let store = make(at: directory, options: options, errors: errors)
            try store.open()
            try await body(store)
            try store.open()
            try expectSound(store)
            try store.close()
        }
    }
}

/// The errors that a store's error handler has received.
final class ErrorLog: Sendable {
    private let errors = Locked<[DataStoreError]>([])

    func append(_ error: DataStoreError) { errors.withLock { $0.append(error) } }

    /// The codes so far.
    var codes: [DataStoreError.Code] { errors.withLock { $0.map(\.code) } }
    /// The errors so far.
    var all: [DataStoreError] { errors.withLock { $0 } }
}

/// Runs a test in a directory that is removed afterwards.
func withTemporaryDirectory(_ body: (URL) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "justpersist-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory)
}

/// Runs an asynchronous test in a directory that is removed afterwards.
func withTemporaryDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "justpersist-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
}

/// Checks that every record can be decoded, and that every counter is correct.
func expectSound(_ store: any DataStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try store.verify()
    #expect(report.problems.isEmpty, sourceLocation: sourceLocation)
}

/// Expects an error with a code, and returns it.
@discardableResult
func expectError(
    _ code: DataStoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> DataStoreError? {
    let error = #expect(throws: DataStoreError.self, sourceLocation: sourceLocation) {
        try body()
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return error
}

extension Backend {
    /// The URL schemes, each with a function that registers it.
    static let schemes: [(String, @Sendable () -> Void)] = [
        ("memory", { InMemoryDataStore.register() }), ("lmdb", { LMDBDataStore.register() }),
        ("leveldb", { LevelDBDataStore.register() }),
        ("reference", { ReferenceDataStore.register() }),
    ]
}
