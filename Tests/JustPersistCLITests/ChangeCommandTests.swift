import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// What `update` and `delete` do.
@Suite struct ChangeCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func makeStore(_ scheme: String) throws -> String {
        let store = tool.store(scheme)
        let rows = try tool.file(
            "rows.jsonl",
            """
            {"name":"a","stars":5,"opened":{"$date":0},"open":true,"tags":["x"],"address":{"zip":"1"}}
            {"name":"b","stars":4}
            {"name":"c","stars":2}

            """)
        try #require(try tool("import", store, "Place", rows).status == 0)
        return store
    }

    private func lines(_ store: String, _ columns: String) throws -> [Substring] {
        let run = try tool("query", store, "Place", "--format", "csv", "--columns", columns)
        return Array(run.output.split(separator: "\n").dropFirst())
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func itemsThatMatchAreChanged(_ scheme: String) throws {
        let store = try makeStore(scheme)
        let run = try tool(
            "update", store, "Place", "--where", "stars > 3", "--set", "stars=1", "--set",
            "name=null", "--set", "opened=2026-03-01T12:00:00Z", "--set", "open=false", "--set",
            #"tags=["y",1]"#, "--set", "address.zip=77", "--yes")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output == "2 items changed.\n")
        #expect(
            try lines(store, "name,stars,opened,open,tags,address.zip") == [
                #",1,2026-03-01T12:00:00.000Z,false,"[""y"",1]",77"#,
                #",1,2026-03-01T12:00:00.000Z,false,"[""y"",1]",77"#, "c,2,,,,",
            ])
        let text = try tool(
            "update", store, "Place", "--where", "name == 'c'", "--set", #"name="null""#, "--yes")
        #expect(text.output == "1 item changed.\n")
        #expect(try lines(store, "name").last == "null")
        #expect(try tool("verify", store).status == 0)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func anAttributeIsAddedOnlyIfThatIsAskedFor(_ scheme: String) throws {
        let store = try makeStore(scheme)
        let slip = try tool(
            "update", store, "Place", "--where", "stars > 3", "--set", "star=1", "--yes")
        #expect(slip.status == 1)
        #expect(slip.errors.contains("“star”, which --set asks for. Did you mean “stars”?"))
        #expect(slip.errors.contains("A new attribute is added by --add."))
        let there = try tool(
            "update", store, "Place", "--where", "stars > 3", "--add", "stars=1", "--yes")
        #expect(there.status == 1 && there.errors.contains("has an attribute “stars” already"))
        let none = try tool(
            "update", store, "Place", "--where", "stars > 9", "--add", "x=1", "--yes")
        #expect(none.output == "0 items changed.\n")
        #expect(try tool("query", store, "Place", "--columns", "x").status == 1)
        let run = try tool(
            "update", store, "Place", "--where", "stars > 3", "--add", "visited=false", "--add",
            "code:string=007", "--add", "since:date=2026-03-01T12:00:00Z", "--add",
            ##"#"a:int"=x"##, "--add", "my note=b", "--set", "stars=1", "--yes")
        #expect(run.output == "2 items changed.\n" && run.errors.isEmpty, "\(run.errors)")
        #expect(
            try lines(store, "visited,code,since,a:int,my note,stars") == [
                "false,007,2026-03-01T12:00:00.000Z,x,b,1",
                "false,007,2026-03-01T12:00:00.000Z,x,b,1", ",,,,,2",
            ])
        #expect(try tool("verify", store).status == 0)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func itemsThatMatchAreDeleted(_ scheme: String) throws {
        let store = try makeStore(scheme)
        let none = try tool("delete", store, "Place", "--where", "stars > 9")
        #expect(none.status == 0 && none.output == "0 items deleted.\n")
        let run = try tool("delete", store, "Place", "--where", "stars > 3", "--yes")
        #expect(run.status == 0 && run.output == "2 items deleted.\n")
        #expect(try lines(store, "name") == ["c"])
        #expect(try tool("verify", store).status == 0)
    }

    @Test func itemsAreNamedByTheirIDs() throws {
        let store = try makeStore("lmdb")
        let ids = try lines(store, "uniqueToken").map(String.init)
        let update = try tool(
            "update", store, "Place", "--id", ids[1], "--set", "stars=1", "--yes")
        #expect(update.output == "1 item changed.\n", "\(update.errors)")
        let unasked = try tool.start(["delete", store, "Place", "--id", ids[0]]).end()
        #expect(unasked.status == 1 && unasked.errors.contains("1 item of “Place” would be"))
        let unknown = UUID().uuidString.lowercased()
        let delete = try tool(
            "delete", store, "Place", "--id", ids[0], "--id", ids[0], "--id", unknown, "--yes")
        #expect(delete.output == "1 item deleted.\n")
        #expect(delete.errors.contains("There is no item \(unknown) of “Place”."))
        #expect(try lines(store, "name,stars") == ["b,1", "c,2"])
        let none = try tool("update", store, "Place", "--id", unknown, "--set", "stars=1", "--yes")
        #expect(none.output == "0 items changed.\n" && none.errors.contains(unknown))
        for words in [["--id", "x"], ["--id", ids[1], "--where", "stars = 1"], []] {
            #expect(try tool.start(["delete", store, "Place", "--yes"] + words).end().status == 64)
        }
    }

    /// An item that a cascade has deleted before its turn counts as one of the named ones.
    @Test func itemsOfACascadeAreNamedByTheirIDs() throws {
        let store = tool.store("lmdb")
        let rows = try tool.file(
            "n.jsonl",
            (0..<20).map { "{\"n\":\($0),\"up\":\($0 == 0 ? "null" : "\($0 - 1)")}" }.joined(
                separator: "\n"))
        let made = try tool(
            "import", store, "Node", rows, "--key", "n", "--relation", "parent=Node.n:up",
            "--inverse",
            "parent=children", "--delete-rule", "children=cascade")
        #expect(made.status == 0, "\(made.errors)")
        let ids = try tool(
            "query", store, "Node", "--columns", "uniqueToken", "--sort", "n", "--format", "csv"
        ).output.split(separator: "\n").dropFirst().map(String.init)
        let asked = try tool.start(["delete", store, "Node", "--id", ids[18]]).end()
        #expect(
            asked.errors.contains("1 item of “Node” would be deleted, and 1 other item with it."))
        let run = try tool.start(
            ["delete", store, "Node", "--yes"] + ids[10...].flatMap { ["--id", $0] }
        ).end()
        #expect(run.output == "10 items deleted.\n" && run.errors.isEmpty, "\(run)")
        let rest = try tool("delete", store, "Node", "--yes", "--id", ids[8])
        #expect(rest.output == "1 item deleted, and 1 other with it.\n", "\(rest)")
        #expect(try tool("verify", store).status == 0)
    }

    @Test func aValueThatIsNotOfItsKindIsNoText() throws {
        let store = try makeStore("lmdb")
        for words in [
            ["--set", #"address.x={"$date":"soon"}"#], ["--add", #"n={"$uuid":"nope"}"#],
        ] {
            let run = try tool.start(
                ["update", store, "Place", "--where", "stars = 5", "--yes"] + words
            ).end()
            #expect(run.status == 1 && run.errors.contains("is the notation of a kind"))
        }
    }

    /// The error for a damaged item names the command, which deletes it although no read returns it.
    @Test func aDamagedItemIsDeletedByItsID() throws {
        let store = try makeStore("lmdb")
        let ids = try lines(store, "uniqueToken").map(String.init)
        let engine = LMDBEngine(at: URL(filePath: String(store.dropFirst("lmdb:".count))))
        try engine.open()
        let prefix: [UInt8] = [3]
        var records: [(key: [UInt8], value: [UInt8])] = []
        try engine.write { writer in
            try writer.scan(KeyRange(prefix: prefix), reversed: false) {
                (key, value) throws(DataStoreError) in
                records.append(
                    (key.indices.map { key[$0] }, value.indices.map { value[$0] }))
                return .next
            }
            var (key, value) = try #require(
                records.first { $0.value.contains(UInt8(ascii: "b")) && $0.key.count > 16 })
            value[value.count - 1] ^= 1
            try writer.put(value.span, forKey: key.span)
        }
        engine.close()
        let query = try tool("query", store, "Place")
        #expect(query.status == 1 && query.errors.contains("delete with --id"), "\(query.errors)")
        let damaged = try #require(ids.first { query.errors.contains($0) })
        let delete = try tool("delete", store, "Place", "--id", damaged, "--yes")
        #expect(delete.output == "1 item deleted.\n", "\(delete.errors)")
        #expect(try lines(store, "name").count == 2)
        #expect(try tool("verify", store).status == 0)
    }

    @Test func nothingHappensUnasked() throws {
        let store = try makeStore("lmdb")
        for arguments in [
            ["delete", store, "Place", "--where", "stars > 3"],
            ["update", store, "Place", "--where", "stars > 3", "--set", "stars=0"],
        ] {
            let run = try tool.start(arguments).end()
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains("2 items of “Place” would be"))
            #expect(run.errors.contains("add --yes"))
            #expect(run.errors.split(separator: "\n").count == 1)
        }
        #expect(try lines(store, "stars") == ["5", "4", "2"])
    }

    @Test func whatIsWrongIsSaidAndNothingIsChanged() throws {
        let store = try makeStore("lmdb")
        let cases: [([String], Int32, String)] = [
            (["update", "--set", "star=1"], 1, "--set asks for. Did you mean “stars”?"),
            (["update", "--set", "stars=many"], 1, "“many” cannot be read as int"),
            (["update", "--set", "stars=1.5"], 1, "cannot be read as int"),
            (["update", "--set", "opened=tomorrow"], 1, "cannot be read as date"),
            (["update", "--set", "opened=2026-03-01T15:30:00"], 1, "cannot be read as date"),
            (["update", "--set", "opened=2026-03-01x"], 1, "cannot be read as date"),
            (["update", "--set", "opened=2026-03-01T12:00:00Zjunk"], 1, "cannot be read as date"),
            (["update", "--set", "uniqueToken=1"], 1, "never changes"),
            (["update", "--set", "name.first=x"], 1, "no dictionary"),
            (["update"], 64, "--set"),
            (["update", "--set", "stars"], 64, "Usage:"),
            (
                ["update", "--set", "stars=1", "--set", "stars=2"], 64,
                "“stars” is given two values"
            ),
        ]
        for (arguments, status, text) in cases {
            let rest = arguments.dropFirst()
            let run = try tool.start(
                [arguments[0], store, "Place", "--where", "TRUEPREDICATE", "--yes"] + rest
            ).end()
            #expect(run.status == status && run.output.isEmpty, "\(arguments)")
            #expect(run.errors.contains(text), "\(run.errors)")
        }
        let unknown = try tool("delete", store, "Place", "--where", "star > 1", "--yes")
        #expect(unknown.status == 1 && unknown.errors.contains("Did you mean “stars”?"))
        #expect(try tool("delete", store, "Place", "--yes").status == 64)
        let type = try tool("delete", store, "Plaice", "--where", "stars > 1", "--yes")
        #expect(type.status == 1 && type.errors.contains("“Place”"))
        let missing = tool.store("lmdb", "missing")
        #expect(try tool("delete", missing, "Place", "--where", "a = 1", "--yes").status == 1)
        #expect(try lines(store, "name,stars") == ["a,5", "b,4", "c,2"])
    }

    @Test func aValueThatTwoItemsMayNotShareIsReported() throws {
        let directory = tool.directory.url.appending(path: "unique")
        let store = LMDBDataStore(at: directory)
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Place",
                    attributes: [AttributeSchema("permit", kinds: [.string], isUnique: true)]))
            for permit in ["1", "2"] { try db.create("Place")["permit"] = .string(permit) }
        }
        try store.close()
        let url = "lmdb:\(directory.path)"
        let run = try tool(
            "update", url, "Place", "--where", "TRUEPREDICATE", "--set", "permit=7", "--yes")
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("permit") && !run.errors.contains("Swift"), "\(run.errors)")
        #expect(try lines(url, "permit") == ["1", "2"])
    }
}
