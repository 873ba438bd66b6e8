import Foundation

/// An expression prepared for evaluation on many subjects: constant parts are evaluated once.
indirect enum PreparedExpression: Sendable {
    case constant(DataStoreValue)
    case path(DataStorePredicate.AttributePath)
    case count(DataStorePredicate.AttributePath)
    case list([PreparedExpression])
    case variable(String)
    case keyPath(PreparedExpression, DataStorePredicate.AttributePath)
    case function(DataStorePredicate.Function, [PreparedExpression], now: Date)
    case first(PreparedExpression)
    case last(PreparedExpression)
    case element(PreparedExpression, at: PreparedExpression)
    case subquery(PreparedExpression, String, PreparedPredicate)
    case ternary(PreparedPredicate, PreparedExpression, PreparedExpression)
    case cast(PreparedExpression, DataStorePredicate.ValueClass)

    /// Prepares an expression; `now` is the time of the request.
    init(_ expression: DataStorePredicate.Expression, now: Date) {
        func prepared(_ part: DataStorePredicate.Expression) -> Self { Self(part, now: now) }
        switch expression {
        case .value(let value): self = .constant(value)
        case .path(let path): self = .path(path)
        case .count(let path): self = .count(path)
        case .variable(let name): self = .variable(name)
        case .list(let parts):
            let parts = parts.map(prepared)
            self = Self.constants(parts).map { .constant(.array($0)) } ?? .list(parts)
        case .keyPath(of: let base, let path): self = .keyPath(prepared(base), path)
        case .function(let function, let arguments):
            let arguments = arguments.map(prepared)
            self =
                Self.constants(arguments).map { .constant(function.value(of: $0, now: now)) }
                ?? .function(function, arguments, now: now)
        case .element(of: let base, let index):
            switch index {
            case .first: self = .first(prepared(base))
            case .last: self = .last(prepared(base))
            case .at(let place): self = .element(prepared(base), at: prepared(place))
            }
        case .subquery(let collection, let variable, let predicate):
            self = .subquery(
                prepared(collection), variable, PreparedPredicate(predicate, now: now))
        case .ternary(let predicate, let first, let second):
            let (first, second) = (prepared(first), prepared(second))
            switch PreparedPredicate(predicate, now: now) {
            case .constant(let value): self = value ? first : second
            case let predicate: self = .ternary(predicate, first, second)
            }
        case .cast(let part, let valueClass):
            let part = prepared(part)
            self =
                part.constant.map { .constant($0.cast(to: valueClass)) } ?? .cast(part, valueClass)
        }
    }

    /// The value, if it is the same for every subject.
    var constant: DataStoreValue? { if case .constant(let value) = self { value } else { nil } }

    private static func constants(_ parts: [Self]) -> [DataStoreValue]? {
        var values: [DataStoreValue] = []
        for part in parts {
            guard case .constant(let value) = part else { return nil }
            values.append(value)
        }
        return values
    }

    // MARK: Evaluation, in small functions: each level of nesting uses one frame of some of them

    /// The value of the expression for a subject.
    func value(
        for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        switch self {
        case .constant(let value): value
        case .variable(let name): scope.value(of: name)
        case .path(let path): try Self.counted(try subject.value(at: path), &scope)
        case .count(let path): try Self.count(at: path, for: subject, &scope)
        default: try computed(for: subject, &scope)
        }
    }

    /// The value of an expression that contains others.
    private func computed(
        for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        switch self {
        case .constant, .variable, .path, .count: .null
        case .list(let parts): .array(try Self.values(parts, for: subject, &scope))
        case .keyPath(let base, let path):
            try Self.value(at: path, from: base, for: subject, &scope)
        case .function(let function, let arguments, let now):
            try Self.value(of: function, arguments, now, for: subject, &scope)
        case .first(let base): try Self.end(of: base, isFirst: true, for: subject, &scope)
        case .last(let base): try Self.end(of: base, isFirst: false, for: subject, &scope)
        case .element(let base, at: let place):
            try Self.element(of: base, at: place, for: subject, &scope)
        case .subquery(let collection, let variable, let predicate):
            try Self.subquery(collection, variable, predicate, for: subject, &scope)
        case .ternary(let predicate, let first, let second):
            try Self.ternary(predicate, first, second, for: subject, &scope)
        case .cast(let part, let valueClass):
            try Self.cast(part, valueClass, for: subject, &scope)
        }
    }

    private static func ternary(
        _ predicate: PreparedPredicate, _ first: Self, _ second: Self,
        for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        let isTrue = try predicate.matches(subject, &scope)
        return try (isTrue ? first : second).value(for: subject, &scope)
    }

    private static func cast(
        _ part: Self, _ valueClass: DataStorePredicate.ValueClass,
        for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        try part.value(for: subject, &scope).cast(to: valueClass)
    }

    private static func value(
        at path: DataStorePredicate.AttributePath, from base: Self,
        for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        let start = try base.value(for: subject, &scope)
        return try counted(try subject.value(at: path.components[...], from: start), &scope)
    }

    private static func count(
        at path: DataStorePredicate.AttributePath, for subject: some PredicateSubject,
        _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        let collection = try counted(try subject.value(at: path), &scope)
        return DataStorePredicate.Function.count.value(of: [collection], now: .distantPast)
    }

    private static func value(
        of function: DataStorePredicate.Function, _ arguments: [Self], _ now: Date,
        for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        let values = try values(arguments, for: subject, &scope)
        for value in values { _ = try counted(value, &scope) }
        return function.value(of: values, now: now)
    }

    /// The first or the last element of an array.
    private static func end(
        of base: Self, isFirst: Bool, for subject: some PredicateSubject,
        _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        guard case .array(let elements) = try base.value(for: subject, &scope) else {
            return .null
        }
        return (isFirst ? elements.first : elements.last) ?? .null
    }

    private static func element(
        of base: Self, at place: Self, for subject: some PredicateSubject,
        _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        let collection = try base.value(for: subject, &scope)
        let place = try place.value(for: subject, &scope)
        return element(of: collection, at: place)
    }

    private static func element(
        of collection: DataStoreValue, at place: DataStoreValue
    ) -> DataStoreValue {
        switch (collection, place) {
        case (.array(let elements), .int(let index)):
            guard let index = Int(exactly: index), elements.indices.contains(index) else {
                return .null
            }
            return elements[index]
        case (.dictionary(let entries), .string(let name)): return entries[name] ?? .null
        default: return .null
        }
    }

    private static func subquery(
        _ collection: Self, _ variable: String, _ predicate: PreparedPredicate,
        for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        guard case .array(let elements) = try collection.value(for: subject, &scope) else {
            return .null
        }
        var found: [DataStoreValue] = []
        let place = scope.push(variable)
        for element in elements {
            try scope.set(element, at: place)
            if try predicate.matches(subject, &scope) { found.append(element) }
        }
        scope.pop()
        return .array(found)
    }

    private static func values(
        _ parts: [Self], for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> [DataStoreValue] {
        var values: [DataStoreValue] = []
        values.reserveCapacity(parts.count)
        for part in parts { values.append(try part.value(for: subject, &scope)) }
        return values
    }

    /// The value, after its elements are counted as steps.
    private static func counted(
        _ value: DataStoreValue, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        if case .array(let elements) = value { try scope.count(elements.count) }
        return value
    }
}
