import FlyingSocks
import Foundation
import JustPersist
import JustPersistInspector
import Testing

/// Which requests are answered: a table of hosts, origins, tokens and methods.
struct AccessTests {
    /// A request, and the status of its answer.
    private struct Row {
        var method = "GET"
        var path = "/types.json"
        var host: String? = "127.0.0.1:PORT"
        var headers = ["Authorization: Bearer TOKEN"]
        var body = ""
        let status: Int

        func text(_ client: Client) -> String {
            var lines = ["\(method) \(path) HTTP/1.1"]
            if let host { lines.append("Host: \(host)") }
            lines += headers
            if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
            return (lines + ["Connection: close", "", body]).joined(separator: "\r\n")
                .replacing("PORT", with: "\(client.port)").replacing("TOKEN", with: client.token)
        }
    }

    private static let rows: [Row] = {
        let token = "Authorization: Bearer TOKEN"
        var rows: [Row] = []
        // Our own names.
        for host in ["127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT"] {
            rows.append(Row(host: host, status: 200))
            rows.append(Row(host: host, headers: [token, "Origin: http://\(host)"], status: 200))
            rows.append(Row(path: "/", host: host, headers: [], status: 200))
        }
        // Foreign names, as after DNS rebinding, with a valid token and without.
        let foreign: [String?] = [
            nil, "evil.test:PORT", "evil.test", "127.0.0.1", "localhost", "127.0.0.1:1", "[::1]",
            "localhost.evil.test:PORT", "127.0.0.1.evil.test:PORT", "LOCALHOST:PORT", "127.1:PORT",
            "0.0.0.0:PORT", "2130706433:PORT", "127.0.0.1:PORT.", "user@127.0.0.1:PORT",
            "127.0.0.1:0PORT", "[::ffff:127.0.0.1]:PORT", "",
        ]
        for host in foreign {
            rows.append(Row(host: host, status: 403))
            rows.append(Row(path: "/", host: host, headers: [], status: 403))
            rows.append(Row(method: "OPTIONS", path: "/nothing", host: host, status: 403))
        }
        // Foreign pages.
        for origin in [
            "http://evil.test", "null", "https://127.0.0.1:PORT", "http://127.0.0.1",
            "http://127.0.0.1:1", "http://localhost:PORT", "http://[::1]:PORT",
            "http://127.0.0.1:PORT.evil.test", "file://", "",
        ] {
            rows.append(Row(headers: [token, "Origin: \(origin)"], status: 403))
            rows.append(Row(path: "/", headers: ["Origin: \(origin)"], status: 403))
        }
        for site in ["cross-site", "same-site", "", "none, same-origin"] {
            rows.append(Row(headers: [token, "Sec-Fetch-Site: \(site)"], status: 403))
        }
        for site in ["same-origin", "none"] {
            rows.append(Row(headers: [token, "Sec-Fetch-Site: \(site)"], status: 200))
        }
        // Tokens and cookies.
        for headers in [
            [], ["Authorization: Bearer "], ["Authorization: TOKEN"],
            ["Authorization: Basic TOKEN"],
            ["Cookie: justpersist-PORT="], ["Cookie: justpersist-PORT=TOKEN"], ["Cookie: a; b=c"],
            ["X-Token: TOKEN"],
        ] {
            rows.append(Row(headers: headers, status: 401))
        }
        rows.append(Row(path: "/types.json?t=TOKEN", headers: [], status: 401))
        // Methods, and paths that do not exist.
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"] {
            rows.append(Row(method: method, status: 405))
            rows.append(Row(method: method, headers: [], status: 401))
        }
        for path in ["/types", "/types.json/", "//types.json", "/../types.json", "/%74ypes.json"] {
            rows.append(Row(path: path, status: 404))
        }
        rows.append(Row(method: "GET", path: "/session", status: 405))
        rows.append(Row(method: "POST", path: "/session", body: "{}", status: 415))
        return rows
    }()

    @Test
    func onlyRequestsOfOurOwnPageWithTheTokenAreAnswered() async throws {
        let store = try Shelf.store()
        let session = try await StoreInspector.patient(store).start()
        let client = Client(session)
        #expect(Self.rows.count >= 60)
        for row in Self.rows {
            let text = row.text(client)
            let reply = try #require(Reply(await client.send(Array(text.utf8))), "\(text)")
            #expect(reply.status == row.status, "\(text)")
            #expect((reply.header("Allow") != nil) == (row.status == 405))
            #expect((reply.header("WWW-Authenticate") != nil) == (row.status == 401))
            if row.status != 200 {
                #expect(reply.body.isEmpty, "\(text)")
                #expect(!reply.head.contains("Book"))
            }
            #expect(reply.header("Access-Control-Allow-Origin") == nil)
            #expect(
                reply.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
            #expect(reply.header("X-Content-Type-Options") == "nosniff")
            #expect(reply.header("Cache-Control") == "no-store")
        }
        await session.stop()
    }

    /// The routes, each with a target that is answered with 200: a new route fails here until it is added.
    private static let targets = [
        "/": "/", "/inspector.js": "/inspector.js", "/inspector.css": "/inspector.css",
        "/session": "/session", "/stores.json": "/stores.json", "/types.json": "/types.json",
        "/rows.json": "/rows.json?type=Book", "/count.json": "/count.json?type=Book",
        "/explain.json": "/explain.json?type=Book", "/item.json": "/item.json?type=Book&id=ID",
        "/facets.json": "/facets.json?type=Book&attribute=pages", "/raw.json": "/raw.json",
        "/value": "/value?type=Book&id=ID&attribute=title",
        "/picture": "/picture?type=Book&id=ID&attribute=cover",
        "/export": "/export?type=Book&format=json", "/changes": "/changes?type=Book",
        "/verify": "/verify", "/diff": "/diff?other=0", "/stats": "/stats", "/preview": "/preview",
        "/commit": "/commit",
    ]

    @Test
    func everyRouteButThePageNeedsTheToken() async throws {
        let store = try Shelf.store()
        let session = try await StoreInspector.patient(store).start()
        let client = Client(session)
        let (_, rows) = try await client.json("/rows.json", ["type": "Book", "limit": "1"])
        let first = try #require((rows["rows"] as? [[String: Any]])?.first)
        let id = try #require(first["id"] as? String)
        for route in InspectorRoute.allCases {
            let target = try #require(
                Self.targets[route.rawValue], "\(route) is not in the table"
            )
            .replacing("ID", with: id)
            if route == .session || route.isForChanges { continue }
            let without = try await client.reply("GET", target, headers: [])
            #expect(without.status == (route.needsToken ? 401 : 200), "\(target)")
            #expect(!without.text.contains(Shelf.secret) && !without.text.contains("Book"))
            let request = client.text("GET", target)
            // Changes go on for as long as the page is open.
            let end = route == .changes ? "event: change" : nil
            let with = try #require(Reply(await client.send(Array(request.utf8), until: end)))
            #expect(with.status == 200, "\(target)")
        }
        await session.stop()
    }

    @Test
    func changesNeedTheTokenItselfAndAreOffUnlessAllowed() async throws {
        let store = try Shelf.store()
        var inspector = StoreInspector.patient(store)
        let closed = try await inspector.start()
        inspector.allowsChanges = true
        let open = try await inspector.start()
        let json = "Content-Type: application/json"
        for (session, isOpen) in [(closed, false), (open, true)] {
            let client = Client(session)
            let bearer = "Authorization: Bearer \(session.token)"
            let signIn = try await client.reply(
                "POST", "/session", headers: [json], body: #"{"token":"\#(session.token)"}"#)
            let cookie = try #require(signIn.header("Set-Cookie")).prefix { $0 != ";" }
            let table: [(method: String, headers: [String], status: Int)] = [
                ("POST", [json], 401), ("POST", [json, "Cookie: \(cookie)"], 401),
                ("POST", [bearer], 415), ("POST", [bearer, "Content-Type: text/plain"], 415),
                ("GET", [bearer, json], 405), ("PUT", [bearer, json], 405),
                ("POST", [bearer, json, "Origin: http://evil.test"], 403),
                ("POST", [bearer, json, "Sec-Fetch-Site: cross-site"], 403),
                ("POST", [bearer, json], 422),
            ]
            for path in ["/preview", "/commit"] {
                for row in table {
                    let reply = try await client.reply(
                        row.method, path, headers: row.headers, body: "{}")
                    #expect(
                        reply.status == (isOpen || row.status == 403 ? row.status : 404),
                        "\(path) \(row)")
                }
            }
            await session.stop()
        }
    }

    @Test
    func theTokenIsTradedForACookie() async throws {
        let store = try Shelf.store()
        let session = try await StoreInspector.patient(store).start()
        let client = Client(session)
        #expect(session.url == "http://127.0.0.1:\(session.port)/#t=\(session.token)")
        #expect(session.token.utf8.count == 32)
        let answer = try await client.reply(
            "POST", "/session", headers: ["Content-Type: application/json"],
            body: #"{"token":"\#(session.token)"}"#)
        #expect(answer.status == 204 && answer.header("Content-Length") == nil)
        let cookie = try #require(answer.header("Set-Cookie"))
        #expect(cookie.hasPrefix("justpersist-\(session.port)="))
        #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
        #expect(!cookie.contains(session.token))
        let pair = cookie.prefix { $0 != ";" }
        let types = try await client.reply(
            "GET", "/types.json", headers: ["Cookie: other=1; \(pair)"])
        #expect(types.status == 200 && types.text.contains("Book"))
        await session.stop()
    }

    @Test
    func tenWrongTokensEndTheInspector() async throws {
        let store = try Shelf.store()
        let session = try await StoreInspector.patient(store).start()
        let client = Client(session)
        func status(_ number: Int) async throws -> Int {
            let wrong = String(repeating: "\(number)", count: 32)
            let headers = ["Authorization: Bearer \(wrong)"]
            return try await client.reply("GET", "/types.json", headers: headers).status
        }
        for number in 0..<9 { #expect(try await status(number) == 401) }
        // The inspector may have ended before this is answered.
        _ = try? await status(9)
        await session.waitUntilStopped()
        await #expect(throws: (any Error).self) { try await client.reply("/types.json") }
    }

    @Test
    func itStopsAfterATimeWithoutRequests() async throws {
        let store = try Shelf.store()
        var inspector = StoreInspector.patient(store)
        inspector.idleTime = .milliseconds(1)
        try await inspector.start().waitUntilStopped()
    }

    @Test
    func itListensOnTheLoopbackInterfaceOnly() async throws {
        let store = try Shelf.store()
        let session = try await StoreInspector.patient(store).start()
        let port = String(session.port, radix: 16, uppercase: true)
        for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let table = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
            for line in table.split(separator: "\n").dropFirst() {
                let words = line.split(separator: " ")
                // The local address, and the state of a socket that listens.
                guard words[1].hasSuffix(":" + port), words[3] == "0A" else { continue }
                let address = words[1].dropLast(port.count + 1)
                #expect(
                    ["0100007F", "00000000000000000000000001000000"].contains(String(address)))
            }
        }
        await session.stop()
    }

    @Test
    func aClientThatSendsSlowlyIsCutOff() async throws {
        let store = try Shelf.store()
        var inspector = StoreInspector.patient(store)
        inspector.limits.time = .milliseconds(300)
        let session = try await inspector.start()
        // If it waited on, sending would end with an error.
        let begun = Array("GET / HTTP/1.1\r\nHost: ".utf8)
        #expect(try await Client(session).send(begun).isEmpty)
        await session.stop()
    }

    @Test
    func aClientThatSendsTooMuchIsCutOff() async throws {
        let store = try Shelf.store()
        let inspector = StoreInspector.patient(store)
        let session = try await inspector.start()
        let client = Client(session)
        let long = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000)
        #expect(try Reply(await client.send(Array(long.utf8)))?.status == 431)
        let large = client.text("POST", "/session", headers: ["Content-Length: 1048577"])
        #expect(try Reply(await client.send(Array(large.utf8)))?.status == 413)
        let many = client.text(
            "GET", "/", headers: (0..<200).map { "X-\($0): 1" })
        #expect(try Reply(await client.send(Array(many.utf8)))?.status == 431)
        await session.stop()
    }

    /// An export that takes much longer than the test: every pair of books is compared, and no author matches.
    private static func longExport(_ client: Client) -> String {
        client.target(
            "/export",
            [
                "type": "Author", "format": "json",
                "where":
                    "SUBQUERY(books, $b, SUBQUERY(books, $c, $c.pages > $b.pages).@count > 99999).@count > 0",
            ])
    }

    /// Work that blocked the others, or went on without its client, would take longer than the time limit.
    @Test(.timeLimit(.minutes(5)))
    func longWorkNeitherBlocksOthersNorOutlivesItsClient() async throws {
        let store = try Shelf.store(books: 4000)
        let session = try await StoreInspector.patient(store).start()
        let client = Client(session)
        let text = client.text("GET", Self.longExport(client))
        let exports = (0..<2).map { _ in
            Task {
                // The question below may have taken its place for a moment.
                while !Task.isCancelled {
                    let answer = try? await client.send(Array(text.utf8))
                    let refusal = String(decoding: answer ?? [], as: UTF8.self)
                    if !refusal.contains("limitExceeded") { return }
                }
            }
        }
        func isBusy() async throws -> Bool {
            try await client.reply("/stats").text.contains("limitExceeded")
        }
        // Both are running: there is no third one, and everything else is answered.
        while try await !isBusy() { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try await client.reply("/stores.json").status == 200)
        #expect(try await client.reply("HEAD", Self.longExport(client)).status == 200)
        // The clients disconnect.
        for export in exports { export.cancel() }
        while try await isBusy() { try await Task.sleep(for: .milliseconds(50)) }
        // Another one does not keep the inspector from stopping.
        let last = Task { try? await client.send(Array(text.utf8)) }
        try await Task.sleep(for: .milliseconds(500))
        await session.stop()
        _ = await last.value
    }

    @Test
    func twoRequestsOnOneConnectionAreAnswered() async throws {
        let store = try Shelf.store()
        let session = try await StoreInspector.patient(store).start()
        let client = Client(session)
        let first = client.text("GET", "/types.json").replacing("Connection: close\r\n", with: "")
        let both = Array((first + client.text("GET", "/stores.json")).utf8)
        let text = String(decoding: try await client.send(both), as: UTF8.self)
        #expect(text.components(separatedBy: "HTTP/1.1 200").count == 3)
        await session.stop()
    }

    @Test
    func aPortThatIsTakenIsAnError() async throws {
        let store = try Shelf.store()
        let socket = try Socket(domain: AF_INET6)
        defer { try? socket.close() }
        guard (try? socket.bind(to: .loopback(port: 0))) != nil else { return }
        try socket.listen()
        guard case .ip6(_, let port) = try socket.sockname() else { return }
        var inspector = StoreInspector.patient(store)
        inspector.port = port
        let error = await #expect(throws: DataStoreError.self) { try await inspector.start() }
        #expect(error?.message.contains("::1") == true)
    }

    @Test
    func moreConnectionsThanAllowedAreClosed() async throws {
        let store = try Shelf.store()
        var inspector = StoreInspector.patient(store)
        inspector.limits.connections = 2
        let session = try await inspector.start()
        let client = Client(session)
        let request = Array(client.text("GET", "/").utf8)
        // The server accepts connections in the order in which they were made.
        let open = [try await client.connected(), try await client.connected()]
        #expect(try await client.send(request).isEmpty)
        for socket in open { try socket.close() }
        var reply: [UInt8] = []
        let end = ContinuousClock.now + .seconds(300)
        while reply.isEmpty, .now < end { reply = try await client.send(request) }
        #expect(Reply(reply)?.status == 200)
        await session.stop()
    }
}
