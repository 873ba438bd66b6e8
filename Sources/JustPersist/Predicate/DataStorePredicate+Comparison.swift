extension DataStorePredicate {
    /// A relation between two expressions, such as `stars > 3` or `ANY tags ==[c] "thai"`.
    public struct Comparison: Sendable, Hashable, Codable {
        /// The expression on the left.
        public let left: Expression
        /// The relation.
        public let `operator`: Operator
        /// The expression on the right.
        public let right: Expression
        /// Whether the left side is compared whole or element by element.
        public let modifier: Modifier
        /// How strings are compared.
        public let options: Options

        /// A comparison of two expressions.
        ///
        /// Equivalent forms are normalised: a list of values becomes one array value, and a path below a path becomes
        /// one path.
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
        /// Equal, as defined by ``DataStoreValue/isEqual(to:)``.
        case equal = "=="
        /// Not equal; true between values of other kinds.
        case notEqual = "!="
        /// Before, as defined by ``DataStoreValue/order(against:)``; false for values without an order.
        case less = "<"
        /// Before or equal; false for values without an order.
        case lessOrEqual = "<="
        /// After; false for values without an order.
        case greater = ">"
        /// After or equal; false for values without an order.
        case greaterOrEqual = ">="
        /// Between two bounds, both included; nothing is between reversed bounds.
        case between = "BETWEEN"
        /// Equal to an element of the array or a value of the dictionary on the right, or a part of the string on
        /// the right.
        case `in` = "IN"
        /// The array on the left has an element equal to the right, or the string on the left contains the right.
        case contains = "CONTAINS"
        /// The string on the left begins with the string on the right.
        case beginsWith = "BEGINSWITH"
        /// The string on the left ends with the string on the right.
        case endsWith = "ENDSWITH"
        /// The string on the left matches the pattern on the right, in which `*` stands for any number of characters
        /// and `?` for one.
        ///
        /// A backslash escapes the character after it. A character is a Unicode scalar of the composed form, as the
        /// other operators compare strings; options fold both sides before they are compared. The time is at most
        /// proportional to the product of both lengths.
        case like = "LIKE"
        /// The whole string on the left matches the regular expression on the right.
        ///
        /// The syntax is that of `NSRegularExpression`, applied to the composed form of both strings. `[c]` is its
        /// option `caseInsensitive`; `[d]` removes the marks from both strings. A search that takes more than a
        /// million steps, and 20 for each UTF-16 unit of the string, ends the evaluation with `.limitExceeded`.
        case matches = "MATCHES"
    }

    /// Whether the left side of a comparison is compared whole or element by element.
    public enum Modifier: String, Sendable, Hashable, Codable, CaseIterable {
        /// The left is compared as it is.
        case direct
        /// True if one element of the array on the left fulfils the comparison; false if the left side is not an
        /// array.
        case any
        /// True if every element of the array on the left fulfils the comparison. True for an empty array, and for
        /// null, which represents an empty collection as in Core Data; false for any other left side that is not an
        /// array.
        case all
    }

    /// How strings are compared; other values are not affected.
    public struct Options: OptionSet, Sendable, Hashable, Codable {
        /// The bits.
        public let rawValue: UInt8

        /// Options with the given bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Written `[c]`: case is folded, independent of the locale.
        ///
        /// "ß" equals "SS", "Σ" equals "ς", and "İ" does not equal "i".
        public static let caseInsensitive = Options(rawValue: 1)
        /// Written `[d]`: accents and other marks that combine with a letter are ignored, independent of the locale.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// Written `[n]`: the strings were prepared for the comparison, so nothing is folded, even with other options
        /// (NSComparisonPredicate, "normalized").
        public static let normalized = Options(rawValue: 4)
        /// Written `[w]`: CONTAINS, BEGINSWITH and ENDSWITH find whole characters only, as Swift's collections do.
        ///
        /// Without it a match may end inside a character: `"\n"` is then found in `"\r\n"`, and a flag between two
        /// others. The searches of a `#Predicate` have this option.
        public static let wholeCharacters = Options(rawValue: 8)

        /// The folding of strings before a comparison.
        package var folding: Options {
            contains(.normalized)
                ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
        }
    }
}
