import Foundation
import JustPersist
import JustPersistMacros
import JustPersistMemory
import Testing

private typealias Musicians = [Musician]

@Item private final class UniqueLeader {
    @Attribute(.unique) var leader: Musician?
}

@Item private final class ReadyLeader {
    var leader: Musician? = Musician()
    // The struct that the macro would make has a warning.
    struct Values {}
}

@Item private final class FixedLeader {
    var leader: Musician = Musician()
}

@Item private final class RenamedArray {
    var players: Musicians = []
}

@Item private final class NoArray {
    var players: [Musician]?
}

@Item private final class IndexedArray {
    #Index<IndexedArray>([\.players])
    var players: [Musician] = []
}

@Item private final class Numbered {
    var values: [Band.Mood] = []
    var players: [Musician] = []
    var `in`: Musician?
    var self2: [Numbered] = []
    var last: String = "last"
    private var hidden: [Musician] = []
    private var friend: Musician?
}

/// Relationships that the types of properties declare, without `@Relationship`.
@Suite struct PlainRelationshipTests {
    private func withStore(_ body: (InMemoryDataStore) throws -> Void) throws {
        let store = InMemoryDataStore()
        try store.open()
        try body(store)
    }

    /// A store with the musicians Ann, Bob and Cid.
    private func musicians(
        _ body: (borrowing DataStoreWriter, [Musician]) throws -> Void
    ) throws {
        try withStore { store in
            try store.write { db in
                let musicians = try ["Ann", "Bob", "Cid"].map { name in
                    let musician = try db.create(Musician.self)
                    musician.name = name
                    return musician
                }
                try body(db, musicians)
            }
        }
    }

    @Test func schemasHaveThem() throws {
        let schema = Band.schema
        try schema.validate()
        #expect(
            schema.attributes.map(\.name) == [
                "name", "leader", "kind", "moods", "founded", "rival",
            ])
        #expect(schema.attributes[1].kinds == [.reference])
        #expect(schema.relationships.map(\.name) == ["records", "leader", "fans", "rival"])
        #expect(schema.relationships.map(\.isToMany) == [true, false, true, false])
        #expect(
            schema.relationships.map(\.destination) == ["Record", "Musician", "Musician", "Band"])
        #expect(schema.relationships[0].inverse == "band")
        #expect(schema.relationships[1].inverse == nil)
        #expect(schema.relationships[1].deleteRule == .nullify)
        #expect(schema.indexes.contains(IndexSchema(["leader"])))
        #expect(schema.attributeName(for: \Band.leader) == "leader")
        #expect(Musician.schema.relationships.last?.formerNames == ["group"])
        #expect(Musician.schema.attributes.map(\.name) == ["name", "teacher", "band", "age"])
        #expect(
            Numbered.schema.attributes.map(\.name) == ["values", "in", "last", "friend"])
        #expect(
            Numbered.schema.relationships.map(\.name) == [
                "players", "in", "self2", "hidden", "friend",
            ])
    }

    @Test func oneOtherItem() throws {
        try musicians { db, musicians in
            let (band, other) = (try db.create(Band.self), try db.create(Band.self))
            #expect(band.leader == nil)
            band.leader = musicians[0]
            band.rival = other
            #expect(band.leader === musicians[0])
            #expect(band.rival === other)
            // A reference, and no dictionary, although the class is Codable.
            let stored = try band.backing.value(forAttribute: "leader")
            #expect(stored == .reference(ItemReference(to: musicians[0])))
            musicians[0].teacher = musicians[1]
            musicians[1].teacher = musicians[1]
            #expect(musicians[0].teacher?.teacher === musicians[1])
            band.leader = nil
            #expect(band.leader == nil)
            band.leader = musicians[2]
            try db.delete(musicians[2])
            #expect(band.leader == nil)
            #expect(try band.backing.value(forAttribute: "leader") == .null)
            // The attributes beside them.
            #expect(band.kind == nil)
            band.kind = .rock
            band.moods = [Band.Mood(text: "loud")]
            #expect(band.kind == .rock)
            #expect(band.moods.map(\.text) == ["loud"])
            #expect(band.founded == 1990)
        }
    }

    @Test func manyOtherItems() throws {
        try musicians { db, musicians in
            let band = try db.create(Band.self)
            #expect(band.fans.isEmpty)
            band.fans = [musicians[1], musicians[0]]
            // In the order of their creation.
            #expect(band.fans.map(\.name) == ["Ann", "Bob"])
            band.fans = [musicians[1], musicians[2]]
            #expect(band.fans.map(\.name) == ["Bob", "Cid"])
            band.fans.append(musicians[0])
            band.fans.append(musicians[0])
            #expect(band.fans.map(\.name) == ["Ann", "Bob", "Cid"])
            try db.delete(musicians[1])
            #expect(band.fans.map(\.name) == ["Ann", "Cid"])
            band.fans.removeAll()
            #expect(band.fans.isEmpty)
            #expect(try db.count(Musician.self) == 2)
            // A new item in no store is inserted.
            band.fans = [Musician()]
            #expect(band.fans.map(\.age) == [20])
        }
    }

    @Test func manyOtherItemsWithAnInverseAndInAnOrder() throws {
        try musicians { db, musicians in
            let (band, other) = (try db.create(Band.self), try db.create(Band.self))
            let records = [try db.create(Record.self), try db.create(Record.self)]
            band.records = records
            #expect(records.map { $0.band === band } == [true, true])
            records[0].band = other
            #expect(band.records.map(\.uniqueToken) == [records[1].uniqueToken])
            #expect(other.records.map(\.uniqueToken) == [records[0].uniqueToken])
            band.records = []
            #expect(records[1].band == nil)
            records[0].players = [musicians[2], musicians[0]]
            #expect(records[0].players.map(\.name) == ["Cid", "Ann"])
            records[0].players.insert(musicians[1], at: 0)
            #expect(records[0].players.map(\.name) == ["Bob", "Cid", "Ann"])
        }
    }

    @Test func arraysTakeNoPlaceAmongTheAttributes() throws {
        try musicians { db, musicians in
            let item = try db.create(Numbered.self)
            item.values = [Band.Mood(text: "a")]
            item.players = musicians
            item.in = musicians[1]
            item.self2 = [item]
            #expect(item.last == "last")
            item.last = "changed"
            #expect(item.values.map(\.text) == ["a"])
            #expect(item.players.count == 3)
            #expect(item.in === musicians[1])
            #expect(item.self2.first === item)
            #expect(item.last == "changed")
        }
    }

    @Test func predicatesFollowThem() throws {
        try withStore { store in
            try store.write { db in
                for (name, fans) in [("Ann", 0), ("Bob", 2)] {
                    let (band, leader) = (try db.create(Band.self), try db.create(Musician.self))
                    (band.name, band.leader, leader.name) = ("\(name)'s", leader, name)
                    for place in 0..<fans {
                        let fan = try db.create(Musician.self)
                        (fan.name, fan.teacher, fan.band) = ("fan \(place)", leader, band)
                        band.fans.append(fan)
                    }
                }
            }
            try store.read { db in
                func names(
                    _ predicate: Predicate<Band>, _ db: borrowing DataStoreReader
                ) throws -> [String] {
                    // Nothing is left to be evaluated by Foundation.
                    try #expect(DataStorePredicate(predicate).evaluations.isEmpty, "\(predicate)")
                    return try db.items(Band.self, where: predicate).map { $0.name }
                }
                try #expect(names(#Predicate { $0.leader?.name == "Bob" }, db) == ["Bob's"])
                try #expect(names(#Predicate { $0.rival?.name == nil }, db) == ["Ann's", "Bob's"])
                try #expect(names(#Predicate { $0.fans.isEmpty }, db) == ["Ann's"])
                try #expect(names(#Predicate { $0.fans.count == 2 }, db) == ["Bob's"])
                try #expect(
                    names(#Predicate { $0.fans.contains { $0.name == "fan 1" } }, db) == ["Bob's"])
                try #expect(
                    names(#Predicate { $0.fans.contains { $0.teacher?.name == "Ann" } }, db) == [])
                try #expect(db.count(Musician.self, where: \.teacher?.name == "Bob") == 2)
                try #expect(db.count(Musician.self, where: \.band?.leader?.name == "Bob") == 2)
                try #expect(
                    db.count(Band.self, where: DataStorePredicate("ANY fans.age == 20")) == 1)
                let sorted = try db.items(Band.self, sortedBy: .descending("leader.name"))
                #expect(sorted.map(\.name) == ["Bob's", "Ann's"])
            }
        }
    }

    @Test func valuesHaveTheIDsOfOtherItems() throws {
        try withStore { store in
            let (values, ids) = try store.write { db in
                let band = try db.create(Band.self)
                let musicians = [try db.create(Musician.self), try db.create(Musician.self)]
                (band.leader, band.kind) = (musicians[0], .jazz)
                (band.fans, band.moods) = (musicians, [Band.Mood(text: "a")])
                return (band.values, musicians.map(\.uniqueToken))
            }
            let leader: ItemID? = values.leader
            let kind: Band.Kind? = values.kind
            let moods: [Band.Mood] = values.moods
            #expect((leader, kind) == (ids[0], .jazz))
            #expect(moods.map(\.text) == ["a"])
            #expect(values.rival == nil)
            let json = try JSONEncoder().encode(values)
            #expect(!String(decoding: json, as: UTF8.self).contains("fans"))
            #expect(try JSONDecoder().decode(Band.Values.self, from: json) == values)
            var changed = values
            changed.leader = ids[1]
            try store.write { db in
                _ = try db.upsert(changed)
                let band = try #require(try db.first(Band.self))
                #expect(band.leader?.uniqueToken == ids[1])
                // The relationship to many is left as it is.
                #expect(band.fans.count == 2)
                changed.leader = nil
                #expect(try band.update(from: changed) == ["leader"])
                #expect(band.leader == nil)
                let new = try db.create(from: Band.Values(name: "new", leader: ids[0], kind: .rock))
                #expect(try db.item(Band.self, id: new)?.leader?.uniqueToken == ids[0])
                #expect(try db.item(Band.self, id: new)?.kind == .rock)
                #expect(try db.item(Band.self, id: new)?.fans.isEmpty == true)
            }
        }
    }

    @Test func theirBlockAndPrefetchedItems() throws {
        try withStore { store in
            try store.write { db in
                let band = try db.create(Band.self)
                band.leader = try db.create(Musician.self)
                band.fans = [try db.create(Musician.self)]
            }
            let ages = try store.read { db in
                let bands = try db.items(Band.self)
                try db.prefetch("leader", "fans", of: bands)
                return bands.map { [$0.leader?.age ?? 0] + $0.fans.map(\.age) }
            }
            #expect(ages == [[20, 20]])
        }
    }

    @Test func otherFormsAreRefused() throws {
        func refusal(_ type: (some MutableDataStoreItem).Type) -> String? {
            do throws(DataStoreError) {
                try type.schema.validate()
                return nil
            } catch {
                return error.code == .conflictingRelationships ? error.message : "\(error)"
            }
        }
        for (found, expected) in [
            (refusal(UniqueLeader.self), "no options of @Attribute but originalName"),
            (refusal(ReadyLeader.self), "begins with no other item"),
            (refusal(FixedLeader.self), "Declare it as Musician?"),
            (refusal(RenamedArray.self), "Declare it as [Musician] = []"),
            (refusal(NoArray.self), "as [Musician] = []"),
            (refusal(IndexedArray.self), "has no index"),
        ] {
            #expect(found?.contains(expected) == true, "\(found ?? "accepted"): \(expected)")
        }
        try withStore { store in
            #expect(throws: DataStoreError.self) {
                try store.write { db in _ = try db.create(RenamedArray.self) }
            }
        }
    }
}
