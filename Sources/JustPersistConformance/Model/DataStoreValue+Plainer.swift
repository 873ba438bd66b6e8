import JustPersist

extension DataStoreValue {
    /// Values that are simpler than this one: of other kinds, smaller, or a part of it.
    var plainer: [DataStoreValue] {
        let plainest: [DataStoreValue] = [.null, .bool(true), .int(1), .string("a")]
        return switch self {
        case .null: []
        case .string(let text) where text.unicodeScalars.count > 1:
            plainest + text.parts.map(DataStoreValue.string)
        case .array(let values):
            plainest + values + values.removingEach.map { .array($0) }
                + values.replacingEach(\.plainer).map { .array($0) }
        case .dictionary(let values):
            plainest + values.values + values.plainer.map { .dictionary($0) }
        default: plainest
        }
    }
}

extension String {
    /// The halves of the string, and the string without its first and its last scalar.
    fileprivate var parts: [String] {
        let scalars = Array(unicodeScalars)
        let middle = scalars.count / 2
        return [scalars[..<middle], scalars[middle...], scalars.dropFirst(), scalars.dropLast()]
            .map { part in
                var text = String.UnicodeScalarView()
                text.append(contentsOf: part)
                return String(text)
            }
    }
}

extension [String: DataStoreValue] {
    /// These entries without one of them, or with one value simplified.
    var plainer: [[String: DataStoreValue]] {
        keys.sorted { $0.precedesInBytes($1) }.flatMap { name in
            func with(_ value: DataStoreValue?) -> [String: DataStoreValue] {
                var entries = self
                entries[name] = value
                return entries
            }
            return [with(nil)] + (self[name]?.plainer ?? []).map { with($0) }
        }
    }

    /// The entries with other names.
    ///
    /// If two entries have one new name, one of them is kept.
    func mapKeys(_ map: (String) -> String) -> [String: DataStoreValue] {
        let entries = sorted { $0.key.precedesInBytes($1.key) }.map { (map($0.key), $0.value) }
        return Dictionary(entries, uniquingKeysWith: { first, _ in first })
    }
}

extension Array {
    /// The lists without one element, for each element.
    var removingEach: [[Element]] {
        indices.map { index in
            var rest = self
            rest.remove(at: index)
            return rest
        }
    }

    /// The lists with one element replaced, for each element and each of its replacements.
    func replacingEach(_ replacements: (Element) -> [Element]) -> [[Element]] {
        indices.flatMap { index in
            replacements(self[index]).map { replacement in
                var list = self
                list[index] = replacement
                return list
            }
        }
    }
}

extension DataStorePredicate {
    /// Predicates that are simpler than this one.
    var plainer: [DataStorePredicate] {
        switch self {
        case .constant: []
        case .evaluated: [.constant(true)]
        case .not(let part): [part] + part.plainer.map { .not($0) }
        case .and(let parts):
            parts + parts.removingEach.map { .and($0) }
                + parts.replacingEach(\.plainer).map { .and($0) }
        case .or(let parts):
            parts + parts.removingEach.map { .or($0) }
                + parts.replacingEach(\.plainer).map { .or($0) }
        case .comparison(let comparison):
            [.constant(true)] + comparison.plainer.map { .comparison($0) }
        }
    }

    /// The predicate with every path in it replaced.
    func mapPaths(_ map: (AttributePath) -> AttributePath) -> DataStorePredicate {
        mapExpressions { expression, _ in
            switch expression {
            case .path(let path): .path(map(path))
            case .count(let path): .count(map(path))
            default: expression
            }
        }
    }
}

extension DataStorePredicate.Comparison {
    fileprivate var plainer: [DataStorePredicate.Comparison] {
        var result: [DataStorePredicate.Comparison] = []
        if !options.isEmpty || modifier != .direct {
            result.append(DataStorePredicate.Comparison(left, self.operator, right))
        }
        switch right {
        // A bound of BETWEEN and the list of IN cannot be removed.
        case .value(.array(let values)):
            let lists = values.replacingEach(\.plainer) + values.removingEach
            result += lists.map { with(left, .value(.array($0))) }
        case .value(let value): result += value.plainer.map { with(left, .value($0)) }
        default: break
        }
        return result.filter { (try? DataStorePredicate.comparison($0).validate()) != nil }
    }

    fileprivate func with(
        _ left: DataStorePredicate.Expression, _ right: DataStorePredicate.Expression
    ) -> DataStorePredicate.Comparison {
        DataStorePredicate.Comparison(
            left, self.operator, right, modifier: modifier, options: options)
    }
}
