import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import Testing

/// The verbs that look after a store.
@Suite struct MaintenanceCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func filled(_ scheme: String) throws -> String {
        let store = tool.store(scheme)
        let rows = try tool.file("rows", "{\"n\":1}\n{\"n\":2}\n")
        try #expect(tool("import", store, "T", rows).status == 0)
        return store
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func aBackupIsVerifiedAndNotWrittenOver(scheme: String) throws {
        let store = try filled(scheme)
        let copy = tool.directory.url.appending(path: "copy").path
        let run = try tool("backup", store, copy, "--verify")
        #expect(run.status == 0 && run.output.contains("OK") && run.errors.isEmpty)
        try #expect(
            tool("query", scheme + ":" + copy, "T", "--format", "jsonl").output
                == tool("query", store, "T", "--format", "jsonl").output)
        let again = try tool("backup", store, copy)
        #expect(again.status == 1 && again.errors.contains("already"))
        try #expect(tool("verify", scheme + ":" + copy).status == 0)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func aStoreIsCompacted(scheme: String) throws {
        let store = try filled(scheme)
        let run = try tool("compact", store)
        #expect(run.status == 0 && run.output.contains("bytes now"))
        try #expect(tool("verify", store).status == 0)
    }

    @Test func aStoreThatAnotherProcessHasOpenIsNotCompacted() throws {
        for scheme in ["lmdb", "leveldb"] {
            let store = try filled(scheme + "")
            let place = tool.directory.url.appending(path: "store")
            let opened: any DataStore =
                scheme == "lmdb" ? LMDBDataStore(at: place) : LevelDBDataStore(at: place)
            try opened.open()
            let run = try tool("compact", store)
            #expect(run.status == 1 && run.errors.contains("Another process"))
            try opened.write { db in try db.declare(ItemSchema("Other", attributes: [])) }
            try #expect(opened.verify().problems.isEmpty)
            try opened.destroy()
            try? FileManager.default.removeItem(at: place)
        }
    }

    @Test func repairAsksAndSaysWhatThereWasToDo() throws {
        let store = try filled("lmdb")
        let refused = try tool("repair", store)
        #expect(refused.status == 1 && refused.errors.contains("--yes"))
        let run = try tool("repair", store, "--yes")
        #expect(run.status == 0 && run.output == "Nothing to repair.\n")
    }

    @Test func aFileThatIsCutOffIsRefusedWithAMessage() throws {
        let store = try filled("lmdb")
        let file = tool.directory.url.appending(path: "store/data.mdb")
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count / 2).write(to: file)
        let copy = tool.directory.url.appending(path: "copy").path
        for words in [
            ["verify", store], ["repair", store, "--yes"], ["compact", store],
            ["backup", store, copy],
        ] {
            let run = try tool.start(words).end()
            #expect(run.status == 1 && !run.isKilled, "\(words)")
            #expect(run.errors.hasPrefix("justpersist: "), "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func whatCanBeReadIsSavedIntoANewStore(scheme: String) throws {
        let store = try filled(scheme)
        let new = tool.directory.url.appending(path: "new").path
        let run = try tool("repair", store, "--into", new)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.hasSuffix("The new store is in \(new).\n"))
        try #expect(
            tool("query", scheme + ":" + new, "T", "--format", "jsonl").output
                == tool("query", store, "T", "--format", "jsonl").output)
        let again = try tool("repair", store, "--into", new)
        #expect(again.status == 1 && again.errors.contains("already"))
    }

    @Test func whatIsLostIsSaid() throws {
        let store = try filled("lmdb")
        let file = tool.directory.url.appending(path: "store/data.mdb")
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count / 2).write(to: file)
        let new = tool.directory.url.appending(path: "new").path
        let run = try tool("repair", store, "--into", new)
        #expect(run.status == 1 && !run.isKilled)
        #expect(run.errors.hasPrefix("justpersist: "), "\(run.errors)")
    }
}
