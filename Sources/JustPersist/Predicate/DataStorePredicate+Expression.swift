extension DataStorePredicate {
    /// One side of a comparison, or a part of one.
    ///
    /// More cases may come with new releases, so a `switch` in another module needs a default.
    public enum Expression: Sendable, Hashable {
        /// A constant.
        case value(DataStoreValue)
        /// What the item has at a path.
        case path(AttributePath)
        /// How many elements the array or dictionary at a path has; null where there is neither.
        case count(AttributePath)
        /// An array of what its parts come to.
        case list([Expression])
        /// Written `$name`: the element that a ``subquery(_:variable:_:)`` looks at, or else a value that
        /// ``DataStorePredicate/substituting(_:)`` puts in its place.
        case variable(String)
        /// What is found at a path that begins at the value of an expression, as in `$x.score`.
        indirect case keyPath(of: Expression, AttributePath)
        /// What a function returns for its arguments.
        case function(Function, [Expression])
        /// Written with brackets: one element of an array, or the entry of a dictionary; null if there is none.
        indirect case element(of: Expression, Index)
        /// Written `SUBQUERY(collection, $x, predicate)`: the array of those elements of an array for which
        /// the predicate is true of `$x`; null where the collection is no array.
        ///
        /// In the predicate, a path without `$x` begins at the item, as in NSPredicate.
        indirect case subquery(Expression, variable: String, DataStorePredicate)
        /// Written `TERNARY(predicate, a, b)`: the first expression where the predicate is true, or else the second.
        indirect case ternary(DataStorePredicate, Expression, Expression)
        /// Written `CAST(x, "NSDate")`: a value as one of another class; null where it has no such form.
        indirect case cast(Expression, to: ValueClass)

        /// Whether the item fulfils a predicate, as a truth value to compare with another.
        public static func condition(_ predicate: DataStorePredicate) -> Expression {
            .ternary(predicate, .value(.bool(true)), .value(.bool(false)))
        }
    }

    /// Which element of a collection is meant.
    public indirect enum Index: Sendable, Hashable {
        /// Written `[FIRST]`: the first element of an array.
        case first
        /// Written `[LAST]`: the last element of an array.
        case last
        /// The element of an array at a whole number, counted from 0, or the entry of a dictionary under a string.
        case at(Expression)
    }

    /// The classes that values can be cast to; the raw value is the name in a format.
    ///
    /// NSPredicate's own rules for casts are not documented. Here null stays null, and so does everything that is not
    /// listed.
    public enum ValueClass: String, Sendable, Hashable, Codable, CaseIterable {
        /// A number of any kind, as it is; the number that a string spells; for a date, its seconds since 2001.
        case number = "NSNumber"
        /// A decimal: what a number is worth in digits, or the decimal that a string spells.
        case decimalNumber = "NSDecimalNumber"
        /// A string as it is; the digits of a number, where a truth value is 1 or 0; a date in ISO 8601; the text of
        /// a UUID or a URL.
        case string = "NSString"
        /// A date as it is; for a number, that many seconds since 2001; the date that a string has in ISO 8601.
        case date = "NSDate"
        /// A UUID as it is; the UUID that a string spells; the id in a reference.
        case uuid = "NSUUID"
    }

    /// Where a value is found: an attribute's name, and names in the dictionaries and references below.
    ///
    /// Through an array a path collects: `grades.score` is the array of the scores of all grades, with
    /// null for a grade without one. Where a path crosses a second array, all values are collected in
    /// one flat array. A name that is not there is null.
    public struct AttributePath: Sendable, Hashable, Codable {
        /// The names, outermost first.
        public let components: [String]

        /// The path of the given names.
        public init(_ components: [String]) { self.components = components }

        /// The path that leads to the item itself, as its id.
        ///
        /// A comparison with a path whose last name is this one compares ids: a UUID, a string that
        /// spells a UUID and a reference stand for the id on either side. Nowhere else does a string
        /// equal a UUID.
        public static let uniqueToken = AttributePath(["uniqueToken"])
    }
}

extension DataStorePredicate.Expression {
    /// The same in the one form that it is kept in: lists of nothing but values as one value, and paths below
    /// paths as one path.
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

    /// What is found under these names below the expression.
    func appending(_ names: [String]) -> Self {
        if names.isEmpty { return self }
        return switch self {
        case .path(let start): .path(.init(start.components + names))
        case .keyPath(of: let base, let start):
            .keyPath(of: base, .init(start.components + names))
        default: .keyPath(of: self, .init(names))
        }
    }

    /// How many elements the expression has.
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
    /// The path that a text with dots spells; empty names stay, and are a ``problem``.
    package init(dotted text: String) {
        self.init(text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    /// The names with dots between them.
    package var dotted: String { components.joined(separator: ".") }

    /// Whether a comparison with this path compares ids.
    var leadsToID: Bool { components.last == Self.uniqueToken.components.last }

    /// What is wrong with the path, if something is.
    var problem: String? {
        if components.isEmpty { return "A key path needs a name." }
        guard components.contains(where: \.isEmpty) else { return nil }
        return "The key path “\(dotted)” has an empty name; put a name before and after each dot."
    }
}
