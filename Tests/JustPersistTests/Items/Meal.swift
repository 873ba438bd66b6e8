import Foundation
import JustPersist

/// An item class written by hand.
final class Meal: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Meal",
        attributes: [
            AttributeSchema("title", kinds: [.string], keyPath: \Meal.title),
            AttributeSchema("calories", kinds: [.int], keyPath: \Meal.calories),
            AttributeSchema("small", kinds: [.int], keyPath: \Meal.small),
            AttributeSchema("large", kinds: [.int], keyPath: \Meal.large),
            AttributeSchema("course", kinds: [.string], keyPath: \Meal.course),
            AttributeSchema("origin", kinds: [], keyPath: \Meal.origin),
            AttributeSchema("details", kinds: [.dictionary], keyPath: \Meal.details),
            // An attribute without a property, for values of any type.
            AttributeSchema("any"),
        ])

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var title: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var calories: Int {
        get { attribute(at: 1, default: 100) }
        set { setAttribute(newValue, at: 1) }
    }
    var small: Int8? {
        get { optionalAttribute(at: 2) }
        set { setOptionalAttribute(newValue, at: 2) }
    }
    var large: UInt64 {
        get { attribute(at: 3, default: 7) }
        set { setAttribute(newValue, at: 3) }
    }
    var course: Course? {
        get { optionalAttribute(at: 4) }
        set { setOptionalAttribute(newValue, at: 4) }
    }
    var origin: Origin {
        get { attribute(at: 5, default: Origin(country: "?")) }
        set { setAttribute(newValue, at: 5) }
    }
    var details: [String: DataStoreValue] {
        get { attribute(at: 6, default: [:]) }
        set { setAttribute(newValue, at: 6) }
    }

    func setInitialValues() { calories = 100 }

    enum Course: String, Codable { case main, dessert }

    struct Origin: Codable, Equatable {
        var country: String
        var regions: [Origin] = []
        var found: Date?
    }
}

/// An item with one attribute of a generic type.
final class Holder<Value: Codable>: MutableDataStoreItem {
    static var schema: ItemSchema { ItemSchema("Holder", attributes: [AttributeSchema("value")]) }

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var value: Value? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}
