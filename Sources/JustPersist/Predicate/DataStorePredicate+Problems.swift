extension DataStorePredicate.Comparison {
    /// What is wrong with the operands, whatever the attributes hold, if something is.
    var problem: String? {
        if self.operator == .between, right.bounds?.count ?? 2 != 2 {
            return "BETWEEN needs two bounds on its right, as in BETWEEN {1, 5}."
        }
        return canHold(left.ownKinds, right.ownKinds) ? nil : need(left.ownKinds) + "."
    }

    /// What the comparison needs, where its left side is of these kinds.
    func need(_ left: ValueKinds) -> String {
        lacksArray(left)
            ? "\(modifier == .any ? "ANY" : "ALL") needs an array"
            : "\(self.operator.rawValue) \(self.operator.operandText)"
    }

    /// Whether ANY or ALL stands before a side that is no array.
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
    /// The same where strings that spell an id, and references, stand for the id.
    fileprivate var withIDs: Self {
        isDisjoint(with: [.string, .reference]) ? self : union(.uuid)
    }
}

extension DataStorePredicate.Expression {
    /// The kinds of what the expression can come to, as far as it tells them by itself.
    ///
    /// A nil that is written is of every kind: no operator refuses it.
    var ownKinds: ValueKinds {
        switch self {
        case .value(let value): value.isNull ? .all : ValueKinds(value.kind)
        case .count: .int
        case .list: .array
        default: .all
        }
    }

    /// The kinds of the bounds for BETWEEN; `nil` if they are not written out.
    fileprivate var bounds: [ValueKinds]? {
        switch self {
        case .list(let parts): parts.map(\.ownKinds)
        case .value(.array(let values)):
            values.map { $0.isNull ? .all : ValueKinds($0.kind) }
        case .value: []
        default: nil
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
