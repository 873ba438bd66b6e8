import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistRecords
import Testing

/// The other verbs, and the ways in which all of them end.
@Suite struct CommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func expectError(_ run: Tool.Run, _ text: String) {
        #expect(run.status == 1 && !run.isKilled)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("justpersist: ") && run.errors.contains(text), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func importInfoMigrateAndVerifyAgree(scheme: String) throws {
        let store = tool.store(scheme)
        let file = try tool.file("rows.json", #"{"rows": [{"a": 1, "b": "x"}, {"a": 1.5}]}"#)
        #expect(try tool("import", store, "T", file).output == "2 items imported into “T”.\n")
        #expect(try tool("import", store, "U", file, "--skip", "1").status == 0)

        let info = try tool("info", store)
        let line = try tool("info", store + "?readOnly=1").output.prefix { $0 != "\n" }
        #expect(line.contains(": 2 types, ") && !line.contains(" 0 bytes"), "\(line)")
        #expect(info.status == 0)
        let text = info.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(text[0].hasPrefix("\(store): 2 types, "))
        #expect(
            text.dropFirst().joined(separator: "\n") == """

                T: 2 items
                  ATTRIBUTE  KINDS
                  ---------  -----------
                  a          int, double
                  b          string

                U: 1 item
                  ATTRIBUTE  KINDS
                  ---------  ------
                  a          double

                """)
        let json = try JSONSerialization.jsonObject(
            with: Data(try tool("info", store, "--format", "json").output.utf8))
        let types = (json as? [String: Any])?["types"] as? [[String: Any]]
        #expect(types?.map { $0["name"] as? String } == ["T", "U"])
        #expect(types?.map { $0["count"] as? Int } == [2, 1])
        #expect(((json as? [String: Any])?["sizeOnDisk"] as? Int ?? 0) > 0)

        let copy = tool.store(scheme == "lmdb" ? "leveldb" : "lmdb", "copy")
        let migration = try tool("migrate", store, copy)
        let lines = migration.output.split(separator: "\n")
        #expect(lines.count == 5 && lines.last == "verified")
        #expect(lines[2] == "T          2       2" && lines[3] == "U          1       1")
        for options in [[], ["--update"]] {
            #expect(
                try tool.start(["migrate", store, copy] + options).end().output
                    == migration.output)
        }
        let diff = try tool("diff", store, copy)
        #expect(diff.output == "3 items are the same.\n")
        #expect(diff.status == 0 && diff.errors.isEmpty)
        let other = tool.store(scheme, "other")
        #expect(try tool("import", other, "T", file).status == 0)
        expectError(try tool("migrate", store, other), "items that the source does not have")
        let differences = try tool("diff", store, other)
        #expect(differences.status == 1)
        #expect(differences.errors == "justpersist: The stores differ: 1 type, 5 items.\n")
        let signs = differences.output.split(separator: "\n").map { $0.prefix(4) }
        #expect(signs == ["- T ", "- T ", "+ T ", "+ T ", "- ty", "- U "])
        for url in [store, copy] {
            let run = try tool("verify", url)
            #expect(run.output == "TYPE  ITEMS\n----  -----\nT         2\nU         1\nOK\n")
            #expect(run.status == 0 && run.errors.isEmpty)
        }
        expectError(try tool("migrate", store, store), "are the same store")
    }

    @Test func wrongCallsAreUsageErrors() throws {
        for arguments in [
            ["query"], ["nonsense"], ["info", "lmdb:x", "--format", "xml"],
            ["import", "memory:", "T", "f", "--at", "a", "--format", "jsonl"],
            ["import", "memory:", "T", "f", "--skip", "-1"],
            ["query", "x", "T", "--sort", ":desc"], ["query", "x", "T", "--limit=-1"],
            ["query", "x", "T", "--offset=-1"],
        ] {
            let run = try tool.start(arguments).end()
            #expect(run.status == 64, "\(arguments)")
            #expect(run.errors.contains("Usage:"))
        }
        let help = try tool("--help")
        #expect(help.status == 0 && help.output.contains("SUBCOMMANDS"))
    }

    @Test(arguments: ["info", "verify", "query", "migrate"])
    func storesThatAreNotThereAreNotMade(verb: String) throws {
        for scheme in ["lmdb", "leveldb"] {
            let rest = verb == "query" ? ["T"] : verb == "migrate" ? ["memory:"] : []
            let missing = tool.store(scheme, "missing")
            expectError(try tool.start([verb, missing] + rest).end(), "There is no")
            let path = tool.directory.url.appending(path: "missing").path
            #expect(!FileManager.default.fileExists(atPath: path))
            let other = try tool.file("other", "x")
            expectError(try tool.start([verb, "\(scheme):\(other)"] + rest).end(), "is a file")
            let directory = tool.directory.url.path
            expectError(
                try tool.start([verb, "\(scheme):\(directory)"] + rest).end(), "holds files")
        }
        let rest = verb == "query" ? ["T"] : verb == "migrate" ? ["memory:"] : []
        expectError(
            try tool.start([verb, "redis:x"] + rest).end(), "known here: leveldb:, lmdb:, memory:")
        expectError(try tool.start([verb, "x"] + rest).end(), "SCHEME:PATH")
    }

    @Test func filesThatCannotBeImportedMakeNoStore() throws {
        let store = tool.store("lmdb")
        let missing = tool.directory.url.appending(path: "missing.json").path
        expectError(try tool("import", store, "T", missing), "There is no file")
        expectError(try tool("import", store, "T", tool.directory.url.path), "is a directory")
        expectError(try tool("info", store), "There is no")
    }

    @Test func anEmptyFileIsSaidToHoldNothing() throws {
        let run = try tool("import", "memory:", "T", tool.file("empty.jsonl", ""))
        #expect(run.status == 0)
        #expect(run.output == "0 items imported: there are none in “empty.jsonl”.\n")
        let skipped = try tool(
            "import", "memory:", "T", tool.file("one.jsonl", "{}"), "--skip", "9")
        #expect(skipped.output == "0 items imported: “one.jsonl” has no row after the first 9.\n")
    }

    @Test func aBadLineIsNamed() throws {
        let file = try tool.file("bad.jsonl", "{\"a\":1}\n{\"a\":\n")
        expectError(try tool("import", tool.store("leveldb"), "T", file), "“bad.jsonl”, line 2: ")
        #expect(try tool("verify", tool.store("leveldb")).output.hasSuffix("OK\n"))
    }

    @Test func aStoreOfANewerFormatIsRefused() throws {
        let place = tool.directory.url.appending(path: "store")
        try LMDBDataStore.open(at: place).close()
        let engine = LMDBEngine(at: place)
        try engine.open()
        try engine.write { writer in
            var header: (key: [UInt8], value: [UInt8]) = ([], [])
            try writer.scan(.all, reversed: false) { (key, value) throws(DataStoreError) in
                header = ([UInt8](copying: key), [UInt8](copying: value))
                return .stop
            }
            header.value[8] = 99
            try writer.put(header.value.span, forKey: header.key.span)
        }
        engine.close()
        for verb in ["info", "verify"] {
            expectError(try tool(verb, tool.store("lmdb")), "format 99")
        }
    }

    @Test func aStoreThatAnotherProcessHoldsIsSaidToBe() throws {
        let store = LevelDBDataStore(at: tool.directory.url.appending(path: "store"))
        try store.open()
        expectError(try tool("info", tool.store("leveldb")), "Another process")
        try store.close()
        #expect(try tool("info", tool.store("leveldb")).status == 0)
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write anywhere"))
    func aDirectoryThatMayNotBeWrittenToIsRefused() throws {
        let place = tool.directory.url.appending(path: "locked")
        try FileManager.default.createDirectory(
            at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
        let file = try tool.file("rows.jsonl", "{}")
        expectError(try tool("import", tool.store("lmdb", "locked/s"), "T", file), "locked")
    }

    @Test func damageIsReportedWhateverItDoesToTheReader() throws {
        let file = try tool.file(
            "rows.jsonl",
            (0..<2000).map { "{\"n\":\($0),\"s\":\"text \($0)\"}" }.joined(separator: "\n"))
        try #require(try tool("import", tool.store("lmdb"), "T", file).status == 0)
        let data = tool.directory.url.appending(path: "store/data.mdb")
        let sound = try Data(contentsOf: data)
        var damaged = sound
        // The pages after the two meta pages.
        for index in stride(from: 8192, to: damaged.count, by: 64) { damaged[index] ^= 0xff }
        try damaged.write(to: data)
        let run = try tool("verify", tool.store("lmdb"))
        #expect(run.status == 1 && !run.isKilled)
        #expect(run.errors.hasPrefix("justpersist: "))
        try sound.prefix(sound.count / 2).write(to: data)
        #expect(try tool("verify", tool.store("lmdb")).status == 1)
    }

    /// The size of the lock file is the number of readers that every process which has it open has room for.
    @Test func anotherProcessDoesNotMakeTheLockFileLonger() throws {
        let place = tool.directory.url.appending(path: "locks")
        let store = LMDBDataStore(
            at: place, configuration: LMDBConfiguration(maximumReaders: 10))
        try store.open()
        defer { try? store.close() }
        try store.write { db in try db.declare(ItemSchema("T", attributes: [])) }
        func size() throws -> Int? {
            try FileManager.default.attributesOfItem(
                atPath: place.appending(path: "lock.mdb").path)[.size] as? Int
        }
        let before = try size()
        #expect(try tool("info", "lmdb:\(place.path)?readers=1000").status == 0)
        #expect(try size() == before)
    }

    /// One damaged entry of the catalog hides no other type.
    @Test func infoShowsTheTypesBesideADamagedOne() throws {
        let directory = tool.directory.url.appending(path: "damaged")
        let store = LMDBDataStore(at: directory)
        try store.open()
        for type in ["First", "Second"] {
            try store.write { db in
                try db.declare(ItemSchema(type, attributes: [AttributeSchema("name")]))
                try db.create(type)["name"] = .string("a")
            }
        }
        try store.close()
        let engine = LMDBEngine(at: directory)
        try engine.open()
        try engine.write { writer in
            // The entry of the first type, by the file format: the catalog's tag, then the number.
            let key: [UInt8] = [1, 0, 0, 0, 1]
            var entry: [UInt8] = []
            _ = try writer.withValue(forKey: key.span) { value in
                entry = value.indices.map { value[$0] }
            }
            entry[try #require(entry.indices.last)] ^= 1
            try writer.put(entry.span, forKey: key.span)
        }
        engine.close()
        let run = try tool("info", "lmdb:\(directory.path)")
        #expect(run.status == 1)
        #expect(run.output.contains("First: damaged."))
        #expect(run.output.contains("Second: 1 item\n"))
        #expect(run.errors.contains("Run verify"))
    }
}
