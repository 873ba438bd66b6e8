import Foundation
import JustPersist
import Testing

/// Stands between the library and the server, counts the bytes in each direction, and cuts the connection where a test wants it.
final class Proxy: Sendable {
    enum Direction: String, CaseIterable {
        case toServer, toClient
    }

    private struct State {
        var bytes: [Direction: Int] = [:]
        var requests = 0
        /// The direction of the last bytes.
        var last: Direction?
        /// How many bytes still pass before all connections are cut.
        var cut: (direction: Direction, after: Int)?
        var isAway = false
        /// Whether no byte passes, although all connections stay open.
        var isSilent = false
        var cuts = 0
        var open: Set<Int32> = []
        var isOver = false
    }

    let directory: String
    private let listener: Int32
    private let state = Locked(State())

    init() throws {
        directory = "/tmp/jp-proxy-" + UUID().uuidString.prefix(8)
        listener = try Self.listen(in: directory)
        let thread = Thread { [weak self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else {
                    // Not before: the number could be that of another test's socket by now.
                    close(listener)
                    return
                }
                self.serve(client)
            }
        }
        thread.start()
    }

    /// The URL of a new store that is reached through the proxy.
    func url(of direct: String) throws -> String {
        let encoded = Server.reachedDirectory.replacingOccurrences(of: "/", with: "%2F")
        return direct.replacingOccurrences(
            of: encoded, with: directory.replacingOccurrences(of: "/", with: "%2F"))
    }

    func stop() {
        state.change { $0.isOver = true }
        let open = state.withLock { $0.open }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The bytes that have passed in a direction.
    func bytes(_ direction: Direction) -> Int { state.withLock { $0.bytes[direction] ?? 0 } }

    /// How many times the client has sent bytes after an answer, or as the first.
    var requests: Int { state.withLock { $0.requests } }

    /// How many times connections were cut.
    var cuts: Int { state.withLock { $0.cuts } }

    /// Cuts all connections once so many more bytes have passed in a direction.
    func cut(_ direction: Direction, after bytes: Int) {
        state.withLock { $0.cut = (direction, bytes) }
    }

    func cutNothing() { state.withLock { $0.cut = nil } }

    /// Refuses connections, as a server that is away does.
    func goAway(_ isAway: Bool = true) { state.withLock { $0.isAway = isAway } }

    /// Lets no byte pass, as a server does that is stopped and holds its connections.
    func beSilent(_ isSilent: Bool = true) { state.change { $0.isSilent = isSilent } }

    // MARK: Connections

    /// Makes a directory, and listens there as a server does.
    static func listen(in directory: String) throws -> Int32 {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let address = try address(directory)
        let isBound = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && Foundation.listen(listener, 64) == 0)
        return listener
    }

    private static func address(_ directory: String) throws -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((directory + "/.s.PGSQL.5432").utf8)
        try #require(path.count < MemoryLayout.size(ofValue: address.sun_path))
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        return address
    }

    private func serve(_ client: Int32) {
        if state.withLock({ $0.isAway || $0.isOver }) {
            close(client)
            return
        }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard let address = try? Self.address(Server.reachedDirectory) else { return }
        let isConnected = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            close(server)
            return
        }
        state.withLock { $0.open.formUnion([client, server]) }
        let pumps = Locked(2)
        for (from, to, direction) in [
            (client, server, Direction.toServer), (server, client, Direction.toClient),
        ] {
            Thread { [self] in
                pump(from, to, direction)
                shutdown(from, Int32(SHUT_RDWR))
                shutdown(to, Int32(SHUT_RDWR))
                let isLast = pumps.withLock { count in
                    count -= 1
                    return count == 0
                }
                guard isLast else { return }
                state.withLock { $0.open.subtract([client, server]) }
                close(client)
                close(server)
            }.start()
        }
    }

    private func pump(_ from: Int32, _ to: Int32, _ direction: Direction) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(from, &buffer, buffer.count)
            if count <= 0 { return }
            state.wait { $0.isSilent && !$0.isOver ? nil : () }
            let (passed, others) = state.withLock { state -> (Int, Set<Int32>?) in
                var passed = count
                var cut: Set<Int32>?
                if let next = state.cut, next.direction == direction {
                    passed = min(count, next.after)
                    if count >= next.after {
                        state.cut = nil
                        state.cuts += 1
                        cut = state.open
                    } else {
                        state.cut?.after -= count
                    }
                }
                state.bytes[direction, default: 0] += passed
                if direction == .toServer, state.last != direction { state.requests += 1 }
                state.last = direction
                return (passed, cut)
            }
            var written = 0
            while written < passed {
                let sent = unsafe buffer.withUnsafeBytes { bytes in
                    unsafe send(
                        to, bytes.baseAddress.map { unsafe $0 + written }, passed - written,
                        Int32(MSG_NOSIGNAL))
                }
                if sent <= 0 { return }
                written += sent
            }
            if let others {
                for descriptor in others { shutdown(descriptor, Int32(SHUT_RDWR)) }
                return
            }
        }
    }
}
