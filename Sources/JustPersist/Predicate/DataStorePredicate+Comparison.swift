extension DataStorePredicate {
    /// A relation between two expressions, such as `stars > 3` or `ANY tags ==[c] "thai"`.
    public struct Comparison: Sendable, Hashable, Codable {
        /// The expression on the left.
        public let left: Expression
        /// The relation.
        public let `operator`: Operator
        /// The expression on the right.
        public let right: Expression
        /// Whether the left is compared whole or element by element.
        public let modifier: Modifier
        /// How strings are compared.
        public let options: Options

        /// A comparison of two expressions.
        ///
        /// A list of nothing but values is kept as one array value, which means the same.
        public init(
            _ left: Expression, _ operator: Operator, _ right: Expression,
            modifier: Modifier = .direct, options: Options = []
        ) {
            self.left = left.folded
            self.operator = `operator`
            self.right = right.folded
            self.modifier = modifier
            self.options = options
        }

        /// Reads what `encode(to:)` writes.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try container.decode(Expression.self, forKey: .left),
                try container.decode(Operator.self, forKey: .operator),
                try container.decode(Expression.self, forKey: .right),
                modifier: try container.decode(Modifier.self, forKey: .modifier),
                options: try container.decode(Options.self, forKey: .options))
        }
    }

    /// The relation of a comparison; the raw value is its spelling in a format.
    public enum Operator: String, Sendable, Hashable, Codable, CaseIterable {
        /// Equal, as ``DataStoreValue/isEqual(to:)`` has it.
        case equal = "=="
        /// Not equal; true between values of other kinds.
        case notEqual = "!="
        /// Before, as ``DataStoreValue/order(against:)`` has it; false where values do not order.
        case less = "<"
        /// Before or the same; false where values do not order.
        case lessOrEqual = "<="
        /// After; false where values do not order.
        case greater = ">"
        /// After or the same; false where values do not order.
        case greaterOrEqual = ">="
        /// Between two bounds, both included; nothing is between reversed bounds.
        case between = "BETWEEN"
        /// Equal to an element of the array on the right, or a part of the string on the right.
        case `in` = "IN"
        /// The array on the left has an element equal to the right, or the string has it as a part.
        case contains = "CONTAINS"
        /// The string on the left begins with the string on the right.
        case beginsWith = "BEGINSWITH"
        /// The string on the left ends with the string on the right.
        case endsWith = "ENDSWITH"
    }

    /// Whether the left of a comparison is compared whole or element by element.
    public enum Modifier: String, Sendable, Hashable, Codable, CaseIterable {
        /// The left is compared as it is.
        case direct
        /// True when one element of the array on the left fulfils the comparison; false for a left that
        /// is no array.
        case any
    }

    /// How strings are compared; other values are not touched by these.
    public struct Options: OptionSet, Sendable, Hashable, Codable {
        /// The bits.
        public let rawValue: UInt8

        /// Options with the given bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Written `[c]`: case is folded, in no locale's way.
        ///
        /// "ß" equals "SS", "Σ" equals "ς", and "İ" does not equal "i".
        public static let caseInsensitive = Options(rawValue: 1)
        /// Written `[d]`: accents and other marks that combine with a letter are ignored, in no locale's way.
        public static let diacriticInsensitive = Options(rawValue: 2)
    }
}
