public import Foundation

extension DataStorePredicate {
    /// The predicate that a `#Predicate` describes.
    ///
    /// All of its expressions are accepted. What means the same in a store for every item is evaluated by the store, on its
    /// records and with its indexes: comparisons, `&&` `||` `!`, `if`/`else` and `?:`, `nil`, `??`, optional chaining, `!`
    /// behind an optional, arithmetic with whole numbers, `Double` and `Decimal`, ranges, `contains`, `starts(with:)`,
    /// `count`, `isEmpty`, `first`, `last`, subscripts, `min()`, `max()`, `filter`, `contains(where:)`, `allSatisfy`,
    /// `rawValue`, casts from an optional to its type, expressions (on Apple's systems predicates too) that are evaluated on the
    /// item or on a value, and the stored properties of `Codable` structures.
    ///
    /// Any other condition, such as a search for a `Regex` or a comparison of a type with an `==` or a `<` of its own, is left
    /// to Foundation, which evaluates it on the items that the other conditions leave. It is a part of the predicate that is
    /// ``evaluated(_:)``, and ``QueryPlan/evaluatedByFoundation`` counts these parts. Such a part uses no index, and costs an item for
    /// each record that it looks at.
    ///
    /// The rules are those of Swift, with these additions.
    ///
    /// - An item for which Foundation's evaluation throws does not match: where `!` finds `nil`, `as!` another type, or a
    ///   subscript no element. The opposite `#Predicate` does not match it either. So the answer depends on
    ///   the item alone, and not on which items a store looks at before it has found enough, or with which index.
    ///   (The result here has two values like every `DataStorePredicate`, and so its own negation matches such an item.)
    /// - Nothing traps. An item does not match if a whole number is divided by zero, or a range ends before it begins;
    ///   whole numbers that leave 64 bits go on as decimals, and in a part that Foundation evaluates the item does not match.
    /// - An attribute without a value has its declared default; one that was set to `nil` is null.
    /// - Any other error of a part that Foundation evaluates ends the request with `.invalidPredicate`, and names the part and the
    ///   item.
    ///
    /// - Throws: `.unknownAttribute` for a property that is no attribute; what ``validate(operators:)`` throws.
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
    /// The expression that an `#Expression` describes, as ``DataStorePredicate/init(_:)`` has it.
    ///
    /// Where Foundation's evaluation throws for an item, this comes to null. There is no falling back on Foundation: an
    /// expression without a counterpart in a store is refused.
    ///
    /// - Throws: `.unsupported` for an expression without a counterpart, which it names; `.unknownAttribute` for a property
    ///   that is no attribute; what ``DataStorePredicate/validate(operators:)`` throws.
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
