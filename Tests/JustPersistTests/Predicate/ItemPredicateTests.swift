import Foundation
import JustPersist
import Testing

@Suite struct ItemPredicateTests {
    private static func expect(
        _ predicate: ItemPredicate<Restaurant>, _ text: String, _ arguments: Any?...,
        location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try predicate.predicate() == DataStorePredicate(text, arguments: arguments),
            sourceLocation: location)
    }

    @Test func operators() throws {
        try Self.expect(\Restaurant.stars == 3, "stars == 3")
        try Self.expect(\.stars != 3, "stars != 3")
        try Self.expect(\.stars < 3, "stars < 3")
        try Self.expect(\.stars <= 3, "stars <= 3")
        try Self.expect(\.stars > 3, "stars > 3")
        try Self.expect(\.stars >= 3, "stars >= 3")
        try Self.expect(\.name == "Thai", "title == 'Thai'")
        try Self.expect(\.name == nil, "title == nil")
        try Self.expect(\.name != nil, "title != nil")
        try Self.expect(\.name < "x", "title < 'x'")
        try Self.expect(\.name >= "x", "title >= 'x'")
        try Self.expect(\.isOpen == true, "isOpen == TRUE")
        let now = Date()
        try Self.expect(\.opened > now, "opened > %@", now)
        try Self.expect(\.opened <= now, "opened <= %@", now)
    }

    @Test func valuesAreTakenAsTheyAreStored() throws {
        try Self.expect(\.price == .high, "price == 3")
        try Self.expect(\.price > .low, "price > 1")
        try Self.expect(\.price == nil, "price == nil")
        try Self.expect(\.address == nil, "address == nil")
        let chef = ItemReference(itemTypeKey: "Person", id: ItemID())
        try Self.expect(\.chef == chef, "chef == %@", chef)
        let id = ItemID()
        try Self.expect(\.uniqueToken == id, "uniqueToken == %@", id)
        try Self.expect((\Restaurant.uniqueToken).isIn([id]), "SELF IN %@", [id])
    }

    @Test func functions() throws {
        try Self.expect((\Restaurant.tags).contains("x"), "tags CONTAINS 'x'")
        try Self.expect((\Restaurant.aliases).contains("x"), "aliases CONTAINS 'x'")
        try Self.expect((\Restaurant.stars).isIn([1, 2]), "stars IN {1, 2}")
        try Self.expect((\Restaurant.name).isIn(["a", nil]), "title IN {'a', nil}")
        try Self.expect(
            (\Restaurant.name).contains("x", [.caseInsensitive]), "title CONTAINS[c] 'x'")
        try Self.expect((\Restaurant.name).hasPrefix("x"), "title BEGINSWITH 'x'")
        try Self.expect((\Restaurant.name).hasSuffix("x"), "title ENDSWITH 'x'")
        try Self.expect(
            (\Restaurant.cuisine).contains("x", [.diacriticInsensitive]), "cuisine CONTAINS[d] 'x'")
        try Self.expect((\Restaurant.cuisine).hasPrefix("x"), "cuisine BEGINSWITH 'x'")
        try Self.expect((\Restaurant.cuisine).hasSuffix("x"), "cuisine ENDSWITH 'x'")
    }

    @Test func combinations() throws {
        try Self.expect(
            \Restaurant.stars > 3 && \.cuisine == "Thai", "stars > 3 AND cuisine == 'Thai'")
        try Self.expect(
            \.stars > 3 && \.name == nil || !(\.isOpen == true),
            "(stars > 3 AND title == nil) OR NOT isOpen == TRUE")
        try Self.expect(ItemPredicate(.constant(true)), "TRUEPREDICATE")
    }

    @Test func whatIsWrongIsThrownLater() {
        let wrong: [ItemPredicate<Restaurant>] = [
            \.unlisted == 1, \.unlisted == 1 && \.stars == 1, \.stars == 1 || \.unlisted == 1,
            !(\.unlisted == 1), \.name?.count == 3,
        ]
        for predicate in wrong {
            let error = #expect(throws: DataStoreError.self) { try predicate.predicate() }
            #expect(error?.code == .unknownAttribute)
            #expect(error?.itemType == "Restaurant")
        }
    }

    @Test func aKeyPathIntoAStructureIsNamedWithoutAnAddressInMemory() throws {
        let wrong: [(ItemPredicate<Restaurant>, String, String?)] = [
            (\.address?.city == "Bath", #"key path \Restaurant.address?.city"#, "address.city"),
            (\.address!.city == "Bath", #"key path \Restaurant.address!.city"#, "address.city"),
            (\.name?.count == 3, #"key path \Restaurant.title?.<computed (Int)>"#, nil),
            (\.unlisted == 1, #"property \Restaurant.<computed (Int)>"#, nil),
        ]
        for (predicate, name, path) in wrong {
            let error = #expect(throws: DataStoreError.self) { try predicate.predicate() }
            let message = try #require(error?.message)
            #expect(message.contains(name), "\(message)")
            #expect(!message.contains("0x"), "\(message)")
            #expect(
                message.contains("DataStorePredicate(\"\(path ?? "")") == (path != nil),
                "\(message)")
        }
    }
}
