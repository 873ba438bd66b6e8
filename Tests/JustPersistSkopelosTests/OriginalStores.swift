import Foundation
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistSkopelos

/// The stores that must pass the original libraries' tests, with the threads that these tests require.
enum OriginalStore: CaseIterable {
    case memory, lmdb, levelDB

    /// A closed store.
    func make(at directory: URL) -> any DataStore {
        switch self {
        case .memory: InMemoryDataStore(threading: .originals)
        case .lmdb: LMDBDataStore(at: directory, threading: .originals)
        case .levelDB: LevelDBDataStore(at: directory, threading: .originals)
        }
    }

    /// Calls `body` with a directory for a store.
    func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "originals-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    /// Calls `body` with a new stack.
    func withSkopelos(_ body: (Client) async throws -> Void) async throws {
        try await withDirectory { directory in
            let skopelos = Client(dataStore: make(at: directory), allowsConcurrentWritings: true)
            try await body(skopelos)
            try await skopelos.dataStore.closeAsync()
        }
    }

    /// Calls `body` with an open store and an open child of it.
    ///
    /// - Parameter isSkopelos: Whether a stack of Skopelos opens the store.
    func withStores(
        isSkopelos: Bool,
        _ body: (_ store: any DataStore, _ child: any DataStore) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let store = make(at: directory)
            let skopelos = isSkopelos ? Client(dataStore: store) : nil
            store.setup()
            let child = store.makeChildDataStore()
            child.setup()
            try await body(skopelos?.dataStore ?? store, child)
            store.tearDown()
            child.tearDown()
        }
    }
}
