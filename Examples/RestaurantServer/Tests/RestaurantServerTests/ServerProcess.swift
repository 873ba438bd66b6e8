import FlyingSocks
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A running server, which is killed with its last reference.
final class ServerProcess {
    private let process: Process
    private let port: UInt16

    /// Starts a server on a free port, and waits until it logs that it listens.
    init(_ store: String) async throws {
        let place = try TemporaryFolder()
        let log = URL(filePath: place.path).appending(path: "log")
        process = try Self.process(["STORE_URL": store, "PORT": "0"], log: log)
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let text = try String(contentsOf: log, encoding: .utf8)
            if let match = text.firstMatch(of: /Listening on 127\.0\.0\.1:(\d+)\n/) {
                port = try #require(UInt16(match.1))
                return
            }
            guard process.isRunning, .now < end else {
                throw Failure(description: "The server does not listen. Its log:\n\(text)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Starts the program with these settings, and none of the process that runs the tests.
    static func process(_ settings: [String: String], log: URL) throws -> Process {
        let process = Process()
        let program = try #require(executable)
        process.executableURL = program
        process.environment = ProcessInfo.processInfo.environment
            .filter { $0.key != "PORT" && !$0.key.hasPrefix("STORE_") }
            .merging(settings) { $1 }
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        defer { try? output.close() }
        process.standardError = output
        process.standardOutput = output
        try process.run()
        return process
    }

    /// The server in the directory of the tests, where the build writes both.
    private static var executable: URL? {
        var place = Bundle.main.executableURL
        while let folder = place?.deletingLastPathComponent(), folder.path != "/" {
            let server = folder.appending(path: "RestaurantServer")
            if FileManager.default.isExecutableFile(atPath: server.path) { return server }
            place = folder
        }
        return nil
    }

    /// Asks the server to end as a supervisor does, and returns the status with which it ended.
    func stop() throws -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    // MARK: Requests

    /// Sends a request on a connection of its own.
    ///
    /// The socket is used directly: on Linux, URLSession now and then gets no answer to a PUT without a body.
    func send(
        _ method: String, _ target: String, _ body: String = ""
    ) async throws -> (status: Int, text: String) {
        let socket = try await connected()
        defer { try? socket.close() }
        let head = """
            \(method) \(target) HTTP/1.1\r
            Host: localhost\r
            Connection: close\r
            Content-Length: \(body.utf8.count)\r
            \r

            """
        try await socket.write(Data((head + body).utf8))
        let words = try await socket.line().split(separator: " ")
        let status = try #require(words.dropFirst().first.flatMap { Int($0) })
        var size = 0
        while case let line = try await socket.line(), !line.isEmpty {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field[0].lowercased() == "content-length" else { continue }
            size = try #require(Int(field[1].trimmingCharacters(in: .whitespaces)))
        }
        let bytes = size == 0 ? [] : try await socket.read(bytes: size)
        return (status, String(decoding: bytes, as: UTF8.self))
    }

    private func connected() async throws -> AsyncSocket {
        try await .connected(to: try sockaddr_in.inet(ip4: "127.0.0.1", port: port))
    }

    func get(_ target: String) async throws -> (status: Int, text: String) {
        try await send("GET", target)
    }

    func put(_ target: String, _ body: String) async throws -> Int {
        try await send("PUT", target, body).status
    }

    /// The names of the restaurants in an answer.
    func names(_ target: String) async throws -> [String] {
        struct Named: Decodable { let name: String }
        let answer = try await get(target)
        return try JSONDecoder().decode([Named].self, from: Data(answer.text.utf8)).map(\.name)
    }

    /// The events that follow a token.
    func events(since token: String?) async throws -> Events {
        let socket = try await connected()
        let last = token.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        try await socket.write(Data("GET /changes HTTP/1.1\r\nHost: localhost\r\n\(last)\r\n".utf8))
        while try await !socket.line().isEmpty {}
        return Events(socket)
    }

    /// Server-sent events, read as they come.
    struct Events {
        private let socket: AsyncSocket
        private var text = ""

        fileprivate init(_ socket: AsyncSocket) { self.socket = socket }

        /// The fields of the next event.
        mutating func next() async throws -> [String: String] {
            while true {
                if let end = text.range(of: "\n\n") {
                    let lines = text[..<end.lowerBound].split(separator: "\n")
                    text = String(text[end.upperBound...])
                    var fields: [String: String] = [:]
                    for line in lines {
                        let parts = line.split(
                            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                        fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
                    }
                    return fields
                }
                // A chunk of HTTP: its size, its bytes, and the end of a line.
                let size = try #require(Int(try await socket.line(), radix: 16))
                text += String(decoding: try await socket.read(bytes: size), as: UTF8.self)
                try #require(try await socket.line().isEmpty)
            }
        }

        func close() throws { try socket.close() }
    }
}

extension AsyncSocket {
    /// Reads a line of HTTP; returns it without its end.
    fileprivate func line() async throws -> String {
        var bytes: [UInt8] = []
        while bytes.suffix(2) != [13, 10] { bytes.append(try await read()) }
        return String(decoding: bytes.dropLast(2), as: UTF8.self)
    }
}

/// A new folder that is deleted with its last reference.
final class TemporaryFolder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
