import Foundation
import JustPersist
import JustPersistConformance
import Testing

@Suite struct PredicateLimitTests {
    private static var leaf: DataStorePredicate {
        .comparison(
            .init(.path(.init(["a"])), .equal, .value(.int(1))))
    }

    private static func code(of body: () throws -> Void) -> DataStoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DataStoreError)?.code
        }
    }

    private static func code(of text: String, _ arguments: Any?...) -> DataStoreError.Code? {
        code { _ = try DataStorePredicate(text, arguments: arguments) }
    }

    @Test func textLength() {
        let name = String(repeating: "a", count: 64 * 1024 - 4)
        #expect(Self.code(of: name + " == 1") == .limitExceeded)
        #expect(Self.code(of: name.dropLast() + " == 1") == nil)
    }

    @Test func depthOfText() {
        func text(_ depth: Int, _ open: String, _ close: String = "", leaf: String = "a == 1")
            -> String
        {
            String(repeating: open, count: depth) + leaf + String(repeating: close, count: depth)
        }
        #expect(Self.code(of: text(99, "(", ")")) == nil)
        #expect(Self.code(of: text(99, "NOT ")) == nil)
        #expect(Self.code(of: "a == " + text(99, "{", "}", leaf: "1")) == nil)
        for depth in [100, 101, 1000, 30_000] {
            #expect(Self.code(of: text(depth, "(", ")")) == .limitExceeded)
            #expect(Self.code(of: text(depth, "(")) == .limitExceeded)
            #expect(Self.code(of: text(depth, "!")) == .limitExceeded)
            #expect(Self.code(of: "a == " + text(depth, "(", ")", leaf: "1")) == .limitExceeded)
            #expect(Self.code(of: "a == " + text(depth, "{", "}", leaf: "1")) == .limitExceeded)
        }
        #expect(Self.code(of: text(16_000, "NOT ")) == .limitExceeded)
        #expect(Self.code(of: text(60, "a == 1 OR b == 1 AND (", ")")) == .limitExceeded)
    }

    @Test func nodes() throws {
        func text(_ count: Int) -> String {
            repeatElement("a=1", count: count).joined(separator: "||")
        }
        #expect(Self.code(of: text(9_999)) == nil)
        #expect(Self.code(of: text(10_000)) == .limitExceeded)
        let wide = DataStorePredicate.or(Array(repeating: Self.leaf, count: 1_000_000))
        #expect(Self.code { try wide.validate() } == .limitExceeded)
        let nested = DataStorePredicate.and(
            Array(repeating: .or(Array(repeating: Self.leaf, count: 200)), count: 50))
        #expect(Self.code { try nested.validate() } == .limitExceeded)
    }

    @Test func nodesAndOperandsOfExpressions() throws {
        typealias Expression = DataStorePredicate.Expression
        func code(_ expression: Expression) -> DataStoreError.Code? {
            Self.code {
                try DataStorePredicate.comparison(
                    .init(expression, .equal, .value(.null))
                ).validate()
            }
        }
        let call = Expression.function(.absolute, [.value(.int(1))])
        #expect(code(.function(.sum, Array(repeating: call, count: 9_998))) == nil)
        #expect(code(.function(.sum, Array(repeating: call, count: 9_999))) == .limitExceeded)
        #expect(code(.function(.sum, Array(repeating: .value(.int(1)), count: 100_000))) == nil)
        #expect(
            code(.function(.sum, Array(repeating: .value(.int(1)), count: 100_001)))
                == .limitExceeded)
        let wide = DataStorePredicate.or(Array(repeating: Self.leaf, count: 9_998))
        #expect(code(.ternary(wide, call, call)) == .limitExceeded)
        #expect(code(.subquery(.path(.init(["a"])), variable: "x", wide)) == .limitExceeded)
        var deep = Expression.path(.init(["a"]))
        for _ in 0..<120 { deep = .keyPath(of: .element(of: deep, .first), .init(["x"])) }
        #expect(code(deep) == .limitExceeded)
        #expect(code(.function(.squareRoot, [])) == .invalidPredicate)
        #expect(
            code(.function(.sum, [.keyPath(of: .variable("x"), .init(["a", ""]))]))
                == .invalidPredicate)
    }

    @Test func operands() throws {
        let many = Array(0..<100_000)
        #expect(Self.code(of: "a IN %@", many) == nil)
        #expect(Self.code(of: "a IN %@", many + [1]) == .limitExceeded)
        #expect(Self.code(of: "a IN %@ OR b IN %@", many, [1]) == .limitExceeded)
        #expect(Self.code(of: "a == %@", ["x": many + [1]]) == .limitExceeded)
    }

    @Test func undeclaredOperatorsAreRefusedWhereverTheyStand() throws {
        let text = try DataStorePredicate("a CONTAINS 'x'")
        let declared: Set<DataStorePredicate.Operator> = [.equal, .in]
        for predicate in [
            text, .not(text), .or([.constant(true), text]), .and([.constant(false), .not(text)]),
        ] {
            let error = #expect(throws: DataStoreError.self) {
                try predicate.validate(operators: declared)
            }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("CONTAINS") == true)
            try predicate.validate()
            let request = DataStoreRequest(
                type: ItemType(dynamic: "T"), predicate: predicate)
            #expect(Self.code { try request.validate(operators: declared) } == .unsupported)
        }
        try DataStorePredicate("a == 1 OR b IN {1, 2}").validate(operators: declared)
    }

    @Test func errorsNameTheLimit() {
        let error = #expect(throws: DataStoreError.self) {
            try DataStorePredicate("a IN %@", Array(0...100_000))
        }
        #expect(error?.message.contains("100000") == true)
        let deep = #expect(throws: DataStoreError.self) {
            try DataStorePredicate(String(repeating: "(", count: 200))
        }
        #expect(deep?.message.contains("100") == true)
        #expect(deep?.location?.offset == 100)
    }

    /// What `body` returns on a thread with a stack of the given size.
    private static func onThread<Result: Sendable>(
        stackKilobytes: Int, _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = stackKilobytes * 1024
            thread.start()
        }
    }

    private static func codesOfDeepTrees(_ depth: Int) -> [DataStoreError.Code?] {
        var tree = leaf
        for level in 0..<depth { tree = level.isMultiple(of: 2) ? .not(tree) : .and([tree]) }
        var value = DataStoreValue.int(1)
        for _ in 0..<depth { value = .array([value]) }
        let comparison = DataStorePredicate.Comparison(.value(value), .equal, .value(.null))
        return [
            code { try tree.validate() },
            code { try DataStorePredicate.comparison(comparison).validate() },
        ]
    }

    /// Swift's own release of a deep tree needs stack, and so sets these depths; validation does not.
    @Test func deepTreesAreRefused() async {
        let small = await Self.onThread(stackKilobytes: 512) { Self.codesOfDeepTrees(500) }
        #expect(small == [.limitExceeded, .limitExceeded])
        let large = await Self.onThread(stackKilobytes: 16 * 1024) { Self.codesOfDeepTrees(10_000) }
        #expect(large == [.limitExceeded, .limitExceeded])
    }

    @Test func trees() {
        typealias Expression = DataStorePredicate.Expression
        let a = Expression.path(.init(["a"]))
        let cases: [DataStorePredicate.Comparison] = [
            .init(a, .between, .value(.array([.int(1)]))), .init(a, .in, .value(.int(1))),
            .init(a, .beginsWith, .value(.int(1))), .init(.value(.int(1)), .contains, a),
            .init(.path(.init([])), .equal, a),
            .init(a, .equal, .list([.count(.init(["a", ""]))])),
        ]
        for comparison in cases {
            let predicate = DataStorePredicate.not(.comparison(comparison))
            #expect(Self.code { try predicate.validate() } == .invalidPredicate, "\(comparison)")
        }
    }

    /// The limits keep all work within a small stack: 256 KB when optimised, 1 MB when not.
    @Test func theDeepestPredicatesFitASmallStack() async {
        let works = await Self.onThread(stackKilobytes: 1024) {
            let text =
                "NOT " + String(repeating: "(a == 1 OR ", count: 49) + "b == 1"
                + String(repeating: ")", count: 49)
            let predicate = try? DataStorePredicate(text)
            let copy = (predicate?.description).flatMap { try? DataStorePredicate($0) }
            let subject = DictionarySubject(attributes: ["b": .int(1)])
            return copy != nil && copy == predicate && (try? copy?.matches(subject)) == false
        }
        #expect(works)
        let refused = await Self.onThread(stackKilobytes: 1024) {
            ["(", "NOT ", "!", "{"].map { Self.code(of: String(repeating: $0, count: 10_000)) }
        }
        #expect(Set(refused) == [.limitExceeded])
    }

    @Test func hostileTextIsNeverATrap() {
        var random = RandomValues()
        let words = [
            "a", "b.c", "==", "!=", "<", ">=", "AND", "OR", "NOT", "!", "(", ")", "{", "}", "[",
            "]",
            "IN", "BETWEEN", "CONTAINS", "BEGINSWITH[cd]", "LIKE", "ANY", "nil", "TRUE", "1",
            "-2.5e3",
            "'x'", "\"", "'", "\\", "%@", "%K", "%d", "%", "#", "@count", ".", ",", ":", "$x",
            "SELF",
            "\u{301}", "\0", "😀", "\u{10FFFF}", "date(", "'0'", "uuid", "-", "+", "&&", "||",
            "\\u12", "**", "[0]", "[FIRST]", "[SIZE]", "SUBQUERY(", "TERNARY(", "CAST(", "'NSDate'",
            "sum(",
            "now()", "add:to:(", "MATCHES", "ALL", "NONE", "@avg", "@lastObject", "0x1F", "$x.",
            "#",
        ]
        var parsed = 0
        for _ in 0..<20_000 {
            let text = (0..<random.int(below: 12)).map { _ in
                random.pick(words) + (random.bool() ? " " : "")
            }.joined()
            do {
                let predicate = try DataStorePredicate(text, arguments: ["k", 1])
                parsed += 1
                let copy = try DataStorePredicate(predicate.description)
                #expect(copy == predicate, "seed \(random.generator.seed): \(text)")
            } catch {
                #expect(error.location != nil || error.code == .limitExceeded, "\(error)")
            }
        }
        // Some texts are predicates, so that the words are known to fit the grammar.
        for _ in 0..<2000 {
            let text = (0..<3).map { _ in random.pick(words) }.joined(separator: " ")
            if (try? DataStorePredicate(text)) != nil { parsed += 1 }
        }
        #expect(parsed > 0, "seed \(random.generator.seed)")
    }
}
