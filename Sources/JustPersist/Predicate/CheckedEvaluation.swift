import Foundation

/// Foundation's evaluation of an expression, without its traps.
///
/// Overflow of whole numbers, a division by zero and a range that ends before it begins end the program in Foundation.
/// Here they throw `PredicateError.invalidInput`, as an index without an element does there. The expressions around
/// such a part are evaluated here too, in Foundation's steps; all others are left to Foundation.
enum CheckedEvaluation {
    /// Whether a part of an expression may trap: its type names the types of all expressions in it.
    static func isNeeded(for part: Any) -> Bool {
        let name = String(reflecting: type(of: part))
        return [
            "Arithmetic<", "IntDivision<", "IntRemainder<", "UnaryMinus<",
            "PredicateExpressions.Range<", "PredicateExpressions.ClosedRange<",
            // The content of a nested expression is not part of its type.
            "ExpressionEvaluate<",
        ].contains { name.contains($0) }
    }

    /// The value of an expression.
    static func value<Part: PredicateExpression>(
        of part: Part, _ bindings: PredicateBindings
    ) throws -> Part.Output {
        if let checked = part as? any CheckedExpression,
            let value = try checked.checkedValue(bindings) as? Part.Output
        {
            return value
        }
        return try part.evaluate(bindings)
    }
}

private protocol CheckedExpression {
    associatedtype Output
    func checkedValue(_ bindings: PredicateBindings) throws -> Output
}

private func value<Part: PredicateExpression>(
    _ part: Part, _ bindings: PredicateBindings
) throws -> Part.Output {
    try CheckedEvaluation.value(of: part, bindings)
}

// MARK: Expressions that may trap

/// The result of a calculation with whole numbers, or an error if it overflows; `nil` for other numbers.
private func whole<Number>(
    _ left: Number, _ right: Number, _ operation: WholeOperation
) throws -> Number? {
    func calculate<Whole: FixedWidthInteger>(_ left: Whole) throws -> Any? {
        guard let right = right as? Whole else { return nil }
        if operation == .divide || operation == .remainder, right == 0 {
            throw PredicateError.invalidInput
        }
        let (result, overflows) =
            switch operation {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            case .remainder: left.remainderReportingOverflow(dividingBy: right)
            }
        if overflows { throw PredicateError.invalidInput }
        return result
    }
    guard let left = left as? any FixedWidthInteger else { return nil }
    return try calculate(left) as? Number
}

private enum WholeOperation { case add, subtract, multiply, divide, remainder }

extension PredicateExpressions.Arithmetic: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> LHS.Output {
        let (left, right) = (try value(lhs, bindings), try value(rhs, bindings))
        switch op {
        case .add: return try whole(left, right, .add) ?? left + right
        case .subtract: return try whole(left, right, .subtract) ?? left - right
        case .multiply: return try whole(left, right, .multiply) ?? left * right
        @unknown default: return try evaluate(bindings)
        }
    }
}

extension PredicateExpressions.UnaryMinus: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Wrapped.Output {
        let number = try value(wrapped, bindings)
        return try whole(0, number, .subtract) ?? -number
    }
}

extension PredicateExpressions.IntDivision: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> LHS.Output {
        let (left, right) = (try value(lhs, bindings), try value(rhs, bindings))
        return try whole(left, right, .divide) ?? left / right
    }
}

extension PredicateExpressions.IntRemainder: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> LHS.Output {
        let (left, right) = (try value(lhs, bindings), try value(rhs, bindings))
        return try whole(left, right, .remainder) ?? left % right
    }
}

extension PredicateExpressions.Range: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Range<LHS.Output> {
        let (first, last) = (try value(lower, bindings), try value(upper, bindings))
        guard first <= last else { throw PredicateError.invalidInput }
        return first..<last
    }
}

extension PredicateExpressions.ClosedRange: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> ClosedRange<LHS.Output> {
        let (first, last) = (try value(lower, bindings), try value(upper, bindings))
        guard first <= last else { throw PredicateError.invalidInput }
        return first...last
    }
}

extension PredicateExpressions.ExpressionEvaluate: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let expression = try value(expression, bindings)
        var inner = bindings
        for (variable, input) in repeat (each expression.variable, each input) {
            inner[variable] = try value(input, bindings)
        }
        return try CheckedEvaluation.value(of: expression.expression, inner)
    }
}

// MARK: Expressions that may contain them

extension PredicateExpressions.KeyPath: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        try value(root, bindings)[keyPath: keyPath]
    }
}

extension PredicateExpressions.Conjunction: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(lhs, bindings) && value(rhs, bindings)
    }
}

extension PredicateExpressions.Disjunction: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(lhs, bindings) || value(rhs, bindings)
    }
}

extension PredicateExpressions.Negation: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try !value(wrapped, bindings)
    }
}

extension PredicateExpressions.Equal: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(lhs, bindings) == value(rhs, bindings)
    }
}

extension PredicateExpressions.NotEqual: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(lhs, bindings) != value(rhs, bindings)
    }
}

extension PredicateExpressions.Comparison: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        let (left, right) = (try value(lhs, bindings), try value(rhs, bindings))
        switch op {
        case .lessThan: return left < right
        case .lessThanOrEqual: return left <= right
        case .greaterThan: return left > right
        case .greaterThanOrEqual: return left >= right
        @unknown default: return try evaluate(bindings)
        }
    }
}

extension PredicateExpressions.Conditional: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> If.Output {
        try value(test, bindings) ? value(trueBranch, bindings) : value(falseBranch, bindings)
    }
}

extension PredicateExpressions.NilCoalesce: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> RHS.Output {
        try value(lhs, bindings) ?? value(rhs, bindings)
    }
}

extension PredicateExpressions.ForcedUnwrap: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Wrapped {
        guard let value = try value(inner, bindings) else {
            throw PredicateError.forceUnwrapFailure
        }
        return value
    }
}

extension PredicateExpressions.OptionalFlatMap: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Result? {
        guard let inner = try value(wrapped, bindings) else { return nil }
        var bindings = bindings
        bindings[variable] = inner
        return try value(transform, bindings) as? Result
    }
}

extension PredicateExpressions.ConditionalCast: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Desired? {
        try value(input, bindings) as? Desired
    }
}

extension PredicateExpressions.ForceCast: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Desired {
        guard let value = try value(input, bindings) as? Desired else {
            throw PredicateError.forceCastFailure
        }
        return value
    }
}

extension PredicateExpressions.TypeCheck: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(input, bindings) is Desired
    }
}

extension PredicateExpressions.FloatDivision: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> LHS.Output {
        try value(lhs, bindings) / value(rhs, bindings)
    }
}

extension PredicateExpressions.SequenceContains: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(sequence, bindings).contains(value(element, bindings))
    }
}

extension PredicateExpressions.SequenceStartsWith: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(base, bindings).starts(with: value(prefix, bindings))
    }
}

extension PredicateExpressions.CollectionContainsCollection: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(base, bindings).contains(value(other, bindings))
    }
}

extension PredicateExpressions.RangeExpressionContains: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(range, bindings).contains(value(element, bindings))
    }
}

extension PredicateExpressions.SequenceMaximum: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        try value(elements, bindings).max()
    }
}

extension PredicateExpressions.SequenceMinimum: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        try value(elements, bindings).min()
    }
}

extension PredicateExpressions.SequenceContainsWhere: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        var inner = bindings
        return try value(sequence, bindings).contains {
            inner[variable] = $0
            return try value(test, inner)
        }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        var inner = bindings
        return try value(sequence, bindings).allSatisfy {
            inner[variable] = $0
            return try value(test, inner)
        }
    }
}

extension PredicateExpressions.Filter: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> [Element] {
        var inner = bindings
        return try value(sequence, bindings).filter {
            inner[variable] = $0
            return try value(filter, inner)
        }
    }
}

extension PredicateExpressions.CollectionIndexSubscript: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let collection = try value(wrapped, bindings)
        let place = try value(index, bindings)
        guard place >= collection.startIndex, place < collection.endIndex else {
            throw PredicateError.invalidInput
        }
        return collection[place]
    }
}

extension PredicateExpressions.CollectionRangeSubscript: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let collection = try value(wrapped, bindings)
        let places = try value(range, bindings)
        guard places.lowerBound >= collection.startIndex, places.upperBound <= collection.endIndex
        else { throw PredicateError.invalidInput }
        return collection[places]
    }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Value? {
        try CheckedEvaluation.value(of: wrapped, bindings)[
            CheckedEvaluation.value(of: key, bindings)]
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Default.Output {
        let entry = try value(wrapped, bindings)[value(key, bindings)]
        return try entry ?? value(self.default, bindings)
    }
}

extension PredicateExpressions.StringContainsRegex: CheckedExpression {
    fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Bool {
        try value(subject, bindings).contains(value(regex, bindings))
    }
}
