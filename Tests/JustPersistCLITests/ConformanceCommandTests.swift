import Foundation
import JustPersist
import Testing

/// The verb that runs the conformance kit.
@Suite struct ConformanceCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    @Test(arguments: ["memory:", "lmdb:", "leveldb:", "reference:"])
    func runsChecksOnABackend(store: String) throws {
        let run = try tool("conformance", store, "--only", "crud/delete-*,fixture/*", "--seed", "7")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("\(store) keeps the contract (level 1, quick)"))
        #expect(run.output.contains("seed 7"))
    }

    @Test func killsAndJudgesProcesses() throws {
        let run = try tool("conformance", "lmdb:", "--only", "dur/kill9-after-sync")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("1 passed"))
    }

    @Test func theScratchDirectoryIsLeftAsItWas() throws {
        let scratch = tool.directory.url.appending(path: "scratch")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        try "mine".write(
            to: scratch.appending(path: "data.mdb"), atomically: true, encoding: .utf8)
        let run = try tool("conformance", "lmdb:\(scratch.path)", "--only", "crud/token-is-stable")
        #expect(run.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["data.mdb"])
    }

    @Test func optionsOfAStoreAreRefused() throws {
        let run = try tool(
            "conformance", "lmdb:?durability=relaxed", "--only", "crud/types-do-not-mix")
        #expect(run.status == 1 && run.errors.contains("options that the checks choose"))
        // Options by which a server is reached are not refused.
        let server = try tool("conformance", "postgres://u:pass@h/d?pooling=transaction&store=a")
        #expect(server.status == 1 && server.errors.contains("the checks choose: “store”."))
        #expect(!server.errors.contains("pass"))
    }

    @Test func reportsAreForProgramsToo() throws {
        let run = try tool(
            "conformance", "memory:", "--only", "crud/token-is-stable@*", "--format", "json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let results = try #require(report["results"] as? [[String: Any]])
        #expect(
            results.compactMap { $0["id"] as? String }
                == ["reopened", "populated", "child", "grandchild"]
                .map { "crud/token-is-stable@\($0)" })
        for format in ["markdown", "junit"] {
            let run = try tool(
                "conformance", "memory:", "--only", "crud/types-do-not-mix", "--format", format)
            #expect(run.output.contains("types-do-not-mix") || format == "markdown")
            #expect(run.status == 0)
        }
    }

    @Test func whatCannotBeRunIsSaid() throws {
        for (arguments, text) in [
            (["nowhere:"], "No backend is registered for “nowhere:”"),
            (["lmdb"], "names no backend"),
        ] {
            let run = try tool.start(["conformance"] + arguments).end()
            #expect(run.status == 1)
            #expect(run.errors.contains(text), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
        let slip = try tool.start([
            "conformance", "memory:", "--only", "crud/set-nil-clears,nothing/*",
        ]).end()
        #expect(slip.status == 64)
        #expect(slip.errors.contains("“nothing/*”, which matches no check"), "\(slip.errors)")
        let nowhere = try tool.start([
            "conformance", "lmdb:/dev/null/place", "--only", "crud/set-nil-clears",
        ]).end()
        #expect(nowhere.status == 1)
        #expect(nowhere.output.contains("fixture/fresh-store-is-empty failed"), "\(nowhere.output)")
        #expect(try tool("conformance", "memory:", "--profile", "fast").status == 64)
        #expect(try tool("conformance", "memory:", "--timeout", "0").status == 64)
        #expect(try tool("conformance").status == 64)
    }

    @Test(arguments: [["conformance", "--help"], ["conformance", "-h"], ["help", "conformance"]])
    func itsHelpNamesTheOptions(arguments: [String]) throws {
        let run = try tool.start(arguments).end()
        #expect(run.status == 0)
        #expect(run.output.contains("USAGE: justpersist conformance <store>"), "\(run.output)")
        for option in ["--profile", "--only", "--seed", "--format", "--timeout", "--in-process"] {
            #expect(run.output.contains(option), "\(option)")
        }
    }

    @Test func withoutTheProgramOfTheChecksItIsSaidHowToBuildIt() throws {
        let advice = "swift build --product justpersist-conformance"
        let run = try tool.alone(path: "/nowhere", ["conformance", "memory:", "--only", "crud/*"])
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("justpersist: "), "\(run.errors)")
        #expect(run.errors.contains(advice), "\(run.errors)")
        #expect(run.errors.contains("make install-all"), "\(run.errors)")
        for arguments in [["conformance", "--help"], ["help", "conformance"]] {
            let help = try tool.alone(path: "/nowhere", arguments)
            #expect(help.status == 0 && help.output.contains(advice), "\(help.output)")
        }
        #expect(try tool.alone(path: "/nowhere", ["query", "--help"]).status == 0)
    }

    @Test func theProgramOfTheChecksIsFoundOnThePath() throws {
        let folder = tool.directory.url.appending(path: "bin with space")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = "#!/bin/sh\nprintf '%s|' \"$@\"; echo oh >&2; exit 7\n"
        let script = URL(filePath: try tool.file("script", lines))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        try tool.install(script, at: folder.appending(path: "justpersist-conformance"))
        let arguments = ["memory:", "--only", "a b", "--", "*", ""]
        let run = try tool.alone(
            path: "/nowhere::\(folder.path):/bin", ["conformance"] + arguments)
        #expect(run.output == arguments.map { $0 + "|" }.joined())
        #expect(run.errors == "oh\n")
        #expect(run.status == 7 && !run.isKilled)
    }
}
