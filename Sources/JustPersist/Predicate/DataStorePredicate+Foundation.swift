public import Foundation

extension DataStorePredicate {
    /// The predicate that a `#Predicate` describes.
    ///
    /// Understood are properties of the item that its schema lists, `uniqueToken` and `id`, captured values,
    /// `==` `!=` `<` `<=` `>` `>=`, `&&` `||` `!`, `contains` of an element or of a text, `starts(with:)`,
    /// `count` and `isEmpty` of arrays, `isEmpty` of texts, `nil`, `??` with a value, and optional
    /// chaining. Texts are searched as by CONTAINS and BEGINSWITH, where a match may end inside a
    /// character; the empty text is found everywhere, as in Swift.
    ///
    /// Values compare as their type does: numbers, texts, dates and the other kinds that a store keeps, and
    /// enums that are `CaseIterable`. Any other type may have an `==` or a `<` of its own, which a store does not
    /// know.
    ///
    /// An attribute without a value has its declared default; one that was set to `nil` is null. Throws `.unsupported` for a comparison of another type, except with `nil`, and for any
    /// other expression, naming it, and `.unknownAttribute` for a property that is no attribute.
    public init<Item: DataStoreItem>(_ predicate: Predicate<Item>) throws(DataStoreError) {
        let conversion = PredicateConversion(
            variables: [predicate.variable.key: .item(Item.self)], itemType: Item.itemTypeKey)
        self = try conversion.condition(predicate.expression)
        try validate()
    }
}

/// An expression of a `#Predicate` that has a counterpart here.
protocol ConvertibleExpression {
    func term(in conversion: PredicateConversion) throws(DataStoreError) -> PredicateConversion.Term
}

/// Turns the expressions of a `#Predicate` into conditions and operands.
struct PredicateConversion {
    typealias Expression = DataStorePredicate.Expression

    /// What an expression comes to.
    enum Term {
        /// The item itself.
        case item(any DataStoreItem.Type)
        /// A value.
        case operand(Expression)
        /// A value, or the constant where the value is null.
        case operandOr(Expression, DataStoreValue)
        /// True or false.
        case condition(DataStorePredicate)
        /// Nil where the expression is null, and true or false elsewhere.
        case optionalCondition(DataStorePredicate, unlessNull: Expression)
    }

    /// What the variables of closures stand for.
    var variables: [PredicateExpressions.VariableID: Term]
    /// The key of the items' type.
    let itemType: String

    func term(_ expression: Any) throws(DataStoreError) -> Term {
        guard let convertible = expression as? any ConvertibleExpression else {
            throw unsupported(expression)
        }
        return try convertible.term(in: self)
    }

    func condition(_ expression: Any) throws(DataStoreError) -> DataStorePredicate {
        switch try term(expression) {
        case .condition(let predicate): return predicate
        case .operand(.value(.bool(let value))): return .constant(value)
        case .operand, .operandOr:
            return try comparison(
                expression, .equal, PredicateExpressions.Value(true), of: Bool.self)
        case .item, .optionalCondition: throw unsupported(expression)
        }
    }

    /// A relation of two values of a type.
    func comparison(
        _ left: Any, _ relation: DataStorePredicate.Operator, _ right: Any, of type: Any.Type
    ) throws(DataStoreError) -> DataStorePredicate {
        let typed = TypedComparison(of: type, itemType: itemType)
        return try relate(try term(left), try term(right)) {
            (first, second) throws(DataStoreError) in
            try typed.comparison(first, relation, second)
        } orThrow: {
            unsupported(left)
        }
    }

    /// Whether a value of a type is in a list of such.
    func membership(
        of element: Any, in list: Any, of type: Any.Type
    ) throws(DataStoreError) -> DataStorePredicate {
        let typed = TypedComparison(of: type, itemType: itemType)
        return try relate(try term(element), try term(list)) {
            (element, list) throws(DataStoreError) in
            try typed.membership(
                of: element, in: list, .comparison(.init(element, .in, list)))
        } orThrow: {
            unsupported(element)
        }
    }

    /// Whether two terms of a type are equal, either of which may be a condition.
    func equality(
        _ left: Any, _ right: Any, of type: Any.Type
    ) throws(DataStoreError) -> DataStorePredicate {
        switch (try term(left), try term(right)) {
        case (.condition(let predicate), .operand(.value(.bool(let value)))),
            (.operand(.value(.bool(let value))), .condition(let predicate)):
            return value ? predicate : !predicate
        case (.optionalCondition(let predicate, let operand), .operand(.value(let value))),
            (.operand(.value(let value)), .optionalCondition(let predicate, let operand)):
            switch value {
            case .null: return Self.isNull(operand)
            case .bool(let value): return !Self.isNull(operand) && (value ? predicate : !predicate)
            default: throw unsupported(left)
            }
        default: return try comparison(left, .equal, right, of: type)
        }
    }

    /// Applies a relation to two values, to each constant that may stand for one of them as well.
    func relate(
        _ left: Term, _ right: Term,
        by relation: (Expression, Expression) throws(DataStoreError) -> DataStorePredicate,
        orThrow error: () -> DataStoreError
    ) throws(DataStoreError) -> DataStorePredicate {
        switch (left, right) {
        case (.operand(let left), .operand(let right)): return try relation(left, right)
        case (.operandOr(let operand, let constant), let right):
            let present = try relate(.operand(operand), right, by: relation, orThrow: error)
            let absent = try relate(
                .operand(.value(constant)), right, by: relation, orThrow: error)
            return Self.either(operand, present, orIfNull: absent)
        case (let left, .operandOr(let operand, let constant)):
            let present = try relate(left, .operand(operand), by: relation, orThrow: error)
            let absent = try relate(left, .operand(.value(constant)), by: relation, orThrow: error)
            return Self.either(operand, present, orIfNull: absent)
        default: throw error()
        }
    }

    static func isNull(_ operand: Expression) -> DataStorePredicate {
        .comparison(DataStorePredicate.Comparison(operand, .equal, .value(.null)))
    }

    static func either(
        _ operand: Expression, _ present: DataStorePredicate, orIfNull absent: DataStorePredicate
    ) -> DataStorePredicate {
        (!isNull(operand) && present) || (isNull(operand) && absent)
    }

    func unsupported(_ expression: Any) -> DataStoreError {
        // The type's arguments are the expressions inside, which may be very long.
        let name = "\(type(of: expression))".prefix { $0 != "<" }
        return DataStoreError(
            .unsupported, in: "predicate",
            """
            The expression \(name) of a #Predicate cannot be used here, or not in this place; write the \
            condition with DataStorePredicate's format, or filter the items.
            """)
    }
}
