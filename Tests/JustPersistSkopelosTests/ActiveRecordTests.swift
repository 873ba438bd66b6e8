import Foundation
import JustPersistSkopelos
import Testing

/// The calls on item classes.
@Suite struct ActiveRecordTests {
    private func fill(_ skopelos: Skopelos) {
        skopelos.writeSync { context in
            for (first, last) in [("John", "Doe"), ("Jane", "Doe"), ("Mark", "Smith")] {
                let user = User.SK_create(context)
                user.firstname = first
                user.lastname = last
            }
        }
    }

    @Test(arguments: Stack.allCases) func allAndFirstAndCount(_ stack: Stack) throws {
        try stack.with { skopelos in
            fill(skopelos)
            let does = try DataStorePredicate("%K == %@", "lastname", "Doe")
            skopelos.read { context in
                #expect(User.SK_all(context).map(\.firstname) == ["John", "Jane", "Mark"])
                #expect(User.SK_all(does, context: context).map(\.firstname) == ["John", "Jane"])
                let sorted = User.SK_all(
                    context, predicate: does, sortTerm: "firstname", ascending: true)
                #expect(sorted.map(\.firstname) == ["Jane", "John"])
                let equal = User.SK_all("lastname", isEqualTo: "Doe", context: context)
                #expect(equal.map(\.firstname) == ["John", "Jane"])
                let down = User.SK_all(
                    "lastname", isEqualTo: "Doe", sortTerms: "firstname", ascending: false,
                    context: context)
                #expect(down.map(\.firstname) == ["John", "Jane"])

                #expect(User.SK_first(context)?.firstname == "John")
                #expect(
                    User.SK_first("lastname", isEqualTo: "Smith", context: context)?.firstname
                        == "Mark")
                #expect(User.SK_first("lastname", isEqualTo: "Roe", context: context) == nil)
                #expect(
                    User.SK_first(
                        does, sortTerms: "firstname", ascending: true, context: context)?.firstname
                        == "Jane")

                #expect(User.SK_numberOfEntities(context) == 3)
                #expect(User.SK_numberOfEntities(does, context: context) == 2)
            }
            #expect(skopelos.errors.isEmpty)
        }
    }

    @Test(arguments: [
        ("lastname:NO,firstname", true, ["Mark", "Jane", "John"]),
        ("lastname, firstname:no", true, ["John", "Jane", "Mark"]),
        ("lastname : YES , firstname", false, ["John", "Jane", "Mark"]),
        ("lastname:0,firstname:1", true, ["Mark", "Jane", "John"]),
        ("lastname,firstname", false, ["Mark", "John", "Jane"]),
    ])
    func sortTerms(_ terms: String, _ ascending: Bool, _ names: [String]) throws {
        try Stack.memory.with { skopelos in
            fill(skopelos)
            skopelos.read { context in
                let users = User.SK_all(
                    context, predicate: .constant(true), sortTerm: terms, ascending: ascending)
                #expect(users.map(\.firstname) == names)
            }
        }
    }

    @Test(arguments: Stack.allCases) func removing(_ stack: Stack) throws {
        try stack.with { skopelos in
            skopelos.writeSync { context in
                let user = User.SK_create(context)
                User.SK_create(context)
                #expect(User.SK_numberOfEntities(context) == 2)
                user.SK_remove(context)
                user.SK_remove(context)
                #expect(User.SK_numberOfEntities(context) == 1)
                #expect(user.SK_inContext(context) == nil)
            }.writeSync { context in
                User.SK_first(context)?.firstname = "Jane"
                User.SK_create(context)
                User.SK_removeAll(context)
                #expect(User.SK_numberOfEntities(context) == 0)
            }
            #expect(skopelos.errors.isEmpty)
        }
    }

    @Test(arguments: Stack.allCases) func anItemOfAnEarlierBlockIsFoundAgain(_ stack: Stack) throws
    {
        try stack.with { skopelos in
            fill(skopelos)
            var john: User?
            skopelos.read { context in john = User.SK_first(context) }
                .writeSync { context in john?.SK_inContext(context)?.lastname = "Roe" }
                .read { context in
                    #expect(john?.lastname == "Doe")
                    #expect(john?.SK_inContext(context)?.lastname == "Roe")
                }
            #expect(skopelos.errors.isEmpty)
        }
    }

    @Test(arguments: Stack.allCases) func failuresAreReported(_ stack: Stack) throws {
        try stack.with { skopelos in
            fill(skopelos)
            skopelos.read { context in
                #expect(User.SK_all("age", isEqualTo: 3, context: context).isEmpty)
                #expect(
                    User.SK_first(
                        .constant(true), sortTerms: "age", ascending: true, context: context)
                        == nil)
                let odd = User.SK_all("firstname", isEqualTo: UInt64.max, context: context)
                #expect(odd.isEmpty)
            }
            #expect(
                skopelos.errors.map(\.code) == [
                    .unknownAttribute, .unknownAttribute, .unsupportedValue,
                ])
        }
    }

    // MARK: Without the prefix

    @Test(arguments: Stack.allCases) func theUnprefixedCalls(_ stack: Stack) throws {
        try stack.with { skopelos in
            let store = skopelos.dataStore
            let id = try store.write { db in
                try User.create(in: db) { $0.firstname = "John" }
                try User.create(from: User.Values(firstname: "Jane", lastname: "Doe"), in: db)
                let mark = try User.create(in: db)
                mark.firstname = "Mark"
                return mark.id
            }
            let mark = try store.read { db in
                try #expect(User.all(in: db).map(\.firstname) == ["John", "Jane", "Mark"])
                try #expect(
                    User.all(in: db, where: \.firstname > "John", sortedBy: .ascending(\.firstname))
                        .map(\.firstname) == ["Mark"])
                try #expect(
                    User.all(in: db, sortedBy: .descending(\.firstname), offset: 1, limit: 1)
                        .map(\.firstname) == ["John"])
                try #expect(User.first(in: db)?.firstname == "John")
                try #expect(User.first(in: db, where: \.lastname == "Doe")?.firstname == "Jane")
                try #expect(User.count(in: db) == 3)
                try #expect(User.count(in: db, where: \.lastname == nil) == 2)
                try #expect(User.exists(in: db))
                try #expect(!User.exists(in: db, where: \.firstname == "Joe"))
                try #expect(User.find(ItemID(), in: db) == nil)
                return try User.find(id, in: db)?.values
            }
            #expect(mark?.firstname == "Mark")
            try store.write { db in
                let mark = try #require(try User.find(id, in: db))
                try #expect(mark.current(in: db) === mark)
                try #expect(mark.remove(in: db))
                try #expect(!mark.remove(in: db))
                try #expect(mark.current(in: db) == nil)
                try #expect(User.removeAll(in: db, where: \.lastname == "Doe") == 1)
                try #expect(User.count(in: db) == 1)
                try User.removeAll(in: db)
                try #expect(User.count(in: db) == 0)
            }
        }
    }
}
