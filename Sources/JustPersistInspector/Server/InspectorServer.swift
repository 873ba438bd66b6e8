import FlyingSocks
import Foundation
import JustPersist

/// The limits of clients.
package struct InspectorLimits: Sendable {
    package var connections = 64
    package var head = 16 << 10
    package var body = 1 << 20
    /// The time for one request to arrive, and for each piece of an answer to leave.
    package var time = Duration.seconds(10)
    /// The number of wrong tokens after which the inspector ends.
    package var wrongTries = 10
}

/// Reads requests of HTTP/1.1 from the loopback interface, and writes the answers.
///
/// This is the only file that uses FlyingSocks. Its HTTP server is not used, because it limits neither the head of a
/// request nor the number of connections, and keeps one of several headers of one name.
struct InspectorServer: Sendable {
    /// The port, which is the same for all addresses.
    let port: UInt16
    private let sockets: [Socket]
    private let limits: InspectorLimits
    private let connections = Locked(0)

    typealias Answer = @Sendable (InspectorRequest) async -> InspectorResponse

    /// Listens on 127.0.0.1, and on ::1 where the system has it.
    ///
    /// - Parameter port: The port; 0 for any that is free.
    init(port: UInt16, limits: InspectorLimits) throws(DataStoreError) {
        self.limits = limits
        (sockets, self.port) = try Self.listen(port)
    }

    /// Answers requests until the task is cancelled.
    func run(_ answer: @escaping Answer) async {
        let pool = SocketPool<Poll>.make(maxEvents: 64)
        guard (try? await pool.prepare()) != nil else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await pool.run() }
            for socket in sockets {
                group.addTask { await accept(on: socket, pool, answer) }
            }
        }
    }

    // MARK: Listening

    private static func listen(_ port: UInt16) throws(DataStoreError) -> ([Socket], UInt16) {
        // The port that is free for one address may be taken for the other.
        for _ in 0..<16 {
            let first: Socket
            do {
                first = try listening(AF_INET, on: .inet(ip4: "127.0.0.1", port: port))
            } catch {
                throw failure(port, "127.0.0.1", error)
            }
            guard case .ip4(_, let chosen)? = try? first.sockname() else { break }
            do {
                return ([first, try listening(AF_INET6, on: .loopback(port: chosen))], chosen)
            } catch let error as SocketError {
                guard case .failed(_, EADDRINUSE, _) = error else { return ([first], chosen) }
                try? first.close()
                // The token must not reach another program that serves `localhost` there.
                if port != 0 { throw failure(port, "::1", error) }
            } catch {
                return ([first], chosen)
            }
        }
        throw DataStoreError(
            .storageFailure, in: "inspect", "No port is free on the loopback interface.")
    }

    private static func failure(
        _ port: UInt16, _ address: String, _ error: any Error
    ) -> DataStoreError {
        DataStoreError(
            .storageFailure, in: "inspect",
            "Port \(port) of \(address) cannot be opened: \(error.localizedDescription). Choose another one, or 0 for any that is free."
        )
    }

    private static func listening(
        _ family: Int32, on address: some SocketAddress
    ) throws -> Socket {
        let socket = try Socket(domain: family)
        do {
            try socket.setValue(true, for: .localAddressReuse)
            #if canImport(Darwin)
                // Accepted sockets inherit it: a client that disconnects must not end the process by a signal.
                try socket.setValue(true, for: .noSIGPIPE)
            #endif
            try socket.bind(to: address)
            try socket.listen()
        } catch {
            try? socket.close()
            throw error
        }
        return socket
    }

    private func accept(
        on socket: Socket, _ pool: some AsyncSocketPool, _ answer: @escaping Answer
    ) async {
        defer { try? socket.close() }
        guard let listening = try? AsyncSocket(socket: socket, pool: pool) else { return }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                guard let client = try? await listening.accept() else {
                    // Too many open files, for example.
                    try? await Task.sleep(for: .milliseconds(50))
                    continue
                }
                let isFull = connections.withLock { count in
                    if count == limits.connections { return true }
                    count += 1
                    return false
                }
                if isFull {
                    try? client.close()
                    continue
                }
                group.addTask {
                    await serve(client, answer)
                    connections.withLock { $0 -= 1 }
                }
            }
        }
    }

    // MARK: Connections

    private func serve(_ socket: AsyncSocket, _ answer: @escaping Answer) async {
        defer { try? socket.close() }
        var rest: [UInt8] = []
        do {
            while true {
                let begun = rest
                let received = try await within(limits.time) { try await receive(begun, socket) }
                guard let received else { return }
                rest = received.rest
                switch received.request {
                case .success(let request):
                    let response: InspectorResponse
                    (response, rest) = try await answered(request, rest, socket, answer)
                    try await send(response, to: request, socket)
                    if request.closes || response.closes { return }
                case .failure(let refusal):
                    try await send(InspectorResponse(refusal.status), to: nil, socket)
                    return await drain(socket)
                }
            }
        } catch {
            // The client has disconnected, or is too slow; the connection ends in both cases.
        }
    }

    /// Ends a connection whose client may still send.
    ///
    /// If bytes are unread when a socket is closed, the connection is reset, and the client may lose the answer.
    private func drain(_ socket: AsyncSocket) async {
        shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
        try? await within(min(limits.time, .seconds(1))) {
            for _ in 0..<256 { _ = try await socket.read(atMost: 4096) }
        }
    }

    /// The answer to a request, and the bytes that were received after the request.
    ///
    /// The work is cancelled when the client disconnects. Only work that takes long pays for the reads that notice it.
    private func answered(
        _ request: InspectorRequest, _ begun: [UInt8], _ socket: AsyncSocket,
        _ answer: @escaping Answer
    ) async throws -> (InspectorResponse, [UInt8]) {
        enum Part: Sendable {
            case response(InspectorResponse)
            case received([UInt8])
            case disconnected
        }
        return try await withThrowingTaskGroup(of: Part.self) { group in
            @Sendable func receive() async throws -> Part {
                do {
                    return .received(try await socket.read(atMost: 4096))
                } catch is SocketError {
                    return .disconnected
                }
            }
            var rest = begun
            group.addTask { .response(await answer(request)) }
            group.addTask {
                try await Task.sleep(for: .milliseconds(100))
                return try await receive()
            }
            var response: InspectorResponse?
            while let part = await group.nextResult() {
                switch part {
                case .success(.response(let finished)):
                    response = finished
                    group.cancelAll()
                case .success(.received(let bytes)):
                    rest += bytes
                    // The next requests can wait.
                    if response == nil, rest.count < limits.head {
                        group.addTask { try await receive() }
                    }
                case .success(.disconnected):
                    group.cancelAll()
                    if response == nil { throw SocketError.disconnected }
                case .failure: break
                }
            }
            guard let response else { throw CancellationError() }
            return (response, rest)
        }
    }

    /// Reads one request; `nil` if the client has disconnected before it began one.
    ///
    /// - Parameter begun: The bytes that were received after the previous request.
    private func receive(
        _ begun: [UInt8], _ socket: AsyncSocket
    ) async throws -> (request: Result<InspectorRequest, InspectorRequest.Refusal>, rest: [UInt8])?
    {
        var bytes = begun
        var searched = 0
        while true {
            if let end = InspectorRequest.endOfHead(in: bytes, from: searched) {
                let head = Result { () throws(InspectorRequest.Refusal) -> InspectorRequest in
                    if end > limits.head { throw .headTooLarge }
                    return try InspectorRequest(head: bytes[..<end], maximumBody: limits.body)
                }
                guard case .success(var request) = head else { return (head, []) }
                while bytes.count - end < request.bodyCount {
                    bytes += try await socket.read(atMost: 4096)
                }
                request.body = Array(bytes[end..<(end + request.bodyCount)])
                return (.success(request), Array(bytes[(end + request.bodyCount)...]))
            }
            if bytes.count > limits.head { return (.failure(.headTooLarge), []) }
            searched = max(0, bytes.count - 3)
            do {
                bytes += try await socket.read(atMost: 4096)
            } catch SocketError.disconnected {
                return nil
            }
        }
    }

    private func send(
        _ response: InspectorResponse, to request: InspectorRequest?, _ socket: AsyncSocket
    ) async throws {
        let closes = request?.closes ?? true
        let write: @Sendable (Data) async throws -> Void = { piece in
            // Small pieces, each with its own limit: a slow reader is one that does not read at all.
            var rest = piece[...]
            while !rest.isEmpty {
                let next = Data(rest.prefix(1 << 16))
                rest = rest.dropFirst(next.count)
                try await within(limits.time) { try await socket.write(next) }
            }
        }
        try await write(Data(response.head(closes: closes).utf8))
        if request?.method == "HEAD" { return }
        switch response.body {
        case .bytes(let bytes): try await write(bytes)
        case .stream(let produce):
            try await produce { piece in
                if piece.isEmpty { return }
                let size = String(piece.count, radix: 16)
                try await write(Data("\(size)\r\n".utf8) + piece + Data("\r\n".utf8))
            }
            try await write(Data("0\r\n\r\n".utf8))
        }
    }
}

/// Runs work that ends after some time.
private func within<Value: Sendable>(
    _ time: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: time)
            throw CancellationError()
        }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
