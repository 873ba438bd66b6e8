import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import Testing

/// Relationships in the commands of the tool.
@Suite struct RelationshipCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static let relations = [
        ("Artist", ["--relation", "idol=Artist.id:likes"]),
        ("Album", ["--relation", "artist=Artist.id:artistId", "--inverse", "artist=albums"]),
        (
            "Playlist",
            [
                "--relation", "albums=[Album.id]:albumId", "--inverse", "albums=lists", "--ordered",
                "albums",
            ]
        ),
    ]

    /// A small graph with a join table, references within a type and to later rows, and texts of several scripts.
    private static let tables = """
        {"Artist": [{"id": 1, "name": "Björk", "likes": 3}, {"id": 2, "name": "李谷一", "likes": null},
          {"id": 3, "name": "Кино", "likes": 1}],
         "Album": [{"id": 10, "title": "Début", "artistId": 1}, {"id": 11, "title": "乡恋", "artistId": 2},
          {"id": 12, "title": "Post", "artistId": 1}, {"id": 13, "title": "?", "artistId": null}],
         "Playlist": [{"id": 100, "name": "a"}, {"id": 101, "name": "empty"}],
         "PlaylistAlbum": [{"id": 100, "albumId": 12}, {"id": 100, "albumId": 10}, {"id": 100, "albumId": 12}]}
        """

    @discardableResult
    private func run(_ arguments: [String]) throws -> Tool.Run {
        try tool.start(arguments).end()
    }

    private func makeStore(_ scheme: String, _ name: String = "store") throws -> String {
        let store = tool.store(scheme, name)
        let file = try tool.file("tables.json", Self.tables)
        for (type, options) in Self.relations {
            let run = try run(
                ["import", store, type, file, "--at", type, "--key", "id"]
                    + (type == "Playlist" ? [] : options))
            try #require(run.status == 0, "\(run.errors)")
        }
        let run = try run(
            ["import", store, "Playlist", file, "--at", "PlaylistAlbum", "--key", "id"]
                + Self.relations[2].1)
        try #require(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output == "0 items imported into “Playlist”, 3 updated.\n")
        return store
    }

    private func query(
        _ store: String, _ type: String, _ columns: String, _ options: String...
    ) throws -> [String] {
        let run = try run(
            ["query", store, type, "--format", "csv", "--columns", columns] + options)
        #expect(run.errors.isEmpty, "\(run.errors)")
        return run.output.replacing("\"\"", with: "'").split(separator: "\n").dropFirst()
            .map(String.init)
    }

    private func id(_ store: String, _ type: String, _ id: Int) throws -> String {
        try #require(try query(store, type, "uniqueToken", "--where", "id == \(id)").first)
    }

    // MARK: import and query

    @Test(arguments: ["lmdb", "leveldb"])
    func tablesBecomeAGraph(_ scheme: String) throws {
        let store = try makeStore(scheme)
        #expect(
            try query(
                store, "Album", "title,artist.name,lists.@count", "--sort", "artist.name", "--sort",
                "id:desc")
                == ["?,,0", "Post,Björk,1", "Début,Björk,1", "乡恋,李谷一,0"])
        #expect(
            try query(
                store, "Artist", "name,idol.name,albums.title", "--sort", "albums.@count:desc")
                == [
                    #"Björk,Кино,"['Début','Post']""#, #"李谷一,,"['乡恋']""#, "Кино,Björk,[]",
                ])
        #expect(
            try query(store, "Playlist", "name,albums.title", "--where", "albums.@count > 0")
                == [#"a,"['Post','Début']""#])
        #expect(
            try query(store, "Playlist", "name", "--where", #"ANY albums.artist.name == "Björk""#)
                == ["a"])
        #expect(try tool("verify", store).status == 0)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func aKeyWithoutAnItemIsReported(_ scheme: String) throws {
        let store = try makeStore(scheme)
        let file = try tool.file("more.csv", "id,artistId\n20,1\n21,99\n22,2\n")
        let arguments = ["import", store, "Album", file, "--key", "id"] + Self.relations[1].1
        let stopped = try run(arguments)
        #expect(stopped.status == 1)
        #expect(
            stopped.errors.contains(
                "“more.csv”, line 3: There is no item of “Artist” whose “id” is “99”"))
        #expect(try query(store, "Album", "id", "--where", "id >= 20").isEmpty)
        let skipped = try run(arguments + ["--on-error", "skip"])
        #expect(skipped.status == 1 && skipped.output.contains("1 row left out"))
        #expect(
            try query(store, "Album", "id,artist.id", "--where", "id >= 20") == ["20,1", "22,2"])
    }

    /// The column is named after the key unless another is given, so a forgotten one would relate nothing.
    @Test func aColumnThatIsMissingIsNotSilent() throws {
        let store = try makeStore("lmdb")
        let options = ["--relation", "artist=Artist.id"]
        let table = try tool.file("more.csv", "number,artist\n20,1\n")
        let refused = try run(["import", store, "Single", table] + options)
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains(
                "line 1: there is no column “id” for the relationship “artist”. Name the one that has its values"
            ))
        #expect(refused.errors.contains("“number”, “artist”"), "\(refused.errors)")
        // Members of JSON may be missing in a row, but hardly in all of them.
        let lines = try tool.file("more.jsonl", "{\"number\": 20, \"performer\": 1}\n")
        let imported = try run(["import", store, "Single", lines] + options)
        #expect(imported.status == 0)
        #expect(
            imported.errors.contains("No row has “id”, so none is related by “artist”."),
            "\(imported.errors)")
        let related = try run(
            ["import", store, "Single", lines] + [options[0], options[1] + ":performer"])
        #expect(related.status == 0 && related.errors.isEmpty, "\(related.errors)")
        let empty = try run(["import", store, "Single", try tool.file("no.csv", "")] + options)
        #expect(empty.status == 0 && empty.errors.isEmpty, "\(empty.errors)")
    }

    @Test func wrongOptionsAreUsageErrors() throws {
        let file = try tool.file("rows.jsonl", "{}\n")
        for options in [
            ["--relation", "a"], ["--relation", "a=B"], ["--relation", "=B.c"],
            ["--relation", "a=[B.c"],
            ["--relation", "a=B.c:"], ["--relation", "a=.c"], ["--inverse", "a=b"],
            ["--relation", "a=B.c", "--ordered", "a"], ["--delete-rule", "a=cascade"],
            ["--relation", "a=B.c", "--delete-rule", "a=never"],
            ["--relation", "a=B.c", "--delete-rule", "a=deny", "--delete-rule", "a=cascade"],
            // Two relationships of that name.
            ["--relation", "a=B.c", "--inverse", "a=a", "--delete-rule", "a=deny"],
        ] {
            let run = try run(["import", tool.store("lmdb"), "T", file] + options)
            #expect(run.status == 64, "\(options)")
        }
    }

    // MARK: Delete rules

    /// The lines of `info` about relationships.
    private func relationships(_ store: String) throws -> Set<String> {
        let lines = try tool("info", store).output.replacing(#/ +/#) { _ in " " }
            .split(separator: "\n").map(String.init)
        return Set(lines)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func anImportDeclaresDeleteRules(_ scheme: String) throws {
        let store = tool.store(scheme)
        let file = try tool.file("tables.json", Self.tables)
        let artists = ["import", store, "Artist", file, "--at", "Artist", "--key", "id"]
        #expect(try run(artists).status == 0)
        let albums =
            ["import", store, "Album", file, "--at", "Album", "--key", "id"] + Self.relations[1].1
        let rules = ["--delete-rule", "albums=cascade", "--delete-rule", "artist=noAction"]
        #expect(try run(albums + rules).status == 0)
        #expect(
            try relationships(store).isSuperset(of: [
                " artist Artist one noAction albums", " albums Album many cascade artist",
            ]))
        // An import without rules takes those in the store, and equal ones do not contradict them.
        for options in [[], rules, ["--delete-rule", "albums=cascade"]] {
            #expect(try run(albums + options).status == 0)
        }
        for (rule, owner, known) in [
            ("albums=deny", "Artist", "cascade"), ("artist=nullify", "Album", "noAction"),
        ] {
            let run = try run(albums + ["--delete-rule", rule])
            let parts = rule.split(separator: "=")
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(
                run.errors.contains(
                    "“\(parts[0])” of “\(owner)” has the delete rule \(known) in the store"))
            #expect(
                run.errors.contains(
                    "justpersist delete-rule STORE \(owner) \(parts[0]) \(parts[1])."),
                "\(run.errors)")
        }
        let deleted = try tool("delete", store, "Artist", "--where", "name == 'Björk'", "--yes")
        #expect(deleted.output == "1 item deleted, and 2 others with it.\n", "\(deleted.errors)")
        #expect(try query(store, "Album", "id") == ["11", "13"])
        #expect(try tool("verify", store).status == 0)
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func theDeleteRuleOfARelationshipIsChanged(_ scheme: String) throws {
        let store = try makeStore(scheme)
        #expect(
            try tool("delete-rule", store, "Artist", "albums", "deny").output
                == "“albums” of “Artist” has the rule deny now, and had nullify.\n")
        #expect(
            try tool("delete-rule", store, "Artist", "albums", "deny").output
                == "Nothing to do: “albums” of “Artist” has the rule deny already.\n")
        #expect(try relationships(store).contains(" albums Album many deny artist"))
        let björk = ["delete", store, "Artist", "--where", "name == 'Björk'", "--yes"]
        let denied = try run(björk)
        #expect(denied.status == 1 && denied.errors.contains("denies"), "\(denied.errors)")
        #expect(try tool("delete-rule", store, "Artist", "albums", "cascade").status == 0)
        #expect(try run(björk).output == "1 item deleted, and 2 others with it.\n")
        #expect(try query(store, "Playlist", "id,albums.id") == ["100,[]", "101,[]"])
        #expect(try tool("verify", store).status == 0)
        let unknown = try tool("delete-rule", store, "Artist", "songs", "deny")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("Its relationships are “idol”, “albums”"))
        #expect(try tool("delete-rule", store, "Artist", "albums", "never").status == 64)
        #expect(try tool("delete-rule", store, "Nobody", "albums", "deny").status == 1)
    }

    /// The rule of no action leaves references to deleted items, which are no damage under a later rule.
    @Test(arguments: ["lmdb", "leveldb"])
    func referencesThatNoActionHasLeftAreNoDamageUnderAnotherRule(_ scheme: String) throws {
        let store = try makeStore(scheme)
        for (type, name) in [("Artist", "albums"), ("Album", "lists")] {
            #expect(try tool("delete-rule", store, type, name, "noAction").status == 0)
        }
        for (type, condition) in [("Artist", "name == 'Björk'"), ("Album", "id == 10")] {
            #expect(try tool("delete", store, type, "--where", condition, "--yes").status == 0)
        }
        func left() throws -> [[String]] {
            [
                try query(store, "Album", "id", "--where", "artist == nil"),
                try query(store, "Playlist", "id,albums.@count", "--where", "id == 100"),
            ]
        }
        #expect(try left() == [["12", "13"], ["100,1"]])
        for (type, name) in [("Artist", "albums"), ("Album", "lists")] {
            #expect(try tool("delete-rule", store, type, name, "nullify").status == 0)
        }
        #expect(try left() == [["12", "13"], ["100,1"]])
        #expect(try tool("verify", store).status == 0)
    }

    // MARK: export

    @Test(arguments: [("lmdb", "leveldb"), ("leveldb", "lmdb")], [false, true])
    func anExportOfAllTypesIsImportedAsTheSameGraph(
        _ schemes: (String, String), _ isReversed: Bool
    ) throws {
        let store = try makeStore(schemes.0)
        let target = tool.store(schemes.1, "target")
        let types = isReversed ? Array(Self.relations.reversed()) : Self.relations
        for (type, options) in types {
            let file = tool.directory.url.appending(path: "\(type).jsonl").path
            #expect(try tool("export", store, type, file, "--ids").status == 0)
            let byID = options.map { option in
                option.replacing(#/\.id(\]?):.*/#) { ".$id\($0.output.1)" }
            }
            let run = try run(["import", target, type, file] + byID)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try tool("index", "add", target, type, "id", "--unique").status == 0)
        }
        let diff = try tool("diff", store, target)
        #expect(diff.status == 0, "\(diff.output)")
        #expect(try tool("verify", target).status == 0)
    }

    @Test func linksAreNested() throws {
        let store = try makeStore("lmdb")
        let run = try tool(
            "export", store, "Playlist", "--columns", "name", "--link", "albums.artist", "--limit",
            "1")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(#"{"name":"a","albums":[{"artist":{"id":1,"idol":"#))
        let refused = try tool("export", store, "Playlist", "--link", "name")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("Its relationships are “albums”."))
    }

    // MARK: info

    @Test func infoShowsRelationshipsAndNoLinks() throws {
        let store = try makeStore("lmdb")
        let lines = try relationships(store)
        #expect(lines.contains { $0.contains(": 3 types, ") })
        for line in [
            " artist Artist one nullify albums", " albums Album many nullify artist",
            " albums Album many, ordered nullify lists", " idol Artist one nullify",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(
            !lines.contains {
                $0.hasPrefix(" index over artist") || $0.hasPrefix(" artist reference")
            })
        let json = try tool("info", store, "--format", "json").output
        #expect(json.contains(#""linkType" : "Playlist.albums""#))
        let verified = try tool("verify", store).output
        #expect(verified.contains("Playlist.albums (links)      2\n"), "\(verified)")
    }

    // MARK: delete

    /// A store of a program whose authors are deleted with their books.
    private func makeCascades() throws -> String {
        let store = LMDBDataStore(at: tool.directory.url.appending(path: "cascades"))
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Author", attributes: [AttributeSchema("name")],
                    relationships: [
                        RelationshipSchema(
                            "books", to: "Book", isToMany: true, deleteRule: .cascade,
                            inverse: "author")
                    ]))
            try db.declare(
                ItemSchema(
                    "Book", attributes: [],
                    relationships: [
                        RelationshipSchema("author", to: "Author"),
                        RelationshipSchema("next", to: "Book", deleteRule: .cascade),
                    ]))
            for name in ["a", "b"] {
                let author = try db.create("Author")
                author["name"] = .string(name)
                let books = [try db.create("Book"), try db.create("Book"), try db.create("Book")]
                for book in books.prefix(2) { author.related(toMany: "books").insert(book) }
                books[1].setRelated("next", to: books[2])
            }
        }
        try store.close()
        return tool.store("lmdb", "cascades")
    }

    @Test func deleteSaysWhatACascadeTakesWithIt() throws {
        let store = try makeCascades()
        let asked = try tool("delete", store, "Author", "--where", "name == 'a'")
        #expect(asked.status == 1)
        #expect(
            asked.errors.contains(
                "1 item of “Author” would be deleted, and 3 other items with it."),
            "\(asked.errors)")
        let run = try tool("delete", store, "Author", "--where", "name == 'a'", "--yes")
        #expect(run.output == "1 item deleted, and 3 others with it.\n")
        #expect(try tool("query", store, "Book", "--format", "count").output == "3\n")
        // Items that match themselves are no others.
        let rest = try tool("delete", store, "Book", "--where", "TRUEPREDICATE", "--yes")
        #expect(rest.output == "3 items deleted.\n", "\(rest.errors)")
        #expect(try tool("verify", store).status == 0)
    }

    // MARK: link and unlink

    @Test(arguments: ["lmdb", "leveldb"])
    func itemsAreRelatedAndSeparated(_ scheme: String) throws {
        let store = try makeStore(scheme)
        let (list, album) = (try id(store, "Playlist", 100), try id(store, "Album", 11))
        func albums() throws -> String? {
            try query(store, "Playlist", "albums.id", "--where", "id == 100").first
        }
        let nothing = "Nothing to do: the items are related already.\n"
        #expect(
            try tool("link", store, "Playlist", list, "albums", album, "--at", "1").output
                == "Related.\n")
        #expect(try albums() == #""[12,11,10]""#)
        #expect(try tool("link", store, "Playlist", list, "albums", album).output == nothing)
        #expect(
            try tool("link", store, "Playlist", list, "albums", album, "--at", "0").output
                == "Moved.\n")
        #expect(try albums() == #""[11,12,10]""#)
        #expect(
            try tool("unlink", store, "Album", album, "lists", list).output
                == "No longer related.\n")
        #expect(try albums() == #""[12,10]""#)
        #expect(
            try tool("unlink", store, "Album", album, "lists", list).output
                == "Nothing to do: the items are not related.\n")
        let artist = try id(store, "Artist", 3)
        let former = try id(store, "Artist", 2)
        #expect(
            try tool("link", store, "Album", album, "artist", artist).output
                == "Related. “artist” of \(album) was Artist \(former) before.\n")
        #expect(
            try tool("link", store, "Artist", former, "albums", album).output
                == "Related. “artist” of \(album) was Artist \(artist) before.\n")
        #expect(try tool("link", store, "Album", album, "artist", artist).status == 0)
        #expect(try tool("link", store, "Album", album, "artist", artist).output == nothing)
        #expect(
            try query(store, "Artist", "id,albums.id", "--where", "id > 1") == ["2,[]", "3,[11]"])
        #expect(
            try tool("unlink", store, "Album", album, "artist", artist).output
                == "No longer related.\n")
        #expect(try query(store, "Album", "artist.id", "--where", "id == 11").allSatisfy(\.isEmpty))
        #expect(try tool("verify", store).status == 0)
        for (arguments, status) in [
            (["link", store, "Album", album, "artist", album], 1),
            (["link", store, "Album", album, "artist", artist, "--at", "0"], 1),
            (["link", store, "Album", album, "title", artist], 1),
            (["link", store, "Album", "x", "artist", artist], 64),
            (["unlink", store, "Album", album, "artist", "x"], 64),
        ] as [([String], Int32)] {
            #expect(try run(arguments).status == status, "\(arguments)")
        }
    }

    // MARK: verify and repair

    /// Deletes items of a type as no program does: what they are related to stays.
    private func lose(_ type: String, _ predicate: String, in scheme: String) throws {
        let place = tool.directory.url.appending(path: "store")
        let opened: any DataStore =
            scheme == "lmdb" ? LMDBDataStore(at: place) : LevelDBDataStore(at: place)
        try opened.open()
        try opened.write { db in
            let request = DataStoreRequest(itemTypeKey: type)
            request.predicate = try DataStorePredicate(predicate)
            for item in try db.dynamicItems(request) { _ = try db.performDelete(item) }
        }
        try opened.close()
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func relationshipsAreVerifiedAndRepaired(_ scheme: String) throws {
        let store = try makeStore(scheme)
        try lose("Album", "id == 12", in: scheme)
        try lose("Artist", "id == 1", in: scheme)
        let found = try run(["verify", store])
        #expect(found.status == 1)
        for text in [
            "“artist” of “Album”: 1 item refers to an item that does not exist",
            "“idol” of “Artist”: 1 item refers to an item that does not exist",
            "1 link relates an item that does not exist",
        ] { #expect(found.output.contains(text), "\(found.output)") }
        let new = tool.directory.url.appending(path: "new").path
        let salvaged = try run(["repair", store, "--into", new])
        #expect(salvaged.status == 1)
        #expect(salvaged.output.contains("dropped: 1 link of items that are lost\n"))
        #expect(salvaged.output.contains("set to nil: 2 references to items that are lost"))
        try #expect(run(["verify", scheme + ":" + new]).status == 0)
        let repaired = try run(["repair", store, "--yes"])
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(repaired.output.split(separator: "\n").count == 3, "\(repaired.output)")
        #expect(repaired.output.split(separator: "\n").allSatisfy { $0.hasPrefix("repaired: “") })
        for place in [store, scheme + ":" + new] {
            try #expect(run(["verify", place]).output.hasSuffix("OK\n"))
            try #expect(
                query(place, "Album", "title,artist.name", "--sort", "id")
                    == ["Début,", "乡恋,李谷一", "?,"])
            try #expect(
                query(place, "Playlist", "name,albums.@count", "--sort", "id") == [
                    "a,1", "empty,0",
                ])
        }
    }

    // MARK: diff

    @Test func diffComparesDeclarations() throws {
        let (first, second) = (try makeStore("lmdb", "one"), tool.store("lmdb", "two"))
        #expect(try tool("migrate", first, second).status == 0)
        #expect(try tool("diff", first, second).status == 0)
        let store = LMDBDataStore(at: tool.directory.url.appending(path: "two"))
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Album", attributes: [],
                    relationships: [
                        RelationshipSchema("artist", to: "Artist", deleteRule: .cascade)
                    ]))
        }
        try store.close()
        let run = try tool("diff", first, second)
        #expect(run.status == 1)
        #expect(run.output == "~ type Album\n  ~ relationship artist\n")
    }
}
