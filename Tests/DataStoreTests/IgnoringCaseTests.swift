import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Indexes without regard to case, and sorts by an order of texts.
@Suite struct IgnoringCaseTests {
    final class Person: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Person",
            attributes: [
                AttributeSchema(
                    "email", kinds: [.string], isUnique: true, ignoresCase: true,
                    keyPath: \Person.email),
                AttributeSchema(
                    "name", kinds: [.string], isIndexed: true, ignoresCase: true,
                    keyPath: \Person.name),
                AttributeSchema("number", kinds: [.int], default: .int(0), keyPath: \Person.number),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
        func setInitialValues() { number = 0 }
        var email: String? {
            get { optionalAttribute(at: 0) }
            set { setOptionalAttribute(newValue, at: 0) }
        }
        var name: String? {
            get { optionalAttribute(at: 1) }
            set { setOptionalAttribute(newValue, at: 1) }
        }
        var number: Int {
            get { attribute(at: 2, default: 0) }
            set { setAttribute(newValue, at: 2) }
        }
    }

    private static let names = [
        "Zoe", "zoe", "ÉMILE", "émile", "Emile", "anna", "Anna", "ANNA", "file 10", "File 9",
        "file 9",
        "Straße", "STRASSE", "Ǆ", "ǆ", "İ", "i", "",
    ]

    private func withPeople(_ body: (any DataStore) throws -> Void) throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                // As many more as make an index worthwhile.
                for (number, name) in (Self.names + (0..<1000).map { "person \($0)" }).enumerated()
                {
                    let person = try db.create(Person.self)
                    person.name = name
                    person.number = number
                }
            }
            try body(store)
        }
    }

    private func numbers(
        _ store: any DataStore, where format: String, _ arguments: any Sendable...
    ) throws -> (found: [Int], plan: QueryPlan) {
        let predicate = try DataStorePredicate(format, arguments: arguments)
        return try store.read { db in
            (
                try db.items(Person.self, where: predicate).map(\.number),
                try db.explain(
                    DataStoreRequest(type: ItemType(Person.self), predicate: predicate))
            )
        }
    }

    @Test func comparisonsWithoutRegardToCaseUseTheIndex() throws {
        try withPeople { store in
            let cases: [(String, [Int])] = [
                ("name ==[c] 'ZOE'", [0, 1]), ("'anna' ==[c] name", [5, 6, 7]),
                ("name ==[c] 'Émile'", [2, 3]),
                ("name IN[c] {'zoe', 'FILE 9', 'none'}", [0, 1, 9, 10]),
                ("name BEGINSWITH[c] 'FILE'", [8, 9, 10]),
                ("name <[c] 'B' AND name >=[c] 'A'", [5, 6, 7]),
                ("name BETWEEN[c] {'ZO', 'zof'}", [0, 1]), ("name ==[c] ''", [17]),
                ("name ==[c] 'PERSON 7' AND number > 5", [25]),
            ]
            for (format, expected) in cases {
                let (found, plan) = try numbers(store, where: format)
                #expect(found == expected, "\(format)")
                guard case .indexes(let uses) = plan.access else {
                    Issue.record("\(format): \(plan)")
                    continue
                }
                #expect(uses.allSatisfy(\.ignoresCase) && plan.recordsExamined < 20, "\(format)")
                #expect("\(plan)".hasPrefix("index on name ignoring case"), "\(plan)")
            }
        }
    }

    @Test func anEqualityFindsItsCandidatesInTheIndexAndNoMore() throws {
        try withPeople { store in
            for (format, expected) in [
                ("name == 'Anna'", [6]), ("name IN {'anna', 'ZOE'}", [5]),
            ] {
                let (found, plan) = try numbers(store, where: format)
                #expect(found == expected, "\(format)")
                #expect(plan.recordsExamined < 10, "\(format): \(plan)")
            }
            // Texts in an index without regard to case are in another order.
            for (format, expected) in [
                ("name < 'B' AND name > 'A'", [6, 7]), ("name BEGINSWITH 'File'", [9]),
                ("name ==[cd] 'emile'", [2, 3, 4]),
            ] {
                let (found, plan) = try numbers(store, where: format)
                #expect(found == expected && plan.access == .scan, "\(format): \(plan)")
            }
        }
    }

    @Test func theIndexGivesTheOrderWithoutRegardToCase() throws {
        try withPeople { store in
            try store.read { db in
                func first(
                    _ db: borrowing DataStoreReader, _ sort: ItemSort<Person>
                ) throws -> [String?] {
                    try db.items(
                        Person.self,
                        where: DataStorePredicate("name BEGINSWITH[c] 'a' OR name ==[c] 'zoe'"),
                        sortedBy: sort, limit: 4
                    ).map(\.name)
                }
                try #expect(
                    first(db, .ascending(\.name, .caseInsensitive)) == [
                        "anna", "Anna", "ANNA", "Zoe",
                    ])
                try #expect(
                    first(db, .descending(\.name, .caseInsensitive)) == [
                        "Zoe", "zoe", "anna", "Anna",
                    ])
                try #expect(first(db, .ascending(\.name)) == ["ANNA", "Anna", "Zoe", "anna"])
                let request = DataStoreRequest(
                    type: ItemType(Person.self),
                    sortDescriptors: [.descending("name", .caseInsensitive)], limit: 2)
                let plan = try db.explain(request)
                guard case .indexes(let uses) = plan.access else {
                    Issue.record("\(plan)")
                    return
                }
                #expect(uses[0].givesOrder && uses[0].ignoresCase && plan.recordsExamined < 10)
                request.sortDescriptors = [.descending("name")]
                #expect(try db.explain(request).access == .scan)
            }
        }
    }

    @Test func uniquenessAndUpsertIgnoreCase() throws {
        try Backend.memory.withStore { store in
            let id = try store.write { db in try db.upsert(Person.self, \.email, "A@b.c").id }
            expectError(.uniqueViolation) {
                try store.write { db in try db.create(Person.self).email = "a@B.C" }
            }
            try store.write { db in
                let people = try db.upsert(Person.self, \.email, values: ["a@b.c", "new", "NEW"])
                #expect(people[0].id == id && people[0].email == "A@b.c")
                #expect(people[1] === people[2] && people[1].email == "new")
                // Its own value in another case is no other item's.
                people[0].email = "a@b.C"
            }
            #expect(try store.read { db in try db.count(Person.self) } == 2)
            #expect(
                try store.read { db in
                    try db.items(Person.self, where: DataStorePredicate("email ==[c] 'A@B.C'")).map(
                        \.email)
                } == ["a@b.C"])
        }
    }

    @Test(arguments: Backend.persistent)
    func whetherCaseCountsIsKeptAndChangedByADeclaration(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            func declare(ignoringCase: Bool, _ db: borrowing DataStoreWriter) throws {
                try db.declare(
                    ItemSchema(
                        "Thing", attributes: [AttributeSchema("name")],
                        indexes: [IndexSchema(["name"], ignoresCase: ignoringCase)]))
            }
            let first = backend.make(at: directory)
            try first.open()
            try first.write { db in
                try declare(ignoringCase: true, db)
                for name in ["B", "a", "A"] {
                    let thing = try db.create("Thing")
                    thing["name"] = .string(name)
                }
            }
            try first.close()
            let store = backend.make(at: directory)
            try store.open()
            let indexes = try store.read { db in try db.schemas()[0].indexes }
            #expect(indexes == [IndexSchema(["name"], ignoresCase: true)])
            try store.write { db in try declare(ignoringCase: false, db) }
            let both = try store.read { db in try db.schemas()[0].indexes }
            #expect(Set(both.map(\.ignoresCase)) == [true, false])
            let wasThere = try store.write { db in
                try db.dropIndex(IndexSchema(["name"], ignoresCase: true), ofType: "Thing")
            }
            #expect(wasThere)
            try store.read { db in
                let request = DataStoreRequest(itemTypeKey: "Thing")
                request.predicate = try DataStorePredicate("name ==[c] 'a'")
                try #expect(db.count(request) == 2 && db.explain(request).access == .scan)
            }
            try expectSound(store)
            try store.close()
        }
    }

    @Test func descriptorsOfFoundationAreTaken() throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                for (name, number) in [("b", 1), ("a", 1), ("c", 0)] {
                    let person = try db.create(Person.self)
                    person.name = name
                    person.number = number
                }
            }
            try store.read { db in
                let sort = ItemSort([
                    SortDescriptor(\Person.number, order: .reverse), SortDescriptor(\Person.name),
                ])
                try #expect(db.items(Person.self, sortedBy: sort).map(\.name) == ["a", "b", "c"])
                let one = ItemSort(
                    SortDescriptor(\Person.name, comparator: .lexical, order: .reverse))
                try #expect(db.items(Person.self, sortedBy: one).map(\.name) == ["c", "b", "a"])
                expectError(.unknownAttribute) {
                    _ = try db.items(
                        Person.self, sortedBy: ItemSort(SortDescriptor(\Person.shadow)))
                }
            }
        }
    }
}

extension IgnoringCaseTests.Person {
    /// No attribute.
    fileprivate var shadow: Int { number }
}
