/// The kinds of values that an operand may have.
///
/// Null is not among them: every operand may be null, and a comparison that only null fulfils is not refused because
/// of it.
package struct ValueKinds: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package init(_ kind: DataStoreValue.Kind) {
        rawValue = kind == .null ? 0 : 1 << UInt16(kind.rawValue)
    }

    /// These kinds; all kinds if there are none, as in a declaration.
    package init(declared kinds: Set<DataStoreValue.Kind>) {
        self = kinds.isEmpty ? .all : kinds.reduce(into: []) { $0.formUnion(Self($1)) }
    }

    static let bool = Self(.bool)
    static let int = Self(.int)
    static let double = Self(.double)
    static let string = Self(.string)
    static let date = Self(.date)
    static let data = Self(.data)
    static let uuid = Self(.uuid)
    static let decimal = Self(.decimal)
    static let url = Self(.url)
    static let reference = Self(.reference)
    static let array = Self(.array)
    static let dictionary = Self(.dictionary)

    static let numbers: Self = [.bool, .int, .double, .decimal]
    static let all = DataStoreValue.Kind.allCases.reduce(into: Self()) { $0.formUnion(Self($1)) }

    /// The kinds in the order of their declaration.
    var list: [DataStoreValue.Kind] {
        DataStoreValue.Kind.allCases.filter { $0 != .null && contains(Self($0)) }
    }

    /// The kinds in an error message.
    var text: String { list.map { "\($0)" }.joined(separator: " or ") }
}

// MARK: Operators: the table of operands that are not refused

extension DataStorePredicate.Operator {
    /// The kinds of operands for which the operator can be true: a row for each pair of left and right sides.
    ///
    /// For BETWEEN, each bound is a right side.
    var operandKinds: [(left: ValueKinds, right: ValueKinds)] {
        switch self {
        case .equal, .notEqual: [(.all, .all)]
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            [
                (.numbers, .numbers), (.string, .string), (.date, .date), (.data, .data),
                (.uuid, .uuid), (.url, .url),
            ]
        case .in: [(.all, [.array, .dictionary]), (.string, .string)]
        case .contains: [(.array, .all), (.string, .string)]
        case .beginsWith, .endsWith, .like, .matches: [(.string, .string)]
        }
    }

    /// Whether the operator can be true of operands of these kinds.
    ///
    /// An order comparison is refused only if the kinds of both sides are known; for other operators one side is
    /// enough.
    func canHold(_ left: ValueKinds, _ right: ValueKinds) -> Bool {
        let rows = operandKinds
        if rows.count > 2, left == .all || right == .all { return true }
        return rows.contains {
            !$0.left.isDisjoint(with: left) && !$0.right.isDisjoint(with: right)
        }
    }

    /// The operands that the operator accepts, in an error message.
    var operandText: String {
        switch self {
        case .equal, .notEqual: "takes any values"
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            "orders numbers, strings, dates, data, UUIDs and URLs, each among themselves"
        case .in: "needs a list on its right, as in IN {1, 2}, or a key path or a string"
        case .contains: "needs a string, a list or a key path on its left"
        case .beginsWith, .endsWith, .like, .matches: "needs strings or key paths on both sides"
        }
    }
}

// MARK: Functions

extension DataStorePredicate.Function {
    /// The kinds that an argument must have for the function to have a value.
    ///
    /// A function of a list takes an array as its only argument, and otherwise the elements.
    func argumentKinds(of count: Int) -> ValueKinds {
        switch self {
        case .minimum, .maximum: count == 1 ? .array : .all
        case .sum, .average, .median, .mode, .standardDeviation: count == 1 ? .array : .numbers
        case .count: [.array, .dictionary]
        case .distinct: .array
        case .uppercase, .lowercase: .string
        case .length: [.string, .data]
        case .now: .all
        default: .numbers
        }
    }

    /// The kinds of the function's results.
    var resultKinds: ValueKinds {
        switch self {
        case .minimum, .maximum: .all
        case .mode, .distinct: .array
        case .count, .length: .int
        case .uppercase, .lowercase: .string
        case .now: .date
        default: .numbers
        }
    }
}

extension DataStorePredicate.ValueClass {
    /// The kinds that can be cast to the class, and the kinds of the results.
    var kinds: (from: ValueKinds, to: ValueKinds) {
        switch self {
        case .number: ([.numbers, .string, .date], .numbers)
        case .decimalNumber: ([.numbers, .string], .decimal)
        case .string: ([.numbers, .string, .date, .uuid, .url], .string)
        case .date: ([.numbers, .string, .date], .date)
        case .uuid: ([.uuid, .string, .reference], .uuid)
        }
    }
}
