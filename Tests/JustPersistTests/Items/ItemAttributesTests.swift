import Foundation
import JustPersist
import Testing

@Suite struct ItemAttributesTests {
    let log = ErrorLog()

    private func meal(_ values: [String: DataStoreValue] = [:], isMutable: Bool = true) -> Meal {
        Meal(backing: log.backing(of: Meal.self, values: values, isMutable: isMutable))
    }

    @Test func propertiesGiveWhatWasSet() throws {
        let meal = meal()
        meal.title = ""
        meal.calories = -1
        meal.small = .max
        meal.large = UInt64(Int64.max)
        meal.course = .dessert
        meal.origin = Meal.Origin(country: "it", regions: [Meal.Origin(country: "s")])
        meal.details = ["a.b": .null, "": .bool(false)]
        #expect(meal.title == "")
        #expect(meal.calories == -1)
        #expect(meal.small == .max)
        #expect(meal.large == UInt64(Int64.max))
        #expect(meal.course == .dessert)
        #expect(meal.origin == Meal.Origin(country: "it", regions: [Meal.Origin(country: "s")]))
        #expect(meal.details == ["a.b": .null, "": .bool(false)])
        #expect(try meal.storedValue(forKeyPath: "course") == .string("dessert"))
        #expect(try meal.storedValue(forKeyPath: "origin.country") == .string("it"))
        #expect(log.errors.isEmpty)
    }

    @Test func attributesWithoutValueGiveDefaultOrNil() {
        let meal = meal()
        #expect(meal.title == nil)
        #expect(meal.calories == 100)
        #expect(meal.course == nil)
        #expect(meal.origin == Meal.Origin(country: "?"))
        meal.title = "a"
        meal.title = nil
        meal.course = .main
        meal.course = nil
        #expect(meal.title == nil)
        #expect(meal.course == nil)
        #expect(log.errors.isEmpty)
    }

    @Test func newItemHasItsInitialValues() throws {
        let meal = Meal()
        #expect(try meal.storedValue(forKeyPath: "calories") == .int(100))
        #expect(try meal.storedValue(forKeyPath: "large") == .null)
        #expect(meal.uniqueToken == meal.backing.id)
    }

    @Test func valueOfAnotherKindIsReportedAndReadsAsNone() throws {
        let meal = meal([
            "title": .int(1), "calories": .string("1"), "course": .int(2), "origin": .array([]),
        ])
        #expect(meal.title == nil)
        #expect(meal.calories == 100)
        #expect(meal.course == nil)
        #expect(meal.origin == Meal.Origin(country: "?"))
        #expect(log.codes == Array(repeating: .kindMismatch, count: 4))
        #expect(log.errors.map(\.attribute) == ["title", "calories", "course", "origin"])
        #expect(log.errors.allSatisfy { $0.itemType == "Meal" })
        let message = try #require(log.errors.first?.message)
        #expect(message.contains("“title” of “Meal”") && message.contains("int"))
        #expect(try meal.storedValue(forKeyPath: "title") == .int(1))
    }

    @Test func valueOutOfRangeIsReportedAndReadsAsNone() {
        let meal = meal([
            "small": .int(128), "large": .int(-1), "course": .string("soup"),
            "origin": .dictionary(["regions": .array([])]),
        ])
        #expect(meal.small == nil)
        #expect(meal.large == 7)
        #expect(meal.course == nil)
        #expect(meal.origin == Meal.Origin(country: "?"))
        #expect(log.codes == Array(repeating: .unsupportedValue, count: 4))
        #expect(log.errors.map(\.attribute) == ["small", "large", "course", "origin"])
        #expect(log.errors.last?.message.contains("country") == true)
    }

    @Test func valueThatDoesNotFitIsReportedAndChangesNothing() throws {
        let meal = meal()
        meal.large = 9
        meal.large = UInt64(Int64.max) + 1
        #expect(meal.large == 9)
        #expect(log.codes == [.unsupportedValue])
        let error = try #require(log.errors.first)
        #expect(error.attribute == "large")
        #expect(error.itemType == "Meal")
        #expect(error.message.contains("UInt64") && error.message.contains("9223372036854775808"))
    }

    @Test func frozenItemIsReportedAndNotChanged() {
        let meal = meal(["title": .string("a"), "calories": .int(1)], isMutable: false)
        meal.title = "b"
        meal.title = nil
        meal.calories = 2
        meal.course = .main
        meal.origin = Meal.Origin(country: "de")
        #expect(meal.title == "a")
        #expect(meal.calories == 1)
        #expect(meal.course == nil)
        #expect(log.codes == Array(repeating: .itemNotMutable, count: 5))
        #expect(log.errors.map(\.attribute) == ["title", "title", "calories", "course", "origin"])
    }

    @Test func typeOfSeveralProtocolsIsKeptAsAnAttributeValue() throws {
        let item = Meal(backing: log.backing(of: Meal.self))
        item.setAttribute(Both.on, at: 7)
        #expect(try item.storedValue(forKeyPath: "any") == .bool(true))
        #expect(item.attribute(at: 7, default: Both.off) == .on)
        #expect(item.optionalAttribute(at: 7) == Optional(Both.on))
        item.setOptionalAttribute(Both?.none, at: 7)
        #expect(item.attribute(at: 7, default: Both.off) == .off)
        #expect(AttributeSchema.kinds(of: Both.self) == [.bool])
        #expect(AttributeSchema.kinds(of: Meal.Course.self) == [.string])
        #expect(AttributeSchema.kinds(of: Meal.Origin.self) == [])
        #expect(log.errors.isEmpty)
    }
}

/// A raw value, `Codable`, and an attribute's type of its own.
private enum Both: String, AttributeValue {
    case on, off

    static var attributeKind: DataStoreValue.Kind? { .bool }

    init?(_ value: DataStoreValue) {
        guard case .bool(let isOn) = value else { return nil }
        self = isOn ? .on : .off
    }

    func storedValue() -> DataStoreValue { .bool(self == .on) }
}
