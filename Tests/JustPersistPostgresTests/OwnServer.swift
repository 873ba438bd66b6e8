import Foundation
import Testing

/// A server that a test may stop.
final class OwnServer: Sendable {
    let url: String
    let directory: String
    private let programs: String

    /// - Parameter password: The password that the server demands; `nil` if it demands none.
    init(password: String? = nil) throws {
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
        let passwordFile = directory + "/password"
        if let password { try Data(password.utf8).write(to: URL(filePath: passwordFile)) }
        try call(
            "initdb",
            [
                "-D", directory + "/data", "-U", "postgres", "-E", "UTF8", "--locale=C", "-A",
            ] + (password == nil ? ["trust"] : ["scram-sha-256", "--pwfile", passwordFile]))
        try? FileManager.default.removeItem(atPath: passwordFile)
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

    /// Kills a process that serves a connection of the library: the server ends all others, and recovers.
    func killBackend() throws {
        let rows = try? TestConnection(directory).run(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'JustPersist' ORDER BY random() LIMIT 1"
        )
        guard let pid = rows?.first.flatMap({ Int32($0[0]) }) else { return try awaitStart() }
        if isOurs(pid) { kill(pid, SIGKILL) }
        Thread.sleep(forTimeInterval: 0.02)
        try awaitStart()
    }

    /// Kills the process that starts all others, and starts the server.
    func killPostmaster() throws {
        let file = try String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)
        let pid = try #require(file.split(separator: "\n").first.flatMap { Int32($0) })
        try #require(isOurs(pid))
        kill(pid, SIGKILL)
        // The processes that it has left end when they notice, and the server starts when they have.
        for _ in 0..<200 {
            if (try? start()) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        try start()
    }

    /// Whether a process is one of this server: another one may have the number of a process that has ended.
    private func isOurs(_ pid: Int32) -> Bool {
        #if os(Linux)
            let folder = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(pid)/cwd")
            return folder == directory + "/data"
        #else
            return true
        #endif
    }

    private func awaitStart() throws {
        for _ in 0..<1_000 {
            if (try? TestConnection(directory)) != nil { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        _ = try TestConnection(directory)
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
        struct Failure: Error { let path: String }
        if process.terminationStatus != 0 { throw Failure(path: path) }
    }
}
