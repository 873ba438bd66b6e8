import Testing

/// `import` with names that are not those of the file.
@Suite struct ImportRenameTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func rows(_ store: String) throws -> String {
        try tool("query", store, "T", "--format", "jsonl").output
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func keyPathsAndColumnsAreRenamed(scheme: String) throws {
        let store = tool.store(scheme)
        let file = try tool.file(
            "q.json", #"{"features": [{"p": {"mag": 2}, "g": {"c": [1, 5]}}]}"#)
        let run = try tool(
            "import", store, "T", file, "--at", "features", "--rename", "p.mag=mag", "--rename",
            "g.c.1=depth")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try rows(store).contains(#""mag":2"#) && rows(store).contains(#""depth":5"#))
        let csv = try tool.file("q.csv", ",a.b;c\n1,2\n")
        let refused = try tool("import", store, "T", csv)
        #expect(refused.status == 1 && refused.errors.contains("--rename '=NAME'"))
        #expect(
            try tool("import", store, "T", csv, "--rename", "=i", "--rename", "a.b;c=n").status == 0
        )
        #expect(try rows(store).contains(#""n":2"#))
        #expect(try tool("import", store, "T", csv, "--columns", "i,").status == 0)
        for wrong in ["a", "a="] {
            #expect(try tool("import", store, "T", csv, "--rename", wrong).status == 64)
        }
    }

    @Test func aColumnThatIsNotThereIsNoted() throws {
        let store = tool.store("lmdb")
        for file in [
            try tool.file("r.jsonl", "{\"a\":1}\n{\"a\":2,\"b\":3}\n"),
            try tool.file("r.csv", "a,b\n1,\n2,3\n"),
        ] {
            let run = try tool(
                "import", store, "T", file, "--rename", "aa=c", "--rename", "b=d")
            #expect(run.status == 0)
            #expect(run.errors.contains("No row has “aa”, which --rename names."))
            #expect(!run.errors.contains("“b”"))
        }
    }

    @Test func optionsForAnotherFormatAreRefused() throws {
        let store = tool.store("lmdb")
        let json = try tool.file("r.jsonl", "{\"a\":1}\n")
        #expect(
            try tool("export", store, "T", "-", "--delimiter", ";").errors.contains("is for CSV"))
        for words in [
            ["--schema", "a:int"], ["--separator", ";"], ["--trim"], ["--columns", "a"],
            ["--no-header", "--columns", "a"],
        ] {
            for file in [json, "-"] {
                let run = try tool.start(["import", store, "T", file] + words).end()
                #expect(run.status == 64 && run.errors.contains("is for CSV"), "\(run.errors)")
            }
        }
        let csv = try tool.file("r.csv", "a\n1\n")
        #expect(try tool("import", store, "T", csv, "--at", "a").status == 64)
        #expect(try tool("import", store, "T", csv, "--schema", "a:int,a:string").status == 64)
    }

    /// An attribute of that name would hide the id from predicates.
    @Test func anAttributeNamedUniqueTokenIsRefused() throws {
        let store = tool.store("lmdb")
        let file = try tool.file("r.jsonl", "{\"a\":1}\n")
        #expect(try tool("import", store, "T", file).status == 0)
        let ids = try tool("query", store, "T", "--format", "csv", "--columns", "uniqueToken,a")
        for given in [
            try tool.file("u.csv", ids.output), try tool.file("u.json", #"[{"uniqueToken": "1"}]"#),
        ] {
            let run = try tool("import", store, "T", given)
            #expect(run.status == 1 && run.errors.contains("--rename 'uniqueToken=$id'"))
        }
        let csv = try tool.file("u.csv", ids.output.replacing(",1\n", with: ",2\n"))
        let again = try tool("import", store, "T", csv, "--rename", "uniqueToken=$id")
        #expect(again.output == "0 items imported into “T”, 1 updated.\n", "\(again.errors)")
        #expect(try rows(store) == "{\"a\":2}\n")
        #expect(try tool("import", store, "T", file, "--rename", "a=uniqueToken").status == 1)
        // A relationship's column is not stored.
        let key = try tool.file("k.jsonl", "{\"k\":1}\n")
        #expect(try tool("import", store, "Artist", key, "--key", "k").status == 0)
        let album = try tool.file("album.csv", "uniqueToken,title\n1,a\n")
        let related = try tool(
            "import", store, "Album", album, "--relation", "artist=Artist.k:uniqueToken")
        #expect(related.status == 0, "\(related.errors)")
        for words in [
            ["rename", store, "T", "uniqueToken", "--attribute", "a"],
            ["convert", store, "T", "a", "date", "--keep-as", "uniqueToken"],
        ] {
            #expect(try tool.start(["schema"] + words).end().status == 64)
        }
    }

    @Test func separatorsAndBlanks() throws {
        let store = tool.store("lmdb")
        let file = try tool.file("s.csv", "a; b\n1; x\n")
        let refused = try tool("import", store, "T", file)
        #expect(refused.errors.contains("--separator ';'"), "\(refused.errors)")
        #expect(try tool("import", store, "T", file, "--separator", ";").errors.contains("--trim"))
        // Quotation marks stand where only the other separator allows them.
        let quoted = try tool("import", store, "T", tool.file("q.csv", "a;b\n\"1\";\"x;y\"\n"))
        #expect(quoted.errors.contains("--separator ';'"), "\(quoted.errors)")
        let run = try tool("import", store, "T", file, "--delimiter", ";", "--trim")
        #expect(run.output == "1 item imported into “T”.\n")
        #expect(try rows(store).contains(#""b":"x""#))
    }
}
