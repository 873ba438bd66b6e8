import Foundation
import JustPersist
import JustPersistImportExport
import Testing

/// Imports of rows that name the items to which they are related by keys.
@Suite struct RelationImportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func file(_ text: String, name: String = "r.jsonl") throws -> URL {
        try directory.file(name, Array(text.utf8))
    }

    func open(_ backend: Backend) throws -> any DataStore {
        try backend.open(in: directory.url.appending(path: "store"))
    }

    static let artist = ItemImport.Relation(
        RelationshipSchema("artist", to: "Artist"), key: "id", column: "artistId",
        inverse: RelationshipSchema("albums", to: "Album", isToMany: true, inverse: "artist"))
    static let tracks = ItemImport.Relation(
        RelationshipSchema("tracks", to: "Track", isToMany: true), key: "id", column: "track",
        inverse: RelationshipSchema("playlists", to: "Playlist", isToMany: true, inverse: "tracks"))
    static let boss = ItemImport.Relation(
        RelationshipSchema("boss", to: "Person"), key: "id", column: "reportsTo",
        inverse: RelationshipSchema("reports", to: "Person", isToMany: true, inverse: "boss"))

    /// Imports rows of JSON Lines, and returns the report and the bad rows.
    @discardableResult
    func run(
        _ type: String, _ text: String, into store: any DataStore, name: String = "r.jsonl",
        key: String? = "id", _ relations: [ItemImport.Relation] = [], skips: Bool = false,
        batchSize: Int = 2000
    ) throws -> (ItemImport.Report, [ItemImport.BadRow]) {
        var settings = ItemImport(itemType: type, batchSize: batchSize)
        settings.key = key
        settings.relations = relations
        settings.onError = skips ? .skip : .stop
        var bad: [ItemImport.BadRow] = []
        let report = try settings.run(
            file(text, name: name), into: store, badRow: { bad.append($0) })
        return (report, bad)
    }

    /// The values at two paths for each item, as texts.
    func pairs(
        _ store: any DataStore, _ type: String, _ paths: String...
    ) throws -> [String] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: type)).map { item in
                try paths.map { try item.storedValue(forKeyPath: $0).cell ?? "null" }
                    .joined(separator: " ")
            }
        }
    }

    // MARK: To one

    @Test(arguments: Backend.allCases, [1, 2, 2000])
    func aColumnBecomesARelationship(_ backend: Backend, _ batchSize: Int) throws {
        let store = try open(backend)
        try run(
            "Artist", #"{"id":1,"name":"Björk"}"# + "\n" + #"{"id":"x","name":"李"}"#, into: store)
        let rows = """
            {"id":10,"title":"Début","artistId":1}
            {"id":11,"title":"no one","artistId":null}
            {"id":12,"title":"唐诗","artistId":"x"}
            {"id":13,"title":"Post","artistId":1.0}
            {"id":14,"title":"without"}
            """
        let (report, _) = try run("Album", rows, into: store, [Self.artist], batchSize: batchSize)
        #expect(report.created == 5)
        #expect(
            try pairs(store, "Album", "title", "artist.name") == [
                "Début Björk", "no one null", "唐诗 李", "Post Björk", "without null",
            ])
        #expect(try pairs(store, "Artist", "name", "albums.@count") == ["Björk 2", "李 1"])
        let schema = try store.read { db in try db.schemas().first { $0.itemTypeKey == "Album" } }
        #expect(schema?.attributes.map(\.name) == ["id", "title", "artist"])
        // Rows change existing items: null removes, a missing column changes nothing.
        try run(
            "Album",
            #"{"id":10,"artistId":null}"# + "\n" + #"{"id":12,"title":"y"}"# + "\n"
                + #"{"id":13,"artistId":"x"}"#, into: store, [Self.artist])
        #expect(
            try pairs(store, "Album", "title", "artist.name") == [
                "Début null", "no one null", "y 李", "Post 李", "without null",
            ])
        #expect(try pairs(store, "Artist", "name", "albums.@count") == ["Björk 0", "李 2"])
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func aKeyWithoutAnItemRefusesTheRow(_ backend: Backend) throws {
        let store = try open(backend)
        try run("Artist", #"{"id":1}"#, into: store)
        let rows = """
            {"id":10,"artistId":1}
            {"id":11,"artistId":77}
            {"id":12,"artistId":1}
            """
        let error = #expect(throws: DataStoreError.self) {
            try run("Album", rows, into: store, [Self.artist], batchSize: 1)
        }
        #expect(error?.code == .invalidInput)
        #expect(
            error?.message.contains("line 2: There is no item of “Artist” whose “id” is “77”")
                == true)
        #expect(error?.message.contains("“artist” (“artistId”)") == true)
        #expect(error?.message.contains("(--skip 1)") == true)
        #expect(try pairs(store, "Album", "id") == ["10"])
        let (report, bad) = try run("Album", rows, into: store, [Self.artist], skips: true)
        #expect(report.skipped == 1 && report.created == 1 && report.updated == 1)
        #expect(bad.map(\.line) == [2])
        #expect(try pairs(store, "Album", "id", "artist.id") == ["10 1", "12 1"])
        try store.close()
    }

    @Test func relationsThatCannotBeAreRefusedBeforeAnythingIsStored() throws {
        let store = try open(.lmdb)
        func refusal(_ relation: ItemImport.Relation, _ text: String) throws {
            let error = #expect(throws: DataStoreError.self) {
                try run("Album", #"{"id":1,"artistId":null}"#, into: store, [relation])
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        }
        try refusal(Self.artist, "no type “Artist”")
        try run("Artist", #"{"id":1,"albums":3}"#, into: store, key: nil)
        var alone = Self.artist
        alone.inverse = nil
        try refusal(alone, "index add STORE Artist id --unique")
        try store.write { db in
            try db.declare(
                ItemSchema("Artist", attributes: [], indexes: [IndexSchema(["id"], isUnique: true)])
            )
        }
        try refusal(Self.artist, "“albums” is an attribute of “Artist”")
        #expect(try store.read { db in try db.schemas().map(\.itemTypeKey) } == ["Artist"])
        try run("Track", #"{"id":1,"artist":2}"#, into: store)
        var relation = Self.artist
        relation.inverse = nil
        try run("Album", #"{"id":1,"artistId":1}"#, into: store, [relation])
        relation.relationship = RelationshipSchema("artist", to: "Artist", isToMany: true)
        try refusal(relation, "to one item of “Artist”")
        relation.relationship = RelationshipSchema("id", to: "Artist")
        try refusal(relation, "“id” is an attribute of “Album”")
        try store.close()
    }

    // MARK: To many

    @Test(arguments: Backend.allCases, [1, 2000])
    func aJoinTableAddsItems(_ backend: Backend, _ batchSize: Int) throws {
        let store = try open(backend)
        try run("Track", (1...4).map { "{\"id\":\($0)}" }.joined(separator: "\n"), into: store)
        try run("Playlist", #"{"id":1,"name":"a"}"# + "\n" + #"{"id":2,"name":"b"}"#, into: store)
        let rows = """
            {"id":1,"track":3}
            {"id":2,"track":3}
            {"id":1,"track":1}
            {"id":1,"track":3}
            {"id":2,"track":[4,null,2]}
            {"id":3,"track":null}
            """
        let (report, _) = try run(
            "Playlist", rows, into: store, [Self.tracks], batchSize: batchSize)
        #expect(report.created == 1 && report.updated == 5)
        #expect(
            try pairs(store, "Playlist", "id", "name", "tracks.id") == [
                "1 a [1,3]", "2 b [2,3,4]", "3 null []",
            ])
        #expect(
            try pairs(store, "Track", "id", "playlists.id")
                == ["1 [1]", "2 [2]", "3 [1,2]", "4 [2]"])
        let (_, bad) = try run(
            "Playlist", #"{"id":1,"track":[2,9]}"# + "\n" + #"{"id":9,"track":[9]}"#, into: store,
            [Self.tracks], skips: true)
        #expect(bad.map(\.line) == [1, 2])
        #expect(try pairs(store, "Playlist", "id", "tracks.id").first == "1 [1,3]")
        #expect(try pairs(store, "Playlist", "id").count == 3)
        try store.close()
    }

    @Test func anOrderedRelationshipHasTheOrderOfTheRows() throws {
        let store = try open(.leveldb)
        try run("Track", (1...4).map { "{\"id\":\($0)}" }.joined(separator: "\n"), into: store)
        var tracks = Self.tracks
        tracks.relationship = RelationshipSchema(
            "tracks", to: "Track", isToMany: true, isOrdered: true)
        try run(
            "Playlist", #"{"id":1,"track":[4,2]}"# + "\n" + #"{"id":1,"track":[1,4,3]}"#,
            into: store, [tracks])
        #expect(try pairs(store, "Playlist", "tracks.id") == ["[4,2,1,3]"])
        try store.close()
    }

    // MARK: Rows of the same file

    @Test(arguments: Backend.allCases, [1, 2, 2000])
    func rowsReferToRowsOfTheirFileInAnyOrder(_ backend: Backend, _ batchSize: Int) throws {
        let store = try open(backend)
        // 5 and 6 are a circle, 7 is its own boss.
        let rows = """
            {"id":1,"reportsTo":4}
            {"id":2,"reportsTo":1}
            {"id":5,"reportsTo":6}
            {"id":3,"reportsTo":2}
            {"id":4,"reportsTo":null}
            {"id":7,"reportsTo":7}
            {"id":6,"reportsTo":5}
            """
        let (report, _) = try run("Person", rows, into: store, [Self.boss], batchSize: batchSize)
        #expect(report.created == 7 && report.updated == 0)
        #expect(
            try pairs(store, "Person", "id", "boss.id").sorted() == [
                "1 4", "2 1", "3 2", "4 null", "5 6", "6 5", "7 7",
            ])
        #expect(try pairs(store, "Person", "id", "reports.@count").contains("1 1"))
        try store.close()
    }

    @Test(arguments: Backend.allCases, [1, 2, 2000])
    func aRowThatNeedsARefusedRowIsRefused(_ backend: Backend, _ batchSize: Int) throws {
        let store = try open(backend)
        let rows = """
            {"id":1,"reportsTo":2}
            {"id":2,"reportsTo":99}
            {"id":3,"reportsTo":1}
            {"id":4,"reportsTo":5}
            {"id":5}
            """
        let (report, bad) = try run(
            "Person", rows, into: store, [Self.boss], skips: true, batchSize: batchSize)
        #expect(bad.map(\.line) == [1, 2, 3] && report.skipped == 3 && report.created == 2)
        #expect(bad.first?.reason.contains("“2”") == true)
        #expect(try pairs(store, "Person", "id", "boss.id").sorted() == ["4 5", "5 null"])
        try store.close()
    }

    @Test(arguments: [1, 2000])
    func anImportThatStopsReportsTheRowsThatItKeptBack(_ batchSize: Int) throws {
        let store = try open(.lmdb)
        let rows = """
            {"id":1}
            {"id":2,"reportsTo":99}
            {"id":3,"reportsTo":4}
            {"id":4}
            """
        let error = #expect(throws: DataStoreError.self) {
            try run("Person", rows, into: store, [Self.boss], batchSize: batchSize)
        }
        #expect(
            error?.message.contains("line 2: ") == true && error?.message.contains("“99”") == true)
        let message = error?.message ?? ""
        #expect(
            message.contains("from line 2 on, are not stored, and all others are"), "\(message)")
        #expect(
            try pairs(store, "Person", "id") == (batchSize == 1 ? ["1", "4"] : ["1", "3", "4"]))
        try store.close()
    }

    /// A row that was kept back must not undo what a later row of its item says.
    @Test func rowsOfOneItemKeepTheirOrder() throws {
        let store = try open(.memory)
        let rows = """
            {"id":1,"name":"a","reportsTo":2}
            {"id":1,"name":"b"}
            {"id":2}
            """
        try run("Person", rows, into: store, [Self.boss], batchSize: 1)
        #expect(
            try pairs(store, "Person", "id", "name", "boss.id").sorted() == [
                "1 b 2", "2 null null",
            ])
        try store.close()
    }

    // MARK: Columns

    @Test(arguments: Backend.allCases)
    func cellsOfCSVAreReadAsTheKeys(_ backend: Backend) throws {
        let store = try open(backend)
        try run("Artist", "id,name\n007,a\n07,b\n", into: store, name: "a.csv")
        let rows = "id,artistId\n1,07\n2,\n3,007\n"
        try run("Album", rows, into: store, name: "b.csv", [Self.artist])
        #expect(try pairs(store, "Album", "id", "artist.name") == ["1 b", "2 null", "3 a"])
        try store.close()
    }

    @Test func aKeyPathIsAColumn() throws {
        let store = try open(.memory)
        try run("Artist", #"{"id":1,"name":"a"}"#, into: store)
        var artist = Self.artist
        artist.column = "by.artist.id"
        let rows =
            #"{"id":1,"by":{"artist":{"id":1},"year":5}}"# + "\n"
            + #"{"id":2,"by":{"artist":{"id":1}}}"#
        try run("Album", rows, into: store, [artist])
        #expect(
            try pairs(store, "Album", "id", "artist.name", "by") == [
                #"1 a {"year":5}"#, "2 a null",
            ])
        try store.close()
    }

    @Test func valuesThatAreNoKeysAreRefused() throws {
        let store = try open(.memory)
        try run("Artist", #"{"id":1,"name":"a"}"#, into: store)
        var byID = Self.artist
        byID.key = nil
        for (relation, value) in [
            (Self.artist, "[1]"), (Self.artist, #"{"id":1}"#), (byID, "1"), (byID, "\"x\""),
            (byID, #"{"$ref":{"type":"Other","id":"00000000-0000-0000-0000-000000000001"}}"#),
        ] {
            let (report, bad) = try run(
                "Album", "{\"id\":1,\"artistId\":\(value)}", into: store, [relation], skips: true)
            #expect(report.items == 0 && bad.count == 1, "\(value)")
        }
        #expect(try pairs(store, "Album", "id").isEmpty)
        try store.close()
    }
}
