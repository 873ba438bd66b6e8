import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMacros
import Testing

/// Copies of the values of items, which leave a block and come back.
@Suite struct ItemValuesTests {
    // MARK: Reading

    @Test(arguments: Backend.memoryAndReference)
    func valuesLeaveTheBlock(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                for (name, stars) in [("Thai Garden", 5), ("Lotus", 2), ("Curry Leaf", 4)] {
                    try Place.create(in: db) {
                        $0.name = name
                        $0.stars = stars
                        $0.address = Place.Address(street: "Main", tags: ["a"])
                    }
                }
            }
            let (good, sorted, first, one) = try store.read { db in
                let good = try db.values(of: Place.self, where: \.stars > 3)
                return (
                    good,
                    try db.values(
                        of: Place.self, where: DataStorePredicate("stars > 0"),
                        sortedBy: .ascending(\.name), offset: 1, limit: 1),
                    try db.firstValues(of: Place.self, sortedBy: .descending(\.stars)),
                    try db.values(of: Place.self, id: good[1].id)
                )
            }
            #expect(good.map(\.name) == ["Thai Garden", "Curry Leaf"])
            #expect(sorted.map(\.name) == ["Lotus"])
            #expect(first == good[0])
            #expect(one == good[1])
            #expect(Set(good).count == 2)
            #expect(good[0].address?.street == "Main")
            let (none, items) = try store.read { db in
                (
                    try db.values(of: Place.self, id: ItemID()),
                    try db.items(Place.self).map(\.values)
                )
            }
            #expect(none == nil)
            #expect(items.map(\.name) == ["Thai Garden", "Lotus", "Curry Leaf"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aStructOfOnesOwnHasSomeOfTheAttributes(_ backend: Backend) throws {
        try backend.withStore { store in
            let id = try store.write { db in
                try db.create(from: Place.Values(name: "Lotus", stars: 2))
            }
            let rows = try store.read { db in
                try db.values(Row.self, where: \.stars == 2, sortedBy: .ascending(\.name))
            }
            #expect(rows.map(\.title) == ["Lotus"] && rows.map(\.id) == [id])
            try store.write { db in
                var row = rows[0]
                row.title = "Lotus Garden"
                try #expect(db.upsert(row) == id)
                try db.create(from: Row(uniqueToken: ItemID(), title: "New"))
            }
            let places = try store.read { db in try db.values(of: Place.self) }
            #expect(places.map(\.name) == ["Lotus Garden", "New"])
            #expect(places.map(\.stars) == [2, 1])
        }
    }

    @Test func valuesAreStreamed() async throws {
        try await Backend.memory.withStore { store in
            try await store.write { db in
                for stars in 1...600 { try db.create(from: Place.Values(stars: stars)) }
            }
            var stars: [Int] = []
            for try await place in store.values(of: Place.self, where: \.stars > 300) {
                stars.append(place.stars)
            }
            #expect(stars == Array(301...600))
            var first: [Int] = []
            for try await place in store.values(
                of: Place.self, sortedBy: .descending(\.stars), limit: 2)
            {
                first.append(place.stars)
            }
            #expect(first == [600, 599])
        }
    }

    @Test func aValueThatCannotBeReadIsThrown() throws {
        let errors = ErrorLog()
        try Backend.memory.withStore(errors: errors) { store in
            try store.write { db in
                try db.declare(
                    ItemSchema("Place", attributes: [AttributeSchema("mood", kinds: [.string])]))
                try db.create("Place")["mood"] = .string("odd")
            }
            let error = expectError(.unsupportedValue) {
                _ = try store.read { db in try db.values(of: Place.self).count }
            }
            #expect(error?.attribute == "mood")
            #expect(errors.all.isEmpty)
            // The property's way: reported, and the default; the block fails at its end.
            expectError(.unsupportedValue) {
                try store.read { db in
                    let item = try #require(try db.first(Place.self))
                    #expect(item.values.mood == .calm)
                }
            }
            #expect(errors.codes == [.unsupportedValue])
        }
    }

    // MARK: Writing

    @Test(arguments: Backend.memoryAndReference)
    func anItemIsMadeOfValuesWithTheirIdentity(_ backend: Backend) throws {
        try backend.withStore { store in
            let values = Place.filled
            try store.write { db in
                let place = try Place.create(from: values, in: db)
                #expect(place.id == values.id && place.values == values)
                try #expect(db.items(Place.self, where: \.name == "Lotus").count == 1)
            }
            let read = try store.read { db in try db.values(of: Place.self) }
            #expect(read == [values])
            try store.write { db in
                let error = expectError(.couldNotCreateItemOfType) {
                    try db.create(from: Place.Values(id: values.id, name: "Other"))
                }
                #expect(error?.message.contains("\(values.id)") == true)
            }
            let unchanged = try store.read { db in try db.values(of: Place.self) }
            #expect(unchanged == [values])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func updateTouchesWhatDiffers(_ backend: Backend) throws {
        try backend.withStore { store in
            var values = Place.filled
            try store.write { db in try db.create(from: values) }
            try store.write { db in
                let place = try #require(try db.item(Place.self, id: values.id))
                try #expect(place.update(from: values) == [])
                values.name = "Lo\u{301}tus"
                values.stars = 9
                values.mood = .wild
                values.address?.street = "Side"
                values.opened = nil
                values.scores = [1, 2]
                try #expect(
                    place.update(from: values) == [
                        "name", "stars", "opened", "mood", "address", "scores",
                    ])
                // Equal as Swift compares, and other bytes.
                values.name = "Lótus"
                try #expect(place.update(from: values) == ["name"])
                try #expect(place.update(from: values) == [])
                #expect(place.name.utf8.elementsEqual("Lótus".utf8))
            }
            let read = try store.read { db in try db.values(of: Place.self) }
            #expect(read == [values])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func upsertByIdentityMakesOrChanges(_ backend: Backend) throws {
        try backend.withStore { store in
            var values = Place.Values(name: "Lotus")
            try store.write { db in
                try #expect(db.upsert(values) == values.id)
                let place = try #require(try Place.find(values.id, in: db))
                values.name = "Garden"
                try #expect(db.upsert(values) == values.id)
                #expect(place.name == "Garden")
            }
            try store.write { db in
                values.stars = 5
                try db.upsert(values)
            }
            let read = try store.read { db in try db.values(of: Place.self) }
            #expect(read == [values])
        }
    }

    @Test func upsertByAUniqueAttributeKeepsTheIdentityOfTheStore() throws {
        try Backend.memory.withStore { store in
            let known = Place.Values(permit: "1", name: "One")
            try store.write { db in try db.create(from: known) }
            let new = Place.Values(permit: "2", name: "Two")
            try store.write { db in
                let id = try db.upsert(
                    Place.Values(permit: "1", name: "First", stars: 3), by: \.permit)
                let place = try #require(try Place.find(id, in: db))
                #expect(id == known.id && place.name == "First" && place.stars == 3)
                let all = try db.upsert(
                    [
                        new, Place.Values(permit: "1", name: "Uno"),
                        Place.Values(permit: "2", name: "Dos"),
                    ],
                    by: \.permit)
                #expect(all == [new.id, known.id, new.id])
                expectError(.invalidRequest) { try db.upsert(new, by: \.name) }
            }
            let read = try store.read { db in
                try db.values(of: Place.self, sortedBy: .ascending(\.permit))
            }
            #expect(read.map(\.name) == ["Uno", "Dos"])
            #expect(read.map(\.id) == [known.id, new.id])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func valuesThatDoNotFitAreThrown(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            let big = Place.Values(number: .max)
            try store.write { db in
                let error = expectError(.unsupportedValue) { try db.create(from: big) }
                #expect(error?.attribute == "number")
                try #expect(db.count(Place.self) == 0)
                let place = try db.create(Place.self)
                expectError(.unsupportedValue) { try place.update(from: big) }
                expectError(.unsupportedValue) {
                    try db.upsert(Place.Values(id: place.id, number: .max))
                }
            }
            #expect(errors.all.isEmpty)
            let frozen = try store.read { db in
                let place = try #require(try db.first(Place.self))
                return expectError(.itemNotMutable) {
                    try place.update(from: Place.Values(name: "New"))
                }
            }
            #expect(frozen?.attribute == "name")
            #expect(errors.all.isEmpty)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func privateAndTransientAttributesAreTheItemsOwn(_ backend: Backend) throws {
        try backend.withStore { store in
            let values = try store.write { db in
                let place = try db.create(Place.self)
                place.keep("secret")
                place.isSelected = true
                return place.values
            }
            let json = try String(data: JSONEncoder().encode(values), encoding: .utf8)
            #expect(json?.contains("secret") == false && json?.contains("isSelected") == false)
            let kept = try store.write { db in
                let place = try #require(try db.first(Place.self))
                try place.update(from: Place.Values(id: values.id, name: "Other"))
                return place.kept
            }
            #expect(kept == "secret")
        }
    }

    // MARK: Without a class

    @Test func itemsWithoutAClassHaveValuesToo() throws {
        try Backend.memory.withStore { store in
            try store.write { db in try db.create(from: Place.filled) }
            var values = try store.read { db in
                try db.dynamicValues(DataStoreRequest(itemTypeKey: "Place"))[0]
            }
            #expect(values.id == Place.filled.id && values["name"] == .string("Lotus"))
            #expect(values.values["motto"] == .some(.null) && values["nothing"] == .null)
            let copy = try JSONDecoder().decode(
                DynamicItem.Values.self, from: JSONEncoder().encode(values))
            #expect(copy == values && copy.hashValue == values.hashValue)
            values["name"] = .string("Garden")
            values["stars"] = .int(4)
            try store.write { db in
                let request = DataStoreRequest(itemTypeKey: "Place")
                let item = try #require(try db.dynamicItems(request).first)
                try #expect(item.update(from: values) == ["name", "stars"])
                try #expect(item.update(from: values) == [])
                try #expect(db.upsert(copy) == values.id)
                #expect(item["name"] == .string("Lotus"))
                expectError(.couldNotCreateItemOfType) { try db.create(from: values) }
                values.uniqueToken = ItemID()
                values["permit"] = .null
                try db.upsert(values)
                expectError(.unknownAttribute) {
                    try item.update(from: DynamicItem.Values("Place", values: ["x": .int(1)]))
                }
            }
            let names = try store.read { db in try db.values(of: Place.self).map(\.name) }
            #expect(names == ["Lotus", "Garden"])
        }
    }
}

extension ItemValuesTests {
    /// An attribute of every sort.
    @Item("Place") final class Place {
        @Attribute(.unique) var permit: String?
        var name: String = ""
        var stars: Int = 1
        var opened: Date?
        var price: Decimal = 0
        var mood: Mood = .calm
        var moods: [Mood] = []
        var address: Address?
        var scores: [Double] = []
        var prices: [String: Decimal?] = [:]
        var motto: String? = "Eat"
        var owner: ItemReference?
        var extra: DataStoreValue = .null
        var number: UInt64 = 0
        private var secret: String = ""
        @Transient var isSelected = false

        var kept: String { secret }
        func keep(_ text: String) { secret = text }

        enum Mood: String, Codable { case calm, wild }

        /// Not Hashable.
        struct Address: Codable {
            var street: String
            var tags: [String] = []
        }

        static let filled = Values(
            permit: "40391", name: "Lotus", stars: 3, opened: Date(timeIntervalSince1970: 0.25),
            price: 12.5, mood: .calm, moods: [.wild, .calm],
            address: Address(street: "Main", tags: ["a", "b"]), scores: [-0.0, 1.5],
            prices: ["lunch": 9, "dinner": nil], motto: nil,
            owner: ItemReference(itemTypeKey: "Person", id: ItemID()),
            extra: .array([.int(1), .null]), number: 7)
    }

    /// A struct of one's own.
    struct Row: ItemValues {
        var uniqueToken: ItemID
        var title: String

        init(uniqueToken: ItemID, title: String) {
            self.uniqueToken = uniqueToken
            self.title = title
        }

        init(_ place: Place) {
            uniqueToken = place.uniqueToken
            title = place.name
        }

        func assign(to place: Place) { place.name = title }
    }
}
