import Foundation
import JustPersist
import Testing

/// The kinds of values that attributes are declared to hold.
@Suite struct KindTests {
    @Test(arguments: Backend.memoryAndReference)
    func valuesOfAnotherKindAreRefused(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.write { db in
                let restaurant = try db.create(Restaurant.self)
                restaurant.name = "a"
                restaurant.stars = 2
                let error = expectError(.kindMismatch) {
                    try restaurant.setStoredValue(42, forKeyPath: "name")
                }
                #expect(error?.attribute == "name")
                #expect(error?.itemType == "Restaurant")
                #expect(error?.message.contains("string") == true)
                #expect(error?.message.contains("int") == true)
                for (value, attribute) in [
                    ("4", "stars"), (2.5, "stars"), (Date(), "name"), ("today", "opened"),
                    (["a"], "name"), (0x1p70, "stars"),
                ] as [(any Sendable, String)] {
                    expectError(.kindMismatch) {
                        try restaurant.setStoredValue(value, forKeyPath: attribute)
                    }
                }
                expectError(.kindMismatch) {
                    try restaurant.setStoredValue(1, forKeyPath: "cuisine.first")
                }
                #expect(restaurant.name == "a")
                #expect(restaurant.stars == 2)
                #expect(restaurant.opened == nil)
            }
            try store.write { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Restaurant")).first)
                expectError(.kindMismatch) { try item.setStoredValue(42, forKeyPath: "name") }
                #expect(item["name"] == .string("a"))
                expectError(.kindMismatch) {
                    _ = try db.performInsert(DynamicItem("Restaurant", values: ["name": .int(42)]))
                }
                try #expect(db.count(Restaurant.self) == 1)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func anItemInNoStoreRefusesThemToo(_ backend: Backend) throws {
        try backend.withStore { store in
            let restaurant = Restaurant()
            restaurant.name = "a"
            expectError(.kindMismatch) {
                try restaurant.setStoredValue(42, forKeyPath: "name")
            }
            #expect(restaurant.name == "a")
            let wrong = Restaurant(
                backing: DictionaryBacking(
                    itemTypeKey: "Restaurant", schema: Restaurant.schema,
                    values: ["name": .int(42)]))
            try store.write { db in
                let error = expectError(.kindMismatch) { _ = try db.performInsert(wrong) }
                #expect(error?.attribute == "name")
                try #expect(db.count(Restaurant.self) == 0)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func numbersAreKeptInTheDeclaredKindWhereThatIsExact(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let item = try db.create(Numbers.self)
                try item.setStoredValue(3, forKeyPath: "double")
                try item.setStoredValue(4, forKeyPath: "decimal")
                try item.setStoredValue(true, forKeyPath: "int")
                #expect(item.values == [.double(3), .decimal(4), .int(1)])
                try item.setStoredValue(2.0, forKeyPath: "int")
                #expect(item.values == [.double(3), .decimal(4), .int(2)])
                for (value, attribute) in [
                    (Int64(1) << 53 + 1, "double"), (2.5, "int"), (Double.nan, "int"),
                    (true, "double"), (1.5, "decimal"),
                ] as [(any Sendable, String)] {
                    expectError(.kindMismatch) {
                        try item.setStoredValue(value, forKeyPath: attribute)
                    }
                }
                #expect(item.values == [.double(3), .decimal(4), .int(2)])
            }
            try store.read { db in
                try #expect(
                    db.items(Numbers.self).map(\.values) == [[.double(3), .decimal(4), .int(2)]])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func valuesOfAFormerKindAreConvertedWhereThatIsExact(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Numbers",
                        attributes: [
                            AttributeSchema("double", kinds: [.int]),
                            AttributeSchema("decimal", kinds: [.int]),
                            AttributeSchema("int", kinds: [.bool]),
                        ]))
                let item = try db.create("Numbers")
                item["double"] = .int(3)
                item["decimal"] = .int(4)
                item["int"] = .bool(true)
            }
            func check() throws {
                try store.read { db in
                    let item = try #require(try db.first(Numbers.self))
                    #expect(item.values == [.double(3), .decimal(4), .int(1)])
                    #expect(item.value(forKeyPath: "double") as? Double == 3)
                    let predicate = try DataStorePredicate(
                        "double == 3.0 AND decimal >= 4 AND int == 1 AND int < 2")
                    try #expect(db.count(Numbers.self, where: predicate) == 1)
                }
            }
            try check()
            // Another item of the new kinds between, and before it in order.
            try store.write { db in
                let item = try db.create(Numbers.self)
                try item.setStoredValue(2.5, forKeyPath: "double")
            }
            try check()
            try store.read { db in
                let sorted = try db.items(Numbers.self, sortedBy: .ascending("double"))
                #expect(sorted.map { $0.values[0] } == [.double(2.5), .double(3)])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aValueOfAFormerKindThatCannotBeConvertedIsAnError(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Restaurant",
                        attributes: [AttributeSchema("name", kinds: [.int])]))
                for number in 0..<3 { try db.create("Restaurant")["name"] = .int(Int64(number)) }
            }
            // The property does not fail the primitive.
            try store.performRead { db in
                let restaurant = try #require(try db.first(Restaurant.self))
                let error = expectError(.kindMismatch) {
                    _ = try restaurant.storedValue(forKeyPath: "name")
                }
                #expect(error?.attribute == "name")
                #expect(error?.message.contains("string") == true)
                #expect(error?.message.contains("int") == true)
                if backend != .reference { #expect(error?.message.contains("3 items") == true) }
                #expect(errors.codes.isEmpty)
                #expect(restaurant.name == nil)
                #expect(errors.codes == [.kindMismatch])
                // It can be asked for, and is there for who has no class.
                try #expect(db.count(Restaurant.self, where: DataStorePredicate("name == 1")) == 1)
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Restaurant"))
                #expect(items.map { $0["name"] } == [.int(0), .int(1), .int(2)])
            }
            try store.write { db in try db.convert("name", of: "Restaurant", to: .string) }
            try store.write { db in
                for restaurant in try db.items(Restaurant.self) { restaurant.name? += "!" }
            }
            try #expect(store.names() == ["0!", "1!", "2!"])
        }
    }

    @Test func theNumberOfItemsWithAFormerKindIsThatOfTheLastCommit() throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Restaurant", attributes: [AttributeSchema("name", kinds: [.int])]))
                for number in 0..<3 { try db.create("Restaurant")["name"] = .int(Int64(number)) }
            }
            for items in ["3 items", "2 items", "1 item"] {
                try store.write { db in
                    let restaurant = try #require(
                        try db.first(Restaurant.self, where: DataStorePredicate("name != nil")))
                    let error = expectError(.kindMismatch) {
                        _ = try restaurant.storedValue(forKeyPath: "name")
                    }
                    #expect(error?.message.contains("in \(items),") == true)
                }
                try store.write { db in
                    let request = DataStoreRequest(itemTypeKey: "Restaurant")
                    let item = try db.dynamicItems(request).first { !$0["name"].isNull }
                    item?["name"] = .null
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aTypeThatContradictsItselfIsRefused(_ backend: Backend) throws {
        try backend.withStore { store in
            let calls: [(any DataStore) throws -> Void] = [
                { try $0.read { db in _ = try db.items(Twice.self) } },
                { try $0.read { db in _ = try db.count(Twice.self) } },
                { try $0.read { db in _ = try db.item(Twice.self, id: ItemID()) } },
                { try $0.write { db in _ = try db.create(Twice.self) } },
                { try $0.write { db in _ = try db.performInsert(Twice()) } },
                { try $0.write { db in try db.declare(Twice.schema) } },
            ]
            for call in calls {
                let error = expectError(.conflictingAttributes) { try call(store) }
                #expect(error?.attribute == "a")
                #expect(error?.itemType == "Twice")
            }
            let wrong = AttributeSchema("a", kinds: [.int], default: .string("x"))
            expectError(.kindMismatch) {
                try store.write { db in try db.declare(ItemSchema("T", attributes: [wrong])) }
            }
            let same = [AttributeSchema("a"), AttributeSchema("b", originalName: "a")]
            expectError(.conflictingAttributes) {
                try store.write { db in try db.declare(ItemSchema("T", attributes: same)) }
            }
            try store.read { db in try #expect(db.schemas().isEmpty) }
        }
    }

    /// Seconds of this thread that a block takes to declare so many types, each with an item.
    private func secondsToDeclare(_ count: Int) throws -> Double {
        func now() -> Double {
            var time = timespec()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        var seconds = 0.0
        try Backend.memory.withStore { store in
            let start = now()
            try store.write { db in
                for number in 0..<count {
                    try db.declare(ItemSchema("T\(number)", attributes: [AttributeSchema("a")]))
                    try db.create("T\(number)")["a"] = .int(Int64(number))
                    try #expect(db.count(DataStoreRequest(itemTypeKey: "T\(number)")) == 1)
                }
            }
            seconds = now() - start
        }
        return seconds
    }

    /// Twice as many types took nearly four times as long.
    @Test func typesAreDeclaredInLinearTime() throws {
        // The quickest of some runs, for others may be at work too.
        let few = try (0..<3).map { _ in try secondsToDeclare(1000) }.min() ?? 0
        let many = try (0..<2).map { _ in try secondsToDeclare(8000) }.min() ?? 0
        // 8 times as many: about 8 times as long, up to 30 times beside others that use the caches, and more than 50 times where
        // it is quadratic.
        #expect(many < 40 * few, "1,000 types: \(few) s, 8,000: \(many) s")
    }
}

/// A type with a number of each kind.
private final class Numbers: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Numbers",
        attributes: [
            AttributeSchema("double", kinds: [.double]),
            AttributeSchema("decimal", kinds: [.decimal]), AttributeSchema("int", kinds: [.int]),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var values: [DataStoreValue] { (0..<3).map { attribute(at: $0, default: .null) } }
}

/// A type that declares one name twice.
private final class Twice: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Twice",
        attributes: [AttributeSchema("a", kinds: [.int]), AttributeSchema("a", kinds: [.string])])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
