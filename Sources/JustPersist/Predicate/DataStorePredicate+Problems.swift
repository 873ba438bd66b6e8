extension DataStorePredicate.Comparison {
    /// What is wrong with the operands, if something is.
    var problem: String? {
        let name = self.operator.rawValue
        switch self.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: return nil
        case .between:
            let bounds: Int? =
                switch right {
                case .list(let parts): parts.count
                case .value(.array(let values)): values.count
                case .value: 0
                default: nil
                }
            return bounds ?? 2 == 2
                ? nil : "BETWEEN needs two bounds on its right, as in BETWEEN {1, 5}."
        case .in:
            return right.mayBe([.array, .dictionary, .string])
                ? nil : "IN needs a list on its right, as in IN {1, 2}, or a key path or a string."
        case .contains:
            return left.mayBe([.array, .string]) || modifier != .direct
                ? nil : "CONTAINS needs a string, a list or a key path on its left."
        case .beginsWith, .endsWith, .like, .matches:
            return right.mayBe([.string, .null])
                && (left.mayBe([.string, .null]) || modifier != .direct)
                ? nil : "\(name) needs strings or key paths on both sides."
        }
    }
}

extension DataStorePredicate.Expression {
    /// Whether the expression can come to a value of one of the kinds.
    fileprivate func mayBe(_ kinds: Set<DataStoreValue.Kind>) -> Bool {
        switch self {
        case .value(let value): kinds.contains(value.kind)
        case .count: kinds.contains(.int)
        case .list: kinds.contains(.array)
        default: true
        }
    }

    /// What is wrong with this expression, its parts aside, if something is.
    var problem: String? {
        switch self {
        case .path(let path), .count(let path), .keyPath(of: _, let path): path.problem
        case .function(let function, let arguments):
            function.problem(argumentCount: arguments.count)
        case .variable(let name): Self.problem(ofVariable: name)
        case .subquery(_, let variable, _): Self.problem(ofVariable: variable)
        default: nil
        }
    }

    static func problem(ofVariable name: String) -> String? {
        name.isBareName
            ? nil : "“\(name)” cannot name a variable; use letters, digits and underscores."
    }
}
