import FlyingSocks
import Foundation
import JustPersist
import JustPersistInspector
import JustPersistMemory
import Testing

/// Types with a relationship, an index, and values of several kinds.
enum Shelf {
    final class Author: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Author", attributes: [AttributeSchema("name")],
            relationships: [
                RelationshipSchema(
                    "books", to: Book.self, isToMany: true, deleteRule: .cascade, inverse: "author")
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Book: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Book",
            attributes: [
                AttributeSchema("title", kinds: [.string]),
                AttributeSchema("pages", kinds: [.int], isIndexed: true),
                AttributeSchema("cover", kinds: [.data]),
            ], relationships: [RelationshipSchema("author", to: Author.self, inverse: "books")])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    /// A text that no answer without the token may contain.
    static let secret = "s3cret-title"

    static let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2])

    /// Two authors, and `count` books of the first, with the pages 0, 1, 2 and so on.
    static func fill(_ store: some DataStore, books count: Int = 10) throws {
        try store.writeSync { db in
            let authors = try (0..<2).map { number in
                let author = try db.create(Author.self)
                try author.setStoredValue("Author \(number)", forKeyPath: "name")
                return author
            }
            for number in 0..<count {
                let book = try db.create(Book.self)
                try book.setStoredValue("\(secret) \(number)", forKeyPath: "title")
                try book.setStoredValue(number, forKeyPath: "pages")
                try book.setStoredValue(png, forKeyPath: "cover")
                try book.setRelatedItem("author", to: authors[0])
            }
        }
    }

    static func store(books count: Int = 10) throws -> InMemoryDataStore {
        let store = InMemoryDataStore()
        try store.open()
        try fill(store, books: count)
        return store
    }
}

extension StoreInspector {
    /// An inspector that waits for a client even if other tests delay both.
    static func patient(
        _ store: any DataStore, beside other: (any DataStore)? = nil
    ) -> StoreInspector {
        var inspector =
            other.map { StoreInspector(.init("first", store), .init("second", $0)) }
            ?? StoreInspector(store)
        inspector.limits.time = .seconds(600)
        return inspector
    }
}

/// An answer, as it arrived.
struct Reply {
    let status: Int
    let head: String
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    init?(_ bytes: [UInt8]) {
        guard
            let end = bytes.indices.dropLast(3).first(where: {
                bytes[$0...].starts(with: [13, 10, 13, 10])
            })
        else { return nil }
        head = String(decoding: bytes[..<end], as: UTF8.self)
        let words = head.split(separator: " ", maxSplits: 2)
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        self.status = status
        let rest = Data(bytes[(end + 4)...])
        body = head.contains("Transfer-Encoding: chunked") ? Self.joined(rest) : rest
    }

    private static func joined(_ chunks: Data) -> Data {
        var (rest, body) = (chunks[...], Data())
        while let end = rest.firstIndex(of: 13),
            let count = Int(
                String(decoding: rest[rest.startIndex..<end], as: UTF8.self), radix: 16),
            count > 0, rest.endIndex - end >= count + 4
        {
            body += rest[(end + 2)..<(end + 2 + count)]
            rest = rest[(end + 4 + count)...]
        }
        return body
    }
}

/// A client that sends exactly the bytes that it is given, as no library for HTTP does.
struct Client {
    let port: UInt16
    let token: String

    init(_ session: InspectorSession) { (port, token) = (session.port, session.token) }

    func connected(seconds: Double = 600) async throws -> AsyncSocket {
        try await .connected(to: .inet(ip4: "127.0.0.1", port: port), timeout: seconds)
    }

    /// Sends bytes, and returns what arrives until the server closes the connection, or the text `end` arrives.
    func send(_ bytes: [UInt8], until end: String? = nil, seconds: Double = 600) async throws
        -> [UInt8]
    {
        let socket = try await connected(seconds: seconds)
        defer { try? socket.close() }
        return try await withThrowingTaskGroup(of: [UInt8].self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var received: [UInt8] = []
                do {
                    try await socket.write(Data(bytes))
                    while true {
                        received += try await socket.read(atMost: 4096)
                        if let end, String(decoding: received, as: UTF8.self).contains(end) {
                            return received
                        }
                    }
                } catch {
                    return received
                }
            }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw SocketError.timeout(message: "no answer")
            }
            return try await group.next() ?? []
        }
    }

    /// The text of a request with the token, unless other headers are given.
    func text(
        _ method: String = "GET", _ target: String, host: String? = nil,
        headers: [String]? = nil, body: String = ""
    ) -> String {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
        lines += headers ?? ["Authorization: Bearer \(token)"]
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        return (lines + ["Connection: close", "", body]).joined(separator: "\r\n")
    }

    func reply(
        _ method: String = "GET", _ target: String, host: String? = nil,
        headers: [String]? = nil, body: String = ""
    ) async throws -> Reply {
        let text = text(method, target, host: host, headers: headers, body: body)
        return try #require(Reply(await send(Array(text.utf8))))
    }

    /// The value of JSON, as `JSONSerialization` reads it.
    func json(_ path: String, _ parameters: KeyValuePairs<String, String> = [:]) async throws
        -> (status: Int, value: [String: Any])
    {
        let reply = try await reply(target(path, parameters))
        let value = try JSONSerialization.jsonObject(with: reply.body)
        return (reply.status, try #require(value as? [String: Any] ?? ["list": value]))
    }

    func reply(_ target: String) async throws -> Reply { try await reply("GET", target) }

    func target(_ path: String, _ parameters: KeyValuePairs<String, String>) -> String {
        let query = parameters.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
