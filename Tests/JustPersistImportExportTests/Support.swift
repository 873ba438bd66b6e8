import Foundation
import JustPersist
import JustPersistImportExport
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import Testing

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
}

/// An open store in memory.
func memoryStore() throws -> InMemoryDataStore {
    let store = InMemoryDataStore()
    try store.open()
    return store
}

/// Imports a text from a file with that name, and returns the rows; empty if the count is wrong.
func imported(
    _ text: String, name: String = "rows.json", format: ItemImport.Format = .automatic,
    chunkSize: Int = 1 << 20
) throws -> [[String: DataStoreValue]] {
    let directory = try TemporaryDirectory()
    let store = try memoryStore()
    let file = try directory.file(name, Array(text.utf8))
    let rows = ItemImport(itemType: "T", format: format, chunkSize: chunkSize)
    let count = try rows.run(file, into: store).items
    let result = try store.rows()
    return count == result.count ? result : []
}

/// The stores for tests whose subject depends on the store.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
    case memory, lmdb, leveldb

    var testDescription: String { rawValue }

    /// Opens a new store in a directory that does not exist.
    func open(in directory: URL) throws -> any DataStore {
        let store: any DataStore =
            switch self {
            case .memory: InMemoryDataStore()
            case .lmdb:
                LMDBDataStore(
                    at: directory, configuration: LMDBConfiguration(durability: .relaxed))
            case .leveldb:
                LevelDBDataStore(
                    at: directory, configuration: LevelDBConfiguration(durability: .relaxed))
            }
        try store.open()
        return store
    }
}

extension DataStore {
    /// Creates an item from each row, and declares the attributes.
    func fill(_ rows: [[String: DataStoreValue]], type: String = "T") throws {
        let names = Set(rows.flatMap(\.keys)).sorted()
        try write { db in
            try db.declare(ItemSchema(type, attributes: names.map { AttributeSchema($0) }))
            for row in rows {
                let item = try db.create(type)
                for (name, value) in row { try item.backing.setValue(value, forAttribute: name) }
            }
        }
    }

    /// The ids of all items of a type, in the order of their creation.
    func ids(_ type: String = "T") throws -> [ItemID] {
        try read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: type)).map(\.uniqueToken)
        }
    }
}
