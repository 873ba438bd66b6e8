import Foundation

/// Arithmetic with the numbers that a store calculates with, too: whole numbers of up to 64 bits, Double, and Decimal.
extension PredicateExpressions.Arithmetic: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        let function: DataStorePredicate.Function =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw conversion.unsupported(self)
            }
        if NumberType(Output.self) == nil { throw conversion.unsupported(self) }
        return .operand(try conversion.calculation(function, lhs, rhs))
    }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        if NumberType(Output.self) != .double { throw conversion.unsupported(self) }
        return .operand(try conversion.calculation(.divide, lhs, rhs))
    }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        if NumberType(Output.self) != .whole { throw conversion.unsupported(self) }
        return .operand(try conversion.division(.divide, lhs, rhs))
    }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        if NumberType(Output.self) != .whole { throw conversion.unsupported(self) }
        return .operand(try conversion.division(.modulus, lhs, rhs))
    }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        let one: DataStoreValue
        switch NumberType(Output.self) {
        case .whole, .unsigned: one = .int(-1)
        // Not 0 minus the number, because 0 has no negative.
        case .double: one = .double(-1)
        case .decimal: one = .decimal(-1)
        case nil: throw conversion.unsupported(self)
        }
        return .operand(
            try conversion.operand(wrapped).map { .function(.multiply, [$0, .value(one)]) })
    }
}

/// The kinds of numbers that a store calculates with as Swift does.
private enum NumberType {
    case whole
    /// Unsigned, of up to 64 bits, which may need a decimal, which has no remainder.
    case unsigned
    case double, decimal

    init?(_ type: Any.Type) {
        switch type {
        case is Int.Type, is Int64.Type, is Int32.Type, is Int16.Type, is Int8.Type,
            is UInt32.Type, is UInt16.Type, is UInt8.Type:
            self = .whole
        case is UInt.Type, is UInt64.Type: self = .unsigned
        case is Double.Type: self = .double
        case is Decimal.Type: self = .decimal
        default: return nil
        }
    }
}

extension PredicateConversion {
    fileprivate func calculation(
        _ function: DataStorePredicate.Function, _ left: some PredicateExpression,
        _ right: some PredicateExpression
    ) throws(DataStoreError) -> Operand {
        let (first, firstDefined) = try operand(left).expression
        let (second, secondDefined) = try operand(right).expression
        return .plain(
            .function(function, [first, second]), where: .both(firstDefined, secondDefined))
    }

    /// The quotient or remainder, which is undefined if the divisor is zero.
    fileprivate func division(
        _ function: DataStorePredicate.Function, _ left: some PredicateExpression,
        _ right: some PredicateExpression
    ) throws(DataStoreError) -> Operand {
        let (dividend, dividendDefined) = try operand(left).expression
        let divisor = try operand(right)
        let (divisorValue, divisorDefined) = divisor.expression
        let isPossible = try comparison(
            divisor, .notEqual, .plain(.value(.int(0))), of: Int.self)
        return .plain(
            .function(function, [dividend, divisorValue]),
            where: .both(.both(dividendDefined, divisorDefined), isPossible.holds))
    }
}
