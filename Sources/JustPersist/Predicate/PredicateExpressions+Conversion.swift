import Foundation

typealias Conversion = PredicateConversion

extension PredicateExpressions.Variable: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        guard let term = conversion[key] else { throw conversion.unsupported(self) }
        return term
    }
}

/// An expression that has the same value for all items.
protocol ConstantExpression {
    var constant: Any { get }
}

extension PredicateExpressions.Value: ConvertibleExpression, ConstantExpression {
    var constant: Any { value }

    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(.plain(.value(try DataStoreValue(attributeValue: value))))
    }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(.plain(.value(.null)))
    }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(.condition(try conversion.condition(lhs) && conversion.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(.condition(try conversion.condition(lhs) || conversion.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(.condition(!(try conversion.condition(wrapped))))
    }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(
            .choice(
                try conversion.condition(test), try conversion.part(trueBranch),
                try conversion.part(falseBranch)))
    }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(
            .condition(
                try conversion.equality(
                    conversion.part(lhs), conversion.part(rhs), of: LHS.Output.self)))
    }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(
            .condition(
                !(try conversion.equality(
                    conversion.part(lhs), conversion.part(rhs), of: LHS.Output.self))))
    }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        let relation: DataStorePredicate.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw conversion.unsupported(self)
            }
        return .operand(
            .condition(
                try conversion.comparison(
                    conversion.operand(lhs), relation, conversion.operand(rhs),
                    of: LHS.Output.self)))
    }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(try conversion.operand(lhs).coalesced(with: conversion.part(rhs)))
    }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(try conversion.operand(inner).unwrapped)
    }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(try transformed(try conversion.operand(wrapped), conversion))
    }

    /// The transformed value; nil if the value is nil.
    private func transformed(
        _ value: Conversion.Operand, _ conversion: Conversion
    ) throws(DataStoreError) -> Conversion.Operand {
        if case .choice(let test, let first, let second) = value {
            return .choice(
                test, try transformed(first, conversion), try transformed(second, conversion))
        }
        if value.constant == .null { return .plain(.value(.null)) }
        var inner = conversion
        let (expression, defined) = value.expression
        inner.bind(variable, to: .operand(.plain(expression)))
        let result = try inner.operand(transform)
        // The transform of null is usually null, as it must be for nil.
        if case .plain(let made, where: .constant(true)) = result, made.isNull(with: expression) {
            return .plain(made, where: defined)
        }
        return .choice(value.isNull, .plain(.value(.null)), result)
    }
}

extension DataStorePredicate.Expression {
    /// Whether the expression is certainly null if another is null.
    fileprivate func isNull(with other: Self) -> Bool {
        if self == other { return true }
        switch self {
        case .value, .variable, .ternary, .list: return false
        case .path(let path):
            guard case .path(let start) = other else { return false }
            return path.components.starts(with: start.components)
        case .count(let path): return Self.path(path).isNull(with: other)
        case .keyPath(of: let base, let path):
            if case .keyPath(of: base, let start) = other {
                return path.components.starts(with: start.components)
            }
            return base.isNull(with: other)
        case .function(let function, let arguments):
            return (!function.takesList || arguments.count == 1)
                && arguments.contains { $0.isNull(with: other) }
        case .element(of: let base, _), .subquery(let base, _, _), .cast(let base, _):
            return base.isNull(with: other)
        }
    }
}

// MARK: Casts

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        try conversion.checkCast(from: Input.Output.self, to: Desired.self, self)
        return .operand(try conversion.operand(input))
    }
}

extension PredicateExpressions.ForceCast: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        try conversion.checkCast(from: Input.Output.self, to: Desired.self, self)
        let operand = try conversion.operand(input)
        return .operand(Input.Output.self == Desired.self ? operand : operand.unwrapped)
    }
}

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        try conversion.checkCast(from: Input.Output.self, to: Desired.self, self)
        let operand = try conversion.operand(input)
        if Input.Output.self == Desired.self {
            return .operand(.condition(.init(.constant(true), where: operand.expression.where)))
        }
        return .operand(.condition(!operand.isNull))
    }
}

extension PredicateConversion {
    /// An operand; a truth value without an equivalent is left to Foundation.
    func part<Part: PredicateExpression>(_ part: Part) throws(DataStoreError) -> Operand {
        if let condition = part as? any PredicateExpression<Bool> {
            return try truth(condition)
        }
        return try operand(part)
    }

    private func truth<Part: PredicateExpression<Bool>>(
        _ part: Part
    ) throws(DataStoreError) -> Operand {
        do throws(DataStoreError) {
            return try operand(part)
        } catch {
            return .condition(try condition(part))
        }
    }

    /// Throws unless a cast is from a type to itself, or from an optional to its type: only Swift can evaluate other
    /// casts.
    fileprivate func checkCast(
        from type: Any.Type, to desired: Any.Type, _ part: Any
    ) throws(DataStoreError) {
        let wrapped = (type as? any OptionalValue.Type)?.wrappedType
        if type != desired, wrapped != desired { throw unsupported(part) }
    }
}
