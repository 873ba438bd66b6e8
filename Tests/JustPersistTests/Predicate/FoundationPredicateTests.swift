import Foundation
import JustPersist
import Testing

@Suite struct FoundationPredicateTests {
    private static func expect(
        _ predicate: Predicate<Restaurant>, _ text: String, _ arguments: Any?...,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try DataStorePredicate(text, arguments: arguments)
        let converted = try DataStorePredicate(predicate)
        #expect(converted == expected, "\(converted)", sourceLocation: location)
    }

    @Test func comparisonsAndLogic() throws {
        try Self.expect(#Predicate { $0.stars == 3 }, "stars == 3")
        try Self.expect(#Predicate { 3 < $0.stars }, "3 < stars")
        try Self.expect(#Predicate { $0.stars <= 3 }, "stars <= 3")
        try Self.expect(#Predicate { $0.stars > 3 }, "stars > 3")
        try Self.expect(#Predicate { $0.stars >= 3 }, "stars >= 3")
        try Self.expect(#Predicate { $0.stars != 3 }, "NOT stars == 3")
        try Self.expect(
            #Predicate { $0.cuisine == "Thai" && $0.stars > 3 }, "cuisine == 'Thai' AND stars > 3")
        try Self.expect(
            #Predicate { ($0.stars > 3 || $0.isOpen) && !$0.isOpen },
            "(stars > 3 OR isOpen == TRUE) AND NOT isOpen == TRUE")
        try Self.expect(#Predicate { _ in true }, "TRUEPREDICATE")
        try Self.expect(#Predicate { ($0.stars > 3) == false }, "NOT stars > 3")
    }

    @Test func capturedValues() throws {
        let (name, none, price, id): (String, String?, PriceRange?, ItemID) = (
            "it's", nil, .high, ItemID()
        )
        let chef = ItemReference(itemTypeKey: "Person", id: id)
        try Self.expect(#Predicate { $0.name == name }, "title == %@", name)
        try Self.expect(#Predicate { $0.name == none }, "title == nil")
        try Self.expect(#Predicate { $0.name == nil }, "title == nil")
        try Self.expect(#Predicate { $0.name != nil }, "NOT title == nil")
        try Self.expect(#Predicate { $0.price == price }, "price == 3")
        try Self.expect(#Predicate { $0.uniqueToken == id }, "uniqueToken == %@", id)
        try Self.expect(#Predicate { $0.chef == chef }, "chef == %@", chef)
    }

    @Test func textsAndCollections() throws {
        let names = ["a", "b"]
        try Self.expect(#Predicate { $0.cuisine.contains("Th") }, "cuisine CONTAINS 'Th'")
        try Self.expect(#Predicate { $0.cuisine.starts(with: "Th") }, "cuisine BEGINSWITH 'Th'")
        try Self.expect(#Predicate { $0.cuisine.contains("") }, "TRUEPREDICATE")
        try Self.expect(#Predicate { $0.cuisine.isEmpty }, "NOT cuisine != ''")
        try Self.expect(#Predicate { names.contains($0.cuisine) }, "cuisine IN {'a', 'b'}")
        try Self.expect(#Predicate { $0.tags.contains("x") }, "'x' IN tags")
        try Self.expect(#Predicate { $0.tags.count > 2 }, "tags.@count > 2")
        try Self.expect(#Predicate { $0.tags.isEmpty }, "NOT tags.@count > 0")
    }

    @Test func optionals() throws {
        try Self.expect(
            #Predicate { $0.name?.contains("x") ?? false },
            "(NOT title == nil AND title CONTAINS 'x') OR (title == nil AND FALSEPREDICATE)")
        try Self.expect(
            #Predicate { $0.name?.contains("x") == true }, "NOT title == nil AND title CONTAINS 'x'"
        )
        try Self.expect(#Predicate { $0.aliases?.count == 2 }, "aliases.@count == 2")
        try Self.expect(
            #Predicate { ($0.name ?? "none") == "x" },
            "(NOT title == nil AND title == 'x') OR (title == nil AND 'none' == 'x')")
    }

    /// Foundation's own evaluation of the same predicate on the same items.
    @Test func agreesWithFoundation() throws {
        let names = ["Thai", "x"]
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let predicates: [Predicate<Restaurant>] = [
            #Predicate { $0.name?.contains("ha") ?? false },
            #Predicate { $0.name?.contains("ha") ?? true },
            #Predicate { $0.name?.contains("ha") == false },
            #Predicate { $0.name?.contains("ha") != true },
            #Predicate { $0.name?.starts(with: "") == true },
            #Predicate { $0.name?.isEmpty ?? true }, #Predicate { ($0.name ?? "x") != "x" },
            #Predicate { names.contains($0.name ?? "x") }, #Predicate { $0.name != "Thai" },
            #Predicate { $0.cuisine.contains($0.name ?? "") },
            #Predicate { $0.opened.flatMap { $0 < date } ?? false },
            #Predicate { ($0.aliases?.count ?? 7) > 1 }, #Predicate { $0.aliases?.isEmpty == nil },
            #Predicate { $0.tags.contains("a") || $0.tags.isEmpty }, #Predicate { $0.price == nil },
        ]
        let texts: [DataStoreValue] = [.null, .string(""), .string("Thai"), .string("Thailand")]
        let lists: [DataStoreValue] = [
            .array([]), .array([.string("a")]), .array([.string("b"), .string("a")]),
        ]
        let dates = [-5.0, 5, 50].map {
            DataStoreValue.date(Date(timeIntervalSinceReferenceDate: $0))
        }
        for (index, predicate) in predicates.enumerated() {
            let converted = try DataStorePredicate(predicate)
            for text in texts {
                for list in lists {
                    for date in dates + [.null] {
                        let values: [String: DataStoreValue] = [
                            "title": text, "cuisine": .string("Thailand"), "tags": list,
                            "aliases": text.isNull ? .null : list, "opened": date,
                        ]
                        let item = Restaurant(
                            backing: DictionaryBacking(
                                itemTypeKey: "Restaurant", schema: Restaurant.schema,
                                values: values))
                        #expect(
                            try converted.matches(DictionarySubject(attributes: values))
                                == predicate.evaluate(item), "\(index): \(converted), \(values)")
                    }
                }
            }
        }
    }

    @Test func otherExpressionsAreRefusedByName() {
        let refused: [(Predicate<Restaurant>, String)] = [
            (#Predicate { $0.stars + 1 > 3 }, "Arithmetic"),
            (#Predicate { $0.isOpen ? $0.stars > 3 : false }, "Conditional"),
            (#Predicate { $0.tags.contains { $0 == "x" } }, "SequenceContainsWhere"),
            (#Predicate { $0.name!.contains("x") }, "ForcedUnwrap"),
            (#Predicate { $0.cuisine.count > 3 }, "KeyPath"),
            (#Predicate { (1...5).contains($0.stars) }, "RangeExpressionContains"),
            (#Predicate { $0.tags.first == "x" }, "KeyPath"),
        ]
        for (predicate, name) in refused {
            let error = #expect(throws: DataStoreError.self) { try DataStorePredicate(predicate) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
        }
        let unknown = #expect(throws: DataStoreError.self) {
            try DataStorePredicate(#Predicate<Restaurant> { $0.unlisted == 1 })
        }
        #expect(unknown?.code == .unknownAttribute)
    }
}
