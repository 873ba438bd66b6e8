import Foundation
import JustPersist
import JustPersistMacros
import JustPersistMemory
import Testing

/// The advice of refusals works when it is followed word for word.
@Suite struct SchemaAdviceTests {
    enum Cuisine: String, Codable { case thai, other }
    struct Place: Codable, Equatable { var city: String }

    @Item("Thing") final class Flag { var value: Bool = false }
    @Item("Thing") final class Moment { var value: Date? }
    @Item("Thing") final class Number { var value: Int = 1 }
    @Item("Thing") final class Fraction { var value: Double? }
    @Item("Thing") final class Amount { var value: Decimal? }
    @Item("Thing") final class Text { var value: String? }
    @Item("Thing") final class Identity { var value: UUID? }
    @Item("Thing") final class Link { var value: URL? }
    @Item("Thing") final class Bytes { var value: Data? }
    @Item("Thing") final class List { var value: [Int] = [] }
    @Item("Thing") final class Located { var value: Place? }
    @Item("Thing") final class Other { var value: Thing2? }
    @Item("Thing") final class Others { var value: ToMany<Thing2> }
    @Item("Thing2") final class Thing2 { var name: String = "" }
    @Item("Thing") final class Dish { var value: Cuisine = .thai }
    @Item("Thing") final class TolerantDish {
        @Attribute(unknown: .keep) var value: Cuisine = .thai
    }

    private static let classes: [any MutableDataStoreItem.Type] = [
        Flag.self, Moment.self, Number.self, Fraction.self, Amount.self, Text.self, Identity.self,
        Link.self, Bytes.self, List.self, Located.self, Other.self, Others.self,
    ]

    private static let values: [[DataStoreValue]] = [
        [.bool(true), .bool(false)], [.int(0), .int(7), .int(1 << 53 + 1)],
        [.double(1), .double(2.5), .double(-0.5)], [.decimal(3), .decimal(Decimal(1) / 3)],
        [.string("true"), .string("12"), .string("x"), .string("")],
        [.date(Date(timeIntervalSinceReferenceDate: 5))],
        [.data(Data([1]))], [.uuid(UUID())], [.url(URL(filePath: "/a"))],
        [.array([.int(1)]), .array([]), .array([.int(1), .string("a")])],
        [.dictionary(["city": .string("Rome")]), .dictionary([:])],
        [.reference(ItemReference(itemTypeKey: "Thing2", id: ItemID()))],
    ]

    private func withStore(
        _ values: [DataStoreValue], _ body: (InMemoryDataStore) throws -> Void
    ) throws {
        let store = InMemoryDataStore()
        try store.open()
        try store.write { db in
            try db.declare(ItemSchema("Thing", attributes: [AttributeSchema("value")]))
            for value in values + [.null] { try db.create("Thing")["value"] = value }
        }
        try body(store)
        try store.close()
    }

    /// Uses a class, and reads all values through it.
    private func use(_ type: any MutableDataStoreItem.Type, _ store: InMemoryDataStore) throws {
        func use<Item: MutableDataStoreItem>(_ type: Item.Type) throws {
            try store.write { db in
                _ = try db.create(type)
                for item in try db.items(type) {
                    for attribute in Item.schema.attributes {
                        _ = try item.storedValue(forKeyPath: attribute.name)
                    }
                }
            }
        }
        try use(type)
    }

    /// Makes the calls of a message.
    private func follow(_ message: String, _ store: InMemoryDataStore) throws -> Int {
        let conversion =
            #/try db\.convert\("(\w+)", of: "(\w+)", to: \.(\w+)(?:, onFailure: \.keep\(as: "(\w+)"\))?\)/#
        let renaming = #/try db\.renameAttribute\("(\w+)", to: "(\w+)", of: "(\w+)"\)/#
        let kinds = Dictionary(
            uniqueKeysWithValues: DataStoreValue.Kind.allCases.map { ("\($0)", $0) })
        var count = 0
        for call in message.matches(of: conversion) {
            let kind = try #require(kinds[String(call.output.3)])
            let kept = call.output.4.map { ConversionFailure.keep(as: String($0)) }
            try store.write { db in
                _ = try db.convert(
                    String(call.output.1), of: String(call.output.2), to: kind,
                    onFailure: kept ?? .fail)
            }
            count += 1
        }
        for call in message.matches(of: renaming) {
            try store.write { db in
                try db.renameAttribute(
                    String(call.output.1), to: String(call.output.2), of: String(call.output.3))
            }
            count += 1
        }
        return count
    }

    @Test func aChangedTypeIsRefusedWithAdviceThatWorks() throws {
        var refusals = 0
        for type in Self.classes {
            for values in Self.values {
                try withStore(values) { store in
                    let before = try rows(store)
                    do {
                        return try use(type, store)
                    } catch let error as DataStoreError {
                        #expect(error.code == .schemaMismatch, "\(type) \(values) \(error)")
                        try #expect(rows(store) == before)
                        try #expect(follow(error.message, store) == 1, "\(error)")
                        refusals += 1
                    }
                    try use(type, store)
                    // No value is lost: it is converted, or kept under the other name.
                    for (row, value) in zip(try rows(store), values) {
                        let kept = row["valueBefore"] ?? .null
                        let now = row["value"] ?? .null
                        #expect(kept == value || !now.isNull, "\(type) \(value): \(row)")
                    }
                }
            }
        }
        #expect(refusals > 100)
    }

    private func rows(_ store: InMemoryDataStore) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Thing")).map { item in
                try item.values().filter { !$0.value.isNull }
            }
        }
    }

    @Test func nilOfARequiredPropertyIsItsDefault() throws {
        try withStore([.int(5)]) { store in
            try use(Number.self, store)
            try store.write { db in
                try #expect(db.items(Number.self).map(\.value) == [5, 1, 1])
            }
        }
    }

    @Test func anEnumThatShrankIsReportedWithAdviceThatWorks() throws {
        try withStore([.string("peruvian")]) { store in
            func read() throws { try store.write { db in _ = try db.first(Dish.self)?.value } }
            let error = #expect(throws: DataStoreError.self) { try read() }
            #expect(error?.message.contains("@Attribute(unknown: .keep)") == true)
            #expect(error?.message.contains("in a step of a SchemaPlan") == true)
            try store.write { db in
                try #expect(db.first(TolerantDish.self)?.value == .thai)
            }
            try store.apply(
                SchemaPlan("app", types: [Dish.self]) {
                    SchemaStep("no Peruvian") { db in
                        for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Thing"))
                        where item["value"] == .string("peruvian") {
                            item["value"] = .string("other")
                        }
                    }
                })
            try read()
        }
    }

    @Test func aCodableValueOfAnEarlierFormIsReportedWithAdviceThatWorks() throws {
        let before: [DataStoreValue] = [.dictionary(["town": .string("Rome")])]
        try withStore(before) { store in
            func read() throws -> Place? {
                try store.write { db in try db.first(Located.self)?.value }
            }
            let error = #expect(throws: DataStoreError.self) { _ = try read() }
            #expect(error?.attribute == "value")
            #expect(error?.message.contains("in a step of a SchemaPlan") == true)
            try store.apply(
                SchemaPlan("app", types: [Located.self]) {
                    SchemaStep("city") { db in
                        for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Thing")) {
                            guard case .dictionary(let entries) = item["value"],
                                let city = entries["town"]
                            else { continue }
                            item["value"] = .dictionary(["city": city])
                        }
                    }
                })
            try #expect(read() == Place(city: "Rome"))
        }
    }
}
