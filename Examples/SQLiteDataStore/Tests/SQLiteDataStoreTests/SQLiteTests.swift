import Foundation
import GRDB
import SQLiteDataStore
import Testing

/// Tests beyond the kit: SQLite's own behaviour, and the files.
@Suite struct SQLiteTests {
    @Test func aFailureOfSQLitePoisonsTheBlockThatSwallowsIt() throws {
        let errors = ErrorLog()
        try withStore(errors: errors) { store in
            try store.fill("a")
            try DatabaseQueue(path: store.url.appending(path: "store.sqlite").path).write {
                try $0.execute(
                    sql: """
                        CREATE TRIGGER refusal BEFORE INSERT ON item BEGIN
                            SELECT RAISE(ABORT, 'refused by a trigger');
                        END
                        """)
            }
            let error = expectError(.storageFailure) {
                try store.write { db in
                    try db.create(Note.self).name = "b"
                    #expect(db.countItems(forRequest: DataStoreRequest(itemType: Note.self)) == 0)
                    #expect(errors.codes == [.storageFailure])
                }
            }
            #expect(error?.engine?.name == "SQLite")
            #expect(error?.engine?.text == "refused by a trigger")
            #expect(error?.isReported == true)
            try #expect(store.names() == ["a"])
        }
    }

    @Test func aBlockOverTheLimitIsRefusedWhole() throws {
        let limits = DataStoreLimits(nameBytes: 10, valueBytes: 100, writeBlockBytes: 300)
        let errors = ErrorLog()
        try withStore(errors: errors, limits: limits) { store in
            try store.fill("a")
            expectError(.limitExceeded) {
                try store.write { db in
                    for _ in 0..<4 {
                        try db.create(Note.self).name = String(repeating: "x", count: 100)
                    }
                }
            }
            expectError(.limitExceeded) {
                try store.write { db in
                    try db.first(Note.self)?.name = String(repeating: "x", count: 101)
                }
            }
            try store.write { db in
                expectError(.limitExceeded) {
                    try db.declare(
                        ItemSchema("Name", attributes: [AttributeSchema("elevenbytes")]))
                }
            }
            #expect(errors.codes == [.limitExceeded, .limitExceeded])
            try #expect(store.names() == ["a"])
        }
    }

    @Test func filesArePrivate() throws {
        try withStore { store in
            try store.fill("a")
            try #expect(permissions(of: store.url) == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: store.url.path)
            #expect(names.sorted() == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
            for name in names {
                try #expect(permissions(of: store.url.appending(path: name)) == 0o600)
            }
        }
    }

    private func permissions(of url: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test(arguments: ["text", "database", "directory"])
    func whatIsNoStoreIsRefusedUntouched(_ kind: String) throws {
        try withDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: kind == "directory" ? "other" : "store.sqlite")
            if kind == "database" {
                try DatabaseQueue(path: file.path).write {
                    try $0.execute(sql: "CREATE TABLE mine (a)")
                }
            } else {
                try Data(repeating: 65, count: 5_000).write(to: file)
            }
            let before = try Data(contentsOf: file)
            expectError(.notAStore) { try SQLiteDataStore(at: directory).open() }
            try #expect(Data(contentsOf: file) == before)
            try #expect(FileManager.default.contentsOfDirectory(atPath: directory.path).count == 1)
        }
    }

    @Test func aDamagedRowIsNamedAndConcernsNoOther() throws {
        try withStore { store in
            try store.fill("a", "b", "c")
            let ids = try store.read { try $0.items(Note.self).map(\.uniqueToken) }
            try DatabaseQueue(path: store.url.appending(path: "store.sqlite").path).write {
                try $0.execute(
                    sql: "UPDATE item SET attributes = '{' WHERE id = ?", arguments: [ids[1].uuid])
            }
            let error = expectError(.corrupted) { _ = try store.names() }
            #expect(error?.message.contains("\(ids[1])") == true)
            let report = try store.verify()
            #expect(report.problems.map(\.code) == [.corrupted])
            #expect(report.itemCounts == ["Note": 2])
            try store.write { db in
                try #expect(db.item(Note.self, id: ids[2])?.name == "c")
                expectError(.corrupted) { _ = try db.item(Note.self, id: ids[1]) }
                try db.deleteAll(Note.self)
            }
        }
    }

    @Test func attributesAreFoundUnderTheNameTheyHadBefore() throws {
        try withStore { store in
            let old = ItemSchema("Note", attributes: [AttributeSchema("title")])
            try store.write { db in
                try db.declare(old)
                let item = try #require(
                    try db.performCreate(ItemType(dynamic: "Note")) as? DynamicItem)
                item["title"] = .string("a")
            }
            try store.read { db in
                let renamed = try #require(try db.first(RenamedNote.self))
                #expect(renamed.storedName == .string("a"))
                #expect(
                    try db.count(RenamedNote.self, where: DataStorePredicate("name == 'a'")) == 1)
            }
            try store.write { db in _ = try db.create(RenamedNote.self) }
            try #expect(store.read { try $0.schemas()[0].attributes.map(\.name) } == ["name"])
            try #expect(store.names() == ["a", ""])
        }
    }

    private final class RenamedNote: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Note", attributes: [AttributeSchema("name", originalName: "title")])

        let backing: any ItemBacking

        init(backing: any ItemBacking) { self.backing = backing }

        var storedName: DataStoreValue? { optionalAttribute(at: 0) }
    }
}
