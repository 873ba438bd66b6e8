import Foundation
import JustPersist
import JustPersistImportExport
import JustPersistMemory

/// A directory for one test, removed with all in it when it is let go.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "JustPersist-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A new file with that content.
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

/// What a text imports as, in a file of that name.
func imported(
    _ text: String, name: String = "rows.json", layout: JSONImport.Layout = .automatic,
    chunkSize: Int = 1 << 20
) throws -> [[String: DataStoreValue]] {
    let directory = try TemporaryDirectory()
    let store = try memoryStore()
    let file = try directory.file(name, Array(text.utf8))
    let rows = JSONImport(itemType: "T", layout: layout, chunkSize: chunkSize)
    let count = try rows.run(file, into: store)
    let result = try store.rows()
    return count == result.count ? result : []
}
