extension DataStorePredicate {
    /// The predicate that a text in `NSPredicate`'s language describes.
    ///
    /// ```swift
    /// try DataStorePredicate("stars > %d AND (name CONTAINS[cd] %@ OR ANY tags IN %@)", 3, "cafe", tags)
    /// ```
    ///
    /// - Logic: `AND` `&&`, `OR` `||`, `NOT` `!`, parentheses, `TRUEPREDICATE`, `FALSEPREDICATE`.
    /// - Operators: `==` `=`, `!=` `<>`, `<`, `<=` `=<`, `>`, `>=` `=>`, `BETWEEN {a, b}`, `IN`,
    ///   `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, each with `[c]`, `[d]` or `[cd]`; `ANY` or `SOME` before a
    ///   comparison. `IN` and `CONTAINS` test for a part of a string or for an element of an array, by
    ///   what they find (Predicate Programming Guide, "BNF Definition of Cocoa Predicates").
    /// - Values: `nil` `NULL`, `TRUE` `YES`, `FALSE` `NO`, decimal numbers, strings in single or double
    ///   quotes, lists in braces. In a string a backslash makes a newline, a return, a tab or NUL of
    ///   `n`, `r`, `t` and `0`, takes four hexadecimal digits behind `u` and eight behind `U`, and
    ///   otherwise stands for the character behind it, as in NSPredicate. A whole number outside 64 bits
    ///   is an error. For the kinds that NSPredicate has no sign for there are words:
    ///   `date("2024-05-01T12:00:00Z")`, `data("aGk=")`, `uuid("…")`, `decimal("1.5")`, `url("…")`,
    ///   `reference("Type", "…")`, `double("inf")`, and braces with colons, `{"a": 1}`.
    /// - Key paths: names with dots, of letters, digits and underscores of any script; `#` before a name
    ///   that is a keyword, as in NSPredicate, and `#"any text"` for any other name; `.@count` at the end;
    ///   `SELF` or `uniqueToken` for the item's id (see ``AttributePath/uniqueToken``).
    /// - Placeholders: `%@` for a value, `%K` for a key path, `%d` `%ld` `%i` `%u` for whole numbers, `%f`
    ///   for floating-point ones. In quotes they are plain text (Predicate Programming Guide, "Predicate
    ///   Format String Syntax"). An argument is a value and is never parsed.
    ///
    /// Keywords are read in either case. Throws `.invalidPredicate` with the place for a text that cannot be
    /// understood or arguments that do not fit it, `.unsupported` with the place for what NSPredicate has
    /// beyond this, and `.limitExceeded` for more than 64 KiB of text or more than ``validate(operators:)`` allows.
    public init(_ format: String, _ arguments: Any?...) throws(DataStoreError) {
        try self.init(format, arguments: arguments)
    }

    /// The predicate that a text in `NSPredicate`'s language describes, with its arguments in an array.
    ///
    /// The same as the form that takes the arguments one by one.
    public init(_ format: String, arguments: [Any?]) throws(DataStoreError) {
        guard format.utf8.count <= Limit.formatBytes else {
            throw DataStoreError(
                .limitExceeded, in: "predicate",
                """
                The predicate's text has \(format.utf8.count) bytes, and the limit is \
                \(Limit.formatBytes); pass long lists as arguments.
                """)
        }
        do {
            self = try PredicateParser.parse(format, arguments)
        } catch {
            throw DataStoreError(
                error.code, in: "predicate", error.message,
                location: .init(text: format, scalarOffset: error.offset))
        }
        try validate()
    }
}

extension DataStorePredicate: CustomStringConvertible {
    /// The predicate as text in one line.
    ///
    /// Parsing it gives an equal predicate, with two exceptions: an AND or OR of one part is written as
    /// the part, and one of none as `TRUEPREDICATE` or `FALSEPREDICATE`.
    public var description: String {
        switch meaning {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.description
        case .and(let parts): parts.map(\.descriptionAsPart).joined(separator: " AND ")
        case .or(let parts): parts.map(\.descriptionAsPart).joined(separator: " OR ")
        case .not(let part): "NOT " + part.descriptionAsPart
        }
    }

    private var descriptionAsPart: String {
        switch meaning {
        case .and, .or: "(\(description))"
        case .constant, .comparison, .not: description
        }
    }

    /// The same without an AND or OR of fewer than two parts at its top.
    private var meaning: DataStorePredicate {
        var predicate = self
        while true {
            switch predicate {
            case .and(let parts) where parts.isEmpty: return .constant(true)
            case .or(let parts) where parts.isEmpty: return .constant(false)
            case .and(let parts) where parts.count == 1: predicate = parts[0]
            case .or(let parts) where parts.count == 1: predicate = parts[0]
            default: return predicate
            }
        }
    }
}

extension DataStorePredicate.Comparison: CustomStringConvertible {
    /// The comparison as a predicate's text has it.
    public var description: String {
        var letters = ""
        if options.contains(.caseInsensitive) { letters += "c" }
        if options.contains(.diacriticInsensitive) { letters += "d" }
        let relation = self.operator.rawValue + (letters.isEmpty ? "" : "[\(letters)]")
        return (modifier == .any ? "ANY " : "") + "\(left) \(relation) \(right)"
    }
}

extension DataStorePredicate.Expression: CustomStringConvertible {
    /// The expression as a predicate's text has it.
    public var description: String {
        switch self {
        case .value(let value): value.predicateLiteral
        case .path(let path): path.description
        case .count(let path): path.description + ".@count"
        case .list(let parts): "{" + parts.map(\.description).joined(separator: ", ") + "}"
        }
    }
}

extension DataStorePredicate.AttributePath: CustomStringConvertible {
    /// The names with dots, each escaped where a predicate's text needs it.
    public var description: String { components.map(Self.escaped).joined(separator: ".") }

    private static func escaped(_ name: String) -> String {
        let scalars = name.unicodeScalars
        guard scalars.first?.startsName == true, scalars.allSatisfy(\.continuesName) else {
            return "#" + name.quoted
        }
        return reservedWords.contains(name.uppercased()) ? "#" + name : name
    }

    /// The reserved words of the Predicate Programming Guide, of which this parser reads some as names.
    private static let reservedWords: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI",
        "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE",
        "YES",
        "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST",
        "TRUEPREDICATE",
        "FALSEPREDICATE",
    ]
}

extension DataStoreError.Location {
    /// The place of a Unicode scalar; inside a character, the place of the character.
    fileprivate init(text: String, scalarOffset: Int) {
        let scalars = text.unicodeScalars
        let place =
            scalars.index(scalars.startIndex, offsetBy: scalarOffset, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
        let isWhole = place == text.endIndex || place.samePosition(in: text) != nil
        self.init(text: text, offset: text[..<place].count - (isWhole ? 0 : 1))
    }
}
