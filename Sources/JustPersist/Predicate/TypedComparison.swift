/// The comparison of a Swift type's values in a typed predicate, which has only their stored forms.
///
/// An enum that lists its cases may compare by any rule: the rule is evaluated for each case, and the predicate lists
/// the cases that fulfil it. Other types of the program are refused.
struct TypedComparison {
    typealias Expression = DataStorePredicate.Expression
    typealias Operator = DataStorePredicate.Operator

    private enum Rule {
        case asStored
        case byCase(EnumCases)
        case unknown
    }

    private let type: Any.Type
    private let rule: Rule
    private let itemType: String

    /// Comparisons of values of a type, or of its optional, for items of the type with that key.
    init(of type: Any.Type, itemType: String) {
        let type = (type as? any OptionalValue.Type)?.wrappedType ?? type
        self.type = type
        self.itemType = itemType
        if type is any ComparedAsStored.Type {
            rule = .asStored
        } else if let listed = type as? any (CaseIterable & Equatable).Type {
            rule = EnumCases(of: listed).map { .byCase($0) } ?? .unknown
        } else {
            rule = .unknown
        }
    }

    /// A relation of two values: of equality or of order.
    func comparison(
        _ left: Expression, _ relation: Operator, _ right: Expression
    ) throws(DataStoreError) -> DataStorePredicate {
        let plain = DataStorePredicate.comparison(.init(left, relation, right))
        // For any type, nil is the missing value.
        if left == .value(.null) || right == .value(.null) { return plain }
        switch rule {
        case .asStored: return plain
        case .unknown: throw refusal(left, right)
        case .byCase(let cases):
            if relation == .notEqual {
                let equal = try comparison(left, .equal, right)
                return equal == .comparison(.init(left, .equal, right)) ? plain : !equal
            }
            switch (left, right) {
            case (.value(let first), .value(let second)):
                return .constant(
                    cases.relate(
                        try place(of: first, left, right), relation,
                        try place(of: second, left, right)))
            case (let operand, .value(let constant)):
                let place = try place(of: constant, left, right)
                return cases.agree(relation, with: place)
                    ? plain : operand.isOne(of: cases.values(relation, place))
            case (.value(let constant), let operand):
                let place = try place(of: constant, left, right)
                return cases.agree(relation.turned, with: place)
                    ? plain : operand.isOne(of: cases.values(relation.turned, place))
            default:
                guard cases.stored.indices.allSatisfy({ cases.agree(relation, with: $0) }) else {
                    throw refusal(left, right)
                }
                return plain
            }
        }
    }

    /// Whether a value is in a list; `plain` is the condition on the stored forms.
    func membership(
        of element: Expression, in list: Expression, _ plain: DataStorePredicate
    ) throws(DataStoreError) -> DataStorePredicate {
        switch (rule, element, list) {
        case (.asStored, _, _), (_, .value(.null), _): return plain
        case (.byCase(let cases), .value(let constant), _):
            let equal = cases.values(.equal, try place(of: constant, element, list))
            return equal == [constant]
                ? plain : .or(equal.map { .comparison(.init(.value($0), .in, list)) })
        case (.byCase(let cases), _, .value(.array(let constants))):
            var equal: [DataStoreValue] = []
            for constant in constants {
                equal +=
                    constant.isNull
                    ? [.null] : cases.values(.equal, try place(of: constant, element, list))
            }
            return Set(equal) == Set(constants) ? plain : element.isOne(of: equal)
        default: throw refusal(element, list)
        }
    }

    /// The index of the case that equals a constant.
    private func place(
        of constant: DataStoreValue, _ left: Expression, _ right: Expression
    ) throws(DataStoreError) -> Int {
        guard case .byCase(let cases) = rule, let place = cases.stored.firstIndex(of: constant)
        else { throw refusal(left, right) }
        return place
    }

    private func refusal(_ left: Expression, _ right: Expression) -> DataStoreError {
        let name = left.attributeName ?? right.attributeName
        return DataStoreError(
            .unsupported, in: "predicate",
            """
            “\(name ?? "The value")” of “\(itemType)” is compared as \(type), which may compare by a rule of its own, and a \
            store sees only what is stored for it. Fetch the items and filter them in Swift; or, for an enum, let it \
            be CaseIterable; or compare what is stored, with DataStorePredicate's format.
            """, itemType: itemType, attribute: name)
    }
}

extension DataStorePredicate.Expression {
    fileprivate func isOne(of values: [DataStoreValue]) -> DataStorePredicate {
        .comparison(.init(self, .in, .value(.array(values))))
    }

    /// The attribute at the beginning of the path.
    fileprivate var attributeName: String? {
        switch self {
        case .path(let path), .count(let path): path.components.first
        default: nil
        }
    }
}

extension DataStorePredicate.Operator {
    /// The relation with exchanged sides.
    fileprivate var turned: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
