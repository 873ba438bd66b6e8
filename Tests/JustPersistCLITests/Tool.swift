import Foundation
import Testing

/// Runs the tool as a program, as users do.
struct Tool {
    /// The outcome of a run.
    struct Run {
        let status: Int32
        let output: String
        let errors: String
        let isKilled: Bool
    }

    /// A run whose standard input is still open.
    final class Running {
        fileprivate let process = Process()
        fileprivate let output: URL
        fileprivate let errors: URL
        private let input = Pipe()

        fileprivate init(_ executable: URL, _ arguments: [String], in directory: URL) throws {
            output = directory.appending(path: UUID().uuidString)
            errors = directory.appending(path: UUID().uuidString)
            for file in [output, errors] { try Data().write(to: file) }
            process.executableURL = executable
            process.arguments = arguments
            process.standardInput = input
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
            try input.fileHandleForReading.close()
        }

        /// Writes more input for the tool.
        ///
        /// Returns false if the tool has stopped reading.
        func feed(_ text: String) -> Bool {
            (try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))) != nil
        }

        /// Waits until the tool has printed a text; false if it ends without.
        func prints(_ text: String) async throws -> Bool {
            func isThere() throws -> Bool {
                try String(contentsOf: output, encoding: .utf8).contains(text)
            }
            while process.isRunning {
                if try isThere() { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return try isThere()
        }

        func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

        func interrupt() { process.interrupt() }

        /// Closes the tool's input, and waits for the end of the tool.
        func end() throws -> Run {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            return Run(
                status: process.terminationStatus,
                output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
                errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self),
                isKilled: process.terminationReason == .uncaughtSignal)
        }
    }

    let directory: TemporaryDirectory
    private let executable: URL

    init() throws {
        // If a tool was killed, writing to its pipe must fail with an error instead of a signal.
        signal(SIGPIPE, SIG_IGN)
        directory = try TemporaryDirectory()
        executable = try #require(Self.executable)
    }

    /// The tool in the directory of the tests, where the build writes both.
    private static var executable: URL? {
        var place = Bundle.main.executableURL
        while let folder = place?.deletingLastPathComponent(), folder.path != "/" {
            let tool = folder.appending(path: "justpersist")
            if FileManager.default.isExecutableFile(atPath: tool.path) { return tool }
            place = folder
        }
        return nil
    }

    /// The URL of a store in the directory.
    func store(_ scheme: String, _ name: String = "store") -> String {
        "\(scheme):\(directory.url.appending(path: name).path)"
    }

    /// A new file in the directory, and its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = directory.url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    func start(_ arguments: [String]) throws -> Running {
        try Running(executable, arguments, in: directory.url)
    }

    @discardableResult
    func callAsFunction(_ arguments: String...) throws -> Run {
        try Running(executable, arguments, in: directory.url).end()
    }

    /// Runs the tool with a shell's redirections of its streams: `2>&-` closes the standard error.
    func redirected(_ redirections: String, _ arguments: [String]) throws -> Run {
        let script = "exec \"$0\" \"$@\" " + redirections
        return try Running(
            URL(filePath: "/bin/sh"), ["-c", script, executable.path] + arguments, in: directory.url
        ).end()
    }

    /// Runs a shell command in the directory.
    ///
    /// The command can call the tool by its name.
    func inShell(_ line: String) throws -> Run {
        let script = "cd \"$0\" && PATH=\"$1:$PATH\" && \(line)"
        let tools = executable.deletingLastPathComponent().path
        return try Running(
            URL(filePath: "/bin/sh"), ["-c", script, directory.url.path, tools], in: directory.url
        ).end()
    }

    /// Runs a copy of the tool that has no other program in its directory, with this `PATH`.
    func alone(path: String, _ arguments: [String]) throws -> Run {
        let place = directory.url.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let copy = place.appending(path: "justpersist")
        try install(executable, at: copy)
        return try Running(
            URL(filePath: "/usr/bin/env"), ["PATH=\(path)", copy.path] + arguments,
            in: directory.url
        ).end()
    }

    /// Copies a program, by a process of its own.
    ///
    /// A program does not start while a process has it open for writing, and a process that another test forks meanwhile
    /// has all files open that this one is writing.
    func install(_ program: URL, at place: URL) throws {
        let copy = try Running(
            URL(filePath: "/bin/cp"), [program.path, place.path], in: directory.url
        ).end()
        try #require(copy.status == 0, "\(copy.errors)")
    }

    /// Runs the tool on a terminal, and returns its output with the exit code.
    func onTerminal(
        columns: Int, environment: [String: String] = [:], _ arguments: [String]
    ) throws -> (status: Int32, text: String) {
        let terminal = try PseudoTerminal(columns: columns)
        let process = process(arguments, output: terminal.handle, errors: terminal.handle)
        process.standardInput = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment
            .filter { !["COLUMNS", "NO_COLOR", "TERM"].contains($0.key) }
            .merging(environment) { _, new in new }
        try process.run()
        let text = try terminal.text()
        process.waitUntilExit()
        return (process.terminationReason == .uncaughtSignal ? -1 : process.terminationStatus, text)
    }

    /// Runs the tool with a standard output whose reader is closed.
    func withClosedOutput(_ arguments: [String]) throws -> Run {
        let errors = Pipe()
        let process = process(arguments, output: try Self.pipeWithoutReader(), errors: errors)
        try process.run()
        try errors.fileHandleForWriting.close()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        return Self.end(of: process, errors: String(decoding: text, as: UTF8.self))
    }

    /// Runs the tool with a standard error whose reader is closed.
    func withClosedErrors(_ arguments: [String]) throws -> Run {
        let errors = try Self.pipeWithoutReader()
        let process = process(arguments, output: FileHandle.nullDevice, errors: errors)
        try process.run()
        return Self.end(of: process, errors: "")
    }

    private static func pipeWithoutReader() throws -> Pipe {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        return pipe
    }

    func process(_ arguments: [String], output: Any, errors: Any) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        return process
    }

    private static func end(of process: Process, errors: String) -> Run {
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, output: "", errors: errors,
            isKilled: process.terminationReason == .uncaughtSignal)
    }
}

/// A directory for one test, which is removed with its contents when this object is released.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "JustPersist-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
