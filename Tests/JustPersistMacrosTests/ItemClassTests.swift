import Foundation
import JustPersistMacros
import Testing

@Item private final class Hidden {
    fileprivate var secret: String?
}

@Suite struct ItemClassTests {
    @Test func schemaHoldsWhatTheClassDeclares() throws {
        let schema = Restaurant.schema
        #expect(schema.itemTypeKey == "Restaurant")
        #expect(
            schema.attributes.map(\.name) == [
                "permit", "cuisine", "name", "borough", "stars", "opened",
            ])
        #expect(
            schema.attributes.map(\.kinds) == [
                [.string], [.string], [.string], [.string], [.int], [.date],
            ])
        #expect(schema.attributes.map(\.formerNames.first) == [nil, nil, "title", nil, nil, nil])
        #expect(schema.attributeName(for: \Restaurant.stars) == "stars")
        #expect(
            schema.indexes == [
                IndexSchema(["permit"], isUnique: true), IndexSchema(["cuisine"]),
                IndexSchema(["borough", "cuisine"]),
            ])
    }

    @Test func schemaHoldsTypeKeyAndEscapedNames() {
        #expect(Dish.itemTypeKey == "dish")
        #expect(Dish.schema.attributes[4].name == "default")
        #expect(Dish.schema.attributeName(for: \Dish.default) == "default")
        #expect(
            Dish.schema.indexes == [
                IndexSchema(["title", "default"], isUnique: true),
                IndexSchema(["id"], isUnique: true), IndexSchema(["price"]),
            ])
        #expect(
            !Dish.schema.attributes.contains {
                ["isSelected", "observer", "cache", "limit", "half", "shared"].contains($0.name)
            })
        #expect(Dish.Side.itemTypeKey == "Dish.Side")
        #expect(Hidden.itemTypeKey == "Hidden")
        #expect(Nothing.schema.attributes.isEmpty)
    }

    @Test func schemaKnowsTheKindsOfOtherTypes() {
        let kinds = Dictionary(
            uniqueKeysWithValues: Dish.schema.attributes.map { ($0.name, $0.kinds) })
        #expect(kinds["rating"] == [.string])
        #expect(kinds["size"] == [.bool])
        #expect(kinds["address"] == [])
        #expect(kinds["extra"] == [])
        #expect(kinds["counts"] == [.dictionary])
        #expect(kinds["ratings"] == [])
        #expect(kinds["link"] == [.url])
    }

    @Test func schemaHoldsTheDefaultsOfProperties() throws {
        let attributes = Dictionary(
            uniqueKeysWithValues: Dish.schema.attributes.map { ($0.name, $0) })
        #expect(attributes["title"]?.defaultValue == .string("Soup"))
        #expect(attributes["title"]?.isOptional == false)
        #expect(attributes["motto"]?.defaultValue == .string("Eat"))
        #expect(attributes["motto"]?.isOptional == true)
        #expect(attributes["temperature"]?.defaultValue == .double(-1.5))
        #expect(attributes["ratings"]?.defaultValue == .array([.string("poor")]))
        #expect(attributes["course"]?.defaultValue == .string("main"))
        #expect(attributes["price"]?.defaultValue == nil)
        // Once for all items that are older than the attribute.
        #expect(attributes["id"]?.defaultValue?.kind == .uuid)
        #expect(attributes["id"]?.defaultValue == Dish.schema.attributes[0].defaultValue)
    }

    @Test func aDefaultMayNameTheClassAsSelf() {
        #expect(Frame.schema.attributes[0].defaultValue == .int(3))
        #expect(Frame().width == 3)
    }

    @Test func nestedClassesOfOneNameAreTwoTypes() {
        #expect(Frame.Corner.itemTypeKey == "Frame.Corner")
        #expect(Table.Corner.itemTypeKey == "Table.Corner")
        #expect(Table.Corner.Joint.itemTypeKey == "Table.Corner.Joint")
    }

    @Test func propertiesMayHaveTheNamesOfWhatGettersCall() {
        let names = Names()
        names.attribute = "a"
        names.setAttribute = 2
        names.optionalAttribute = "c"
        #expect(names.attribute == "a")
        #expect(names.setAttribute == 2)
        #expect(names.optionalAttribute == "c")
    }

    @Test func newItemHasItsDefaultsStored() throws {
        let dish = Dish()
        #expect(try dish.storedValue(forKeyPath: "title") == .string("Soup"))
        #expect(try dish.storedValue(forKeyPath: "temperature") == .double(-1.5))
        #expect(try dish.storedValue(forKeyPath: "motto") == .string("Eat"))
        #expect(try dish.storedValue(forKeyPath: "course") == .string("main"))
        #expect(try dish.storedValue(forKeyPath: "price") == .null)
        #expect(dish.id == dish.id)
        #expect(dish.created == dish.created)
        dish.motto = nil
        #expect(dish.motto == nil)
    }

    @Test func attributesWinOverTheIdentity() throws {
        let (booking, id) = (Booking(), UUID())
        booking.id = id
        booking.reference = "AB12"
        #expect(booking.id == id && booking.reference == "AB12")
        #expect(booking.value(forKeyPath: "id") as? UUID == id)
        let item: any DataStoreItem = booking
        #expect(item.id == booking.uniqueToken && item.reference == ItemReference(to: booking))
        let predicate = try DataStorePredicate(#Predicate<Booking> { $0.id == id })
        #expect(try predicate == DataStorePredicate(attribute: "id", equals: id))
        let nothing = Nothing()
        #expect(nothing.id == nothing.uniqueToken && nothing.reference.itemTypeKey == "Nothing")
    }

    @Test func itemStoredBeforeAPropertyExistedReadsItsDefault() {
        let dish = Dish(
            backing: DictionaryBacking(itemTypeKey: "dish", schema: Dish.schema))
        #expect(dish.title == "Soup")
        #expect(dish.default == 3)
        #expect(dish.ratings == [.poor])
        #expect(dish.motto == "Eat")
        dish.motto = nil
        #expect(dish.motto == nil)
    }

    @Test func everyPropertyComesBack() {
        let dish = Dish(titled: "Pie")
        let chef = ItemReference(itemTypeKey: "Chef", id: ItemID())
        let address = Address(street: "Main", built: Date(timeIntervalSince1970: 0.1), tags: ["a"])
        let origin = ItemID()
        dish.price = 3.5
        dish.photo = Data([1, 0])
        dish.link = URL(string: "http://a.example/b?c")
        dish.chef = chef
        dish.origin = origin
        dish.extra = .array([.null, .int(1)])
        dish.rating = .poor
        dish.lastRating = .fine
        dish.ratings = [.fine, .poor]
        dish.size = .large
        dish.address = address
        dish.places = [address, Address(street: "")]
        dish.counts = ["": [nil, 1], "a.b": []]
        dish.note = "n"

        let same = Dish(sharing: dish)
        #expect(same.title == "Pie")
        #expect(same.price == 3.5)
        #expect(same.photo == Data([1, 0]))
        #expect(same.link == URL(string: "http://a.example/b?c"))
        #expect(same.chef == chef)
        #expect(same.origin == origin)
        #expect(same.extra == .array([.null, .int(1)]))
        #expect(same.rating == .poor)
        #expect(same.lastRating == .fine)
        #expect(same.ratings == [.fine, .poor])
        #expect(same.size == .large)
        #expect(same.address == address)
        #expect(same.places == [address, Address(street: "")])
        #expect(same.counts == ["": [nil, 1], "a.b": []])
        #expect(same.note == "n")
        #expect(same.value(forKeyPath: "address.street") as? String == "Main")
        #expect(dish.value(forKeyPath: "size") as? Bool == true)
    }

    @Test func transientPropertiesAreThoseOfTheObject() {
        let dish = Dish()
        let same = Dish(sharing: dish)
        dish.isSelected = true
        dish.observer = same
        dish.cache["a"] = 1
        dish.changes = 9
        #expect(same.isSelected == false)
        #expect(dish.observer === same)
        #expect(dish.cache.count == 1)
        #expect(dish.changes == 3)
        #expect(dish.value(forKeyPath: "isSelected") == nil)
    }

    @Test func itemPassesForItsProtocol() {
        let item: any MutableDataStoreItem = Restaurant()
        #expect(item.uniqueToken == item.backing.id)
        #expect(type(of: item).itemTypeKey == "Restaurant")
    }
}
