import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import Testing

/// What stands behind the path in a store's URL.
@Suite struct StoreURLTests {
    init() {
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
    }

    @Test(arguments: ["lmdb", "leveldb"]) func optionsAreHeeded(_ scheme: String) throws {
        try withTemporaryDirectory { directory in
            let url = "\(scheme):\(directory.path)"
            expectError(.storeNotFound) { _ = try DataStores.open(url + "?create=no") }
            expectError(.storeNotFound) { _ = try DataStores.open(url + "?readonly=1&create=0") }
            let store = try DataStores.open(url + "?durability=relaxed")
            #expect(store.capabilities.persistence == .processCrash)
            try store.fill(["a"])
            try store.close()
            let reader = try DataStores.open(
                url + "?readonly=true", options: DataStoreOptions(durability: .full))
            #expect(reader.capabilities.isReadOnly)
            expectError(.readOnly) { try reader.fill(["b"]) }
            try #expect(reader.names() == ["a"])
            try reader.close()
            // Code that only reads is not made to write by a URL.
            let second = try DataStores.open(
                url + "?readonly=0", options: DataStoreOptions(isReadOnly: true))
            #expect(second.capabilities.isReadOnly)
            try second.close()
            let names = try FileManager.default.contentsOfDirectory(
                atPath: directory.deletingLastPathComponent().path)
            #expect(!names.contains { $0.hasPrefix(directory.lastPathComponent + "?") })
        }
    }

    @Test(
        arguments: [
            "?", "?readonly", "?readonly=", "?readonly=2", "?readonly=1&", "?readonly=1?create=1",
            "?Readonly=1", "?durability=some", "?mode=ro", "?readonly=1&readonly=1",
        ])
    func optionsThatNobodyKnowsAreRefused(_ options: String) throws {
        try withTemporaryDirectory { directory in
            for scheme in ["lmdb", "leveldb", "memory"] {
                let path = scheme == "memory" ? "" : directory.path
                let error = expectError(.invalidStoreURL) {
                    _ = try DataStores.make("\(scheme):\(path)\(options)")
                }
                for word in ["readonly", "create", "durability"] {
                    #expect(error?.message.contains(word) == true)
                }
            }
            #expect(!FileManager.default.fileExists(atPath: directory.path))
        }
    }

    @Test func pathsAreTakenAsTheyAreWritten() throws {
        try withTemporaryDirectory { directory in
            for name in ["100%", "a%20b", "a#b", "a b", "a&b=c"] {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true)
                let path = directory.path + "/" + name
                let store = try DataStores.open("lmdb:\(path)")
                #expect(FileManager.default.fileExists(atPath: path))
                try store.close()
            }
        }
    }
}
