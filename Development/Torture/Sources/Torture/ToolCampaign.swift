import Foundation

/// Runs the command line tool with each of its streams closed, full, or a pipe that nobody reads.
struct ToolCampaign: Campaign {
    let name = "tool"
    let weight = 0.5
    var engines: [Engine] { [.lmdb] }
    func goal(_ engine: Engine) -> Int { commands.count * 2 * Self.sinks.count * Self.sinks.count }

    /// The tool of this package, in a release build.
    private static let program = URL(filePath: ProbeRunner.program)
        .resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../../../../../.build/release/justpersist").standardizedFileURL.path

    private static let sinks = ["open", "closed", "full", "broken"]

    var obstacle: String? {
        access(Self.program, X_OK) == 0
            ? nil : "the tool is not built (swift build -c release --product justpersist)"
    }

    private var commands: [String] {
        ["help", "import", "info", "query", "verify", "migrate", "missing", "wrong"]
    }

    func points(_ subject: Subject) throws -> [String] {
        commands.flatMap { command in
            ["open", "closed"].flatMap { input in
                Self.sinks.flatMap { output in
                    Self.sinks.map { "\(command)/\(input)/\(output)/\($0)" }
                }
            }
        }
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 4 else { throw TortureError("“\(point)” is no point of \(name)") }
        let file = directory.path + "/items.jsonl"
        let rows = (0..<2000).map { "{\"name\":\"item \($0)\",\"number\":\($0)}\n" }.joined()
        try Data(rows.utf8).write(to: URL(filePath: file))
        let store = "lmdb:" + directory.store
        // Items with relationships, too.
        let probe = ProbeRunner(subject: subject, directory: directory)
        for command in [
            probe.command("make-letters", "items=200"),
            [Self.program, "import", store, "Item", file],
        ] {
            let made = try Child.run(command)
            guard made.end == .exit(0) else {
                return .failed("\(command): \(made.end) \(made.output)")
            }
        }

        let words =
            switch parts[0] {
            case "import": ["import", store, "Item", file]
            case "info", "verify": [parts[0], store]
            case "query": ["query", store, "Item", "--where", "number > 3"]
            case "migrate": ["migrate", store, "leveldb:\(directory.path)/copy"]
            case "missing": ["info", "lmdb:\(directory.path)/nothing"]
            case "wrong": ["query", store, "Item", "--where", "number >"]
            default: ["--help"]
            }
        let input = parts[1] == "closed" ? "<&-" : ""
        let command =
            "\"$@\" \(input) \(Self.redirection(1, parts[2])) \(Self.redirection(2, parts[3]))"
        let result = try Child.run(
            ["bash", "-c", command, "bash", Self.program] + words, within: 60)
        switch result.end {
        case .exit(let status) where status < 128 || status == 128 + SIGPIPE: break
        case .exit(let status): return .failed("the tool ended with signal \(status - 128)")
        case .signal, .hang: return .failed("the tool ended with \(result.end)")
        }
        // What `verify` found is in its status, whether anybody reads the rest or not.
        let prints = ["info", "query"].contains(parts[0])
        if prints, ["closed", "full"].contains(parts[2]), result.end == .exit(0) {
            return .failed("the tool could not print, and says that all went well")
        }
        let check = try Child.run([Self.program, "verify", store])
        guard check.end == .exit(0) else { return .failed("verify afterwards: \(check.output)") }
        if parts[0] == "migrate", result.end == .exit(0) {
            let judged = try Child.run(
                probe.command(
                    "judge-letters", "items=200", "target=leveldb:\(directory.path)/copy"),
                keepsErrors: true)
            guard judged.end == .exit(0) else { return .failed("the copy: \(judged.output)") }
        }
        return .seen(result.end == .exit(0) ? "went well" : "failed with a status")
    }

    private static func redirection(_ stream: Int, _ sink: String) -> String {
        switch sink {
        case "closed": "\(stream)>&-"
        case "full": "\(stream)>/dev/full"
        case "broken": "\(stream)> >(exec true)"
        default: ""
        }
    }
}
