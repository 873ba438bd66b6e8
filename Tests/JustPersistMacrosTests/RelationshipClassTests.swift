import Foundation
import JustPersist
import JustPersistMacros
import JustPersistMemory
import Testing

@Item final class Writer {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Novel.writer) var novels: ToMany<Novel>
    @Relationship(inverse: "friends") var friends: [Writer] = []
}

@Item final class Novel {
    var title: String = ""
    @Relationship(minimumModelCount: 1) var writer: Writer?
    @Relationship(.ordered, inverse: \Genre.novels) var genres: ToMany<Genre>
    @Relationship var sequel: Novel?
}

@Item final class Genre {
    var name: String?
    var novels: ToMany<Novel>
}

/// Relationships that `@Item` declares from properties.
@Suite struct RelationshipClassTests {
    @Test func schemasHaveWhatThePropertiesSay() {
        let novels = Writer.schema.relationships[0]
        #expect(novels.name == "novels")
        #expect(novels.destination == "Novel")
        #expect(novels.isToMany)
        #expect(novels.deleteRule == .cascade)
        #expect(novels.inverse == "writer")
        let writer = Novel.schema.relationships[0]
        #expect(!writer.isToMany)
        #expect(writer.minimum == 1)
        #expect(Novel.schema.relationships[1].isOrdered)
        #expect(Novel.schema.relationships[2].inverse == nil)
        #expect(
            Genre.schema.relationships == [
                RelationshipSchema("novels", to: "Novel", isToMany: true)
            ])
        #expect(Novel.schema.attributes.map(\.name) == ["title", "writer", "sequel"])
        #expect(Writer.schema.attributes.map(\.name) == ["name"])
    }

    @Test func predicatesFollowRelationships() throws {
        let store = InMemoryDataStore()
        try store.open()
        try store.write { db in
            for number in 0..<4 {
                let writer = try db.create(Writer.self)
                writer.name = "writer \(number)"
                for place in 0..<number {
                    let novel = try db.create(Novel.self)
                    novel.title = "novel \(place)"
                    writer.novels.insert(novel)
                }
            }
        }
        try store.read { db in
            func names(
                _ predicate: Predicate<Writer>, _ db: borrowing DataStoreReader
            ) throws -> [String] {
                // Nothing is left to be evaluated by Foundation.
                try #expect(DataStorePredicate(predicate).evaluations.isEmpty, "\(predicate)")
                return try db.items(Writer.self, where: predicate).map { String($0.name.suffix(1)) }
            }
            try #expect(names(#Predicate { $0.novels.isEmpty }, db) == ["0"])
            try #expect(names(#Predicate { $0.novels.count > 1 }, db) == ["2", "3"])
            try #expect(
                names(#Predicate { $0.novels.contains { $0.title == "novel 2" } }, db) == ["3"])
            try #expect(
                names(#Predicate { $0.novels.allSatisfy { $0.title == "novel 0" } }, db) == [
                    "0", "1",
                ])
            try #expect(
                names(#Predicate { $0.novels.filter { $0.title > "novel 0" }.count == 2 }, db) == [
                    "3"
                ])
            let titles = try db.items(
                Novel.self, where: #Predicate { $0.writer?.name == "writer 2" }
            ).map(\.title)
            #expect(titles == ["novel 0", "novel 1"])
            for (condition, count): (ItemPredicate<Novel>, Int) in [
                (\.writer?.name == "writer 2", 2), (\.writer?.name != "writer 2", 4),
                (\.sequel?.writer?.name == nil, 6), (\.sequel?.writer?.name == "writer 2", 0),
                (!(\.writer?.name == "writer 3") && \.title == "novel 0", 2),
            ] {
                try #expect(db.count(Novel.self, where: condition) == count, "\(condition)")
            }
            let nested = #Predicate<Novel> { novel in
                novel.writer.flatMap { $0.novels.count == 3 } ?? false
            }
            try #expect(db.count(Novel.self, where: nested) == 3)
            try #expect(
                db.count(Novel.self, where: #Predicate { $0.writer?.novels.isEmpty == true }) == 0)
            try #expect(db.count(Novel.self, where: DataStorePredicate("sequel == nil")) == 6)
        }
    }

    @Test func valuesCarryTheIDsOfToOneRelationships() throws {
        let store = InMemoryDataStore()
        try store.open()
        let (values, writers) = try store.write { db in
            let (first, second) = (try db.create(Writer.self), try db.create(Writer.self))
            let novel = try db.create(Novel.self)
            novel.writer = first
            return (Novel.Values(novel), [first, second].map(\.uniqueToken))
        }
        #expect(values.writer == writers[0])
        #expect(values.sequel == nil)
        let decoded = try JSONDecoder().decode(
            Novel.Values.self, from: try JSONEncoder().encode(values))
        #expect(decoded == values)
        var changed = values
        changed.writer = writers[1]
        let id = try store.write { db in
            try db.upsert(changed)
            let all = try db.items(Writer.self)
            #expect(all.map(\.novels.count) == [0, 1])
            return try db.create(from: Novel.Values(title: "new", writer: writers[0]))
        }
        try store.read { db in
            let all = try db.items(Writer.self)
            #expect(all.map(\.novels.count) == [1, 1])
            #expect(all[0].novels.first?.uniqueToken == id)
        }
        // Values that lack a required relationship are refused at the end of the block.
        changed.writer = nil
        #expect(throws: DataStoreError.self) {
            try store.write { db in _ = try db.upsert(changed) }
        }
    }
}
