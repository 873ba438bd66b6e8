import Foundation
import Testing

/// The tool with each of its streams closed, full or without a reader.
@Suite struct StandardStreamsTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

    private func makeStore(_ scheme: String, rows: Int = 300) throws -> String {
        let store = tool.store(scheme)
        let text = (0..<rows).map { "{\"n\":\($0),\"text\":\"the text of row \($0)\"}\n" }.joined()
        try #require(try tool("import", store, "T", tool.file("rows.jsonl", text)).status == 0)
        return store
    }

    private func calls(_ store: String) -> [[String]] {
        [
            ["info", store], ["query", store, "T", "--format", "csv"], ["verify", store],
            ["migrate", store, "memory:"],
            ["import", store, "U", tool.directory.url.appending(path: "rows.jsonl").path],
        ]
    }

    private static let otherCalls = [
        ["conformance", "memory:", "--only", "crud/set-nil-clears"], ["--help"], ["help", "query"],
    ]

    @Test func errorsThatCannotBeWrittenDoNotChangeTheEnd() throws {
        let store = try makeStore("leveldb", rows: 3)
        let endings: [([String], Int32)] = [
            (["info", tool.store("lmdb", "missing")], 1),
            (["verify", tool.store("lmdb", "no")], 1),
            (["query", store, "T", "--where", "nope"], 1), (["import", "memory:", "T", "no"], 1),
            (["migrate", store, store], 1), (["conformance", "nowhere:"], 1), (["info"], 64),
            (["nonsense"], 64), (["query", store, "T"], 0), (["verify", store], 0),
            (["conformance", "memory:", "--only", "crud/set-nil-clears"], 0),
        ]
        for (arguments, status) in endings {
            var runs = [
                try tool.withClosedErrors(arguments), try tool.redirected("2>&-", arguments),
            ]
            if Self.hasFullDevice { runs.append(try tool.redirected("2>/dev/full", arguments)) }
            for run in runs {
                #expect(run.status == status && !run.isKilled, "\(arguments): \(run.status)")
            }
        }
    }

    /// The number of a closed stream is the number of the next file to be opened.
    @Test(arguments: ["lmdb", "leveldb"])
    func nothingIsPrintedIntoAStoreWhateverIsClosed(scheme: String) throws {
        let store = try makeStore(scheme)
        for streams in ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"] {
            for arguments in calls(store) {
                let run = try tool.redirected(streams, arguments)
                #expect(!run.isKilled, "\(arguments) \(streams)")
                #expect(
                    run.status == (streams.split(separator: " ").contains(">&-") ? 1 : 0),
                    "\(arguments) \(streams): \(run.errors)")
            }
        }
        #expect(try tool("verify", store).output.hasSuffix("OK\n"))
        let place = tool.directory.url.appending(path: "store")
        for name in try FileManager.default.contentsOfDirectory(atPath: place.path) {
            let bytes = try Data(contentsOf: place.appending(path: name))
            for printed in [
                "justpersist: ", "ATTRIBUTE  KINDS", "n,text", "TYPE  ITEMS", "imported into",
            ] {
                #expect(bytes.range(of: Data(printed.utf8)) == nil, "“\(printed)” in \(name)")
            }
        }
    }

    @Test func outputThatCannotBeWrittenIsOneLineAndAFailure() throws {
        let store = try makeStore("lmdb", rows: 3)
        for arguments in calls(store) + Self.otherCalls {
            var runs = [try tool.redirected(">&-", arguments)]
            if Self.hasFullDevice { runs.append(try tool.redirected(">/dev/full", arguments)) }
            for run in runs {
                #expect(run.status == 1, "\(arguments)")
                #expect(
                    run.errors.hasPrefix("justpersist: The output cannot be written. ")
                        && run.errors.split(separator: "\n").count == 1,
                    "\(arguments) \(run.errors)")
            }
        }
    }

    @Test func aReaderThatHasGoneIsNoError() throws {
        for arguments in calls(try makeStore("leveldb", rows: 3)) + Self.otherCalls {
            let run = try tool.withClosedOutput(arguments)
            #expect(run.status == 0 && !run.isKilled && run.errors.isEmpty, "\(arguments)")
        }
    }

    @Test func aVerdictDoesNotNeedAReader() throws {
        let store = try makeStore("lmdb")
        let file = tool.directory.url.appending(path: "store/data.mdb")
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("text of row 77".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: file)
        let run = try tool.withClosedOutput(["verify", store])
        #expect(run.status == 1 && run.errors.contains("Problems found"), "\(run.errors)")
        let conformance = try tool.withClosedOutput([
            "conformance", "lmdb:/dev/null/place", "--only", "crud/set-nil-clears",
        ])
        #expect(conformance.status == 1)
    }
}
