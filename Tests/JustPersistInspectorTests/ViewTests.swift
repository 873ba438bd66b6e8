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
        var inspector = StoreInspector.patient(store, beside: other)
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
                [
                    "type": "Book", "where": "pages > 2", "sort": "pages:desc", "offset": "1",
                    "limit": "2",
                ])
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
            #expect(relationship["deleteRule"] as? String == "cascade")
            let cascades = try #require(author["cascades"] as? [[String: Any]])
            #expect(cascades.count == 1 && cascades[0]["type"] as? String == "Book")
            #expect(cascades[0]["count"] as? Int == 60)
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
    func theFirstItemsOfAnOrderAreShown() async throws {
        let store = InMemoryDataStore()
        try store.open()
        let list = try store.writeSync { db in
            try db.declare(
                ItemSchema(
                    "List", attributes: [],
                    relationships: [
                        RelationshipSchema(
                            "entries", to: "Entry", isToMany: true, isOrdered: true, inverse: "list"
                        )
                    ]))
            try db.declare(
                ItemSchema(
                    "Entry", attributes: [AttributeSchema("name", kinds: [.string])],
                    relationships: [RelationshipSchema("list", to: "List", inverse: "entries")]))
            let list = try db.create("List")
            let entries = list.related(toMany: "entries", as: DynamicItem.self)
            for number in 0..<60 {
                let entry = try db.create("Entry")
                entry["name"] = .string("\(number)")
                entries.insert(entry, at: 0)
            }
            return list.uniqueToken
        }
        try await inspecting(store) { client in
            let (_, shown) = try await client.json("/item.json", ["type": "List", "id": "\(list)"])
            let entries = try #require((shown["relationships"] as? [[String: Any]])?.first)
            #expect(entries["count"] as? Int == 60)
            let linked = try #require(entries["items"] as? [[String: Any]])
            let names = linked.map { $0["title"] as? String }
            #expect(names == (10..<60).reversed().map { "\($0)" })
        }
    }

    @Test
    func typesShowWhatWasDeclared() async throws {
        let store = InMemoryDataStore()
        try store.open()
        try store.writeSync { db in
            try db.declare(
                ItemSchema(
                    "Person", formerTypeKeys: ["Human"],
                    attributes: [AttributeSchema("name", kinds: [.string], formerNames: ["title"])],
                    relationships: [
                        RelationshipSchema(
                            "friends", to: "Person", isToMany: true, isOrdered: true, maximum: 7,
                            formerNames: ["mates"])
                    ]))
        }
        try await inspecting(store) { client in
            let (_, types) = try await client.json("/types.json")
            let list = try #require(types["list"] as? [[String: Any]])
            let person = try #require(list.first { $0["name"] as? String == "Person" })
            #expect(person["formerNames"] as? [String] == ["Human"])
            let attributes = try #require(person["attributes"] as? [[String: Any]])
            #expect(attributes[0]["formerNames"] as? [String] == ["title"])
            let friends = try #require((person["relationships"] as? [[String: Any]])?.first)
            #expect(friends["formerNames"] as? [String] == ["mates"])
            #expect(friends["maximum"] as? Int == 7)
            #expect(friends["isOrdered"] as? Bool == true)
            #expect(friends["deleteRule"] as? String == "nullify")
        }
    }

    /// Sends changes as the page does.
    private func send(
        _ client: Client, _ path: String, _ draft: [String: Any]
    ) async throws -> (status: Int, text: String) {
        let body = try JSONSerialization.data(withJSONObject: draft)
        let reply = try await client.reply(
            "POST", path,
            headers: ["Authorization: Bearer \(client.token)", "Content-Type: application/json"],
            body: String(decoding: body, as: UTF8.self))
        return (reply.status, reply.text)
    }

    @Test
    func changesAreCommittedAsTheirPreviewShowsThem() async throws {
        let store = try Shelf.store()
        let (author, book) = try store.readSync { db in
            (
                try #require(
                    try db.items(
                        Shelf.Author.self, where: DataStorePredicate("name == \"Author 0\"")
                    ).first
                ).uniqueToken, try #require(try db.first(Shelf.Book.self)).uniqueToken
            )
        }
        var inspector = StoreInspector.patient(store)
        inspector.allowsChanges = true
        let session = try await inspector.start()
        let client = Client(session)
        var draft: [String: Any] = [
            "store": 0,
            "changes": [
                ["type": "Book", "id": "\(book)", "values": ["pages": "77", "title": "\"<b>\""]],
                ["type": "Author", "values": ["name": "\"New\""]],
            ],
        ]
        let shown = try await send(client, "/preview", draft)
        #expect(shown.status == 200)
        #expect(shown.text.contains("\"after\":\"77\"") && shown.text.contains("\"kind\":\"new\""))
        #expect(try await send(client, "/commit", draft).status == 422)
        draft["preview"] = shown.text
        let committed = try await send(client, "/commit", draft)
        #expect(committed.status == 200, "\(committed)")
        // The values before are others now.
        let again = try await send(client, "/commit", draft)
        #expect(again.status == 422 && again.text.contains("since the preview"))
        #expect(try await rows(client, ["type": "Book", "where": "pages == 77"]).count == 1)
        #expect(try await rows(client, ["type": "Author", "where": "name == \"New\""]).count == 1)

        var deletion: [String: Any] = [
            "store": 0,
            "changes": [["type": "Author", "id": "\(author)", "isDeletion": true]],
        ]
        let deleted = try await send(client, "/preview", deletion)
        #expect(deleted.text.contains("\"cascades\":{\"Book\":10}"), "\(deleted.text)")
        deletion["preview"] = deleted.text
        #expect(try await send(client, "/commit", deletion).status == 200)
        #expect(try await rows(client, ["type": "Book"]).isEmpty)
        await session.stop()
    }

    @Test
    func aPreviewShowsTheRelationshipsThatADeletionClears() async throws {
        let store = InMemoryDataStore()
        try store.open()
        let owner = try store.writeSync { db in
            try db.declare(
                ItemSchema(
                    "Owner", attributes: [],
                    relationships: [
                        RelationshipSchema("pets", to: "Pet", isToMany: true, inverse: "owner"),
                        RelationshipSchema(
                            "keys", to: "Key", isToMany: true, deleteRule: .cascade),
                    ]))
            try db.declare(
                ItemSchema(
                    "Pet", attributes: [],
                    relationships: [RelationshipSchema("owner", to: "Owner", inverse: "pets")]))
            // Neither has an inverse, and the second is kept as links.
            try db.declare(
                ItemSchema(
                    "Key", attributes: [],
                    relationships: [
                        RelationshipSchema("copy", to: "Key"),
                        RelationshipSchema("holders", to: "Owner", isToMany: true),
                    ]))
            let owner = try db.create("Owner")
            for _ in 0..<3 { try db.create("Pet").setRelatedItem("owner", to: owner) }
            let key = try db.create("Key")
            owner.related(toMany: "keys").insert(key)
            key.related(toMany: "holders").insert(owner)
            let copy = try db.create("Key")
            try copy.setRelatedItem("copy", to: key)
            copy.related(toMany: "holders").insert(owner)
            return owner.uniqueToken
        }
        var inspector = StoreInspector.patient(store)
        inspector.allowsChanges = true
        let session = try await inspector.start()
        let client = Client(session)
        var draft: [String: Any] = [
            "store": 0,
            "changes": [["type": "Owner", "id": "\(owner)", "isDeletion": true]],
        ]
        struct Preview: Decodable {
            struct Change: Decodable { let cascades, cleared: [String: Int] }
            let changes: [Change]
        }
        let shown = try await send(client, "/preview", draft).text
        let change = try #require(
            try JSONDecoder().decode(Preview.self, from: Data(shown.utf8)).changes.first)
        #expect(change.cascades == ["Key": 1])
        #expect(change.cleared == ["Pet.owner": 3, "Key.copy": 1, "Key.holders": 1])

        // Of the pets, one leaves and another one comes: their number is equal.
        try store.writeSync { db in
            let pet = try #require(try db.dynamicItems(DataStoreRequest(itemTypeKey: "Pet")).first)
            try pet.setRelatedItem("owner", to: nil)
            let found = try #require(
                try db.dynamicItem(ItemReference(itemTypeKey: "Owner", id: owner)))
            try db.create("Pet").setRelatedItem("owner", to: found)
        }
        draft["preview"] = shown
        #expect(try await send(client, "/commit", draft).status == 422)
        draft["preview"] = try await send(client, "/preview", draft).text
        #expect(try await send(client, "/commit", draft).status == 200)
        #expect(try await rows(client, ["type": "Pet", "where": "owner == nil"]).count == 4)
        await session.stop()
    }

    @Test(arguments: [
        #"{"type":"Nothing","values":{}}"#, #"{"type":"Book","id":"1","values":{}}"#,
        #"{"type":"Book","values":{"nothing":"1"}}"#, #"{"type":"Book","values":{"pages":"x"}}"#,
        #"{"type":"Book","values":{"pages":"\"a text\""}}"#,
        #"{"type":"Book","id":"00000000-0000-0000-0000-000000000000","isDeletion":true}"#,
    ])
    func wrongChangesAreErrorsAndChangeNothing(_ text: String) async throws {
        let change = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let store = try Shelf.store()
        var inspector = StoreInspector.patient(store)
        inspector.allowsChanges = true
        let session = try await inspector.start()
        let client = Client(session)
        var draft: [String: Any] = ["store": 0, "changes": [change]]
        let shown = try await send(client, "/preview", draft)
        if shown.status == 200 {
            draft["preview"] = shown.text
            #expect(try await send(client, "/commit", draft).status == 422)
        } else {
            #expect(shown.status == 422)
        }
        #expect(try store.readSync { db in try db.count(Shelf.Book.self) } == 10)
        await session.stop()
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
                // An id may follow the type of a reference.
                #expect(!reply.text.contains("\"Author 0\""), "\(query)")
            }
            for query in queries.suffix(3) + ["/export?type=Book&format=json", "/raw.json"] {
                #expect(try await client.reply(query).status == 422, "\(query)")
            }
        }
    }

    @Test(arguments: [
        ("Book.title", "Author", #"SUBQUERY(books, $b, $b.title BEGINSWITH "s").@count > 0"#),
        ("Book.title", "Author", #"SUBQUERY(books, $b, title BEGINSWITH "s").@count > 0"#),
        ("Book.title", "Author", #"ANY books.title BEGINSWITH "s""#),
        ("Author.*", "Book", #"{author}[0].name BEGINSWITH "A""#),
        ("Author.name", "Book", #"author.name BEGINSWITH "A""#),
        ("Author.name", "Book", #"reference("Author", "ID").name BEGINSWITH "A""#),
        ("Author.*", "Book", #"TERNARY(author.name == "A", 1, 2) == 1"#),
    ])
    func noPredicateFindsHiddenValues(hidden: String, type: String, predicate: String) async throws
    {
        let store = try Shelf.store()
        let id = try store.readSync { db in
            try #require(try db.first(Shelf.Author.self)).uniqueToken
        }
        let text = predicate.replacing("ID", with: "\(id)")
        for path in ["/count.json", "/rows.json", "/explain.json"] {
            try await inspecting(store, hiding: [hidden]) { client in
                let (status, value) = try await client.json(path, ["type": type, "where": text])
                #expect(status == 422, "\(value)")
                let message = (value["error"] as? [String: Any])?["message"] as? String
                #expect(message?.contains("hidden by --redact") == true, "\(value)")
            }
        }
    }

    /// A type as two releases declare it.
    private enum Renamed {
        final class Old: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Client", attributes: [AttributeSchema("tel", kinds: [.string])])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }

        final class New: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Customer", formerTypeKeys: ["Client"],
                attributes: [AttributeSchema("phone", kinds: [.string], formerNames: ["tel"])])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
    }

    @Test(arguments: ["Customer.phone", "Customer.tel", "Client.phone", "Client.tel", "Customer.*"])
    func formerNamesOfHiddenValuesAreHidden(_ hidden: String) async throws {
        let store = InMemoryDataStore()
        try store.open()
        try store.writeSync { db in
            try db.create(Renamed.Old.self).setStoredValue(Shelf.secret, forKeyPath: "tel")
        }
        try store.writeSync { db in
            try db.create(Renamed.New.self).setStoredValue(Shelf.secret, forKeyPath: "phone")
        }
        try await inspecting(store, hiding: [hidden]) { client in
            for name in ["phone", "tel"] {
                for query in [
                    "/count.json?type=Customer&where=\(name)%20BEGINSWITH%20%22s%22",
                    "/rows.json?type=Customer&sort=\(name)",
                    "/facets.json?type=Customer&attribute=\(name)",
                ] {
                    #expect(try await client.reply(query).status == 422, "\(query)")
                }
            }
            let rows = try await client.reply("/rows.json?type=Customer")
            #expect(rows.status == 200 && !rows.text.contains(Shelf.secret))
            #expect(rows.text.contains("\"hidden\""))
        }
    }

    /// A program renames or merges the hidden attribute while the inspector runs.
    @Test(arguments: [true, false])
    func namesThatChangeMeanwhileAreNotShown(isMerged: Bool) async throws {
        let store = InMemoryDataStore()
        try store.open()
        try store.writeSync { db in
            try db.declare(
                ItemSchema("Client", attributes: [AttributeSchema("tel"), AttributeSchema("note")]))
            try db.create("Client")["tel"] = .string(Shelf.secret)
        }
        try await inspecting(store, hiding: ["Client.tel"]) { client in
            #expect(try await client.reply("/rows.json?type=Client").status == 200)
            try store.writeSync { db in
                if isMerged {
                    try db.mergeAttribute("tel", into: "note", of: "Client")
                } else {
                    try db.renameAttribute("tel", to: "phone", of: "Client")
                }
            }
            for query in [
                "/rows.json?type=Client", "/types.json", "/export?type=Client&format=json",
                "/facets.json?type=Client&attribute=note",
            ] {
                let reply = try await client.reply(query)
                #expect(reply.status == 422 && !reply.text.contains(Shelf.secret), "\(query)")
                #expect(reply.text.contains("Start the inspector again"), "\(query)")
            }
        }
    }

    @Test(arguments: ["Book.titel", "book.title", "Books.*", "Book", ".title", "Book."])
    func patternsThatHideNothingAreErrors(_ hidden: String) async throws {
        var inspector = StoreInspector.patient(try Shelf.store())
        inspector.hiddenAttributes = [hidden]
        let error = await #expect(throws: DataStoreError.self) { try await inspector.start() }
        #expect(error?.code == .invalidRequest)
        if hidden == "Book.titel" {
            #expect(error?.message.contains("author, cover, pages, title") == true)
        }
    }

    @Test
    func largeAndTooManyValuesAreNotCounted() async throws {
        let store = try Shelf.store(books: 10_001)
        let long = String(repeating: "x", count: 2000)
        try store.writeSync { db in
            try db.create(Shelf.Author.self).setStoredValue(long, forKeyPath: "name")
        }
        try await inspecting(store) { client in
            for attribute in ["cover", "title"] {
                let reply = try await client.reply("/facets.json?type=Book&attribute=\(attribute)")
                #expect(reply.status == 422)
                let isCover = attribute == "cover"
                #expect(reply.text.contains(isCover ? "too large" : "too many different values"))
            }
            let (_, names) = try await client.json(
                "/facets.json", ["type": "Author", "attribute": "name"])
            let values = try #require(names["values"] as? [[String: Any]])
            #expect(values.count { $0["predicate"] == nil } == 1 && values.count == 3)
        }
    }

    @Test
    func aStreamEndsWithItsStore() async throws {
        let store = try Shelf.store()
        try await inspecting(store) { client in
            async let reply = client.reply("/changes?type=Book")
            try await Task.sleep(for: .milliseconds(500))
            try store.close()
            #expect(try await reply.text.contains("event: end"))
        }
    }

    @Test
    func anItemThatHasChangedSinceThePreviewIsKept() async throws {
        let store = try Shelf.store()
        var inspector = StoreInspector.patient(store)
        inspector.allowsChanges = true
        let session = try await inspector.start()
        let client = Client(session)
        let (book, author) = try store.readSync { db in
            (
                try #require(try db.first(Shelf.Book.self)).uniqueToken,
                try #require(
                    try db.first(
                        Shelf.Author.self, where: DataStorePredicate("name == \"Author 0\""))
                ).uniqueToken
            )
        }
        let changes: [[String: Any]] = [
            ["type": "Book", "id": "\(book)", "isDeletion": true],
            ["type": "Book", "id": "\(book)", "values": ["pages": "5"]],
            ["type": "Author", "id": "\(author)", "isDeletion": true],
        ]
        for (number, change) in changes.enumerated() {
            var draft: [String: Any] = ["store": 0, "changes": [change]]
            draft["preview"] = try await send(client, "/preview", draft).text
            // Of the author's books, one leaves and another one comes: their number is equal.
            try store.writeSync { db in
                if number < 2 {
                    let changed = try db.item(Shelf.Book.self, id: book)
                    try #require(changed).setStoredValue("title \(number)", forKeyPath: "title")
                } else {
                    try db.delete(try #require(try db.item(Shelf.Book.self, id: book)))
                    let parent = try #require(try db.item(Shelf.Author.self, id: author))
                    try db.create(Shelf.Book.self).setRelatedItem("author", to: parent)
                }
            }
            let reply = try await send(client, "/commit", draft)
            #expect(reply.status == 422 && reply.text.contains("since the preview"), "\(reply)")
        }
        #expect(try store.readSync { db in try db.count(Shelf.Book.self) } == 10)
        await session.stop()
    }

    @Test
    func changesArriveAsTheyAreCommitted() async throws {
        let store = try Shelf.store()
        try await inspecting(store) { client in
            let request = client.text("GET", "/changes?type=Book")
            let id = try await store.read { db in
                try #require(try db.first(Shelf.Book.self)).uniqueToken
            }
            // The stream begins at an unknown time, so that there are commits until one has arrived.
            let writing = Task {
                for number in 0... {
                    try await Task.sleep(for: .milliseconds(100))
                    try await store.write { db in
                        let book = try #require(try db.first(Shelf.Book.self))
                        try book.setStoredValue(number, forKeyPath: "pages")
                    }
                }
            }
            let received = try await client.send(Array(request.utf8), until: "\"updated\":[\"")
            writing.cancel()
            #expect(String(decoding: received, as: UTF8.self).contains("\"updated\":[\"\(id)\"]"))
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
            let (_, same) = try await client.json(
                "/raw.json", ["part": "record", "from": after, "limit": "100"])
            #expect((same["entries"] as? [Any])?.count == 9)
            let stats = try await client.reply("/stats").text
            #expect(
                stats.contains("\"part\":\"record\",\"type\":\"Book\"")
                    || stats.contains("\"entries\":10"))
            #expect(stats.contains("\"freePages\"") && stats.contains("\"index\":[\"pages\"]"))
            for path in [
                "/types.json", "/rows.json?type=Book", "/verify",
                "/facets.json?type=Book&attribute=pages",
            ] {
                #expect(try await client.reply(path).status == 200)
            }
        }
        try store.close()
        #expect(try Data(contentsOf: data) == before)
    }

    @Test
    func damagedRecordsAreShownAsBytes() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "inspector-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let writer = try LMDBDataStore.open(at: directory)
        try Shelf.fill(writer)
        try writer.close()
        let data = directory.appending(path: "data.mdb")
        var bytes = try Data(contentsOf: data)
        // All copies of one title: the record, and what earlier commits have left.
        let title = Data("\(Shelf.secret) 5".utf8)
        while let range = bytes.range(of: title) { bytes[range.lowerBound] ^= 1 }
        try bytes.write(to: data)
        let store = try LMDBDataStore.open(at: directory, configuration: .init(isReadOnly: true))
        try await inspecting(store) { client in
            let (_, raw) = try await client.json("/raw.json", ["part": "record", "limit": "100"])
            let entries = try #require(raw["entries"] as? [[String: Any]])
            #expect(entries.count == 12)
            #expect(entries.count { $0["isSound"] as? Bool == false } == 1)
            let damaged = try #require(entries.first { $0["isSound"] as? Bool == false })
            let id = try #require(damaged["id"] as? String)
            let (status, reason) = try await client.json("/item.json", ["type": "Book", "id": id])
            #expect(status == 422)
            #expect((reason["error"] as? [String: Any])?["code"] as? String == "corrupted")
            let verified = try await client.reply("/verify").text
            #expect(!verified.contains("\"problems\":[]"))
        }
        try store.close()
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
