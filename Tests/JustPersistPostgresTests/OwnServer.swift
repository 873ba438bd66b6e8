import Foundation
import Testing

/// A server that a test may stop.
final class OwnServer {
    let url: String
    private let directory: String
    private let programs: String

    init() throws {
        programs = try #require(ProcessInfo.processInfo.environment["JP_POSTGRES_BIN"])
        // The script that started the first server ends the ones below its directory.
        let parent = try #require(ProcessInfo.processInfo.environment["JP_POSTGRES_DIRECTORY"])
        directory = parent + "/own-" + UUID().uuidString.prefix(8)
        url = "postgres://postgres@\(directory.replacingOccurrences(of: "/", with: "%2F"))/postgres"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        if getuid() == 0 {
            try Self.call("/bin/chown", ["postgres", directory])
        }
        try call(
            "initdb",
            [
                "-D", directory + "/data", "-A", "trust", "-U", "postgres", "-E", "UTF8",
                "--locale=C",
            ])
        try start()
    }

    func stop() {
        try? call("pg_ctl", ["-D", directory + "/data", "-m", "immediate", "-w", "stop"])
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Stops the server as a crash does, and starts it.
    func restart() throws {
        try call("pg_ctl", ["-D", directory + "/data", "-m", "immediate", "-w", "stop"])
        try start()
    }

    private func start() throws {
        try call(
            "pg_ctl",
            [
                "-D", directory + "/data", "-l", directory + "/log", "-w", "-o",
                "-c listen_addresses= -c unix_socket_directories=\(directory)", "start",
            ])
    }

    private func call(_ program: String, _ arguments: [String]) throws {
        let path = programs + "/" + program
        // The server refuses to run as root.
        if getuid() == 0 {
            try Self.call("/usr/sbin/runuser", ["-u", "postgres", "--", path] + arguments)
        } else {
            try Self.call(path, arguments)
        }
    }

    private static func call(_ path: String, _ arguments: [String]) throws {
        let process = Process()
        // The server must not inherit the descriptor by whose end Foundation notices that the process has ended.
        let script = """
            for file in /proc/$$/fd/*; do n=${file##*/}; if ((n > 2)); then eval "exec $n>&-"; fi; done
            exec "$@"
            """
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script, "call", path] + arguments
        process.currentDirectoryURL = URL(filePath: "/tmp")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(path) has failed")
    }
}
