/// The results of converting the expressions of a `#Predicate`: conditions that may have no result, and operands.
///
/// Foundation's evaluation throws where a forced unwrap finds nil, a forced cast another type or an index no element.
/// For such an item a condition is neither true nor false, and the item does not match, independent of the surrounding
/// expression. A condition is therefore kept as two predicates, one for each result.
extension PredicateConversion {
    /// True, false, or neither.
    struct Condition {
        /// The items for which it is true.
        let holds: DataStorePredicate
        /// The items for which it is false; `nil` for all others.
        private let failing: DataStorePredicate?

        /// A condition that is true or false for every item.
        init(_ holds: DataStorePredicate) { self.init(holds, else: nil) }

        /// A condition that is neither true nor false for some items; `nil` for `else` means that there are none.
        init(_ holds: DataStorePredicate, else fails: DataStorePredicate?) {
            self.holds = holds
            failing = fails
        }

        /// A condition that is true for some of the items for which another one is defined, and false for the rest.
        init(_ holds: DataStorePredicate, where defined: DataStorePredicate) {
            if defined == .constant(true) {
                self.init(holds)
            } else {
                self.init(
                    .both(defined, holds), else: .both(defined, holds.negated))
            }
        }

        /// Whether it is defined for every item.
        var isTotal: Bool { failing == nil }
        /// The items for which it is false.
        var fails: DataStorePredicate { failing ?? holds.negated }
        /// The items for which it is defined.
        var defined: DataStorePredicate { isTotal ? .constant(true) : .either(holds, fails) }

        /// The number of its comparisons and evaluations, or a number that is not less than the limit.
        func size(upTo limit: Int) -> Int {
            var (open, size) = ([holds] + (failing.map { [$0] } ?? []), 0)
            while size < limit, let part = open.popLast() {
                switch part {
                case .constant: break
                case .comparison, .evaluated: size += 1
                case .not(let part): open.append(part)
                case .and(let parts), .or(let parts): open += parts
                }
            }
            return size
        }

        static prefix func ! (condition: Self) -> Self {
            condition.isTotal
                ? Self(condition.holds.negated) : Self(condition.fails, else: condition.holds)
        }

        /// The second is evaluated only if the first is true.
        static func && (first: Self, second: Self) -> Self {
            let both = DataStorePredicate.both(first.holds, second.holds)
            if first.isTotal, second.isTotal { return Self(both) }
            return Self(both, else: .either(first.fails, .both(first.holds, second.fails)))
        }

        /// The second is evaluated only if the first is false.
        static func || (first: Self, second: Self) -> Self {
            if first.isTotal, second.isTotal { return Self(.either(first.holds, second.holds)) }
            return Self(
                .either(first.holds, .both(first.fails, second.holds)),
                else: .both(first.fails, second.fails))
        }

        /// One condition if a test is true, and another if it is false.
        static func choice(_ test: Self, _ first: Self, _ second: Self) -> Self {
            switch test.holds {
            case .constant(true): return first
            case .constant(false) where test.isTotal: return second
            default: break
            }
            if test.isTotal, first.isTotal, second.isTotal, first.holds == second.holds {
                return first
            }
            let holds = DataStorePredicate.either(
                .both(test.holds, first.holds), .both(test.fails, second.holds))
            if test.isTotal, first.isTotal, second.isTotal { return Self(holds) }
            return Self(
                holds,
                else: .either(.both(test.holds, first.fails), .both(test.fails, second.fails)))
        }
    }

    /// A value.
    indirect enum Operand {
        /// The value of an expression for items that match a predicate; no value for others.
        case plain(Expression, where: DataStorePredicate)
        /// True or false.
        case condition(Condition)
        /// One operand if a test is true, and another if it is false.
        case choice(Condition, Operand, Operand)

        static func plain(_ expression: Expression) -> Self {
            .plain(expression, where: .constant(true))
        }

        /// The value, if it is constant.
        var constant: DataStoreValue? {
            switch self {
            case .plain(.value(let value), where: .constant(true)): value
            case .condition(let condition) where condition.isTotal:
                if case .constant(let value) = condition.holds { .bool(value) } else { nil }
            default: nil
            }
        }

        /// The value as one expression, and the items that have it.
        var expression: (Expression, where: DataStorePredicate) {
            switch self {
            case .plain(let expression, let defined): return (expression, defined)
            case .condition(let condition):
                if let constant { return (.value(constant), .constant(true)) }
                return (.condition(condition.holds), condition.defined)
            case .choice(let test, let first, let second):
                let (first, firstDefined) = first.expression
                let (second, secondDefined) = second.expression
                let defined = Condition.choice(
                    test, Condition(firstDefined), Condition(secondDefined))
                return (.ternary(test.holds, first, second), .both(test.defined, defined.holds))
            }
        }

        /// The operand with each of its expressions replaced.
        func map<Failure: Error>(
            _ transform: (Expression) throws(Failure) -> Expression
        ) throws(Failure) -> Self {
            switch self {
            case .plain(let expression, let defined):
                return .plain(try transform(expression), where: defined)
            case .condition:
                let (expression, defined) = expression
                return .plain(try transform(expression), where: defined)
            case .choice(let test, let first, let second):
                return .choice(test, try first.map(transform), try second.map(transform))
            }
        }

        /// Whether it is nil.
        var isNull: Condition {
            switch self {
            case .plain(.value(let value), let defined):
                Condition(.constant(value.isNull), where: defined)
            case .plain(let expression, let defined):
                Condition(.isNull(expression), where: defined)
            case .condition(let condition):
                Condition(.constant(false), where: condition.defined)
            case .choice(let test, let first, let second):
                .choice(test, first.isNull, second.isNull)
            }
        }

        /// The value, if it is not nil.
        var unwrapped: Self {
            switch self {
            case .plain(.value(let value), let defined):
                .plain(.value(value), where: value.isNull ? .constant(false) : defined)
            case .plain(let expression, let defined):
                .plain(expression, where: .both(defined, .isNull(expression).negated))
            case .condition: self
            case .choice(let test, let first, let second):
                .choice(test, first.unwrapped, second.unwrapped)
            }
        }

        /// The value, or another if it is nil.
        func coalesced(with other: Self) -> Self {
            switch self {
            case .plain(.value(let value), where: .constant(true)):
                value.isNull ? other : self
            case .plain: .choice(isNull, other, self)
            case .condition: self
            case .choice(let test, let first, let second):
                .choice(test, first.coalesced(with: other), second.coalesced(with: other))
            }
        }

        /// A truth value as a condition.
        var asCondition: Condition {
            switch self {
            case .condition(let condition): condition
            case .plain(.value(let value), let defined):
                Condition(.constant(value == .bool(true)), where: defined)
            case .plain(let expression, let defined):
                Condition(
                    .comparison(.init(expression, .equal, .value(.bool(true)))), where: defined)
            case .choice(let test, let first, let second):
                .choice(test, first.asCondition, second.asCondition)
            }
        }
    }

    /// The result of converting an expression.
    enum Term {
        /// The item itself.
        case item
        /// A value.
        case operand(Operand)
    }
}

/// The predicate without parts that do not affect the result.
extension DataStorePredicate {
    static func isNull(_ expression: Expression) -> Self {
        .comparison(Comparison(expression, .equal, .value(.null)))
    }

    static func both(_ first: Self, _ second: Self) -> Self {
        switch (first, second) {
        case (.constant(true), let other), (let other, .constant(true)): other
        case (.constant(false), _), (_, .constant(false)): .constant(false)
        default: first == second ? first : first && second
        }
    }

    static func either(_ first: Self, _ second: Self) -> Self {
        switch (first, second) {
        case (.constant(false), let other), (let other, .constant(false)): other
        case (.constant(true), _), (_, .constant(true)): .constant(true)
        default: first == second ? first : first || second
        }
    }

    var negated: Self {
        switch self {
        case .constant(let value): .constant(!value)
        case .not(let part): part
        case .evaluated(let evaluation): .evaluated(evaluation.opposite)
        default: .not(self)
        }
    }
}
