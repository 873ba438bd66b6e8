import Foundation
import JustPersist
import JustPersistInspector
import JustPersistLMDB
import JustPersistMemory
import Testing

/// The answers that the page is made of.
struct ViewTests {
    /// Runs a test with an inspector over the stores.
    private func inspecting(
        _ store: any DataStore, other: (any DataStore)? = nil, hiding hidden: [String] = [],
        _ body: (Client) async throws -> Void
    ) async throws {
        var inspector =
            other.map { StoreInspector(.init("first", store), .init("second", $0)) }
            ?? StoreInspector(store)
        inspector.hiddenAttributes = hidden
        let session = try await inspector.start()
        try await body(Client(session))
        await session.stop()
    }

    private func rows(
        _ client: Client, _ parameters: KeyValuePairs<String, String>
    ) async throws -> [[String]] {
        let (status, value) = try await client.json("/rows.json", parameters)
        try #require(status == 200, "\(value)")
        let rows = try #require(value["rows"] as? [[String: Any]])
        return rows.map { row in
            (row["cells"] as? [[String: Any]] ?? []).map { $0["text"] as? String ?? "" }
        }
    }

    @Test
    func rowsAreFilteredSortedAndSliced() async throws {
        try await inspecting(Shelf.store()) { client in
            let rows = try await rows(
                client,
                ["type": "Book", "where": "pages > 2", "sort": "pages:desc", "offset": "1", "limit": "2"])
            #expect(rows.map { $0[1] } == ["8", "7"])
            let (_, count) = try await client.json(
                "/count.json", ["type": "Book", "where": "pages > 2"])
            #expect(count["count"] as? Int == 7)
            #expect((count["plan"] as? String)?.hasPrefix("index on pages") == true)
            #expect(count["entries"] as? Int ?? 0 > 0)
            let (_, plan) = try await client.json(
                "/explain.json", ["type": "Book", "where": "title CONTAINS \"3\""])
            #expect((plan["plan"] as? String)?.hasPrefix("all items read") == true)
            #expect(plan["records"] as? Int == 10)
        }
    }

    @Test
    func aFaultOfAPredicateHasItsPlace() async throws {
        try await inspecting(Shelf.store()) { client in
            let (status, value) = try await client.json(
                "/rows.json", ["type": "Book", "where": "pages > > 2"])
            #expect(status == 422)
            let error = try #require(value["error"] as? [String: Any])
            #expect(error["code"] as? String == "invalidPredicate")
            let location = try #require(error["location"] as? [String: Any])
            #expect(location["offset"] as? Int == 8)
            let (unknown, reason) = try await client.json(
                "/rows.json", ["type": "Book", "where": "pagse > 2"])
            #expect(unknown == 422)
            let message = (reason["error"] as? [String: Any])?["message"] as? String
            #expect(message?.contains("pagse") == true)
        }
    }

    @Test(arguments: [
        ("/rows.json", "type=Nothing"), ("/rows.json", ""), ("/rows.json", "type=Book&type=Book"),
        ("/rows.json", "type=Book&limit=0"), ("/rows.json", "type=Book&limit=1001"),
        ("/rows.json", "type=Book&offset=-1"), ("/rows.json", "type=Book&store=1"),
        ("/rows.json", "type=Book&store=x"), ("/rows.json", "type=Book&sort=nothing"),
        ("/item.json", "type=Book&id=1"), ("/raw.json", "after=xyz"), ("/raw.json", "part=x"),
        ("/item.json", "type=Book&id=00000000-0000-0000-0000-000000000000"),
        ("/facets.json", "type=Book&attribute=x"), ("/export", "type=Book&format=xml"),
        ("/value", "type=Book&attribute=title"), ("/diff", "other=7"),
        (
            "/rows.json",
            "type=Book&where=" + String(repeating: "%28", count: 2000) + "TRUEPREDICATE"
        ),
    ])
    func wrongParametersAreErrors(_ path: String, _ query: String) async throws {
        try await inspecting(Shelf.store()) { client in
            let reply = try await client.reply("\(path)?\(query)")
            #expect(reply.status == 422)
            #expect(reply.text.hasPrefix("{\"error\""), "\(reply.text)")
        }
    }

    @Test
    func anItemShowsItsLinksAndWhatRefersToIt() async throws {
        try await inspecting(Shelf.store(books: 60)) { client in
            let (_, authors) = try await client.json("/rows.json", ["type": "Author"])
            let list = try #require(authors["rows"] as? [[String: Any]])
            let id = try #require(list[0]["id"] as? String)
            let (_, author) = try await client.json("/item.json", ["type": "Author", "id": id])
            #expect(author["title"] as? String == "Author 0")
            let relationship = try #require((author["relationships"] as? [[String: Any]])?.first)
            #expect(relationship["name"] as? String == "books")
            #expect(relationship["count"] as? Int == 60)
            let linked = try #require(relationship["items"] as? [[String: Any]])
            #expect(linked.count == 50)
            #expect(linked[0]["title"] as? String == "\(Shelf.secret) 0")
            let referrer = try #require((author["referrers"] as? [[String: Any]])?.first)
            #expect(referrer["count"] as? Int == 60)
            let predicate = try #require(referrer["predicate"] as? String)
            #expect(
                try await rows(client, ["type": "Book", "where": predicate, "limit": "1000"]).count
                    == 60)
            let book = try #require(linked[0]["id"] as? String)
            let (_, shown) = try await client.json("/item.json", ["type": "Book", "id": book])
            let attributes = try #require(shown["attributes"] as? [[String: Any]])
            let cover = try #require(attributes.first { $0["name"] as? String == "cover" })
            #expect(cover["picture"] as? String == "image/png")
            let picture = try await client.reply(
                client.target("/picture", ["type": "Book", "id": book, "attribute": "cover"]))
            #expect(picture.header("Content-Type") == "image/png")
            #expect(picture.body == Shelf.png)
        }
    }

    @Test
    func frequentValuesAreCounted() async throws {
        let store = try Shelf.store()
        try store.writeSync { db in
            for number in 0..<30 {
                let book = try db.create(Shelf.Book.self)
                try book.setStoredValue("same \"title\"", forKeyPath: "title")
                try book.setStoredValue(100 + number, forKeyPath: "pages")
            }
        }
        try await inspecting(store) { client in
            let (_, value) = try await client.json(
                "/facets.json", ["type": "Book", "attribute": "title"])
            let values = try #require(value["values"] as? [[String: Any]])
            #expect(values[0]["count"] as? Int == 30)
            #expect(value["hasMore"] as? Bool == false)
            let predicate = try #require(values[0]["predicate"] as? String)
            #expect(
                try await rows(client, ["type": "Book", "where": predicate, "limit": "1000"]).count
                    == 30)
            let (_, pages) = try await client.json(
                "/facets.json", ["type": "Book", "attribute": "pages"])
            #expect(pages["hasMore"] as? Bool == true)
        }
    }

    @Test
    func resultsAndSelectionsAreExported() async throws {
        try await inspecting(Shelf.store()) { client in
            let csv = try await client.reply(
                client.target(
                    "/export", ["type": "Book", "where": "pages > 7", "format": "csv"]))
            #expect(csv.header("Content-Type") == "application/octet-stream")
            #expect(csv.header("Content-Disposition") == "attachment; filename=\"Book.csv\"")
            #expect(csv.text.split(separator: "\n").count == 3)
            let (_, value) = try await client.json("/rows.json", ["type": "Book", "limit": "3"])
            let ids = try #require(value["rows"] as? [[String: Any]]).compactMap { $0["id"] }
            let selection = ids.dropFirst().map { "&id=\($0)" }.joined()
            let lines = try await client.reply("/export?type=Book&format=jsonl" + selection)
            #expect(lines.text.split(separator: "\n").count == 2)
            let whole = try await client.reply("/export?type=Book&format=json")
            let array = try JSONSerialization.jsonObject(with: whole.body)
            #expect((array as? [Any])?.count == 10)
        }
    }

    @Test
    func hiddenValuesAppearNowhere() async throws {
        try await inspecting(Shelf.store(), hiding: ["Book.title", "Author.*"]) { client in
            let book = try await client.json("/rows.json", ["type": "Book", "limit": "1"]).value
            let id = try #require((book["rows"] as? [[String: Any]])?.first?["id"] as? String)
            let queries = [
                "/rows.json?type=Book", "/item.json?type=Book&id=\(id)", "/types.json",
                "/export?type=Book&format=json", "/raw.json", "/rows.json?type=Author",
                "/value?type=Book&attribute=title&id=\(id)", "/diff?other=0",
                "/facets.json?type=Book&attribute=title", "/rows.json?type=Book&sort=title",
                "/rows.json?type=Book&where=title%20CONTAINS%20%22s3cret%22",
                "/rows.json?type=Book&where=author.name%20CONTAINS%20%22s3cret%22",
                "/rows.json?type=Book&sort=lowercase(title)",
            ]
            for query in queries {
                let reply = try await client.reply(query)
                #expect(!reply.text.contains(Shelf.secret), "\(query)")
                #expect(!reply.text.contains("Author 0"), "\(query)")
            }
            for query in queries.suffix(3) + ["/export?type=Book&format=json", "/raw.json"] {
                #expect(try await client.reply(query).status == 422, "\(query)")
            }
        }
    }

    @Test
    func changesArriveAsTheyAreCommitted() async throws {
        let store = try Shelf.store()
        try await inspecting(store) { client in
            let request = client.text("GET", "/changes?type=Book")
            async let received = client.send(Array(request.utf8), until: "\"updated\":[\"")
            try await Task.sleep(for: .milliseconds(300))
            let id = try await store.write { db in
                let book = try #require(try db.first(Shelf.Book.self))
                try book.setStoredValue(77, forKeyPath: "pages")
                return book.uniqueToken
            }
            let text = try await String(decoding: received, as: UTF8.self)
            #expect(text.contains("\"updated\":[\"\(id)\"]"))
        }
    }

    @Test
    func verificationsAndComparisonsReportTheirResults() async throws {
        let other = try Shelf.store(books: 3)
        try await inspecting(Shelf.store(), other: other) { client in
            let verified = try await client.reply("/verify?store=1").text
            #expect(verified.contains("event: report"))
            #expect(verified.contains("\"Book\":3") && verified.contains("\"problems\":[]"))
            let different = try await client.reply("/diff?store=0&other=1").text
            #expect(different.contains("event: difference"))
            #expect(different.contains("\"removed\":12") && different.contains("\"added\":5"))
            let same = try await client.reply("/diff?store=0&other=0").text
            #expect(same.contains("\"same\":12"))
        }
    }

    @Test
    func aStoreThatIsReadOnlyKeepsItsBytesAndShowsThem() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "inspector-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        LMDBDataStore.register()
        let writer = try LMDBDataStore.open(at: directory)
        try Shelf.fill(writer)
        try writer.close()
        let data = directory.appending(path: "data.mdb")
        let before = try Data(contentsOf: data)
        let store = try DataStores.open(
            "lmdb:\(directory.path)",
            options: DataStoreOptions(isReadOnly: true, createsIfMissing: false))
        try await inspecting(store) { client in
            let (_, raw) = try await client.json("/raw.json", ["part": "record", "limit": "100"])
            let entries = try #require(raw["entries"] as? [[String: Any]])
            #expect(entries.count { $0["isSound"] as? Bool == true } == 12)
            #expect(entries.count { $0["type"] as? String == "Book" } == 10)
            let after = try #require(entries[3]["key"] as? String)
            let (_, rest) = try await client.json(
                "/raw.json", ["part": "record", "after": after, "limit": "100"])
            #expect((rest["entries"] as? [Any])?.count == 8)
            for path in ["/types.json", "/rows.json?type=Book", "/verify", "/facets.json?type=Book&attribute=pages"] {
                #expect(try await client.reply(path).status == 200)
            }
        }
        try store.close()
        #expect(try Data(contentsOf: data) == before)
    }

    @Test
    func aClosedStoreIsAnError() async throws {
        let store = try Shelf.store()
        try await inspecting(store) { client in
            try store.close()
            let (status, value) = try await client.json("/types.json")
            #expect(status == 422)
            #expect((value["error"] as? [String: Any])?["code"] as? String == "notSetUp")
        }
    }
}
