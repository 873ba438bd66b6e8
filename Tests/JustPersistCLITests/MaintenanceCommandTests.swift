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

    /// Zeroes or garbage in place of some bytes of a file.
    private func overwrite(_ name: String, _ place: (Int) -> Range<Int>, with byte: UInt8?) throws {
        let file = tool.directory.url.appending(path: "store/" + name)
        var bytes = try Data(contentsOf: file)
        for offset in place(bytes.count) {
            bytes[offset] = byte ?? UInt8(truncatingIfNeeded: offset &* 167 &+ 13)
        }
        try bytes.write(to: file)
    }

    private static let damages = [
        "lmdb first pages zero", "lmdb first pages garbage", "lmdb first page garbage",
        "lmdb rest zero",
        "leveldb without CURRENT", "leveldb without MANIFEST", "leveldb CURRENT empty",
        "leveldb MANIFEST cut off",
    ]

    /// The errors said that an LMDB store belongs to another program, and that there is no LevelDB store.
    @Test(arguments: damages)
    func everyCommandSaysHowToSaveAStoreThatCannotBeOpened(_ damage: String) throws {
        let scheme = String(damage.prefix { $0 != " " })
        let store = try filled(scheme)
        let whole = try tool("query", store, "T", "--format", "jsonl").output
        let place = tool.directory.url.appending(path: "store")
        let files = FileManager.default
        let manifest = try files.contentsOfDirectory(atPath: place.path).first {
            $0.hasPrefix("MANIFEST")
        }
        switch damage.dropFirst(scheme.count + 1) {
        case "first pages zero": try overwrite("data.mdb", { _ in 0..<8192 }, with: 0)
        case "first pages garbage": try overwrite("data.mdb", { _ in 0..<8192 }, with: nil)
        case "first page garbage": try overwrite("data.mdb", { _ in 0..<4096 }, with: nil)
        case "rest zero": try overwrite("data.mdb", { 8192..<$0 }, with: 0)
        case "without CURRENT": try files.removeItem(at: place.appending(path: "CURRENT"))
        case "without MANIFEST": try files.removeItem(at: place.appending(path: #require(manifest)))
        case "CURRENT empty": try overwrite("CURRENT", { 0..<$0 }, with: 0)
        default: try overwrite(#require(manifest), { 8..<$0 }, with: 0)
        }
        let rows = try tool.file("more", "{\"n\":3}\n")
        for words in [
            ["info", store], ["query", store, "T"], ["verify", store], ["export", store, "T"],
            ["import", store, "T", rows], ["backup", store, place.path + "-copy"],
        ] {
            let run = try tool.start(words).end()
            #expect(run.status == 1 && !run.isKilled, "\(words)")
            #expect(
                run.errors.contains("justpersist repair STORE --into DIRECTORY")
                    && run.errors.contains("a backup"), "\(words) \(run.errors)")
            #expect(
                run.errors.contains("damaged")
                    || run.errors.contains("no file “CURRENT”"))
        }
        guard damage != "lmdb rest zero" else { return }
        let new = place.path + "-new"
        #expect(try !tool.start(["repair", store, "--into", new]).end().isKilled)
        try #expect(tool("query", scheme + ":" + new, "T", "--format", "jsonl").output == whole)
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
