public import Foundation

/// A condition on the items of one class: what the typed calls take.
///
/// A `#Predicate` and a comparison of key paths (``ItemPredicate``) are conditions. A ``DataStorePredicate`` fits items of
/// any type; the same calls take it.
///
/// ```swift
/// try db.items(Restaurant.self, where: #Predicate { $0.stars > 3 })
/// try db.items(Restaurant.self, where: \.stars > 3)
/// try db.items(Restaurant.self, where: DataStorePredicate("stars > 3"))
/// ```
public protocol ItemCondition<Subject> {
    /// The class of the items.
    associatedtype Subject

    /// The condition as any store takes it.
    ///
    /// - Throws: What is wrong with it, or why a store cannot evaluate it.
    func predicate() throws(DataStoreError) -> DataStorePredicate
}

extension ItemPredicate: ItemCondition {
    /// The class of the items.
    public typealias Subject = Root
}

extension Predicate: ItemCondition {
    /// The class of the items.
    public typealias Subject = (repeat each Input)

    /// The condition as any store takes it: see ``DataStorePredicate/init(_:)``.
    public func predicate() throws(DataStoreError) -> DataStorePredicate {
        // Through Any: the compiler does not know that a pack may be one type.
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
