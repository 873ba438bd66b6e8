import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// Views over the items, which programs that speak SQL read.
@Suite(.enabled(if: Server.isThere, Server.notThere)) struct ViewTests {
    @Test func aViewHasTheValuesOfTheItems() throws {
        let url = try Server.newStore()
        let name = try #require(url.split(separator: "=").last).description
        let store = try PostgresDataStore.open(url)
        let columns: [(String, Set<DataStoreValue.Kind>)] = [
            ("whole", [.int]), ("real", [.double]), ("flag", [.bool]),
            ("text \"quoted\"", [.string]),
            ("day", [.date]), ("id", [.uuid]), ("bytes", [.data]), ("exact", [.decimal]),
            ("any", []),
        ]
        let id = UUID()
        let rows: [[DataStoreValue]] = [
            [
                .int(.min), .double(0.1), .bool(true), .string("é\u{301}'\\"),
                .date(Date(timeIntervalSinceReferenceDate: 0.5)), .uuid(id), .data(Data([0, 255])),
                .decimal(Decimal(-1_225) / 100), .int(7),
            ],
            [
                .int(.max), .double(.leastNonzeroMagnitude), .bool(false), .string(""),
                .date(Date(timeIntervalSinceReferenceDate: -1e9)), .uuid(id), .data(Data()),
                .decimal(Decimal(1) / Decimal(1_000)), .string("a\u{0}b"),
            ],
            [
                .int(-1), .double(-.greatestFiniteMagnitude), .null,
                .string(String(repeating: "x", count: 70_000)),
                .null, .null, .null, .decimal(.nan), .double(.infinity),
            ],
        ]
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Thing",
                    attributes: columns.map { AttributeSchema($0.0, kinds: $0.1, isOptional: true) }
                ))
            for row in rows {
                let item = try db.create("Thing")
                for (column, value) in zip(columns, row) { item[column.0] = value }
            }
        }
        // Declared later, so the items have its default.
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Thing",
                    attributes: columns.map { AttributeSchema($0.0, kinds: $0.1, isOptional: true) }
                        + [AttributeSchema("later", kinds: [.int], default: .int(42))]))
        }
        #expect(try store.makeViews() == ["\"jpv_\(name)\".\"Thing\""])
        // A second time, they are replaced.
        #expect(try store.makeViews().count == 1)
        let ids = try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Thing")).map {
                $0.uniqueToken.description
            }
        }
        let found = try Server.run(
            "SET timezone = 'UTC'; SELECT _id, whole, real, flag, substring(\"text \"\"quoted\"\"\" FOR 9), day, id, bytes,"
                + " exact, \"any\", later FROM \"jpv_\(name)\".\"Thing\" ORDER BY _id")
        let uuid = id.uuidString.lowercased()
        #expect(found.map { $0[0] } == ids.map { $0.lowercased() })
        #expect(
            found.map { Array($0.dropFirst()) } == [
                [
                    "-9223372036854775808", "0.1", "t", "é\u{301}'\\", "2001-01-01 00:00:00.5+00",
                    uuid,
                    "\\x00ff", "-12.25", "7", "42",
                ],
                [
                    "9223372036854775807", "5e-324", "f", "", "1969-04-24 22:13:20+00", uuid, "\\x",
                    "0.001",
                    "a\\000b", "42",
                ],
                [
                    "-1", "-1.7976931348623157e+308", "", "xxxxxxxxx", "", "", "", "NaN",
                    "Infinity", "42",
                ],
            ])
        try store.destroy()
        #expect(try Server.run("SELECT 1 FROM pg_namespace WHERE nspname = 'jpv_\(name)'").isEmpty)
    }

    /// Names are data: no part of one is taken for the program's own text.
    @Test func attributesHaveAnyName() throws {
        let url = try Server.newStore()
        let name = try #require(url.split(separator: "=").last).description
        let store = try PostgresDataStore.open(url)
        let names = ["VIEWS", "a\"; SELECT 1; --", "$$", "\\(views)", "_id", "_record"]
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "VIEWS.Thing", attributes: names.map { AttributeSchema($0, kinds: [.int]) }))
            let item = try db.create("VIEWS.Thing")
            for (number, name) in names.enumerated() { item[name] = .int(Int64(number)) }
        }
        #expect(try store.makeViews() == ["\"jpv_\(name)\".\"VIEWS.Thing\""])
        let columns = try Server.run(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'jpv_\(name)' ORDER BY ordinal_position"
        ).map { $0[0] }
        #expect(
            columns == ["_id"] + names.map { $0.hasPrefix("_") ? $0 + "_2" : $0 }.dropLast() + [
                "_record", "_record_2",
            ])
        let values = names.dropLast(2).map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        let found = try Server.run(
            "SELECT \(values.joined(separator: ",")) FROM \"jpv_\(name)\".\"VIEWS.Thing\"")
        #expect(found == [(0..<values.count).map(String.init)])
        try store.destroy()
    }

    @Test func aSchemaOfOthersIsNotReplaced() throws {
        let url = try Server.newStore()
        let name = try #require(url.split(separator: "=").last).description
        try Server.run("CREATE SCHEMA jpv_\(name); CREATE TABLE jpv_\(name).mine (a int)")
        let store = try PostgresDataStore.open(url)
        let error = #expect(throws: DataStoreError.self) { try store.makeViews() }
        #expect(error?.code == .targetNotEmpty)
        try store.destroy()
        #expect(try Server.run("SELECT 1 FROM jpv_\(name).mine").isEmpty)
        try Server.run("DROP SCHEMA jpv_\(name) CASCADE")
    }
}
