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
        /// Of several forms that mean the same, one is kept: a list of nothing but values as one array value, and a
        /// path below a path as one path.
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
        /// Equal to an element of the array or a value of the dictionary on the right, or a part of the string on
        /// the right.
        case `in` = "IN"
        /// The array on the left has an element equal to the right, or the string has it as a part.
        case contains = "CONTAINS"
        /// The string on the left begins with the string on the right.
        case beginsWith = "BEGINSWITH"
        /// The string on the left ends with the string on the right.
        case endsWith = "ENDSWITH"
        /// The string on the left is like the pattern on the right, in which `*` stands for any number of characters and
        /// `?` for one.
        ///
        /// A backslash takes its meaning from the character behind it. A character is a Unicode scalar of the composed
        /// form, as the other operators compare strings; options fold both sides before they are compared. Takes time in proportion to
        /// the product of both lengths at most.
        case like = "LIKE"
        /// The whole string on the left matches the regular expression on the right.
        ///
        /// The syntax is that of `NSRegularExpression`, applied to the composed form of both strings. `[c]` is its option
        /// `caseInsensitive`; `[d]` takes the marks out of both strings. A search that takes more than a million steps,
        /// and 20 for each UTF-16 unit of the string, ends the evaluation with `.limitExceeded`.
        case matches = "MATCHES"
    }

    /// Whether the left of a comparison is compared whole or element by element.
    public enum Modifier: String, Sendable, Hashable, Codable, CaseIterable {
        /// The left is compared as it is.
        case direct
        /// True when one element of the array on the left fulfils the comparison; false for a left that
        /// is no array.
        case any
        /// True when no element of the array on the left fails the comparison: for an empty array too, and for null,
        /// which stands for an empty collection as in Core Data; false for any other left that is no array.
        case all
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
        /// Written `[n]`: the strings were prepared for the comparison, so nothing is folded, whatever else is asked for
        /// (NSComparisonPredicate, "normalized").
        public static let normalized = Options(rawValue: 4)
        /// Written `[w]`: CONTAINS, BEGINSWITH and ENDSWITH find whole characters only, as Swift's collections do.
        ///
        /// Without it a match may end inside a character: then `"\n"` is found in `"\r\n"`, and one flag in the middle of two
        /// others. The searches of a `#Predicate` have this option.
        public static let wholeCharacters = Options(rawValue: 8)

        /// What is folded before strings are compared.
        package var folding: Options {
            contains(.normalized)
                ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
        }
    }
}
