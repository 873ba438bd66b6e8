import JustPersist

/// A running inspector.
///
/// It ends with ``stop()``, when this object is released, after a time without requests with the token, and when wrong
/// tokens show that the token is being guessed. Stop it before you close its stores: closing one waits for a running export,
/// verification or comparison.
public final class InspectorSession: Sendable {
    /// The port on the loopback interface.
    public let port: UInt16
    /// The secret that gives access to the page.
    public let token: String
    /// The reason that it has ended by itself.
    package enum Reason: Sendable { case idle, wrongTokens }

    private let reason = Locked<Reason?>(nil)
    /// The reason that it has ended by itself; `nil` otherwise.
    package var endReason: Reason? { reason.withLock { $0 } }
    private let serving: Task<Void, Never>
    private let watching: Task<Void, Never>

    init(_ server: InspectorServer, _ inspector: Inspector, idleTime: Duration) {
        port = server.port
        token = inspector.gatekeeper.token
        let serving = Task.detached { await server.run { await inspector.answer($0) } }
        self.serving = serving
        watching = Task.detached { [reason] in
            while (try? await Task.sleep(for: .milliseconds(200))) != nil {
                let isUnderAttack = inspector.gatekeeper.isUnderAttack
                guard isUnderAttack || inspector.idleTime > idleTime else { continue }
                reason.withLock { $0 = isUnderAttack ? .wrongTokens : .idle }
                return serving.cancel()
            }
        }
    }

    deinit { cancel() }

    /// The address of the page, with the token.
    ///
    /// A browser does not send the part after the `#`, and the page removes it from its address. Keep it secret until then.
    public var url: String { "http://127.0.0.1:\(port)/#t=\(token)" }

    /// Ends the inspector, and returns when its port is closed.
    public func stop() async {
        cancel()
        await waitUntilStopped()
    }

    /// Returns when the inspector has ended.
    public func waitUntilStopped() async { await serving.value }

    private func cancel() {
        watching.cancel()
        serving.cancel()
    }
}
