/// The cases of an enum, and their stored forms.
struct EnumCases {
    /// The stored forms of the cases, in their order.
    let stored: [DataStoreValue]
    private let cases: [any Equatable]

    /// The cases of a type; `nil` if it is not an enum, or cannot be stored.
    init?<Value: CaseIterable & Equatable>(of type: Value.Type) {
        let cases = Array(type.allCases)
        guard Self.isEnum(type) else { return nil }
        var stored: [DataStoreValue] = []
        for value in cases {
            guard let value = try? DataStoreValue(attributeValue: value) else { return nil }
            stored.append(value)
        }
        self.cases = cases
        self.stored = stored
    }

    /// Whether the listed cases of a type are those of an enum, and so all of its values.
    static func isEnum(_ type: any CaseIterable.Type) -> Bool {
        func first<Value: CaseIterable>(_ type: Value.Type) -> Any? { type.allCases.first }
        return first(type).map { Mirror(reflecting: $0).displayStyle == .enum } ?? false
    }

    /// Whether a relation holds for two cases, by the type's own rule.
    func relate(_ left: Int, _ relation: DataStorePredicate.Operator, _ right: Int) -> Bool {
        func areEqual<Value: Equatable>(_ left: Value) -> Bool { cases[right] as? Value == left }
        func isBefore<Value: Comparable>(_ left: Value, orEqual: Bool) -> Bool {
            guard let right = cases[right] as? Value else { return false }
            return orEqual ? left <= right : left < right
        }
        switch relation {
        case .equal: return areEqual(cases[left])
        case .less, .lessOrEqual:
            guard let value = cases[left] as? any Comparable else { return false }
            return isBefore(value, orEqual: relation == .lessOrEqual)
        case .greater: return relate(right, .less, left)
        case .greaterOrEqual: return relate(right, .lessOrEqual, left)
        default: return false
        }
    }

    /// The stored forms of the cases for which a relation to one case holds.
    func values(_ relation: DataStorePredicate.Operator, _ place: Int) -> [DataStoreValue] {
        stored.indices.filter { relate($0, relation, place) }.map { stored[$0] }
    }

    /// Whether a relation to one case holds for the stored forms exactly if it holds for the cases.
    func agree(_ relation: DataStorePredicate.Operator, with place: Int) -> Bool {
        let constant = DataStorePredicate.Expression.value(stored[place])
        let matching = try? stored.filter { value in
            try PreparedComparison(.init(.value(value), relation, constant)).matches(left: value)
        }
        return values(relation, place) == matching
    }
}
