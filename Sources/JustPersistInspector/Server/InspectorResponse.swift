import Foundation

/// An answer, with the headers that keep browsers from doing more with it than the page needs.
struct InspectorResponse: Sendable {
    /// Writes a piece of a stream.
    typealias Write = @Sendable (Data) async throws -> Void

    enum Body: Sendable {
        case bytes(Data)
        /// Writes pieces until it returns; if it throws, the connection is cut.
        case stream(@Sendable (Write) async throws -> Void)
    }

    let status: Int
    var headers: [(name: String, value: String)]
    let body: Body
    /// Whether the connection ends with the answer.
    var closes = false

    init(_ status: Int, _ headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.init(status, headers, .bytes(body))
    }

    init(_ status: Int, _ headers: [(name: String, value: String)], _ body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func text(_ type: String, _ text: String, status: Int = 200) -> Self {
        Self(status, [("Content-Type", type + "; charset=utf-8")], body: Data(text.utf8))
    }

    /// An answer to a method that a path does not have.
    static func methods(_ methods: Set<String>) -> Self {
        Self(405, [("Allow", methods.sorted().joined(separator: ", "))])
    }

    /// An answer to a request without the token.
    static let unauthorized = Self(401, [("WWW-Authenticate", "Bearer")])

    static func json(_ value: some Encodable, status: Int = 200) throws -> Self {
        Self(
            status, [("Content-Type", "application/json")],
            body: try JSONEncoder.forPages().encode(value))
    }

    /// Bytes of a store, which a browser saves and never shows.
    static func file(_ name: String, _ body: Body) -> Self {
        let safe = String(
            name.unicodeScalars.prefix(80).map {
                $0.isASCII
                    && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
                    ? Character($0) : "_"
            })
        return Self(
            200,
            [
                ("Content-Type", "application/octet-stream"),
                ("Content-Disposition", "attachment; filename=\"\(safe)\""),
            ], body)
    }

    /// No script, style, picture, frame or connection but the inspector's own.
    static let protections: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]

    /// The status line and the headers.
    func head(closes: Bool) -> String {
        var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")"]
        lines += (Self.protections + headers).map { "\($0.name): \($0.value)" }
        switch body {
        case .bytes where status == 204: break
        case .bytes(let bytes): lines.append("Content-Length: \(bytes.count)")
        case .stream: lines.append("Transfer-Encoding: chunked")
        }
        if closes || self.closes { lines.append("Connection: close") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static let reasons = [
        200: "OK", 204: "No Content", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large",
        415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 501: "Not Implemented", 503: "Service Unavailable",
        505: "HTTP Version Not Supported",
    ]
}

extension JSONEncoder {
    /// An encoder with the forms that the page's script reads.
    static func forPages() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .millisecondsSince1970
        return encoder
    }
}
