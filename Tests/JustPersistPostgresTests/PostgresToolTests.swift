import Foundation
import JustPersist
import Testing

/// The command line tool on stores in PostgreSQL.
@Suite(.enabled(if: Server.isThere, Server.notThere)) struct PostgresToolTests {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    func run(_ program: String = "justpersist", _ arguments: String...) throws -> Outcome {
        var place = Bundle.main.executableURL
        while let folder = place?.deletingLastPathComponent(), folder.path != "/" {
            let tool = folder.appending(path: program)
            if FileManager.default.isExecutableFile(atPath: tool.path) {
                return try run(tool, arguments)
            }
            place = folder
        }
        Issue.record("\(program) is not built")
        return Outcome(status: -1, output: "", errors: "")
    }

    private func run(_ tool: URL, _ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["output", "errors"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: try String(contentsOf: files[0], encoding: .utf8),
            errors: try String(contentsOf: files[1], encoding: .utf8))
    }

    @Test func storesAreImportedShownMigratedAndCompared() throws {
        let url = try Server.newStore()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let rows = (0..<500).map { #"{"number": \#($0), "name": "Dish \#($0)"}"# }
        let file = folder.appending(path: "dishes.jsonl")
        try Data(rows.joined(separator: "\n").utf8).write(to: file)
        let lmdb = "lmdb:\(folder.path)/lmdb"

        #expect(try run("justpersist", "import", url, "Dish", file.path).status == 0)
        let info = try run("justpersist", "info", url)
        #expect(info.status == 0, "\(info.errors)")
        #expect(info.output.contains("on a server"))
        #expect(info.output.contains("500 items"))
        let count = try run(
            "justpersist", "query", url, "Dish", "--where", "number < 100", "--format", "count")
        #expect(count.output.trimmingCharacters(in: .whitespacesAndNewlines) == "100")
        #expect(try run("justpersist", "migrate", url, lmdb).status == 0)
        #expect(try run("justpersist", "diff", url, lmdb).status == 0)
        let other = try Server.newStore()
        #expect(try run("justpersist", "migrate", lmdb, other).status == 0)
        #expect(try run("justpersist", "diff", url, other).status == 0)
        #expect(try run("justpersist", "verify", other).status == 0)

        let backup = try run("justpersist", "backup", url, folder.path + "/backup")
        #expect(backup.status == 1 && backup.errors.contains("pg_dump"), "\(backup.errors)")
        let compaction = try run("justpersist", "compact", url)
        #expect(
            compaction.status == 1 && compaction.errors.contains("VACUUM"), "\(compaction.errors)")
    }

    /// Two processes import into one store at the same time.
    @Test func twoProcessesWriteToOneStore() throws {
        let url = try Server.newStore()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let rows = (0..<1_000).map { #"{"number": \#($0)}"# }
        let file = folder.appending(path: "rows.jsonl")
        try Data(rows.joined(separator: "\n").utf8).write(to: file)
        let left = Locked(2)
        for type in ["One", "Other"] {
            Thread {
                do {
                    let outcome = try self.run("justpersist", "import", url, type, file.path)
                    #expect(outcome.status == 0, "\(outcome.errors)")
                } catch {
                    Issue.record(error)
                }
                left.change { $0 -= 1 }
            }.start()
        }
        left.wait { $0 == 0 ? () : nil }
        for type in ["One", "Other"] {
            let count = try run("justpersist", "query", url, type, "--format", "count")
            #expect(count.output.trimmingCharacters(in: .whitespacesAndNewlines) == "1000")
        }
    }

    @Test func theConformanceProgramExaminesADatabase() throws {
        let url = try #require(Server.url)
        let outcome = try run(
            "justpersist-conformance", url, "--only", "fixture/*,crud/set-nil-clears")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test func aPasswordIsNotShown() throws {
        let outcome = try run("justpersist", "info", "postgres://me:secret@localhost/db")
        #expect(outcome.status == 1)
        #expect(!(outcome.output + outcome.errors).contains("secret"))
    }
}
