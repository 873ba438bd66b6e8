extension DataStorePredicate {
    /// The predicate that a text in `NSPredicate`'s language describes.
    ///
    /// ```swift
    /// try DataStorePredicate("stars > %d AND (name CONTAINS[cd] %@ OR ANY tags IN %@)", 3, "cafe", tags)
    /// ```
    ///
    /// The language is that of the Predicate Programming Guide ("Predicate Format String Syntax", "BNF Definition of
    /// Cocoa Predicates") and of NSExpression:
    ///
    /// - Logic: `AND` `&&`, `OR` `||`, `NOT` `!`, parentheses, `TRUEPREDICATE`, `FALSEPREDICATE`.
    /// - Operators: `==` `=`, `!=` `<>`, `<`, `<=` `=<`, `>`, `>=` `=>`, `BETWEEN {a, b}`, `IN`, `CONTAINS`,
    ///   `BEGINSWITH`, `ENDSWITH`, `LIKE`, `MATCHES`, each with `[c]`, `[d]`, `[cd]` or `[n]`; before a comparison
    ///   `ANY` or `SOME`, `ALL`, `NONE`. `IN` and `CONTAINS` test for a part of a string or an element of an array,
    ///   depending on the operand.
    /// - Values: `nil` `NULL`, `TRUE` `YES`, `FALSE` `NO`, decimal numbers, whole numbers with `0x`, `0o` or `0b`,
    ///   strings in single or double quotes, lists in braces. In a string, the escapes are `\n`, `\r`, `\t` and `\0`
    ///   (NUL), three octal digits, `\x` with two hexadecimal digits, `\u` with four, and `\U` with four or eight; a
    ///   backslash before any other character gives that character. A whole number outside 64 bits is an error. Kinds
    ///   without a notation in NSPredicate are written as words: `date("2024-05-01T12:00:00Z")`, `data("aGk=")`,
    ///   `uuid("…")`, `decimal("1.5")`, `url("…")`, `reference("Type", "…")`, `double("inf")`, and braces with colons,
    ///   `{"a": 1}`.
    /// - Key paths: names with dots, of letters, digits and underscores of any script; `#` before a name
    ///   that is a keyword, as in NSPredicate, and `#"any text"` for any other name; the collection operators `@count`
    ///   `@sum` `@avg` `@min` `@max` `@unionOfObjects` `@distinctUnionOfObjects` `@firstObject` `@lastObject`, as in
    ///   `grades.@avg.score`; `[0]`, `[FIRST]`, `[LAST]` and `[SIZE]` for arrays, `["name"]` for dictionaries;
    ///   `SELF` or `uniqueToken` for the item's id (see ``AttributePath/uniqueToken``).
    /// - Arithmetic: `**` binds most tightly, then `*` and `/`, then `+` and `-`, each left-associative, and all of
    ///   them bind more tightly than comparisons. ``Function`` has the rules, and the functions: `sum(…)` and the
    ///   other statistics, `sqrt(…)`, `uppercase(…)`, `now()`, `modulus:by:(…, …)` and so on.
    /// - `SUBQUERY(grades, $g, $g.score > 5).@count`, `TERNARY(predicate, a, b)`, `CAST(x, "NSDate")`.
    /// - Placeholders: `%@` for a value, `%K` for a key path, `%d` `%ld` `%i` `%u` `%x` for whole numbers, `%f` for
    ///   floating-point ones, `%%` for the text “%”. In quotes they are plain text. An argument is a value and is
    ///   never parsed as part of the format. A variable such as `$low` gets its value from ``substituting(_:)``.
    ///
    /// Refused are `[l]`, because a comparison by the rules of a locale would find other items on another machine,
    /// random numbers, `FUNCTION(…)` and other selectors, assignments and blocks.
    ///
    /// Keywords are read in either case. Throws `.invalidPredicate` with the position for a text that cannot be parsed
    /// or arguments that do not fit it, `.unsupported` with the position for refused elements, and `.limitExceeded` for
    /// more than 64 KiB of text or more than ``validate(operators:)`` allows.
    public init(_ format: String, _ arguments: Any?...) throws(DataStoreError) {
        try self.init(format, arguments: arguments)
    }

    /// The predicate that a text in `NSPredicate`'s language describes, with its arguments in an array.
    ///
    /// Equivalent to the form that takes the arguments one by one.
    public init(_ format: String, arguments: [Any?]) throws(DataStoreError) {
        guard format.utf8.count <= Limit.formatBytes else {
            throw DataStoreError(
                .limitExceeded, in: "predicate",
                """
                The predicate's text has \(format.utf8.count) bytes, and the limit is \
                \(Limit.formatBytes).
                """, advice: "Pass long lists as arguments.")
        }
        do {
            self = try PredicateParser.parse(format, arguments)
        } catch {
            throw DataStoreError(
                error.code, in: "predicate", error.message,
                location: .init(text: format, scalarOffset: error.offset))
        }
        try validate(operators: nil, allowsVariables: true)
    }
}

extension DataStoreError.Location {
    /// The position of a Unicode scalar; inside a character, the position of the character.
    fileprivate init(text: String, scalarOffset: Int) {
        let scalars = text.unicodeScalars
        let place =
            scalars.index(scalars.startIndex, offsetBy: scalarOffset, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
        let isWhole = place == text.endIndex || place.samePosition(in: text) != nil
        self.init(text: text, offset: text[..<place].count - (isWhole ? 0 : 1))
    }
}
