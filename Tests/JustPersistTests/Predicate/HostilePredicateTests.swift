import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Texts that are made to cost time, stack or memory end in an answer or an error, at once.
@Suite(.serialized) struct HostilePredicateTests {
    private static let subject = DictionarySubject(attributes: [
        "a": .string(String(repeating: "a", count: 40) + "!"),
        "list": .array((0..<1_000).map { .int($0) }),
    ])

    /// The code of the error that a text ends in when it is parsed, validated and evaluated, and the seconds.
    private static func outcome(
        of text: String, _ arguments: Any?...
    ) -> (code: DataStoreError.Code?, seconds: Double) {
        let start = ContinuousClock.now
        var code: DataStoreError.Code?
        do throws(DataStoreError) {
            let predicate = try DataStorePredicate(text, arguments: arguments)
            try predicate.validate()
            _ = try predicate.matches(subject)
        } catch {
            code = error.code
        }
        let time = (ContinuousClock.now - start).components
        return (code, Double(time.seconds) + Double(time.attoseconds) / 1e18)
    }

    private static func nested(_ depth: Int, _ open: String, _ close: String = "") -> String {
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    private static let tooDeepOrLong: [(String, String)] = [
        ("parentheses", nested(100_000, "(", ")") + " == 1"),
        ("short parentheses", nested(30_000, "(", ")") + " == 1"),
        ("calls", "a == " + nested(10_000, "abs(", ")")),
        ("subqueries", "a == " + nested(2_000, "SUBQUERY(a, $x, 1 == ", ")")),
        ("ternaries", "a == " + nested(2_000, "TERNARY(1 == ", ", 1, 2)")),
        ("casts", "a == " + nested(5_000, "CAST(", ", 'NSDate')")),
        ("brackets", "a == a" + String(repeating: "[0]", count: 20_000)),
        ("indexes", "a == " + nested(10_000, "a[", "]")),
        ("operators", "a == a" + String(repeating: ".@firstObject", count: 4_000)),
        ("signs", "a == " + nested(60_000, "-")), ("sums", "a == 1" + nested(30_000, "+")),
        ("powers", "a == " + nested(15_000, "2**")), ("lists", "a == " + nested(30_000, "{", "}")),
        ("negations", nested(30_000, "! ")),
        ("ten megabytes", String(repeating: "a == 1 OR ", count: 1_000_000)),
        ("a long sum", "a == 1" + String(repeating: " + 1", count: 200)),
    ]

    @Test(arguments: tooDeepOrLong)
    func depthAndLengthAreLimited(_ name: String, _ text: String) {
        let (code, seconds) = Self.outcome(of: text)
        print("\(name): \(Int(seconds * 1e6)) µs")
        #expect(code == .limitExceeded || code == .invalidPredicate, "\(name)")
        #expect(seconds < 1, "\(name)")
    }

    @Test(arguments: [
        "a MATCHES '(a+)+$'", "a MATCHES '(a|aa)+'", "a MATCHES '(.*)*\\\\1x'",
        "a MATCHES '((((((a{1,99}){1,99}){1,99}){1,99}){1,99}){1,99})'",
        "SUBQUERY(list, $x, a MATCHES '(a+)+$').@count == 0",
        "SUBQUERY(list, $x, SUBQUERY(list, $y, SUBQUERY(list, $z, $x + $y == $z).@count > 0).@count > 0).@count > 0",
        "SUBQUERY(list, $x, SUBQUERY(list, $y, list.@sum == $y).@count > 0).@count > 0",
    ])
    func costlyEvaluationIsStopped(_ text: String) {
        let (code, seconds) = Self.outcome(of: text)
        print("\(text): \(Int(seconds * 1e6)) µs")
        #expect(code == .limitExceeded)
        #expect(seconds < 60)
    }

    @Test func largeListsAndPatternsAreAnswered() {
        let list = Array(0..<10_000)
        let long = String(repeating: "a", count: 20_000)
        let cases: [(String, [Any?])] = [
            ("a IN %@", [list]), ("a IN {\(list.map(String.init).joined(separator: ","))}", []),
            ("%@ LIKE %@", [long, String(repeating: "*a", count: 200) + "b"]),
            ("%@ MATCHES '(?:a|b)*'", [String(repeating: "ab", count: 100_000)]),
            ("sum(%@) > 0", [list]), ("distinct(%@) == nil", [list]), ("median(%@) == 1", [list]),
        ]
        for (text, arguments) in cases {
            let start = ContinuousClock.now
            let holds = try? DataStorePredicate(text, arguments: arguments).matches(Self.subject)
            print(
                "\(text.prefix(40)): \((ContinuousClock.now - start).components.attoseconds / 1_000_000_000_000) µs"
            )
            #expect(holds != nil, "\(text.prefix(40))")
        }
    }

    /// What a pattern may be is checked before it is compiled, and compiling it has its own limits.
    @Test func patternsAreLimited() throws {
        for pattern in [
            String(repeating: "(", count: 30_000) + "a" + String(repeating: ")", count: 30_000),
            String(repeating: "(?:", count: 15_000) + "a" + String(repeating: ")*", count: 15_000),
            String(repeating: "a", count: 100_000), String(repeating: "[", count: 10_000),
        ] {
            let predicate = DataStorePredicate.comparison(
                .init(.path(.init(["a"])), .matches, .value(.string(pattern))))
            let error = #expect(throws: DataStoreError.self) { try predicate.validate() }
            #expect(error?.code == .invalidPredicate || error?.code == .limitExceeded)
            #expect(error.map { $0.message.count < 300 } == true)
        }
        // A pattern that is found at evaluation only.
        let computed = DataStorePredicate.comparison(
            .init(
                .path(.init(["a"])), .matches,
                .ternary(.constant(true), .path(.init(["p"])), .value(.null))))
        try computed.validate()
        let subject = DictionarySubject(attributes: ["a": .string("x"), "p": .string("(")])
        let error = #expect(throws: DataStoreError.self) { try computed.matches(subject) }
        #expect(error?.code == .invalidPredicate)
    }

    /// The limits keep all work within a small stack: 512 KB when optimised, 2 MB when not.
    @Test func theDeepestExpressionsFitASmallStack() async {
        let forms = [
            "a == " + Self.nested(98, "abs(", ")"), "a == " + Self.nested(98, "(1 + ", ")"),
            "a == " + Self.nested(98, "2 ** (", ")"),
            Self.nested(49, "SUBQUERY({1}, $x, ($x == ", ")).@count") + " == 1",
            "a == " + Self.nested(49, "TERNARY((1 == ", "), 1, 2)"),
            "a == " + Self.nested(98, "a[", "]"), "a == a" + String(repeating: "[0]", count: 98),
            "a == " + Self.nested(98, "CAST(", ", 'NSNumber')"), "a == " + Self.nested(98, "-"),
        ]
        let results = await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: forms.map { text -> String in
                        do {
                            let predicate = try DataStorePredicate(text)
                            let copy = try DataStorePredicate(predicate.description)
                            let substituted = try predicate.substituting([:])
                            _ = try predicate.matches(Self.subject)
                            return copy == predicate && substituted == predicate
                                ? "" : "another: \(text)"
                        } catch {
                            return "\(error)"
                        }
                    })
            }
            thread.stackSize = 2 * 1024 * 1024
            thread.start()
        }
        for (form, result) in zip(forms, results) { #expect(result.isEmpty, "\(form.prefix(30))") }
    }
}
