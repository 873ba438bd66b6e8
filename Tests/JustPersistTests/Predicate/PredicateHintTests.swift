import JustPersist
import Testing

/// Errors say how a predicate is written that has the words of SQL or Swift, or a name that needs quotes.
@Suite struct PredicateHintTests {
    private static let hints: [(String, String)] = [
        ("address line 2 == 'x'", #"If “address line 2” is one name, write #"address line 2"."#),
        ("a == 1 AND floor 2 == 1", ##"If “floor 2” is one name, write #"floor 2"."##),
        ("addr.zip code == 1", ##"If “zip code” is one name, write #"zip code"."##),
        ("borough == Staten Island", #"A text is written in quotes: "Staten Island"."#),
        ("a CONTAINS b c", #"A text is written in quotes: "b c"."#),
        ("sum.$price > 3", ##"is written #"$price"."##),
        ("addr.'zip code' == 1", ##"A name in quotes has a “#” before it: #"zip code"."##),
        ("#$price > 3", ##"is written #"…"."##), ("`a b` == 1", ##"is written #"…"."##),
        ("[a b] == 1", ##"is written #"…"."##),
        ("name IS NULL", "IS NULL is written == nil, and IS NOT NULL is written != nil."),
        ("(name is not null)", "IS NOT NULL is written != nil."),
        ("name ILIKE 'a'", "LIKE[c]"), ("name STARTSWITH 'a'", "Write BEGINSWITH."),
        ("name REGEXP 'a'", "Write MATCHES."),
        ("name NOT IN {1}", "write NOT (name IN {…})."),
        ("a == 1 OR name NOT LIKE 'x'", "write NOT (name LIKE …)."),
        ("name IN ('a', 'b')", "A list is written in braces"),
        ("BETWEEN 1 AND 4", "keyword"), ("a BETWEEN 1 AND 4", "BETWEEN {1, 5}"),
        ("WHERE a == 1", "Leave out WHERE."), ("a == 1 ORDER BY b", "Sort, limit and group apart"),
        ("a == 'it''s'", "has a backslash before it"), ("a == “x”", "straight quotation marks"),
        ("a === 1", "Equality is written ==."), ("lower(a) == 'x'", "write lowercase(…)"),
        ("AVG(a) == 1", "write average(…)"), ("a % 2 == 0", "modulus:by:(a, b)"),
        ("a LIKE a%", "A text with “%” is written in quotes"),
        ("a LIKE %a%", "Write a value in its place, and a text with “%” in quotes."),
        ("a == 0o8", "The octal number needs a digit"),
        ("a == 0x", "The hexadecimal number needs a digit"),
    ]

    @Test(arguments: hints) func errorsSayWhatToWrite(text: String, hint: String) throws {
        let error = #expect(throws: DataStoreError.self) { try DataStorePredicate(text) }
        #expect(error?.code == .invalidPredicate || error?.code == .unsupported)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }

    @Test func aVariableWithoutAValueMayBeAName() throws {
        let predicate = try DataStorePredicate("$price > 3")
        let error = #expect(throws: DataStoreError.self) {
            try predicate.validate(operators: nil)
        }
        #expect(error?.message.contains(##"is written #"$price"."##) == true)
    }

    /// Hints are for what is wrong: these are read, as in SQL.
    @Test(arguments: [
        "a = 1", "a <> 1", "a != 1", "name = null", "name == 'x' and not a = 1 or b = 2",
        "name like 'x%'", "#\"address line 2\" = \"x\"", "#'$price' > 3",
    ])
    func whatIsUnderstoodIsRead(text: String) throws {
        #expect(throws: Never.self) { try DataStorePredicate(text) }
    }
}
