import Foundation

typealias Conversion = PredicateConversion

extension PredicateExpressions.Variable: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        guard let term = conversion.variables[key] else { throw conversion.unsupported(self) }
        return term
    }
}

extension PredicateExpressions.Value: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(.value(try DataStoreValue(attributeValue: value)))
    }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(.value(.null))
    }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        switch try conversion.term(root) {
        case .item(let type): return .operand(.path(try type.path(for: keyPath)))
        case .operand(.path(let path)):
            let isText = Root.Output.self == String.self
            switch kind {
            case .collectionCount where !isText: return .operand(.count(path))
            case .collectionIsEmpty:
                let hasSome: DataStorePredicate.Comparison =
                    isText
                    ? .init(.path(path), .notEqual, .value(.string("")))
                    : .init(.count(path), .greater, .value(.int(0)))
                return .condition(!.comparison(hasSome))
            default: throw conversion.unsupported(self)
            }
        default: throw conversion.unsupported(self)
        }
    }
}

extension PredicateExpressions.Conjunction: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .condition(try conversion.condition(lhs) && conversion.condition(rhs))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .condition(try conversion.condition(lhs) || conversion.condition(rhs))
    }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .condition(!(try conversion.condition(wrapped)))
    }
}

extension PredicateExpressions.Equal: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .condition(try conversion.equality(lhs, rhs, of: LHS.Output.self))
    }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .condition(!(try conversion.equality(lhs, rhs, of: LHS.Output.self)))
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
        return .condition(try conversion.comparison(lhs, relation, rhs, of: LHS.Output.self))
    }
}

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        // The parts of a text are found by CollectionContainsCollection; a Character is no value.
        guard LHS.Output.self != String.self else { throw conversion.unsupported(self) }
        return .condition(
            try conversion.membership(of: element, in: sequence, of: RHS.Output.self))
    }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression
where Base.Output == String, Other.Output == String {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .condition(try conversion.search(base, .contains, other))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression
where Base.Output == String, Prefix.Output == String {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .condition(try conversion.search(base, .beginsWith, prefix))
    }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        switch (try conversion.term(lhs), try conversion.term(rhs)) {
        case (.operand(let operand), .operand(.value(let constant))):
            return .operandOr(operand, constant)
        case (.optionalCondition(let present, let operand), _):
            return .condition(
                Conversion.either(operand, present, orIfNull: try conversion.condition(rhs)))
        default: throw conversion.unsupported(self)
        }
    }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        guard case .operand(let operand) = try conversion.term(wrapped) else {
            throw conversion.unsupported(self)
        }
        var inner = conversion
        inner.variables[variable.key] = .operand(operand)
        switch try inner.term(transform) {
        case .condition(let predicate): return .optionalCondition(predicate, unlessNull: operand)
        // What is found below null is null, as nil is below nil.
        case .operand(.path(let path)): return .operand(.path(path))
        case .operand(.count(let path)): return .operand(.count(path))
        default: throw conversion.unsupported(self)
        }
    }
}

extension PredicateConversion {
    /// Whether a text is found in another, where the empty text is found in every text.
    fileprivate func search(
        _ text: Any, _ relation: DataStorePredicate.Operator, _ part: Any
    ) throws(DataStoreError) -> DataStorePredicate {
        let (first, second) = (try term(text), try term(part))
        return try relate(first, second) { text, part in
            let found = DataStorePredicate.comparison(.init(text, relation, part))
            switch part {
            case .value(.string("")): return .constant(true)
            case .value: return found
            default: return found || .comparison(.init(part, .equal, .value(.string(""))))
            }
        } orThrow: {
            unsupported(text)
        }
    }
}
