// swift-format-ignore-file: NeverForceUnwrap
// In a #Predicate it is an expression, which traps nowhere.

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
        try Self.expect(#Predicate { $0.cuisine.contains("Th") }, "cuisine CONTAINS[w] 'Th'")
        try Self.expect(
            #Predicate { $0.cuisine.starts(with: "Th") },
            "cuisine BEGINSWITH 'Th' AND cuisine BEGINSWITH[w] 'Th'")
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
            "NOT title == nil AND title CONTAINS[w] 'x'")
        try Self.expect(
            #Predicate { $0.name?.contains("x") ?? true },
            "title == nil OR (NOT title == nil AND title CONTAINS[w] 'x')")
        try Self.expect(
            #Predicate { $0.name?.contains("x") == true },
            "NOT title == nil AND title CONTAINS[w] 'x'")
        try Self.expect(#Predicate { $0.aliases?.count == 2 }, "aliases.@count == 2")
        try Self.expect(
            #Predicate { ($0.name ?? "none") == "x" }, "NOT title == nil AND title == 'x'")
        try Self.expect(
            #Predicate { ($0.name ?? $0.cuisine) == "x" },
            "(title == nil AND cuisine == 'x') OR (NOT title == nil AND title == 'x')")
        try Self.expect(#Predicate { $0.name! == "x" }, "NOT title == nil AND title == 'x'")
        try Self.expect(#Predicate { $0.name! != "x" }, "NOT title == nil AND NOT title == 'x'")
    }

    @Test func theRest() throws {
        let two = 2
        try Self.expect(#Predicate { $0.stars + two > 3 }, "stars + 2 > 3")
        try Self.expect(#Predicate { -$0.stars > 3 }, "stars * -1 > 3")
        try Self.expect(
            #Predicate { 6 / $0.stars == 3 }, "stars != 0 AND 6 / stars == 3")
        try Self.expect(#Predicate { (1...5).contains($0.stars) }, "stars >= 1 AND stars <= 5")
        try Self.expect(#Predicate { (1..<5).contains($0.stars) }, "stars >= 1 AND stars < 5")
        try Self.expect(
            #Predicate { $0.isOpen ? $0.stars > 3 : false }, "isOpen == TRUE AND stars > 3")
        try Self.expect(#Predicate { $0.cuisine.count > 3 }, "length(cuisine) > 3")
        try Self.expect(#Predicate { $0.tags.first == "x" }, "tags[FIRST] == 'x'")
        try Self.expect(#Predicate { $0.tags[1] == "x" }, "tags.@count > 1 AND tags[1] == 'x'")
        try Self.expect(#Predicate { $0.tags.contains { $0 == "x" } }, "ANY tags == 'x'")
        try Self.expect(
            #Predicate { $0.tags.contains { $0.count > 1 } },
            "SUBQUERY(tags, $x, length($x) > 1).@count > 0")
        try Self.expect(#Predicate { $0.tags.allSatisfy { $0 == "x" } }, "NOT ANY tags != 'x'")
        try Self.expect(
            #Predicate { $0.tags.filter { $0 != "x" }.count == two },
            "SUBQUERY(tags, $x, NOT $x == 'x').@count == 2")
        try Self.expect(#Predicate { $0.tags.max() == "x" }, "max(tags) == 'x'")
        try Self.expect(#Predicate { $0.price?.rawValue == 1 }, "price == 1")
        try Self.expect(#Predicate { $0.address?.city == "Bern" }, "address.city == 'Bern'")
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

    @Test func whatHasNoCounterpartIsLeftToFoundation() throws {
        let (word, item) = (/a+/, Restaurant(["title": .string("Thai"), "stars": .int(4)]))
        let predicate = try DataStorePredicate(
            #Predicate<Restaurant> { $0.stars > 3 && $0.name!.contains(word) })
        #expect(predicate.description == "stars > 3 AND «StringContainsRegex»")
        let evaluation = try #require(predicate.evaluations.first)
        #expect(try evaluation.matches(item))
        #expect(try !evaluation.matches(Restaurant(["title": .string("x")])))
        // Nil has no answer, and so is no match.
        #expect(try !evaluation.matches(Restaurant([:])))
        #expect(try predicate == predicate && predicate != DataStorePredicate("stars > 3"))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(predicate) }
        #expect(throws: DataStoreError.self) {
            try DataStorePredicate(predicate.description)
        }
        // A subject that is no item says so.
        let subject = DictionarySubject(attributes: ["stars": .int(4)])
        let error = #expect(throws: DataStoreError.self) { try predicate.matches(subject) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("item(as:)") == true)
    }

    @Test func closuresAreConditions() throws {
        struct Odd: Error {}
        let evaluation = DataStorePredicate.ItemEvaluation(Restaurant.self, "is odd") { item in
            if item.stars > 5 { throw Odd() }
            return item.stars % 2 == 1
        }
        #expect("\(DataStorePredicate.evaluated(evaluation))" == "«is odd»")
        #expect(try evaluation.matches(Restaurant(["stars": .int(3)])))
        #expect(try !evaluation.matches(Restaurant(["stars": .int(2)])))
        let item = Restaurant(["stars": .int(6)])
        let error = #expect(throws: DataStoreError.self) { try evaluation.matches(item) }
        #expect(error?.code == .invalidPredicate)
        for part in ["is odd", "Restaurant", "\(item.uniqueToken)", "Odd"] {
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
    }

    @Test func propertiesThatAreNoAttributesAreRefused() {
        let unknown = #expect(throws: DataStoreError.self) {
            try DataStorePredicate(#Predicate<Restaurant> { $0.stars > 1 && $0.unlisted == 1 })
        }
        #expect(unknown?.code == .unknownAttribute)
        for part in ["Restaurant", "“stars”", "Equal", "evaluated"] {
            #expect(unknown?.message.contains(part) == true, "\(unknown?.message ?? "")")
        }
        let stored = #expect(throws: DataStoreError.self) {
            try DataStorePredicate(#Predicate<Restaurant> { $0.tag == "x" })
        }
        #expect(stored?.attribute == "tag")
        #expect(stored?.message.contains("Did you mean “tags”?") == true)
    }

    @Test func expressions() throws {
        func expect<Output>(
            _ expression: Foundation.Expression<Restaurant, Output>, _ text: String
        ) throws {
            let converted = try DataStorePredicate.Expression(expression)
            #expect("\(converted)" == text)
        }
        try expect(#Expression { $0.stars * 2 + 1 }, "(stars * 2) + 1")
        try expect(#Expression { $0.tags.count }, "tags.@count")
        try expect(#Expression { $0.name }, "title")
        try expect(#Expression { $0.name ?? "none" }, "TERNARY(title == nil, \"none\", title)")
        try expect(
            #Expression { $0.name! }, "TERNARY(NOT title == nil, title, nil)")
        try expect(
            #Expression { $0.stars > 3 }, "TERNARY(stars > 3, TRUE, FALSE)")
        let word = /a/
        let error = #expect(throws: DataStoreError.self) {
            try DataStorePredicate.Expression(
                #Expression<Restaurant, Bool> { $0.cuisine.contains(word) })
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("StringContainsRegex") == true)
    }

    @Test func nothingTraps() throws {
        let (max, zero) = (Int.max, 0)
        let item = DictionarySubject(attributes: ["stars": .int(1), "tags": .array([])])
        func answer(_ predicate: Predicate<Restaurant>) throws -> Bool {
            try DataStorePredicate(predicate).matches(item)
        }
        #expect(try answer(#Predicate { $0.stars + max > max }))
        #expect(try !answer(#Predicate { $0.stars * max + max == 0 }))
        #expect(try answer(#Predicate { -($0.stars - 2 - max) > 0 }))
        for isOpposite in [false, true] {
            #expect(try !answer(#Predicate { ($0.stars / zero == 0) != isOpposite }))
            #expect(try !answer(#Predicate { ($0.stars % zero == 0) != isOpposite }))
            #expect(try !answer(#Predicate { ($0.stars...0).contains(0) != isOpposite }))
            #expect(try !answer(#Predicate { ($0.stars..<0).contains(0) != isOpposite }))
            #expect(try !answer(#Predicate { ($0.tags[-1] == "") != isOpposite }))
        }
        // Nor does what Foundation evaluates.
        let restaurant = Restaurant(["stars": .int(1), "cuisine": .string("a")])
        let (word, one) = (/a/, 1)
        let parts: [Predicate<Restaurant>] = [
            #Predicate { ($0.stars + max > 0 ? $0.cuisine : "").contains(word) },
            #Predicate { ($0.stars / zero > 0 ? $0.cuisine : "").contains(word) },
            #Predicate { ($0.stars % zero > 0 ? $0.cuisine : "").contains(word) },
            #Predicate { (-($0.stars - 2 - max - 1) > 0 ? $0.cuisine : "").contains(word) },
            #Predicate { $0.tags[$0.stars..<zero].contains("x") },
            #Predicate { $0.tags[zero..<$0.stars].contains("x") },
        ]
        for predicate in parts {
            for part in [
                try DataStorePredicate(predicate), try (!predicate).predicate(),
            ] {
                guard case .evaluated(let evaluation) = part else {
                    Issue.record("\(part)")
                    continue
                }
                #expect(try !evaluation.matches(restaurant))
            }
        }
        let plain = try DataStorePredicate(
            #Predicate<Restaurant> { ($0.stars + one > 1 ? $0.cuisine : "").contains(word) })
        #expect(try plain.evaluations.first?.matches(restaurant) == true)
    }
}

extension Restaurant {
    fileprivate convenience init(_ values: [String: DataStoreValue]) {
        self.init(
            backing: DictionaryBacking(
                itemTypeKey: "Restaurant", schema: Restaurant.schema, values: values))
    }
}
