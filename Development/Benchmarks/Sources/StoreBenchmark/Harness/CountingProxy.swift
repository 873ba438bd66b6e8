import Foundation
import Synchronization

/// Passes the connections at a Unix socket on to a PostgreSQL server, and counts what passes.
final class CountingProxy: Sendable {
    struct Counts {
        /// The requests that the server has answered, each of one or several statements.
        var requests = 0
        var sent = 0
        var received = 0

        var text: String {
            String(
                format: "%d, %.1f, %.1f", requests, Double(sent) / 1_000, Double(received) / 1_000)
        }
    }

    private let listener: Int32
    private let server: String
    private let counts = Mutex(Counts())

    /// The name of the socket in its directory.
    private static let name = ".s.PGSQL.5432"

    /// Listens in a directory; `server` is the directory of the server's socket.
    init(in directory: URL, to server: String) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        self.server = server
        try Self.withAddress(of: directory.path) { address, length in
            guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else {
                throw RawError(engine: "proxy", text: String(cString: strerror(errno)))
            }
        }
        Thread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { pass(client) }
        }.start()
    }

    /// What passes during `body`.
    func count(_ body: () throws -> Void) throws -> Counts {
        // What is not awaited, like the end of a read block, may still be under way.
        let pause = 0.05
        Thread.sleep(forTimeInterval: pause)
        counts.withLock { $0 = Counts() }
        try body()
        Thread.sleep(forTimeInterval: pause)
        return counts.withLock(\.self)
    }

    /// Accepts no more connections.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func pass(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = Self.withAddress(of: server) { connect(upstream, $0, $1) == 0 }
        guard isConnected else { return shut(client, upstream) }
        Thread { [self] in
            Self.pump(client, upstream) { bytes in counts.withLock { $0.sent += bytes.count } }
            shut(client, upstream)
        }.start()
        Thread { [self] in
            var messages = Messages()
            Self.pump(upstream, client) { bytes in
                let answered = messages.countReady(in: bytes)
                counts.withLock {
                    $0.received += bytes.count
                    $0.requests += answered
                }
            }
            shut(client, upstream)
        }.start()
    }

    private func shut(_ sockets: Int32...) {
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private static func pump(
        _ source: Int32, _ target: Int32, _ note: (UnsafeRawBufferPointer) -> Void
    ) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
        defer { buffer.deallocate() }
        while case let count = read(source, buffer.baseAddress, buffer.count), count > 0 {
            note(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            var sent = 0
            while sent < count {
                let part = send(
                    target, buffer.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                if part <= 0 { return }
                sent += part
            }
        }
    }

    private static func withAddress<Result>(
        of directory: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: "\(directory)/\(name)".utf8.prefix(path.count - 1))
        }
        return try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// The messages of a server: a byte for the kind, and the length in four bytes, which counts itself.
    private struct Messages {
        private var header: [UInt8] = []
        private var rest = 0

        /// Counts the messages by which the server says that it has answered a request.
        mutating func countReady(in bytes: UnsafeRawBufferPointer) -> Int {
            var (place, count) = (0, 0)
            while place < bytes.count {
                if rest > 0 {
                    let part = min(rest, bytes.count - place)
                    (place, rest) = (place + part, rest - part)
                    continue
                }
                header.append(bytes[place])
                place += 1
                guard header.count == 5 else { continue }
                rest = header.dropFirst().reduce(0) { $0 << 8 | Int($1) } - 4
                if header[0] == UInt8(ascii: "Z") { count += 1 }
                header = []
            }
            return count
        }
    }
}
