extension DataStorePredicate {
    /// One side of a comparison, or a part of one.
    ///
    /// New releases may add cases, so a `switch` in another module needs a default.
    public enum Expression: Sendable, Hashable {
        /// A constant.
        case value(DataStoreValue)
        /// The item's value at a path.
        case path(AttributePath)
        /// The number of elements of the array or dictionary at a path; null for any other value.
        case count(AttributePath)
        /// An array of the values of its parts.
        case list([Expression])
        /// Written `$name`: the present element of a ``subquery(_:variable:_:)``, or else a value from
        /// ``DataStorePredicate/substituting(_:)``.
        case variable(String)
        /// The value at a path that begins at the value of an expression, as in `$x.score`.
        indirect case keyPath(of: Expression, AttributePath)
        /// The result of a function for its arguments.
        case function(Function, [Expression])
        /// Written with brackets: one element of an array, or the entry of a dictionary; null if there is none.
        indirect case element(of: Expression, Index)
        /// Written `SUBQUERY(collection, $x, predicate)`: the array of those elements of an array for which the
        /// predicate is true of `$x`; null if the collection is not an array.
        ///
        /// In the predicate, a path without `$x` begins at the item, as in NSPredicate.
        indirect case subquery(Expression, variable: String, DataStorePredicate)
        /// Written `TERNARY(predicate, a, b)`: the first expression if the predicate is true, or else the second.
        indirect case ternary(DataStorePredicate, Expression, Expression)
        /// Written `CAST(x, "NSDate")`: a value converted to another class; null if the conversion is not defined.
        indirect case cast(Expression, to: ValueClass)

        /// The result of a predicate for the item, as a truth value to compare with another.
        public static func condition(_ predicate: DataStorePredicate) -> Expression {
            .ternary(predicate, .value(.bool(true)), .value(.bool(false)))
        }
    }

    /// The index of an element in a collection.
    public indirect enum Index: Sendable, Hashable {
        /// Written `[FIRST]`: the first element of an array.
        case first
        /// Written `[LAST]`: the last element of an array.
        case last
        /// The element of an array at a whole number, counted from 0, or the entry of a dictionary for a string.
        case at(Expression)
    }

    /// The classes that values can be cast to; the raw value is the name in a format.
    ///
    /// NSPredicate's rules for casts are not documented. Here, null remains null, and every conversion that is not
    /// listed gives null.
    public enum ValueClass: String, Sendable, Hashable, Codable, CaseIterable {
        /// A number of any kind, unchanged; the number that a string contains; for a date, its seconds since 2001.
        case number = "NSNumber"
        /// A decimal: the decimal digits of a number, or the decimal that a string contains.
        case decimalNumber = "NSDecimalNumber"
        /// A string, unchanged; the digits of a number, with truth values as 1 and 0; a date in ISO 8601; the text of
        /// a UUID or a URL.
        case string = "NSString"
        /// A date, unchanged; for a number, that many seconds since 2001; for a string, the date in ISO 8601.
        case date = "NSDate"
        /// A UUID, unchanged; the UUID that a string contains; the id in a reference.
        case uuid = "NSUUID"
    }

    /// The path to a value: an attribute's name, and names in the dictionaries and referenced items below it.
    ///
    /// A path through an array collects: `grades.score` is the array of the scores of all grades, with null for a
    /// grade without one. If a path crosses a second array, all values are collected in one flat array. A missing name
    /// gives null.
    public struct AttributePath: Sendable, Hashable, Codable {
        /// The names, outermost first.
        public let components: [String]

        /// The path of the given names.
        public init(_ components: [String]) { self.components = components }

        /// The path that leads to the item itself, as its id.
        ///
        /// A comparison with a path whose last name is this one compares ids: a UUID, a string that contains a UUID
        /// and a reference represent the id on either side. Only here does a string equal a UUID.
        public static let uniqueToken = AttributePath(["uniqueToken"])
    }
}

extension DataStorePredicate.Expression {
    /// The expression in its normal form: a list of values as one value, and a path below a path as one path.
    var folded: Self {
        switch self {
        case .value, .path, .count, .variable: return self
        case .list(let parts):
            var values: [DataStoreValue] = []
            let foldedParts = parts.map(\.folded)
            for part in foldedParts {
                guard case .value(let value) = part else { return .list(foldedParts) }
                values.append(value)
            }
            return .value(.array(values))
        case .keyPath(of: let base, let path): return base.folded.appending(path.components)
        case .function(let function, let arguments):
            return .function(function, arguments.map(\.folded))
        case .element(of: let base, let index): return .element(of: base.folded, index.folded)
        case .subquery(let collection, let variable, let predicate):
            return .subquery(collection.folded, variable: variable, predicate)
        case .ternary(let predicate, let first, let second):
            return .ternary(predicate, first.folded, second.folded)
        case .cast(let inner, let valueClass): return .cast(inner.folded, to: valueClass)
        }
    }

    /// The value under these names below the expression.
    func appending(_ names: [String]) -> Self {
        if names.isEmpty { return self }
        return switch self {
        case .path(let start): .path(.init(start.components + names))
        case .keyPath(of: let base, let start):
            .keyPath(of: base, .init(start.components + names))
        default: .keyPath(of: self, .init(names))
        }
    }

    /// The number of elements of the expression.
    var counted: Self {
        if case .path(let path) = self { .count(path) } else { .function(.count, [self]) }
    }

    /// Whether a comparison with this expression compares ids.
    var leadsToID: Bool {
        switch self {
        case .path(let path), .keyPath(of: _, let path): path.leadsToID
        default: false
        }
    }
}

extension DataStorePredicate.Index {
    fileprivate var folded: Self {
        if case .at(let place) = self { .at(place.folded) } else { self }
    }
}

extension DataStorePredicate.AttributePath {
    /// The path of a text with dots; empty names are kept, and are a ``problem``.
    package init(dotted text: String) {
        self.init(text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    /// The names with dots between them.
    package var dotted: String { components.joined(separator: ".") }

    /// Whether a comparison with this path compares ids.
    var leadsToID: Bool { components.last == Self.uniqueToken.components.last }

    /// The fault of the path, if there is one.
    var problem: String? {
        if components.isEmpty { return "A key path needs a name." }
        guard components.contains(where: \.isEmpty) else { return nil }
        return "The key path “\(dotted)” has an empty name; put a name before and after each dot."
    }
}
