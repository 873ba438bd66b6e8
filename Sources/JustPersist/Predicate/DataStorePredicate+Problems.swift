extension DataStorePredicate.Comparison {
    /// The fault of the operands that does not depend on the attributes, if there is one.
    var problem: String? {
        if self.operator == .between, right.bounds?.count ?? 2 != 2 {
            return "BETWEEN needs two bounds on its right, as in BETWEEN {1, 5}."
        }
        return canHold(left.ownKinds, right.ownKinds) ? nil : need(left.ownKinds) + "."
    }

    /// The requirement of the comparison, for a left side of these kinds.
    func need(_ left: ValueKinds) -> String {
        lacksArray(left)
            ? "\(modifier == .any ? "ANY" : "ALL") needs an array"
            : "\(self.operator.rawValue) \(self.operator.operandText)"
    }

    /// Whether ANY or ALL applies to a side that is not an array.
    func lacksArray(_ left: ValueKinds) -> Bool { modifier != .direct && !left.contains(.array) }

    /// Whether the comparison can be true of operands of these kinds.
    func canHold(_ left: ValueKinds, _ right: ValueKinds) -> Bool {
        var (left, right) = (left, right)
        if lacksArray(left) { return false }
        if modifier != .direct { left = .all }
        if self.operator != .matches, self.left.leadsToID || self.right.leadsToID {
            (left, right) = (left.withIDs, right.withIDs)
        }
        guard self.operator == .between else { return self.operator.canHold(left, right) }
        guard let bounds = self.right.bounds else { return right.contains(.array) }
        return bounds.allSatisfy { self.operator.canHold(left, $0) }
    }
}

extension ValueKinds {
    /// The kinds, with strings and references if they can represent an id.
    fileprivate var withIDs: Self {
        isDisjoint(with: [.string, .reference]) ? self : union(.uuid)
    }
}

extension DataStorePredicate.Expression {
    /// The kinds of the expression's values, as far as the expression alone determines them.
    ///
    /// A literal nil is of every kind: no operator refuses it.
    var ownKinds: ValueKinds {
        switch self {
        case .value(let value): value.isNull ? .all : ValueKinds(value.kind)
        case .count: .int
        case .list: .array
        default: .all
        }
    }

    /// The kinds of the bounds for BETWEEN; `nil` if they are not literal.
    fileprivate var bounds: [ValueKinds]? {
        switch self {
        case .list(let parts): parts.map(\.ownKinds)
        case .value(.array(let values)):
            values.map { $0.isNull ? .all : ValueKinds($0.kind) }
        case .value: []
        default: nil
        }
    }

    /// The fault of this expression, apart from its parts, if there is one.
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
