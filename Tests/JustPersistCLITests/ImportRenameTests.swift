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
