import Foundation
import JustPersist
import Testing

/// Requests that differ in their values only are bound once, and each gives what it asks for.
@Suite struct QueryShapeTests {
    private static let schema = ItemSchema(
        "Person",
        attributes: [
            AttributeSchema("name", isUnique: true), AttributeSchema("age"),
            AttributeSchema("city"),
        ],
        indexes: [IndexSchema(["city", "age"])])

    private func names(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ predicate: DataStorePredicate,
        _ sort: [DataStoreSortDescriptor]? = nil
    ) throws -> [String] {
        let request = DataStoreRequest(itemTypeKey: "Person")
        request.predicate = predicate
        request.sortDescriptors = sort
        return try db.dynamicItems(request).map { $0.object(forKey: "name") as? String ?? "nil" }
    }

    private func fill(_ db: borrowing DataStoreWriter) throws {
        try db.declare(Self.schema)
        for (name, age, city) in [
            ("Ann", 30, "Rome"), ("Bob", 40, "Rome"), ("Cid", 30, "Oslo"),
            (String(repeating: "x", count: 600) + "1", 1, "Long"),
            (String(repeating: "x", count: 600) + "2", 2, "Long"),
        ] {
            let person = try db.create("Person")
            person.setObject(name, forKey: "name")
            person.setObject(age, forKey: "age")
            person.setObject(city, forKey: "city")
        }
        _ = try db.create("Person")
    }

    private func equals(_ attribute: String, _ value: Any?) throws -> DataStorePredicate {
        try DataStorePredicate(attribute: attribute, equals: value)
    }

    @Test(arguments: Backend.memoryAndReference)
    func aShapeFoundADateThatIsNotANumber(_ backend: Backend) throws {
        try backend.withStore { store in
            let days = [0, .nan, .infinity].map { Date(timeIntervalSinceReferenceDate: $0) }
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Event", attributes: [AttributeSchema("day")],
                        indexes: [IndexSchema(["day"])]))
                for day in days { try db.create("Event").setObject(day, forKey: "day") }
            }
            let counts = try store.read { db in
                try days.map { day in
                    let request = DataStoreRequest(itemTypeKey: "Event")
                    request.predicate = try equals("day", day)
                    return try db.count(request)
                }
            }
            #expect(counts == [1, 0, 1])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aShapeIsUsedWithOtherValues(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try fill(db) }
            try store.read { db in
                let long = String(repeating: "x", count: 600)
                for _ in 0..<2 {
                    #expect(try names(db, equals("name", "Ann")) == ["Ann"])
                    #expect(try names(db, equals("name", "Bob")) == ["Bob"])
                    #expect(try names(db, equals("name", "Dee")) == [])
                    #expect(try names(db, equals("name", nil)) == ["nil"])
                    #expect(try names(db, equals("name", 7)) == [])
                    // Too long for an index, which contains only their beginnings.
                    #expect(try names(db, equals("name", long + "2")) == [long + "2"])
                    #expect(try names(db, equals("name", long + "3")) == [])
                    #expect(try names(db, equals("age", Double.nan)) == [])
                    #expect(try names(db, equals("age", 30.0)) == ["Ann", "Cid"])
                    #expect(
                        try names(db, equals("city", "Rome") && equals("age", 40)) == ["Bob"])
                    #expect(
                        try names(db, equals("age", 30) && equals("city", "Oslo")) == ["Cid"])
                    #expect(
                        try names(
                            db, equals("city", "Rome"), [.descending("age")]) == ["Bob", "Ann"])
                    #expect(
                        try names(
                            db, equals("city", "Rome"), [.ascending("age")]) == ["Ann", "Bob"])
                }
                let negative = DataStoreRequest(itemTypeKey: "Person")
                negative.predicate = try equals("name", "Ann")
                negative.offset = -1
                #expect(throws: DataStoreError.self) { try db.dynamicItems(negative) }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aShapeIsBoundAnewAfterADeclaration(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try fill(db)
                #expect(try names(db, equals("name", "Ann")) == ["Ann"])
                let ann = try #require(
                    try db.dynamicItems(
                        DataStoreRequest(
                            type: ItemType(dynamic: "Person"), predicate: equals("name", "Ann"))
                    ).first)
                // An attribute that a value makes part of the type, and a kind that the attribute had none of.
                ann.setObject(["Eve", "Ann"], forKey: "name")
                #expect(try names(db, equals("name", "Ann")) == [])
                #expect(try names(db, equals("name", "Bob")) == ["Bob"])
                try db.declare(
                    ItemSchema("Person", attributes: [AttributeSchema("street")]))
                #expect(try names(db, equals("street", "Main")) == [])
                ann.setObject("Main", forKey: "street")
                #expect(try names(db, equals("street", "Main")) == ["nil"])
                #expect(try names(db, equals("street", "Side")) == [])
                ann.setObject("Ann", forKey: "name")
                #expect(try names(db, equals("name", "Ann")) == ["Ann"])
            }
            try store.read { db in
                let streets = try names(db, equals("street", "Main"))
                let found = try names(db, equals("name", "Ann"))
                #expect(streets == ["Ann"])
                #expect(found == ["Ann"])
            }
        }
    }
}
