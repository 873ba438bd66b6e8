/// Checks the operands of a request against the known attributes of the type: that the attributes exist, and that a
/// condition can be true of a value that they may have.
///
/// The request's predicate must have passed ``DataStorePredicate/validate(operators:)``, which limits its depth.
struct OperandCheck {
    let names: any AttributeNames
    let operation: String

    func check(_ predicate: DataStorePredicate) throws(DataStoreError) {
        switch predicate {
        case .constant, .evaluated: break
        case .not(let part): try check(part)
        case .and(let parts), .or(let parts): for part in parts { try check(part) }
        case .comparison(let comparison):
            let left = try kinds(of: comparison.left)
            let right = try kinds(of: comparison.right)
            if !comparison.canHold(left, right) { throw refusal(of: comparison, left, right) }
        }
    }

    /// The kinds of values that an expression can have.
    ///
    /// - Throws: `.unknownAttribute` for an attribute that does not exist, `.invalidRequest` for an expression that
    ///   has no value for any item, such as a path below an attribute that holds strings.
    func kinds(of expression: DataStorePredicate.Expression) throws(DataStoreError) -> ValueKinds {
        switch expression {
        case .value, .variable: break
        case .path(let path): return try kinds(at: path)
        case .count(let path):
            let kinds = try kinds(at: path)
            try check(kinds, [.array, .dictionary], of: .path(path), for: "@count")
            return kinds == .all ? .all : .int
        case .keyPath(of: let base, let path):
            return try kinds(below: kinds(of: base), path.components[...], of: base)
        case .list(let parts): for part in parts { _ = try kinds(of: part) }
        case .function(let function, let arguments):
            let wanted = function.argumentKinds(of: arguments.count)
            var isKnown = false
            for argument in arguments {
                let kinds = try kinds(of: argument)
                try check(kinds, wanted, of: argument, for: function.sign ?? "\(function.word)()")
                if case .value = argument { continue }
                if kinds != .all { isKnown = true }
            }
            // If attributes may have values of any kind, nothing is refused.
            return isKnown ? function.resultKinds : .all
        case .element(of: let base, let index):
            var wanted: ValueKinds = .array
            if case .at(let place) = index {
                wanted = [.array, .dictionary]
                _ = try kinds(of: place)
            }
            try check(kinds(of: base), wanted, of: base, for: "[…]")
        case .subquery(let collection, _, let predicate):
            let kinds = try kinds(of: collection)
            try check(kinds, .array, of: collection, for: "SUBQUERY")
            try check(predicate)
            return kinds == .all ? .all : .array
        case .ternary(let predicate, let first, let second):
            try check(predicate)
            let kinds = try kinds(of: first).union(try kinds(of: second))
            if case (.value, .value) = (first, second) { return .all }
            return kinds
        case .cast(let part, let valueClass):
            let kinds = try kinds(of: part)
            try check(
                kinds, valueClass.kinds.from, of: part, for: "CAST to \(valueClass.rawValue)")
            return kinds == .all ? .all : valueClass.kinds.to
        }
        return expression.ownKinds
    }

    /// The kinds of values at a path that begins at the item.
    func kinds(at path: DataStorePredicate.AttributePath) throws(DataStoreError) -> ValueKinds {
        guard let first = path.components.first else { return .all }
        let kinds = try names.knownKinds(ofAttribute: first, in: operation)
        if path.components.count > 1, let other = names.names(inRelationship: first) {
            let rest = DataStorePredicate.AttributePath(Array(path.components.dropFirst()))
            _ = try OperandCheck(names: other, operation: operation).kinds(at: rest)
        }
        return try self.kinds(
            below: kinds, path.components.dropFirst(), of: .path(.init([first])))
    }

    /// The kinds of values under names below values of these kinds.
    private func kinds(
        below start: ValueKinds, _ names: ArraySlice<String>,
        of base: DataStorePredicate.Expression
    ) throws(DataStoreError) -> ValueKinds {
        guard let name = names.first else { return start }
        try check(
            start, [.dictionary, .reference, .array], of: base, for: "“.\(name)”", below: name)
        // A path through an array collects.
        return start == .array ? .array : .all
    }

    // MARK: Refusals

    /// Throws if a part of an expression, which has values of some kinds, needs others.
    private func check(
        _ kinds: ValueKinds, _ wanted: ValueKinds, of part: DataStorePredicate.Expression,
        for use: String, below name: String? = nil
    ) throws(DataStoreError) {
        // A constant that does not fit says nothing about the items: a computation with it is nil.
        if case .value = part { return }
        guard kinds.isDisjoint(with: wanted) else { return }
        let needs = name == nil ? "which needs \(wanted.text)" : "and there is nothing below that"
        let advice =
            if kinds == .string, ["length", "count", "size", "@count"].contains(name ?? use) {
                " Write length(\(part))."
            } else if kinds == .array, use == "length()" {
                " Write \(part).@count."
            } else {
                ""
            }
        throw refusal(
            "\(use) is asked of “\(part.shortText)”, \(needs): it holds \(kinds.text).\(advice)",
            of: part)
    }

    private func refusal(
        of comparison: DataStorePredicate.Comparison, _ left: ValueKinds, _ right: ValueKinds
    ) -> DataStoreError {
        let (a, b) = (comparison.left, comparison.right)
        func held(_ side: DataStorePredicate.Expression, _ kinds: ValueKinds) -> String? {
            if case .value = side { return nil }
            return kinds == .all ? nil : "“\(side.shortText)” holds \(kinds.text)"
        }
        let holds = [held(a, left), held(b, right)].compactMap(\.self).joined(separator: ", ")
        return refusal(
            """
            No item can fulfil “\(comparison.shortText)”: \(holds.isEmpty ? "" : holds + ", and ")\(comparison.need(left)). \
            \(advice(comparison, left, right))
            """, of: held(a, left) == nil ? b : a)
    }

    /// The advice on a replacement.
    private func advice(
        _ comparison: DataStorePredicate.Comparison, _ left: ValueKinds, _ right: ValueKinds
    ) -> String {
        let (a, b) = (comparison.left.shortText, comparison.right.shortText)
        let relation = comparison.operator.rawValue
        if comparison.lacksArray(left) {
            return "Leave the word out: \(a) \(relation) \(b)."
        }
        switch comparison.operator {
        case .equal, .notEqual: return ""
        case .in: return "Write \(a) == \(b)."
        case .contains, .beginsWith, .endsWith, .like, .matches:
            if !left.contains(.string) {
                if left == .dictionary {
                    return "Write \(b) IN \(a) for the values of a dictionary."
                }
                if left == .array { return "Write ANY \(a) \(relation) \(b)." }
                if left.isSubset(of: [.numbers, .date, .uuid, .url]) {
                    return "Write CAST(\(a), \"NSString\") \(relation) \(b)."
                }
                return "Compare it with ==, or keep texts as strings."
            }
            return "Write the text in quotes: \(a) \(relation) \"…\"."
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            if left == .array || left == .dictionary { return "Compare \(a).@count." }
            switch left {
            case .date: return "Write a date as date(\"2024-05-01T12:00:00Z\")."
            case .uuid: return "Write a UUID as uuid(\"…\")."
            case .url: return "Write a URL as url(\"…\")."
            case .data: return "Write data as data(\"…\"), in Base64."
            case .string: return "Write the text in quotes."
            default: break
            }
            return left.isSubset(of: .numbers)
                ? "Write the number without quotes." : "Compare values of one kind."
        }
    }

    private func refusal(
        _ message: String, of part: DataStorePredicate.Expression
    ) -> DataStoreError {
        var attribute: String?
        if case .path(let path) = part { attribute = path.components.first }
        return DataStoreError(
            .invalidRequest, in: operation, "“\(names.itemTypeKey)”: " + message,
            itemType: names.itemTypeKey, attribute: attribute)
    }
}

extension CustomStringConvertible {
    /// The text, shortened for a message.
    fileprivate var shortText: String {
        let text = description
        return text.count > 80 ? text.prefix(79) + "…" : text
    }
}
