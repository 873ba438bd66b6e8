import Foundation
import JustPersist
import JustPersistMemory
import JustPersistMigration

/// A directory for one test, which is removed with its contents when this object is released.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "JustPersist-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Creates a file with that content.
    func file(_ name: String, _ content: [UInt8]) throws -> URL {
        let file = url.appending(path: name)
        try Data(content).write(to: file)
        return file
    }
}

extension DataStore {
    /// The values of all items of a type, in the order of their creation.
    func rows(_ type: String = "T") throws -> [[String: DataStoreValue]] {
        try read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: type)).map { try $0.values() }
        }
    }

    /// The digest of every type.
    func digests() throws -> [String: TypeDigest] {
        var digests: [String: TypeDigest] = [:]
        try performRead { db in
            for schema in try db.schemas() {
                digests[schema.itemTypeKey] = try db.digest(ofType: schema.itemTypeKey)
            }
        }
        return digests
    }
}

/// An open store in memory.
func memoryStore() throws -> InMemoryDataStore {
    let store = InMemoryDataStore()
    try store.open()
    return store
}
