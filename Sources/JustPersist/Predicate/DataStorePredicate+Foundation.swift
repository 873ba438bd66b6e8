public import Foundation

extension DataStorePredicate {
    /// The predicate that a `#Predicate` describes.
    ///
    /// All of its expressions are accepted. Expressions that have an equivalent in a store for every item are
    /// evaluated by the store, on its records and with its indexes: comparisons, `&&` `||` `!`, `if`/`else` and `?:`,
    /// `nil`, `??`, optional chaining, `!` after an optional, arithmetic with whole numbers, `Double` and `Decimal`,
    /// ranges, `contains`, `starts(with:)`, `count`, `isEmpty`, `first`, `last`, subscripts, `min()`, `max()`,
    /// `filter`, `contains(where:)`, `allSatisfy`, `rawValue`, casts from an optional to its type, expressions (on
    /// Apple's systems predicates too) that are evaluated on the item or on a value, and the stored properties of
    /// `Codable` structures.
    ///
    /// Any other condition, such as a search for a `Regex` or a comparison of a type with its own `==` or `<`, is left
    /// to Foundation, which evaluates it on the items that the other conditions select. Such a condition becomes an
    /// ``evaluated(_:)`` part of the predicate, and ``QueryPlan/evaluatedByFoundation`` counts these parts. It uses no
    /// index, and creates an item for each record that it examines.
    ///
    /// The rules are Swift's, with these additions.
    ///
    /// - An item for which Foundation's evaluation throws does not match: where `!` finds `nil`, `as!` another type,
    ///   or a subscript no element. The opposite `#Predicate` does not match it either. The result thus depends on the
    ///   item alone, and not on the items that a store examines before it has found enough, or on the index. (The
    ///   resulting `DataStorePredicate` has two values, like all of them, so its own negation matches such an item.)
    /// - Nothing traps. An item does not match if a whole number is divided by zero, or a range ends before it begins.
    ///   Whole numbers that exceed 64 bits become decimals; in a part that Foundation evaluates, the item does not
    ///   match.
    /// - An attribute without a value has its declared default; one that was set to `nil` is null.
    /// - Any other error of a part that Foundation evaluates ends the request with `.invalidPredicate`, which names
    ///   the part and the item.
    ///
    /// - Throws: `.unknownAttribute` for a property that is not an attribute; the errors of ``validate(operators:)``.
    public init<Item: DataStoreItem>(_ predicate: Predicate<Item>) throws(DataStoreError) {
        self = try Self.condition(predicate).holds
        try validate()
    }

    /// The items for which a `#Predicate` is false.
    init<Item: DataStoreItem>(oppositeOf predicate: Predicate<Item>) throws(DataStoreError) {
        self = try Self.condition(predicate).fails
        try validate()
    }

    private static func condition<Item: DataStoreItem>(
        _ predicate: Predicate<Item>
    ) throws(DataStoreError) -> PredicateConversion.Condition {
        var conversion = PredicateConversion(Item.self, mayFallBack: true)
        conversion.bind(predicate.variable, to: .item)
        return try conversion.condition(predicate.expression)
    }
}

extension DataStorePredicate.Expression {
    /// The expression that an `#Expression` describes, by the rules of ``DataStorePredicate/init(_:)``.
    ///
    /// The value is null for an item for which Foundation's evaluation throws. Foundation does not evaluate any part
    /// of it: an expression without an equivalent in a store is refused.
    ///
    /// - Throws: `.unsupported` for an expression without an equivalent, which it names; `.unknownAttribute` for a
    ///   property that is not an attribute; the errors of ``DataStorePredicate/validate(operators:)``.
    public init<Item: DataStoreItem, Output>(
        _ expression: Foundation.Expression<Item, Output>
    ) throws(DataStoreError) {
        var conversion = PredicateConversion(Item.self, mayFallBack: false)
        conversion.bind(expression.variable, to: .item)
        let (value, defined) = try conversion.operand(expression.expression).expression
        self = defined == .constant(true) ? value : .ternary(defined, value, .value(.null))
        try DataStorePredicate.isNull(self).validate()
    }
}
