import Foundation
import Testing

/// The verbs `export` and `import`, from file to file.
@Suite struct ExportCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: tool.directory.url.appending(path: name), encoding: .utf8)
    }

    private func path(_ name: String) -> String { tool.directory.url.appending(path: name).path }

    private static let lines = """
        {"name":"Café","opened":{"$date":1393804800000},"grades":[{"score":null}],"zip":"007"}
        {"name":"寿司 🍣","stars":4.5}
        {"name":"","stars":5}

        """

    @Test(arguments: ["lmdb", "leveldb"])
    func whatIsImportedIsExported(scheme: String) throws {
        let store = tool.store(scheme)
        let file = try tool.file("in.jsonl", Self.lines)
        #expect(try tool("import", store, "Place", file).status == 0)
        let export = try tool("export", store, "Place")
        #expect(export.status == 0 && export.errors.isEmpty)
        // As the attributes have come.
        #expect(
            export.output == """
                {"name":"Café","opened":{"$date":1393804800000},"grades":[{"score":null}],"zip":"007"}
                {"name":"寿司 🍣","stars":4.5}
                {"name":"","stars":5}

                """)
        for name in ["out.json", "out.jsonl.gz", "out.csv", "out.tsv.zst"] {
            let run = try tool("export", store, "Place", path(name))
            #expect(run.output == "3 items exported to “\(path(name))”.\n", "\(run.errors)")
            let copy = tool.store(scheme, "copy-\(name)")
            let schema = name.contains("sv") ? ["--schema", "grades:array"] : []
            let back = try tool.start(["import", copy, "Place", path(name)] + schema).end()
            #expect(back.output == "3 items imported into “Place”.\n", "\(back.errors)")
            let columns = "name,opened,grades,zip"
            #expect(
                try tool("export", copy, "Place", "--select", columns).output
                    == tool("export", store, "Place", "--select", columns).output)
        }
        let again = try tool("export", store, "Place", path("out.json"))
        #expect(again.status == 1 && again.errors.contains("--yes"))
        #expect(try tool("export", store, "Place", path("out.json"), "--yes").status == 0)
    }

    @Test func theItemsAreChosenAsInQueries() throws {
        let store = tool.store("lmdb")
        #expect(try tool("import", store, "Place", tool.file("in.jsonl", Self.lines)).status == 0)
        let options = ["--where", "stars != nil", "--sort", "stars:desc", "--limit", "1"]
        let run = try tool.start(
            ["export", store, "Place", "--format", "csv", "--select", "name,stars"] + options
        ).end()
        #expect(run.output == "name,stars\n\"\",5\n")
        for (options, reason) in [
            (["--where", "star > 1"], "no attribute “star”"), (["--sort", "x"], "--sort"),
            (["--select", "x"], "--select"),
        ] {
            let run = try tool.start(["export", store, "Place"] + options).end()
            #expect(run.status == 1 && run.errors.contains(reason), "\(run.errors)")
        }
        #expect(try tool("export", store, "Plaice").errors.contains("no type “Plaice”"))
        #expect(
            try tool("export", store, "Place", path("out.txt")).errors.contains("names no format"))
        #expect(!FileManager.default.fileExists(atPath: path("out.txt")))
    }

    @Test func idsComeBackThroughAPipe() throws {
        let (store, copy) = (tool.store("lmdb"), tool.store("leveldb", "copy"))
        #expect(try tool("import", store, "Place", tool.file("in.jsonl", Self.lines)).status == 0)
        let rows = try tool("export", store, "Place", "-", "--ids").output
        for expected in [
            "3 items imported into “Place”.\n", "0 items imported into “Place”, 3 updated.\n",
        ] {
            let running = try tool.start(["import", copy, "Place", "-"])
            #expect(running.feed(rows))
            #expect(try running.end().output == expected)
        }
        #expect(try tool("diff", store, copy).output == "3 items are the same.\n")
    }

    @Test func standardInputMayBeCSVOrPacked() throws {
        let store = tool.store("lmdb")
        let running = try tool.start(["import", store, "T", "-", "--format", "csv"])
        #expect(running.feed("a,b\n1,\n2,x"))
        #expect(try running.end().output == "2 items imported into “T”.\n")
        #expect(try tool("export", store, "T", path("out.jsonl.gz")).status == 0)
        let run = try tool.redirected("< \"\(path("out.jsonl.gz"))\"", ["import", store, "U", "-"])
        #expect(run.output == "2 items imported into “U”.\n", "\(run.errors)")
        #expect(try tool("export", store, "U").output == "{\"a\":1}\n{\"a\":2,\"b\":\"x\"}\n")
    }

    @Test func badRowsAreTold() throws {
        let store = tool.store("lmdb")
        let lines = (0..<60).map { $0 % 2 == 0 ? "{\"n\":\($0)}" : "bad" }.joined(separator: "\n")
        let file = try tool.file("in.jsonl", lines)
        let stopped = try tool("import", store, "T", file)
        #expect(stopped.status == 1 && stopped.output.isEmpty)
        #expect(
            stopped.errors.contains("“in.jsonl”, line 2: ")
                && stopped.errors.contains("Nothing was stored"))
        let run = try tool("import", store, "T", file, "--on-error", "skip")
        #expect(run.status == 1)
        #expect(run.output == "30 items imported into “T”, 30 rows left out.\n")
        let errors = run.errors.split(separator: "\n")
        #expect(errors.count == 21)
        #expect(errors[0].hasPrefix("justpersist: “in.jsonl”, line 2: "))
        #expect(errors[19].hasPrefix("justpersist: “in.jsonl”, line 40: "))
        #expect(errors[20] == "justpersist: 10 more rows were left out.")
    }

    @Test func aKeyUpdates() throws {
        let store = tool.store("leveldb")
        let first = try tool.file("a.csv", "permit,name\n1,x\n2,y\n")
        let second = try tool.file("b.csv", "permit,stars\n2,5\n3,4\n")
        #expect(
            try tool("import", store, "P", first, "--key", "permit").output
                == "2 items imported into “P”, 0 updated.\n")
        #expect(
            try tool("import", store, "P", second, "--key", "permit").output
                == "1 item imported into “P”, 1 updated.\n")
        #expect(
            try tool("export", store, "P", "--format", "csv").output
                == "permit,name,stars\n1,x,\n2,y,5\n3,,4\n")
        let plain = tool.store("lmdb", "plain")
        #expect(try tool("import", plain, "P", first).status == 0)
        let refused = try tool("import", plain, "P", second, "--key", "permit")
        #expect(refused.status == 1 && refused.errors.contains("index add STORE P permit --unique"))
        #expect(try tool("index", "add", plain, "P", "permit", "--unique").status == 0)
        #expect(try tool("import", plain, "P", second, "--key", "permit").status == 0)
    }

    @Test func aReaderThatGoesIsNoFailure() throws {
        let store = tool.store("lmdb")
        let lines = (0..<20_000).map { "{\"n\":\($0)}\n" }.joined()
        #expect(try tool("import", store, "T", tool.file("in.jsonl", lines)).status == 0)
        for format in ["json", "jsonl", "csv"] {
            let run = try tool.withClosedOutput(["export", store, "T", "--format", format])
            #expect(run.status == 0 && run.errors.isEmpty && !run.isKilled)
        }
        let head = try tool.redirected("| head -1", ["export", store, "T"])
        #expect(head.output == "{\"n\":0}\n" && head.errors.isEmpty)
    }

    @Test func wrongCallsAreUsageErrors() throws {
        for options in [
            ["--schema", "a"], ["--schema", "a:number"], ["--no-header"], ["--delimiter", "ab"],
            ["--on-error", "ignore"], ["--format", "xml"], ["--at", "a", "--format", "csv"],
        ] {
            let run = try tool.start(["import", "memory:", "T", "f"] + options).end()
            #expect(run.status == 64, "\(options)")
        }
        #expect(try tool("export", "memory:", "T", "--limit=-1").status == 64)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func anInterruptedExportLeavesNothing(scheme: String) throws {
        let store = tool.store(scheme)
        let lines = (0..<60_000).map {
            "{\"n\":\($0),\"text\":\"the row with the number \($0)\"}\n"
        }
        #expect(try tool("import", store, "T", tool.file("in.jsonl", lines.joined())).status == 0)
        let folder = tool.directory.url.appending(path: "out")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "out.jsonl.gz")
        let running = try tool.start(["export", store, "T", file.path])
        while try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty {
            usleep(1000)
        }
        running.interrupt()
        let run = try running.end()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        // It may have been through with it.
        if run.status == 0 {
            #expect(names == ["out.jsonl.gz"])
        } else {
            #expect(run.status == 130 && names == [])
            #expect(run.errors.contains("Interrupted: nothing was written"))
        }
    }
}
