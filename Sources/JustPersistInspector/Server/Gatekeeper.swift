import Foundation
import JustPersist

/// Decides which requests are answered.
///
/// A browser sends requests to the loopback interface for any page that it shows, so an address proves nothing: a
/// request must name this server as its host, come from this server's page or from no page, and have the token or the
/// cookie that was given for it.
struct Gatekeeper: Sendable {
    /// 128 random bits in hexadecimal digits.
    let token = Self.secret()
    private let cookie = Self.secret()
    private let port: UInt16
    private let wrongTries = Locked(0)

    private let mostWrongTries: Int

    init(port: UInt16, mostWrongTries: Int) {
        self.port = port
        self.mostWrongTries = mostWrongTries
    }

    /// Cookies are not separate for each port.
    private var cookieName: String { "justpersist-\(port)" }

    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Whether a request names this server and comes from its own page or from no page.
    func isOfThisServer(_ request: InspectorRequest) -> Bool {
        var hosts = ["localhost", "127.0.0.1", "[::1]"]
        // Browsers omit the usual port.
        if port != 80 { hosts = hosts.map { "\($0):\(port)" } }
        guard let host = request.headers["host"], hosts.contains(host) else { return false }
        if let origin = request.headers["origin"], origin != "http://\(host)" { return false }
        let site = request.headers["sec-fetch-site"]
        return site == nil || site == "same-origin" || site == "none"
    }

    /// Whether a request has the cookie, or the token as a script sends it.
    func isSignedIn(_ request: InspectorRequest) -> Bool {
        if let authorization = request.headers["authorization"] {
            let words = authorization.split(separator: " ")
            return words.count == 2 && words[0] == "Bearer" && isToken(words[1])
        }
        let cookies = (request.headers["cookie"] ?? "").split(separator: ";")
        return cookies.contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == cookieName
            else { return false }
            return Self.areEqual(parts[1], cookie)
        }
    }

    /// The header that signs a browser in; `nil` for a wrong token.
    func cookie(for token: some StringProtocol) -> (name: String, value: String)? {
        guard isToken(token) else { return nil }
        return ("Set-Cookie", "\(cookieName)=\(cookie); HttpOnly; SameSite=Strict; Path=/")
    }

    /// Whether there were so many wrong tokens that they are being guessed.
    var isUnderAttack: Bool { wrongTries.withLock { $0 >= mostWrongTries } }

    private func isToken(_ text: some StringProtocol) -> Bool {
        let isRight = Self.areEqual(text, token)
        if !isRight { wrongTries.withLock { $0 += 1 } }
        return isRight && !isUnderAttack
    }

    /// Compares in a time that depends on the lengths alone.
    private static func areEqual(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        return zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
