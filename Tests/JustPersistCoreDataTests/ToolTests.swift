import Foundation
import Testing

/// The verb of the tool.
struct ToolTests {
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        var place = Bundle.main.executableURL
        var tool: URL?
        while tool == nil, let folder = place?.deletingLastPathComponent(), folder.path != "/" {
            let candidate = folder.appending(path: "justpersist")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { tool = candidate }
            place = folder
        }
        let executable = try #require(tool)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test func theVerbExaminesImportsAndReports() throws {
        let directory = try TemporaryDirectory()
        let miniature = Miniature(
            [.init("Thing", [.init("name", 700)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            INSERT INTO ZTHING VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b')
            """)
        let file = try miniature.write(into: directory).path
        let target = directory.url.appending(path: "target")
        let dry = try run(["import-coredata", file, "lmdb:\(target.path)", "--dry-run"])
        #expect(dry.status == 0 && dry.output.contains("Nothing was written."))
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let json = try run([
            "import-coredata", file, "lmdb:\(target.path)", "--report", "json", "--uris",
        ])
        #expect(json.status == 0)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let entity = try #require((report["entities"] as? [[String: Any]])?.first)
        #expect(entity["created"] as? Int == 2)
        #expect((report["uris"] as? [String: String])?.count == 2)
        let count = try run(["query", "lmdb:\(target.path)", "Thing", "--select", "count"])
        #expect(count.output.contains("2"))
        let failure = try run(["import-coredata", "/etc/hostname", "lmdb:\(target.path)"])
        #expect(failure.status == 1 && failure.output.contains("SQLite"))
        #expect(try run(["import-coredata", file, "memory:", "--uris"]).status == 64)
    }

    @Test func theReportNamesRows() throws {
        let directory = try TemporaryDirectory()
        let miniature = Miniature(
            [.init("Thing", [.init("age", 200)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE);
            INSERT INTO ZTHING VALUES (1, 1, 1, 5), (2, 1, 1, 'x'), (3, 1, 1, 'x'), (4, 1, 1, 'x'), (5, 1, 1, 'x'), (6, 1, 1, 'x'), \
            (7, 1, 1, 'x')
            """)
        let file = try miniature.write(into: directory).path
        let text = try run(["import-coredata", file, "memory:", "--dry-run"]).output
        #expect(text.contains("(6 rows: p2, p3, p4, p5, p6, …)"), "\(text)")
    }

    @Test func theReasonWhyAFileCannotBeWrittenIsShown() throws {
        let directory = try TemporaryDirectory()
        let model = directory.url.appending(path: "App.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(#"<model><entity name="Thing"/></model>"#.utf8)
            .write(to: model.appending(path: "contents"))
        let present = directory.url.appending(path: "Items.swift")
        try Data("mine".utf8).write(to: present)
        for (output, reason) in [
            (present, "exists"), (directory.url, "exists"),
            (directory.url.appending(path: "none/Items.swift"), "No such file or directory"),
            (present.appending(path: "Items.swift"), "Not a directory"),
        ] {
            let result = try run(["generate-items", model.path, "--output", output.path])
            #expect(result.status == 1 && result.output.contains(reason), "\(result)")
        }
        #expect(try String(contentsOf: present, encoding: .utf8) == "mine")
        let fresh = directory.url.appending(path: "New.swift")
        #expect(try run(["generate-items", model.path, "--output", fresh.path]).status == 0)
        #expect(try String(contentsOf: fresh, encoding: .utf8).contains("final class Thing"))
    }
}
