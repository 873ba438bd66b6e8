import Foundation

/// An expression of a `#Predicate` that has an equivalent here.
protocol ConvertibleExpression {
    func term(in conversion: PredicateConversion) throws(DataStoreError) -> PredicateConversion.Term
}

/// Converts the expressions of a `#Predicate` into conditions and operands.
///
/// Only an expression with the same result for every item is converted. A condition with any other expression in it is
/// left to Foundation, but no more of the predicate than that condition. An error with the code `.unsupported` or
/// `.unsupportedValue` means that an expression has no equivalent.
struct PredicateConversion {
    typealias Expression = DataStorePredicate.Expression
    /// Binds a variable that represents the item.
    typealias Binding = @Sendable (inout PredicateBindings, any DataStoreItem) -> Void

    /// The class of the items.
    let itemClass: any DataStoreItem.Type
    /// Whether conditions without an equivalent are left to Foundation.
    let mayFallBack: Bool
    /// The terms that variables represent.
    private var variables: [PredicateExpressions.VariableID: Term] = [:]
    /// The bindings of the variables that represent the item.
    private var bindings: [Binding] = []
    /// The number of enclosing closures, whose variables do not represent items.
    private(set) var depth = 0

    init(_ itemClass: any DataStoreItem.Type, mayFallBack: Bool) {
        self.itemClass = itemClass
        self.mayFallBack = mayFallBack
    }

    /// The term that a variable represents, if any.
    subscript(key: PredicateExpressions.VariableID) -> Term? { variables[key] }

    /// Makes a variable represent a term.
    ///
    /// If that is not the item, Foundation cannot evaluate a condition on its own that may contain the variable.
    mutating func bind<Value>(_ variable: PredicateExpressions.Variable<Value>, to term: Term) {
        variables[variable.key] = term
        guard case .item = term else {
            depth += 1
            return
        }
        bindings.append { bindings, item in
            if let value = item as? Value { bindings[variable] = value }
        }
    }

    // MARK: Expressions

    /// The term of an expression.
    func term<Part: PredicateExpression>(_ part: Part) throws(DataStoreError) -> Term {
        if let optional = Part.Output.self as? any OptionalValue.Type,
            optional.wrappedType is any OptionalValue.Type
        {
            // There is only one null.
            throw unsupported(part)
        }
        guard let convertible = part as? any ConvertibleExpression else { throw unsupported(part) }
        return try convertible.term(in: self)
    }

    func operand<Part: PredicateExpression>(_ part: Part) throws(DataStoreError) -> Operand {
        guard case .operand(let operand) = try term(part) else { throw unsupported(part) }
        return operand
    }

    /// A condition, which Foundation evaluates if it has no equivalent.
    func condition<Part: PredicateExpression<Bool>>(
        _ part: Part
    ) throws(DataStoreError) -> Condition {
        do throws(DataStoreError) {
            let condition = try operand(part).asCondition
            if condition.size(upTo: Self.mostParts) < Self.mostParts { return condition }
            throw unsupported(part)
        } catch {
            switch error.code {
            case .unsupported, .unsupportedValue:
                guard mayFallBack, depth == 0,
                    let part = part as? any StandardPredicateExpression<Bool>
                else { throw error }
                return fallback(part)
            case .unknownAttribute where !error.message.contains(Self.place):
                throw DataStoreError(
                    error.code, in: error.operation,
                    "\(error.message)\(Self.place)\(Self.name(of: part)) of the #Predicate.",
                    itemType: error.itemType, attribute: error.attribute)
            default: throw error
            }
        }
    }

    private static let place = " It stands in the expression "

    /// The largest size of a condition, whose parts may be repeated.
    private static let mostParts = 4_000

    // MARK: Relations

    /// A relation of two values of a type.
    func comparison(
        _ left: Operand, _ relation: DataStorePredicate.Operator, _ right: Operand,
        of type: Any.Type
    ) throws(DataStoreError) -> Condition {
        let typed = TypedComparison(of: type, itemType: itemClass.itemTypeKey)
        return try relate(left, right) { (first, second) throws(DataStoreError) in
            try typed.comparison(first, relation, second)
        }
    }

    /// Whether two values of a type are equal.
    func equality(
        _ left: Operand, _ right: Operand, of type: Any.Type
    ) throws(DataStoreError) -> Condition {
        switch (left, right) {
        case (.condition(let condition), let other), (let other, .condition(let condition)):
            switch other.constant {
            case .bool(true): return condition
            case .bool(false): return !condition
            case .null: return Condition(.constant(false), where: condition.defined)
            default: return try comparison(left, .equal, right, of: type)
            }
        case (.choice(let test, let first, let second), let other):
            return .choice(
                test, try equality(first, other, of: type), try equality(second, other, of: type))
        case (let other, .choice(let test, let first, let second)):
            // The left side is evaluated first, but has no effect.
            return .choice(
                test, try equality(other, first, of: type), try equality(other, second, of: type))
        default: return try comparison(left, .equal, right, of: type)
        }
    }

    /// Applies a relation to two operands, or to each of their alternatives.
    func relate(
        _ left: Operand, _ right: Operand,
        by relation: (Expression, Expression) throws(DataStoreError) -> DataStorePredicate
    ) throws(DataStoreError) -> Condition {
        switch (left, right) {
        case (.choice(let test, let first, let second), let other):
            return .choice(
                test, try relate(first, other, by: relation),
                try relate(second, other, by: relation))
        case (let other, .choice(let test, let first, let second)):
            return .choice(
                test, try relate(other, first, by: relation),
                try relate(other, second, by: relation))
        default:
            let (first, firstDefined) = left.expression
            let (second, secondDefined) = right.expression
            return Condition(
                try relation(first, second).withoutConstantComparison,
                where: .both(firstDefined, secondDefined))
        }
    }

    // MARK: Foundation's own evaluation

    private func fallback(_ part: any StandardPredicateExpression<Bool>) -> Condition {
        let bindings = bindings
        let isChecked = CheckedEvaluation.isNeeded(for: part)
        let evaluation = DataStorePredicate.ItemEvaluation(
            itemClass: itemClass, Self.name(of: part)
        ) { item in
            var values = PredicateBindings()
            for bind in bindings { bind(&values, item) }
            do {
                return isChecked
                    ? try CheckedEvaluation.value(of: part, values) : try part.evaluate(values)
            } catch let error as PredicateError where Self.isOfTheItem(error) {
                return nil
            }
        }
        let holds = DataStorePredicate.evaluated(evaluation)
        return isChecked || Self.mayThrow(part)
            ? Condition(holds, else: .evaluated(evaluation.opposite)) : Condition(holds)
    }

    /// Whether an error means that the condition is not defined for an item.
    private static func isOfTheItem(_ error: PredicateError) -> Bool {
        PredicateError.forceUnwrapFailure == error || PredicateError.forceCastFailure == error
            || PredicateError.invalidInput == error
    }

    /// Whether an expression may be undefined for an item: its type names the types of all expressions in it.
    private static func mayThrow(_ part: Any) -> Bool {
        let name = String(reflecting: type(of: part))
        return ["ForcedUnwrap", "ForceCast", "Subscript", "Evaluate"].contains { name.contains($0) }
    }

    /// The kind of an expression.
    static func name(of part: Any) -> String {
        // The generic arguments of the type are the inner expressions, which may be very long.
        String("\(type(of: part))".prefix { $0 != "<" })
    }

    func unsupported(_ part: Any) -> DataStoreError {
        DataStoreError(
            .unsupported, in: "predicate",
            """
            The expression \(Self.name(of: part)) of a #Predicate or #Expression has no counterpart in a store, or not in \
            this place. Write it with DataStorePredicate's format, or evaluate it on the fetched items.
            """, itemType: itemClass.itemTypeKey)
    }
}

extension DataStorePredicate {
    /// The result of a comparison of two constants.
    fileprivate var withoutConstantComparison: Self {
        guard case .comparison(let comparison) = self, comparison.modifier == .direct,
            case .value(let left) = comparison.left, case .value = comparison.right,
            let answer = try? PreparedComparison(comparison).matches(left: left)
        else { return self }
        return .constant(answer)
    }
}
