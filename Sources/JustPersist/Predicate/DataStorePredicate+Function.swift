extension DataStorePredicate {
    /// A function of values; the raw value is its name in NSExpression.
    ///
    /// The functions are those that NSExpression documents (`init(forFunction:arguments:)`), without the random ones.
    /// In a format, the arithmetic ones are written as operators, and the others by their names without the colon.
    ///
    /// Arithmetic has these rules. An argument that is null or not a number makes the result null, and so does a
    /// division of whole numbers or decimals by zero. Truth values count as 0 and 1. Whole numbers remain exact: in 64
    /// bits, or else as a decimal. A division of whole numbers drops the remainder, as in NSPredicate. A decimal
    /// remains a decimal, with up to 38 digits, in calculations with whole numbers and other decimals. If one of the
    /// numbers is a Double, or a decimal below 10⁻⁴⁰ or with more than 40 zeros at its end, the calculation uses
    /// Doubles.
    ///
    /// A function of a list takes one array, or several arguments that form the list. In ``sum``, ``average``,
    /// ``median``, ``mode`` and ``standardDeviation`` null counts as 0, and ``minimum`` and ``maximum`` ignore it, as
    /// the collection operators of key-value coding do (Key-Value Coding Programming Guide, "Using Collection
    /// Operators"). Any other value that is not a number makes these null.
    public enum Function: String, Sendable, Hashable, Codable, CaseIterable {
        /// Written `a + b`.
        case add = "add:to:"
        /// Written `a - b`.
        case subtract = "from:subtract:"
        /// Written `a * b`.
        case multiply = "multiply:by:"
        /// Written `a / b`.
        case divide = "divide:by:"
        /// Written `a ** b`: exact for whole numbers as long as the result fits into 64 bits, and a Double otherwise.
        case power = "raise:toPower:"
        /// The remainder of a division, with the sign of the first argument; of decimals as Doubles.
        case modulus = "modulus:by:"
        /// The sum of the numbers in a list; 0 for an empty one.
        case sum = "sum:"
        /// The number of elements of an array or a dictionary.
        case count = "count:"
        /// The least element of a list; null for an empty list, and if two elements have no order.
        case minimum = "min:"
        /// The greatest element of a list; null for an empty list, and if two elements have no order.
        case maximum = "max:"
        /// The mean of the numbers in a list, a Double or a Decimal; null for an empty list.
        case average = "average:"
        /// The number in the middle of a list, or the mean of the two; null for an empty list.
        case median = "median:"
        /// An array of the most frequent numbers in a list, in the order of their first occurrence.
        case mode = "mode:"
        /// The standard deviation of the numbers in a list as the whole population; null for an empty list.
        case standardDeviation = "stddev:"
        /// The square root, as a Double.
        case squareRoot = "sqrt:"
        /// The logarithm to the base 10, as a Double.
        case logarithm = "log:"
        /// The natural logarithm, as a Double.
        case naturalLogarithm = "ln:"
        /// The power of e, as a Double.
        case exponential = "exp:"
        /// The greatest whole number that is not greater.
        case floor = "floor:"
        /// The least whole number that is not less.
        case ceiling = "ceiling:"
        /// The number without its fraction.
        case truncate = "trunc:"
        /// The number without its sign.
        case absolute = "abs:"
        /// The string in upper case, independent of the locale.
        case uppercase = "uppercase:"
        /// The string in lower case, independent of the locale.
        case lowercase = "lowercase:"
        /// The number of characters of a string, as Swift counts them, or of bytes of data.
        case length = "length:"
        /// The time of the request, equal for all items and all occurrences.
        case now = "now"
        /// The distinct elements of an array; of several equal ones, the first.
        case distinct = "distinct:"
        /// The bits that are set in both whole numbers.
        case bitwiseAnd = "bitwiseAnd:with:"
        /// The bits that are set in at least one of two whole numbers.
        case bitwiseOr = "bitwiseOr:with:"
        /// The bits that are set in exactly one of two whole numbers.
        case bitwiseXor = "bitwiseXor:with:"
        /// A whole number with its bits shifted to the left; those beyond 64 are lost.
        case shiftLeft = "leftshift:by:"
        /// A whole number with its bits shifted to the right, keeping the sign.
        case shiftRight = "rightshift:by:"
        /// The bits that are not set in a whole number.
        case onesComplement = "onesComplement:"
    }
}

extension DataStorePredicate.Function {
    /// The name in a format.
    var word: String {
        let isOfOne = rawValue.hasSuffix(":") && rawValue.dropLast().allSatisfy { $0 != ":" }
        return isOfOne ? String(rawValue.dropLast()) : rawValue
    }

    /// The operator between the two arguments in a format.
    var sign: String? {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .power: "**"
        default: nil
        }
    }

    /// Whether it takes a list: one array, or the elements one by one.
    var takesList: Bool {
        switch self {
        case .sum, .minimum, .maximum, .average, .median, .mode, .standardDeviation: true
        default: false
        }
    }

    /// The fault of a number of arguments, if there is one.
    func problem(argumentCount count: Int) -> String? {
        if takesList { return count > 0 ? nil : "\(word)() needs a list or its elements." }
        let wanted = self == .now ? 0 : rawValue.count { $0 == ":" }
        let number = wanted == 1 ? "1 argument" : "\(wanted) arguments"
        return count == wanted ? nil : "\(word)() takes \(number), but has \(count)."
    }

    private static let byWord: [String: Self] = {
        let words = allCases.flatMap {
            [($0.word.lowercased(), $0), ($0.rawValue.lowercased(), $0)]
        }
        return Dictionary(words, uniquingKeysWith: { first, _ in first })
    }()

    /// The function of a name in a format or in NSExpression, in either case.
    init?(word: String) {
        guard let function = Self.byWord[word.lowercased()] else { return nil }
        self = function
    }
}
