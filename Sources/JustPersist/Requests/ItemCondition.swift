public import Foundation

/// A condition on the items of one class, as the typed calls accept it.
///
/// A `#Predicate` and a comparison of key paths (``ItemPredicate``) are conditions. A ``DataStorePredicate`` fits
/// items of any type, and the same calls accept it.
///
/// ```swift
/// try db.items(Restaurant.self, where: #Predicate { $0.stars > 3 })
/// try db.items(Restaurant.self, where: \.stars > 3)
/// try db.items(Restaurant.self, where: DataStorePredicate("stars > 3"))
/// ```
///
/// Conditions of one class combine with `&&`, `||` and `!`, however each is written. A `#Predicate` can thus
/// be combined with operations that it lacks on Linux, such as a search that ignores case and accents:
///
/// ```swift
/// let good = #Predicate<Restaurant> { $0.stars > 3 && $0.tags.count > 1 }
/// try db.items(
///     Restaurant.self, where: good && (\Restaurant.name).contains("cafe", [.caseInsensitive, .diacriticInsensitive]))
/// ```
public protocol ItemCondition<Subject> {
    /// The class of the items.
    associatedtype Subject

    /// The condition in the form that every store accepts.
    ///
    /// - Throws: The fault of the condition, or the reason why a store cannot evaluate it.
    func predicate() throws(DataStoreError) -> DataStorePredicate
}

extension ItemCondition where Subject: DataStoreItem {
    /// Both conditions.
    public static func && <Other: ItemCondition>(
        left: Self, right: Other
    ) -> ItemPredicate<Subject> where Other.Subject == Subject {
        ItemPredicate(left) && ItemPredicate(right)
    }

    /// Either condition or both.
    public static func || <Other: ItemCondition>(
        left: Self, right: Other
    ) -> ItemPredicate<Subject> where Other.Subject == Subject {
        ItemPredicate(left) || ItemPredicate(right)
    }

    /// The opposite condition.
    ///
    /// The opposite of a `#Predicate` is equivalent to `!` inside it: an item for which Foundation's evaluation throws
    /// matches neither. A combination has two values: `!(a && b)` matches every item that `a && b` does not match.
    public static prefix func ! (condition: Self) -> ItemPredicate<Subject> {
        ItemPredicate(opposite: condition)
    }
}

extension ItemPredicate: ItemCondition {
    /// The class of the items.
    public typealias Subject = Root
}

extension Predicate: ItemCondition {
    /// The class of the items.
    public typealias Subject = (repeat each Input)

    /// The condition in the form that every store accepts: see ``DataStorePredicate/init(_:)``.
    public func predicate() throws(DataStoreError) -> DataStorePredicate {
        // Cast through Any: the compiler does not know that a pack may be one type.
        let whole: Any = self
        let subject: Any.Type = Subject.self
        func convert<Item: DataStoreItem>(
            _ type: Item.Type
        ) throws(DataStoreError) -> DataStorePredicate? {
            guard let predicate = whole as? Predicate<Item> else { return nil }
            return try DataStorePredicate(predicate)
        }
        if let type = subject as? any DataStoreItem.Type, let predicate = try convert(type) {
            return predicate
        }
        throw DataStoreError(
            .unsupported, in: "predicate",
            "A #Predicate about \(subject) is not about the items of one class; use one item class."
        )
    }
}
