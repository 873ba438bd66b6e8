import Foundation

/// A type whose values are stored as an array of their elements.
protocol ListType {
    static var elementType: Any.Type { get }
}

extension Array: ListType {
    static var elementType: Any.Type { Element.self }
}

extension ToMany: ListType {
    static var elementType: Any.Type { Item.self }
}

extension Set: ListType {
    static var elementType: Any.Type { Element.self }
}

// MARK: Lists and texts

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        if LHS.Output.self == String.self {
            let character = (element as? any ConstantExpression)?.constant as? Character
            guard let character else { throw conversion.unsupported(self) }
            return .operand(
                .condition(
                    try conversion.search(
                        conversion.operand(sequence), .contains,
                        .plain(.value(.string(String(character)))))))
        }
        if LHS.Output.self is any ListType.Type {
            return .operand(
                .condition(
                    try conversion.membership(
                        of: conversion.operand(element), in: conversion.operand(sequence),
                        of: RHS.Output.self)))
        }
        guard
            let condition = try conversion.isInRange(
                sequence, conversion.operand(element), of: RHS.Output.self)
        else { throw conversion.unsupported(self) }
        return .operand(.condition(condition))
    }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        guard Base.Output.self == String.self, Other.Output.self == String.self else {
            throw conversion.unsupported(self)
        }
        return .operand(
            .condition(
                try conversion.search(
                    conversion.operand(base), .contains, conversion.operand(other))))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        let (whole, part) = (try conversion.operand(base), try conversion.operand(prefix))
        if Base.Output.self == String.self, Prefix.Output.self == String.self {
            return .operand(.condition(try conversion.search(whole, .beginsWith, part)))
        }
        guard let list = Base.Output.self as? any ListType.Type,
            Prefix.Output.self is any ListType.Type, !(Base.Output.self is any SetAlgebra.Type),
            !(Prefix.Output.self is any SetAlgebra.Type),
            case .array(let elements) = part.constant
        else { throw conversion.unsupported(self) }
        var condition = Conversion.Condition(.constant(true))
        if !elements.isEmpty {
            condition = try conversion.comparison(
                whole.map(\.counted), .greaterOrEqual,
                .plain(.value(.int(Int64(elements.count)))), of: Int.self)
        }
        for (index, element) in elements.enumerated() {
            let own = whole.map { .element(of: $0, .at(.value(.int(Int64(index))))) }
            condition =
                try condition
                && conversion.equality(own, .plain(.value(element)), of: list.elementType)
        }
        return .operand(.condition(condition))
    }
}

extension PredicateConversion {
    /// Whether a value of a type is an element of a list of that type.
    fileprivate func membership(
        of element: Operand, in list: Operand, of type: Any.Type
    ) throws(DataStoreError) -> Condition {
        let typed = TypedComparison(of: type, itemType: itemClass.itemTypeKey)
        return try relate(element, list) { (element, list) throws(DataStoreError) in
            try typed.membership(of: element, in: list, .comparison(.init(element, .in, list)))
        }
    }

    /// Whether a text is found in another; the empty text is found in every text.
    fileprivate func search(
        _ text: Operand, _ relation: DataStorePredicate.Operator, _ part: Operand
    ) throws(DataStoreError) -> Condition {
        try relate(text, part) { (text, part) throws(DataStoreError) in
            let found = DataStorePredicate.comparison(
                .init(text, relation, part, options: .wholeCharacters))
            switch part {
            case .value(.string("")): return .constant(true)
            case .value:
                // The first form can use an index.
                return relation == .beginsWith
                    ? .comparison(.init(text, relation, part)) && found : found
            default: return found || .comparison(.init(part, .equal, .value(.string(""))))
            }
        }
    }
}

// MARK: Ranges

/// A range expression with its bounds as expressions.
private protocol RangeExpressionParts {
    func bounds(
        in conversion: PredicateConversion
    ) throws(DataStoreError) -> (lower: Conversion.Operand, upper: Conversion.Operand)
    var includesUpperBound: Bool { get }
}

extension PredicateExpressions.ClosedRange: RangeExpressionParts {
    fileprivate var includesUpperBound: Bool { true }

    fileprivate func bounds(
        in conversion: PredicateConversion
    ) throws(DataStoreError) -> (lower: Conversion.Operand, upper: Conversion.Operand) {
        (try conversion.operand(lower), try conversion.operand(upper))
    }
}

extension PredicateExpressions.Range: RangeExpressionParts {
    fileprivate var includesUpperBound: Bool { false }

    fileprivate func bounds(
        in conversion: PredicateConversion
    ) throws(DataStoreError) -> (lower: Conversion.Operand, upper: Conversion.Operand) {
        (try conversion.operand(lower), try conversion.operand(upper))
    }
}

/// A range as a value.
private protocol RangeValue {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { get }
}

extension ClosedRange: RangeValue {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) {
        (lowerBound, upperBound, true)
    }
}

extension Range: RangeValue {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) {
        (lowerBound, upperBound, false)
    }
}

extension PartialRangeFrom: RangeValue {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) {
        (lowerBound, nil, false)
    }
}

extension PartialRangeUpTo: RangeValue {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) {
        (nil, upperBound, false)
    }
}

extension PartialRangeThrough: RangeValue {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) {
        (nil, upperBound, true)
    }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        guard
            let condition = try conversion.isInRange(
                range, conversion.operand(element), of: Element.Output.self)
        else { throw conversion.unsupported(self) }
        return .operand(.condition(condition))
    }
}

extension PredicateConversion {
    /// Whether a value of a type is in a range; `nil` if the argument is not a range.
    fileprivate func isInRange(
        _ range: Any, _ element: Operand, of type: Any.Type
    ) throws(DataStoreError) -> Condition? {
        if let parts = range as? any RangeExpressionParts {
            let (lower, upper) = try parts.bounds(in: self)
            let relation: DataStorePredicate.Operator =
                parts.includesUpperBound ? .lessOrEqual : .less
            let isInside =
                try comparison(element, .greaterOrEqual, lower, of: type)
                && comparison(element, relation, upper, of: type)
            // A range never ends before it begins.
            let isRange = try comparison(lower, .lessOrEqual, upper, of: type)
            if case .constant(true) = isRange.holds { return isInside }
            return Condition(
                .both(isRange.holds, isInside.holds), else: .both(isRange.holds, isInside.fails))
        }
        guard let range = (range as? any ConstantExpression)?.constant as? any RangeValue else {
            return nil
        }
        let (lower, upper, includesUpper) = range.bounds
        var isInside = Condition(.constant(true))
        if let lower {
            let bound = Operand.plain(.value(try DataStoreValue(attributeValue: lower)))
            isInside = try comparison(element, .greaterOrEqual, bound, of: type)
        }
        if let upper {
            let bound = Operand.plain(.value(try DataStoreValue(attributeValue: upper)))
            isInside =
                try isInside
                && comparison(element, includesUpper ? .lessOrEqual : .less, bound, of: type)
        }
        return isInside
    }
}

// MARK: Elements

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        guard Wrapped.Output.self is any ListType.Type, Index.Output.self == Int.self else {
            throw conversion.unsupported(self)
        }
        let (list, isList) = try conversion.operand(wrapped).expression
        let place = try conversion.operand(index)
        let (index, isIndex) = place.expression
        let count = Conversion.Operand.plain(list.counted)
        let isPlace =
            try conversion.comparison(
                place, .greaterOrEqual, .plain(.value(.int(0))), of: Int.self)
            && conversion.comparison(count, .greater, place, of: Int.self)
        return .operand(
            .plain(
                .element(of: list, .at(index)),
                where: .both(.both(isList, isIndex), isPlace.holds)))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(try conversion.entry(of: wrapped, at: key))
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        if Output.self is any OptionalValue.Type { throw conversion.unsupported(self) }
        let entry = try conversion.entry(of: wrapped, at: key)
        return .operand(entry.coalesced(with: try conversion.part(self.default)))
    }
}

extension PredicateConversion {
    fileprivate func entry<Key: PredicateExpression>(
        of wrapped: some PredicateExpression, at key: Key
    ) throws(DataStoreError) -> Operand {
        // Dictionaries with other keys are stored as an array of keys and values.
        guard Key.Output.self == String.self else { throw unsupported(key) }
        let (entries, isDictionary) = try operand(wrapped).expression
        let (name, isName) = try operand(key).expression
        let defined = DataStorePredicate.both(isDictionary, isName)
        if case .value(.string(let name)) = name, !name.isEmpty,
            [name] != DataStorePredicate.AttributePath.uniqueToken.components
        {
            return .plain(entries.appending([name]), where: defined)
        }
        return .plain(.element(of: entries, .at(name)), where: defined)
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(try conversion.extreme(.maximum, of: elements, self))
    }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        .operand(try conversion.extreme(.minimum, of: elements, self))
    }
}

extension PredicateConversion {
    fileprivate func extreme<Elements: PredicateExpression>(
        _ function: DataStorePredicate.Function, of elements: Elements, _ part: Any
    ) throws(DataStoreError) -> Operand {
        guard let list = Elements.Output.self as? any ListType.Type else { throw unsupported(part) }
        let mayNotOrder: Bool
        switch list.elementType {
        case is Double.Type, is Float.Type, is Date.Type: mayNotOrder = true
        case is String.Type, is Int.Type, is Int64.Type, is Int32.Type, is Int16.Type,
            is Int8.Type, is UInt.Type, is UInt64.Type, is UInt32.Type, is UInt16.Type,
            is UInt8.Type:
            mayNotOrder = false
        default: throw unsupported(part)
        }
        let name = newVariable
        return try operand(elements).map { elements in
            guard mayNotOrder else { return .function(function, [elements]) }
            // Swift returns a NaN that comes first, because it has no order relative to others, and skips later ones.
            let first = Expression.element(of: elements, .first)
            let element = Expression.variable(name)
            let ordered = Expression.subquery(
                elements, variable: name, .comparison(.init(element, .equal, element)))
            return .ternary(
                .comparison(.init(first, .equal, first)), .function(function, [ordered]), first)
        }
    }
}

// MARK: Closures

extension PredicateExpressions.Filter: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        let (list, name, test) = try conversion.closure(sequence, variable, filter, self)
        return .operand(list.map { .subquery($0, variable: name, test) })
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        let (list, name, test) = try conversion.closure(sequence, self.variable, self.test, self)
        let (elements, defined) = list.expression
        return .operand(
            .condition(.init(.someElement(of: elements, name, test), where: defined)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        let (list, name, test) = try conversion.closure(sequence, self.variable, self.test, self)
        let (elements, defined) = list.expression
        return .operand(
            .condition(
                .init(.someElement(of: elements, name, test.negated).negated, where: defined)))
    }
}

extension PredicateConversion {
    /// A variable name that no enclosing closure uses.
    fileprivate var newVariable: String { depth == 0 ? "x" : "x\(depth)" }

    /// A list, the variable for its elements, and the condition that a closure states on an element.
    fileprivate func closure<Elements: PredicateExpression, Element>(
        _ elements: Elements, _ variable: PredicateExpressions.Variable<Element>,
        _ test: some PredicateExpression<Bool>, _ part: Any
    ) throws(DataStoreError) -> (Operand, String, DataStorePredicate) {
        guard Elements.Output.self is any ListType.Type else { throw unsupported(part) }
        let list = try operand(elements)
        let name = newVariable
        var inner = self
        inner.bind(variable, to: .operand(.plain(.variable(name))))
        let condition = try inner.condition(test)
        // Whether an undefined element is reached depends on the others.
        guard condition.isTotal else { throw unsupported(part) }
        return (list, name, condition.holds)
    }
}

extension DataStorePredicate {
    /// Whether an element of an array fulfils a predicate of a variable.
    fileprivate static func someElement(
        of elements: Expression, _ variable: String, _ test: DataStorePredicate
    ) -> DataStorePredicate {
        if let any = any(of: elements, variable, test) { return any }
        let found = Expression.subquery(elements, variable: variable, test)
        return .comparison(.init(found.counted, .greater, .value(.int(0))))
    }

    /// The condition as a comparison of the elements with a constant, which can use an index.
    private static func any(
        of elements: Expression, _ variable: String, _ test: DataStorePredicate
    ) -> DataStorePredicate? {
        var comparison: Comparison
        switch test {
        case .comparison(let direct): comparison = direct
        case .not(.comparison(let direct)) where direct.operator == .equal:
            comparison = Comparison(
                direct.left, .notEqual, direct.right, modifier: direct.modifier,
                options: direct.options)
        default: return nil
        }
        guard comparison.modifier == .direct, case .value(let constant) = comparison.right else {
            return nil
        }
        let left: Expression
        switch comparison.left {
        case .variable(variable): left = elements
        case .keyPath(of: .variable(variable), let path):
            // A path also collects the elements of inner arrays, which equal only a value that is not an array.
            switch constant {
            case .null, .array, .dictionary: return nil
            default: break
            }
            guard comparison.operator == .equal || comparison.operator.isOrder else { return nil }
            left = elements.appending(path.components)
        default: return nil
        }
        comparison = Comparison(
            left, comparison.operator, comparison.right, modifier: .any,
            options: comparison.options)
        return .comparison(comparison)
    }
}

extension DataStorePredicate.Operator {
    fileprivate var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}
