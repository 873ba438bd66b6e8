import Foundation
import JustPersist
import JustPersistImportExport
import Testing

/// Rows with relationships that are refused, or that wait for later rows.
extension RelationImportTests {
    /// The message of the error of an import.
    private func message(
        _ type: String, _ rows: String, into store: any DataStore,
        _ relations: [ItemImport.Relation], key: String? = "id", batchSize: Int = 2000
    ) throws -> String {
        let error = #expect(throws: DataStoreError.self) {
            try run(type, rows, into: store, key: key, relations, batchSize: batchSize)
        }
        return error?.message ?? ""
    }

    @Test(arguments: Backend.allCases, [1, 2, 2000])
    func aWaitingRowDoesNotUndoALaterRowOfItsItem(_ backend: Backend, _ batchSize: Int) throws {
        let store = try open(backend)
        let rows = """
            {"id":3}
            {"id":1,"name":"first","reportsTo":2}
            {"id":1,"name":"last","reportsTo":3}
            {"id":4}
            {"id":2}
            """
        try run("Person", rows, into: store, [Self.boss], batchSize: batchSize)
        #expect(
            try pairs(store, "Person", "id", "name", "boss.id").sorted() == [
                "1 last 3", "2 null null", "3 null null", "4 null null",
            ])
        try store.close()
    }

    /// The advice is followed word for word, for rows that are about items and for rows that are not.
    @Test(arguments: ["id", nil], [1, 2, 2000])
    func theAdviceOfAnImportThatStopsLosesNoWaitingRow(_ key: String?, _ batchSize: Int) throws {
        let store = try open(.memory)
        func rows(_ last: String) -> String {
            """
            {"id":1}
            {"id":2,"reportsTo":5}
            {"id":3,"reportsTo":1}
            {"id":4,"reportsTo":\(last)}
            {"id":5}
            """
        }
        let message = try message(
            "Person", rows("99"), into: store, [Self.boss], key: key, batchSize: batchSize)
        let skipping = message.firstMatch(of: /--skip (\d+)/).flatMap { Int($0.1) } ?? 0
        let advised = message.firstMatch(of: /--key (\w+)/).map { String($0.1) }
        var settings = ItemImport(itemType: "Person", skipping: skipping, batchSize: batchSize)
        settings.key = advised ?? key
        settings.relations = [Self.boss]
        try settings.run(file(rows("5")), into: store)
        #expect(
            try pairs(store, "Person", "id", "boss.id").sorted() == [
                "1 null", "2 5", "3 1", "4 5", "5 null",
            ], "\(message)")
        try store.close()
    }

    // MARK: Numbers of others

    /// A list needs an album at least, and has two rows.
    private func makeLists(_ backend: Backend) throws -> (any DataStore, ItemImport.Relation) {
        let store = try open(backend)
        try run("Album", #"{"id":1}"# + "\n" + #"{"id":2}"#, into: store)
        let albums = ItemImport.Relation(
            RelationshipSchema("albums", to: "Album", isToMany: true, minimum: 1), key: "id",
            column: "album")
        return (store, albums)
    }

    @Test(arguments: Backend.allCases)
    func aMissingMinimumNamesTheLine(_ backend: Backend) throws {
        let (store, albums) = try makeLists(backend)
        let rows = """
            {"id":10,"album":1}
            {"id":11,"album":null}
            {"id":12,"album":2}
            """
        let message = try message("List", rows, into: store, [albums])
        #expect(message.contains("line 2: ") && message.contains("needs 1"), "\(message)")
        #expect(try store.read { db in try db.count(DataStoreRequest(itemTypeKey: "List")) } == 0)
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func rowsThatTogetherReachAMinimumAreNotSeparated(_ backend: Backend) throws {
        let (store, albums) = try makeLists(backend)
        let rows = """
            {"id":10}
            {"id":11,"album":null}
            {"id":12,"album":2}
            {"id":10,"album":1}
            """
        let (report, bad) = try run("List", rows, into: store, [albums], skips: true)
        #expect(bad.map(\.line) == [2] && report.skipped == 1 && report.items == 3)
        #expect(try pairs(store, "List", "id", "albums.id").sorted() == ["10 [1]", "12 [2]"])
        try store.close()
    }

    // MARK: Keys

    @Test func aKeyOfAnotherKindIsNamedWithBothKinds() throws {
        let store = try open(.memory)
        try run("Artist", #"{"id":1}"#, into: store)
        let text = try message("Album", #"{"id":1,"artistId":"1"}"#, into: store, [Self.artist])
        #expect(text.contains("of kind string, and theirs are of kind “int”"), "\(text)")
        let number = try message("Album", #"{"id":1,"artistId":2}"#, into: store, [Self.artist])
        #expect(number.contains("“2”") && !number.contains("of kind"), "\(number)")
        try store.close()
    }

    @Test func relationsThatContradictEachOtherAreRefused() throws {
        let store = try open(.memory)
        try run("Artist", #"{"id":1}"#, into: store)
        var other = Self.artist
        other.column = "otherId"
        let twice = try message("Album", #"{"id":1}"#, into: store, [Self.artist, other])
        #expect(twice.contains("“artist” is given twice"), "\(twice)")
        let writer = ItemImport.Relation(
            RelationshipSchema("writer", to: "Artist"), key: "id", column: "artistId")
        let shared = try message("Album", #"{"id":1}"#, into: store, [Self.artist, writer])
        #expect(shared.contains("the column of “artist” and of “writer”"), "\(shared)")
        try store.close()
    }

    // MARK: Nested items

    /// The artists are nested in albums, and other albums, earlier and later ones and the same, refer to them by their keys.
    @Test(arguments: Backend.allCases, [1, 2, 2000])
    func rowsReferToItemsThatAreNestedInOthers(_ backend: Backend, _ batchSize: Int) throws {
        let store = try open(backend)
        let rows = """
            {"id":1,"producer":7}
            {"id":2,"artist":{"id":5},"producer":5}
            {"id":3,"artist":{"id":6},"producer":5}
            {"id":4,"artist":{"id":7}}
            {"id":5,"producer":6}
            """
        var settings = ItemImport(itemType: "Album", batchSize: batchSize)
        settings.key = "id"
        settings.mapping = ItemMapping(
            ["artist": .item("Artist", mapping: ItemMapping(key: "id"))])
        settings.relations = [
            .init(
                RelationshipSchema("producer", to: "Artist"), key: "id", column: "producer",
                inverse: RelationshipSchema(
                    "produced", to: "Album", isToMany: true, inverse: "producer"))
        ]
        let report = try settings.run(file(rows), into: store)
        #expect(report.created == 5)
        #expect(
            try pairs(store, "Album", "id", "producer.id").sorted() == [
                "1 7", "2 5", "3 5", "4 null", "5 6",
            ])
        #expect(try pairs(store, "Artist", "id").sorted() == ["5", "6", "7"])
        let refused = #expect(throws: DataStoreError.self) {
            try settings.run(file(#"{"id":6,"producer":99}"#), into: store)
        }
        #expect(refused?.message.contains("There is no item of “Artist”") == true)
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func aFormerNameOfATypeIsItsName(_ backend: Backend) throws {
        let store = try open(backend)
        try run("Singer", #"{"id":1}"#, into: store)
        try run("Record", #"{"id":7}"#, into: store)
        try store.write { db in
            try db.declare(ItemSchema("Artist", formerTypeKeys: ["Singer"], attributes: []))
            try db.declare(ItemSchema("Album", formerTypeKeys: ["Record"], attributes: []))
        }
        let singer = ItemImport.Relation(
            RelationshipSchema("artist", to: "Singer"), key: "id", column: "artistId",
            inverse: RelationshipSchema("albums", to: "Record", isToMany: true, inverse: "artist"))
        try run("Record", #"{"id":7,"artistId":1}"#, into: store, [singer])
        #expect(try pairs(store, "Album", "id", "artist.id") == ["7 1"])
        #expect(try pairs(store, "Artist", "id", "albums.id") == ["1 [7]"])
        #expect(
            try store.read { db in
                try db.schemas().flatMap(\.relationships).map(\.destination).sorted()
            } == ["Album", "Artist"])
        try store.close()
    }
}
