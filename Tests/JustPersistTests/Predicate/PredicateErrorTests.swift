import Foundation
import JustPersist
import Testing

@Suite struct PredicateErrorTests {
    /// A text with a mark at the place of the error, and a part of the message.
    private static let syntaxErrors: [(String, String)] = [
        ("‸", "value or a key path"), ("a‸", "operator"), ("a ‸b", "operator"),
        ("a == ‸", "value or a key path"), ("a == 1 ‸b == 2", "AND, OR or the end"),
        ("a == 1 AND ‸", "value or a key path"), ("(a == 1‸", "“)”"), ("a == 1‸)", "the end"),
        ("‸AND == 1", "#AND"), ("a == ‸in", "#in"), ("a == ‸'open", "no closing '"),
        ("a == ‸\"open\\\"", "no closing \""), ("a == 'x\\‸", "backslash"),
        ("a == '\\u00‸g'", "4 hexadecimal digits"), ("a == '\\u‸d800'", "no Unicode scalar"),
        ("a == '\\U‸00110000'", "no Unicode scalar"),
        ("a == '\\u‸D83D\\u00e9'", "no Unicode scalar"),
        ("a == '\\u‸DE42'", "no Unicode scalar"), ("a == 0x‸G", "hexadecimal number"),
        ("a == 0b1‸2", "begin"), ("a == 0o‸8", "octal number"),
        ("a == ‸0xFFFFFFFFFFFFFFFFF", "64 bits"), ("a == -‸9223372036854775809", "64 bits"),
        ("a == '\\x4‸'", "2 hexadecimal digits"), ("a == '\\U00‸'", "4 hexadecimal digits"),
        ("a == 5‸apples", "decimal"), ("a == ‸9223372036854775808", "64 bits"),
        ("a == ‸1e400", "too large"), ("a ‸& b", "no meaning"), ("a == ‸?", "no meaning"),
        ("e\u{301}‸😀 == 1", "no meaning"), ("a. ‸== 1", "after the dot"),
        ("a.‸5 == 1", "after the dot"), ("#‸ a == 1", "name after it"),
        ("‸@count == 1", "key path"),
        ("a IN ‸}", "value or a key path"), ("a IN {1‸", "“}”"),
        ("a IN {1,‸}", "value or a key path"),
        ("a == {1 ‸: 2}", "not a string"), ("a == {'x': ‸b}", "constants"),
        ("a ‸IN 5", "list"), ("a ‸BETWEEN {1}", "two bounds"), ("a ‸BETWEEN 5", "two bounds"),
        ("a ‸BETWEEN {1,2,3}", "two bounds"), ("a ‸BEGINSWITH 5", "strings"),
        ("5 ‸CONTAINS a", "string, a list"), ("5 ‸ENDSWITH 'a'", "strings"),
        ("a ‸NOT IN {1}", "NOT (a IN {…})"), ("a ==[‸] 1", "options"), ("ANY a‸", "operator"),
        ("ANY (a == 1)‸", "comparison after ANY"), ("a == uuid(‸5)", "a string"),
        ("a == ‸uuid('x')", "uuid()"), ("a == ‸data('*')", "data()"),
        ("a == ‸uuid('x', 'y')", "uuid()"), ("a == ‸#''", "empty name"),
        ("a == %‸", "begins a placeholder"), ("a == %l‸ ", "begins a placeholder"),
        ("a MATCHES ‸'('", "no regular expression"), ("a MATCHES[c] ‸'[z-a]'", "no regular"),
        ("a ‸LIKE 5", "strings"), ("5 ‸MATCHES 'x'", "strings"),
        ("a + ‸== 1", "value or a key path"),
        ("a == (1 + 2‸", "“)”"), ("a == 1 +‸", "value or a key path"), ("a[0 ‸== 1", "“]”"),
        ("a[‸] == 1", "value or a key path"), ("a[FIRST‸.b] == 1", "“]”"),
        ("a.@count.‸b == 1", "@count"),
        ("a.@count.‸@sum == 1", "@count"), ("SELF.‸@count == 1", "key path before"),
        ("a == $‸", "name after it"), ("SUBQUERY(a, ‸b, TRUEPREDICATE) == 1", "variable"),
        ("SUBQUERY(a, $x‸).@count == 1", "“,”"), ("SUBQUERY(a, $x, $x‸) == 1", "operator"),
        ("TERNARY(a‸, 1, 2) == 1", "operator"), ("TERNARY(a == 1, 2‸) == 1", "“,”"),
        ("CAST(a, ‸b) == 1", "name of a class"), ("a == ‸sqrt(1, 2)", "1 argument"),
        ("a == ‸sum()", "a list"), ("a == ‸now(1)", "0 arguments"),
        ("a == ‸add:to:(1)", "2 arguments"),
        ("a == add:to‸", "“(”"), ("a == ‸noindex(1, 2)", "1 argument"), ("a == sqrt(1‸", "“)”"),
        ("ALL (a == 1)‸", "comparison after"), ("NONE a‸", "operator"),
        ("a == 1 + (b ‸== 2)", "“)”"),
        ("NOT‸", "value or a key path"), ("‸#'' == 1", "empty name"),
    ]

    private static let unsupported: [(String, String)] = [
        ("a > ‸FUNCTION(1, 'x')", "FUNCTION"), ("a > ‸random()", "random()"),
        ("a > ‸randomn:(5)", "random"), ("a > ‸distanceToLocation:fromLocation:(a, b)", "distance"),
        ("a == ‸FETCH(a, b, NO)", "request inside"), ("a == CAST(1, ‸'NSSet')", "NSSet"),
        ("a.‸@avg2.b > 1", "@avg2"), ("a.‸@unionOfArrays.b == 1", "@unionOfArrays"),
        ("a ==[‸l] 1", "locale"), ("a ==[‸cx] 1", "option"), ("a == ‸%s", "%s"),
        ("a == ‸%1$@", "%1$@"), ("a ‸:= 1", "assignments"), ("$a ‸:= 1", "assignments"),
        ("SUBQUERY(a, $x, ‸FUNCTION($x, 'y') == 1).@count == 0", "FUNCTION"),
    ]

    private static func split(_ marked: String) -> (text: String, offset: Int) {
        let parts = marked.split(separator: "‸", omittingEmptySubsequences: false)
        return (parts.joined(), parts[0].count)
    }

    @Test(arguments: syntaxErrors)
    func syntaxErrorsNameThePlace(_ marked: String, _ part: String) throws {
        let (text, offset) = Self.split(marked)
        let error = #expect(throws: DataStoreError.self) { try DataStorePredicate(text) }
        #expect(error?.code == .invalidPredicate)
        #expect(error?.location == .init(text: text, offset: offset), "\(error?.description ?? "")")
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: unsupported)
    func whatIsNotSupportedIsSaid(_ marked: String, _ part: String) throws {
        let (text, offset) = Self.split(marked)
        let error = #expect(throws: DataStoreError.self) { try DataStorePredicate(text) }
        #expect(error?.code == .unsupported)
        #expect(error?.location == .init(text: text, offset: offset), "\(error?.description ?? "")")
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("not support") == true)
    }

    @Test func wrongArgumentsNameThePlaceholder() {
        let cases: [(String, [Any?], String, Int)] = [
            ("a == %@", [], "%@", 5), ("a == %@ AND b == %ld", [1], "%ld", 17),
            ("a == %d", [1.5], "Double", 5), ("a == %d", ["x"], "%d", 5),
            ("a == %d", [nil], "nil", 5),
            ("a == %f", [1], "Int", 5), ("%K == 1", [5], "%K", 0), ("%K == 1", [nil], "%K", 0),
            ("%K == 1", ["a..b"], "empty name", 0), ("a == %@", [Set([1])], "Set<Int>", 5),
            ("a == %ld", [UInt64.max], "64 bits", 5), ("a == 1", [1], "1 argument.", 6),
            ("a == %@", [1, 2], "2 arguments", 7),
        ]
        for (text, arguments, part, offset) in cases {
            let error = #expect(throws: DataStoreError.self) {
                try DataStorePredicate(text, arguments: arguments)
            }
            #expect(error?.code == .invalidPredicate)
            #expect(error?.location?.offset == offset, "\(error?.description ?? "")")
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
    }

    @Test func aPlaceIsCountedInCharacters() throws {
        let text = "'e\u{301}👨‍👩‍👧' == a ~"
        let error = #expect(throws: DataStoreError.self) { try DataStorePredicate(text) }
        #expect(error?.location?.offset == 10)
        // The mark combines with the space before it, and the place is that of the character.
        let inside = #expect(throws: DataStoreError.self) { try DataStorePredicate("a == \u{301}") }
        #expect(inside?.location?.offset == 4)
    }

    @Test func anExcerptShowsWhatIsAroundThePlace() {
        func excerpt(_ text: String, _ offset: Int) -> String {
            DataStoreError.Location(text: text, offset: offset).excerpt
        }
        #expect(excerpt("", 0) == "\n^")
        #expect(excerpt("a ~ 1", 2) == "a ~ 1\n  ^")
        #expect(excerpt("a ~ 1", 9) == "a ~ 1\n     ^")
        #expect(excerpt("a ~ 1", -1) == "a ~ 1\n^")
        #expect(excerpt("a\r\nb ~\nc", 4) == "b ~\n  ^")
        #expect(excerpt("\u{1b} ~", 2) == #"\u{1b} ~"# + "\n       ^")
        let side = String(repeating: "x", count: 60)
        #expect(
            excerpt(side + "~" + side, 60) == side + "~" + side.dropLast() + "…\n"
                + String(repeating: " ", count: 60) + "^")
        #expect(
            excerpt("y" + side + "~", 61) == "…" + side + "~\n" + String(repeating: " ", count: 61)
                + "^")
    }
}
