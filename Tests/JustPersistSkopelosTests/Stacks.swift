import Foundation
import JustPersistLMDB
import JustPersistSkopelos
import Testing

/// The stores with which Skopelos's interface is tested.
enum Stack: CaseIterable {
    case memory, lmdb

    /// Runs a test with a new stack.
    func with(_ body: (Client) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "skopelos-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let client = make(at: directory)
        try body(client)
        try client.dataStore.close()
    }

    /// Runs an asynchronous test with a new stack.
    func with(_ body: (Client) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "skopelos-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let client = make(at: directory)
        try await body(client)
        try await client.dataStore.closeAsync()
    }

    private func make(at directory: URL) -> Client {
        switch self {
        case .memory: Client(inMemoryStack: nil)
        case .lmdb: Client(dataStore: LMDBDataStore(at: directory), allowsConcurrentWritings: true)
        }
    }
}

/// A subclass, as in Skopelos's README, that collects the errors.
final class Client: Skopelos, @unchecked Sendable {
    private let lock = NSLock()
    private var handled: [DataStoreError] = []

    var errors: [DataStoreError] { lock.withLock { handled } }

    override func handleError(_ error: DataStoreError) { lock.withLock { handled.append(error) } }
}
