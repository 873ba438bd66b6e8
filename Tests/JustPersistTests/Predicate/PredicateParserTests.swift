import Foundation
import JustPersist
import Testing

@Suite struct PredicateParserTests {
    typealias Comparison = DataStorePredicate.Comparison
    typealias Expression = DataStorePredicate.Expression

    private static func path(_ names: String...) -> Expression { .path(.init(names)) }
    private static let a = path("a")
    private static let one = Expression.value(.int(1))

    private static func predicate(
        _ left: Expression, _ relation: DataStorePredicate.Operator, _ right: Expression,
        modifier: DataStorePredicate.Modifier = .direct, options: DataStorePredicate.Options = []
    ) -> DataStorePredicate {
        .comparison(Comparison(left, relation, right, modifier: modifier, options: options))
    }

    private static func list(_ values: DataStoreValue...) -> Expression { .value(.array(values)) }

    @Test func operators() throws {
        let spellings: [(String, DataStorePredicate.Operator)] = [
            ("=", .equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less),
            ("<=", .lessOrEqual), ("=<", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual),
            ("=>", .greaterOrEqual),
        ]
        for (text, relation) in spellings {
            let expected = Self.predicate(Self.a, relation, Self.one)
            #expect(try DataStorePredicate("a \(text) 1") == expected)
            #expect(try DataStorePredicate("a\(text)1") == expected)
            #expect(
                try DataStorePredicate("1 \(text)[cd] a")
                    == Self.predicate(
                        Self.one, relation, Self.a,
                        options: [.caseInsensitive, .diacriticInsensitive]))
        }
        let text = Expression.value(.string("x"))
        #expect(try DataStorePredicate("a contains 'x'") == Self.predicate(Self.a, .contains, text))
        #expect(
            try DataStorePredicate("a BeginsWith[C] 'x'")
                == Self.predicate(Self.a, .beginsWith, text, options: .caseInsensitive))
        #expect(
            try DataStorePredicate("a ENDSWITH[d]'x'")
                == Self.predicate(Self.a, .endsWith, text, options: .diacriticInsensitive))
        #expect(
            try DataStorePredicate("a BETWEEN {1, 5}")
                == Self.predicate(Self.a, .between, Self.list(.int(1), .int(5))))
        #expect(
            try DataStorePredicate("a IN {1, 'x', nil}")
                == Self.predicate(Self.a, .in, Self.list(.int(1), .string("x"), .null)))
        #expect(try DataStorePredicate("a IN {}") == Self.predicate(Self.a, .in, Self.list()))
        #expect(
            try DataStorePredicate("a in b.c") == Self.predicate(Self.a, .in, Self.path("b", "c")))
        #expect(
            try DataStorePredicate("1 BETWEEN {a, b}")
                == Self.predicate(Self.one, .between, .list([Self.a, Self.path("b")])))
    }

    @Test func values() throws {
        let id = ItemID(high: 1, low: 2)
        let url = try #require(URL(string: "x"))
        let cases: [(String, DataStoreValue)] = [
            ("nil", .null), ("NULL", .null), ("Nil", .null), ("TRUE", .bool(true)),
            ("yes", .bool(true)), ("false", .bool(false)), ("NO", .bool(false)), ("0", .int(0)),
            ("-5", .int(-5)), ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)), ("5.0", .double(5)), ("-0.0", .double(-0.0)),
            ("1e3", .double(1000)), ("2.5E-1", .double(0.25)), ("1e+2", .double(100)),
            ("\"\"", .string("")), (#"'it\'s'"#, .string("it's")),
            (#""a\n\r\t\0\\\"\'""#, .string("a\n\r\t\0\\\"'")), (#"'\u00e9'"#, .string("é")),
            (#"'\U0001F600'"#, .string("😀")), (#"'\d'"#, .string("d")),
            ("'%@ %d'", .string("%@ %d")),
            ("'100%'", .string("100%")), ("{1, {2}}", .array([.int(1), .array([.int(2)])])),
            ("{\"a\": 1, 'b': {2}}", .dictionary(["a": .int(1), "b": .array([.int(2)])])),
            ("{:}", .dictionary([:])), ("double('inf')", .double(.infinity)),
            ("DATE('2001-01-01T00:00:01.500Z')", .date(Date(timeIntervalSinceReferenceDate: 1.5))),
            ("date('2001-01-01T00:00:01Z')", .date(Date(timeIntervalSinceReferenceDate: 1))),
            ("date('0.1')", .date(Date(timeIntervalSinceReferenceDate: 0.1))),
            ("data('AAE=')", .data(Data([0, 1]))), ("uuid('\(id)')", .uuid(id.uuid)),
            ("decimal('1.50')", .decimal(Decimal(1.5))), ("url('x')", .url(url)),
            ("reference('T', '\(id)')", .reference(ItemReference(itemTypeKey: "T", id: id))),
        ]
        for (text, value) in cases {
            #expect(
                try DataStorePredicate("a == \(text)")
                    == Self.predicate(Self.a, .equal, .value(value)), "\(text)")
        }
    }

    @Test func keyPaths() throws {
        let cases: [(String, Expression)] = [
            ("a.b.c", Self.path("a", "b", "c")), ("étrange.日本", Self.path("étrange", "日本")),
            ("_x1", Self.path("_x1")), ("#in", Self.path("in")),
            ("#AND.or", Self.path("AND", "or")),
            ("#\"my key\"", Self.path("my key")), ("#'a.b'", Self.path("a.b")),
            ("a.#'x y'", Self.path("a", "x y")), ("function", Self.path("function")),
            ("size", Self.path("size")), ("date", Self.path("date")),
            ("a.@count", .count(.init(["a"]))), ("a.b.@count", .count(.init(["a", "b"]))),
            ("SELF", Self.path("uniqueToken")), ("self.name", Self.path("name")),
            ("SELF.a.@count", .count(.init(["a"]))), ("(a)", Self.a),
            ("((a.b))", Self.path("a", "b")),
        ]
        for (text, expression) in cases {
            #expect(
                try DataStorePredicate("\(text) == 1")
                    == Self.predicate(expression, .equal, Self.one), "\(text)")
            #expect(
                try DataStorePredicate("1 == \(text)")
                    == Self.predicate(Self.one, .equal, expression), "\(text)")
        }
    }

    @Test func logicAndPrecedence() throws {
        func leaf(_ name: String) -> DataStorePredicate {
            Self.predicate(Self.path(name), .equal, Self.one)
        }
        let (a, b, c) = (leaf("a"), leaf("b"), leaf("c"))
        let cases: [(String, DataStorePredicate)] = [
            ("a == 1 AND b == 1 OR c == 1", .or([.and([a, b]), c])),
            ("a == 1 || b == 1 && c == 1", .or([a, .and([b, c])])),
            ("a == 1 and b == 1 and c == 1", .and([a, b, c])),
            ("(a == 1 AND b == 1) AND c == 1", .and([.and([a, b]), c])),
            ("a == 1 AND (b == 1 OR c == 1)", .and([a, .or([b, c])])),
            ("NOT a == 1 AND b == 1", .and([.not(a), b])), ("!(a == 1)", .not(a)),
            ("NOT NOT a == 1", .not(.not(a))), ("not(a == 1 or b == 1)", .not(.or([a, b]))),
            ("((a == 1))", a), ("(a) == (1)", a), ("TRUEPREDICATE", .constant(true)),
            ("falsepredicate OR a == 1", .or([.constant(false), a])),
            (
                "ANY x.y > 1 AND SOME x == 1",
                .and([
                    Self.predicate(Self.path("x", "y"), .greater, Self.one, modifier: .any),
                    Self.predicate(Self.path("x"), .equal, Self.one, modifier: .any),
                ])
            ),
            (" \n\ta == 1\u{a0}", a),
        ]
        for (text, expected) in cases {
            #expect(try DataStorePredicate(text) == expected, "\(text)")
        }
    }

    @Test func placeholders() throws {
        #expect(
            try DataStorePredicate("%K == %@ AND %K.b > %d", "a", "it's", "x.y", 3)
                == .and([
                    Self.predicate(Self.a, .equal, .value(.string("it's"))),
                    Self.predicate(Self.path("x", "y", "b"), .greater, .value(.int(3))),
                ]))
        #expect(
            try DataStorePredicate("%K IN %@", arguments: ["a.@count", [1, 2]])
                == Self.predicate(.count(.init(["a"])), .in, Self.list(.int(1), .int(2))))
        #expect(
            try DataStorePredicate("%K.@count == %ld", "a", Int64(1))
                == Self.predicate(.count(.init(["a"])), .equal, Self.one))
        #expect(
            try DataStorePredicate("a == %@", nil) == Self.predicate(Self.a, .equal, .value(.null)))
        #expect(
            try DataStorePredicate("a BETWEEN {%i, %lu}", -1, UInt(1))
                == Self.predicate(Self.a, .between, Self.list(.int(-1), .int(1))))
        #expect(
            try DataStorePredicate("a == %f", Float(0.5))
                == Self.predicate(Self.a, .equal, .value(.double(0.5))))
        #expect(try DataStorePredicate("a == %d", true) == Self.predicate(Self.a, .equal, Self.one))
        #expect(
            try DataStorePredicate("a == '%@'")
                == Self.predicate(Self.a, .equal, .value(.string("%@"))))
    }

    @Test func expressions() throws {
        typealias Function = DataStorePredicate.Function
        func call(_ function: Function, _ arguments: Expression...) -> Expression {
            .function(function, arguments)
        }
        let (b, c, two) = (Self.path("b"), Self.path("c"), Expression.value(.int(2)))
        let x = Expression.variable("x")
        let cases: [(String, Expression)] = [
            ("a + 1", call(.add, Self.a, Self.one)), ("a - 1", call(.subtract, Self.a, Self.one)),
            ("a-1", call(.subtract, Self.a, Self.one)),
            ("a - -1", call(.subtract, Self.a, .value(.int(-1)))),
            ("a + b * c", call(.add, Self.a, call(.multiply, b, c))),
            ("a * b + c", call(.add, call(.multiply, Self.a, b), c)),
            ("(a + b) * c", call(.multiply, call(.add, Self.a, b), c)),
            ("a - b - c", call(.subtract, call(.subtract, Self.a, b), c)),
            ("a - (b - c)", call(.subtract, Self.a, call(.subtract, b, c))),
            ("a ** b ** c", call(.power, call(.power, Self.a, b), c)),
            ("a * b ** c", call(.multiply, Self.a, call(.power, b, c))),
            ("a / b * c", call(.multiply, call(.divide, Self.a, b), c)),
            ("-a", call(.subtract, .value(.int(0)), Self.a)),
            ("-a ** 2", call(.power, call(.subtract, .value(.int(0)), Self.a), two)),
            ("- 1", .value(.int(-1))), ("-1.5", .value(.double(-1.5))), ("0x10", .value(.int(16))),
            ("a.@sum", call(.sum, Self.a)), ("a.@avg.b", call(.average, Self.path("a", "b"))),
            ("a.b.@max.c.a", call(.maximum, Self.path("a", "b", "c", "a"))),
            ("a.@min.self", call(.minimum, Self.a)), ("a.@unionOfObjects.b", Self.path("a", "b")),
            (
                "a.@distinctUnionOfObjects.b.@count",
                call(.count, call(.distinct, Self.path("a", "b")))
            ),
            ("a.@firstObject.b", .keyPath(of: .element(of: Self.a, .first), .init(["b"]))),
            ("a.@lastObject", .element(of: Self.a, .last)),
            ("a[0]", .element(of: Self.a, .at(.value(.int(0))))),
            (
                "a[FIRST].b[LAST]",
                .element(of: .keyPath(of: .element(of: Self.a, .first), .init(["b"])), .last)
            ),
            ("a[SIZE]", .count(.init(["a"]))),
            ("a[#first]", .element(of: Self.a, .at(Self.path("first")))),
            ("a['k']", .element(of: Self.a, .at(.value(.string("k"))))), ("$x", x),
            ("$x.b.c", .keyPath(of: x, .init(["b", "c"]))), ("$x.@count", call(.count, x)),
            ("now()", call(.now)), ("sum(a, b)", call(.sum, Self.a, b)),
            ("Sum:(a)", call(.sum, Self.a)),
            ("add:to:(a, 1)", call(.add, Self.a, Self.one)),
            ("modulus:by:(a, 2)", call(.modulus, Self.a, two)),
            ("noindex:(a)", Self.a), ("objectify", Self.path("objectify")),
            ("CAST(a, 'NSDate')", .cast(Self.a, to: .date)),
            (
                "SUBQUERY(a, $x, $x.b == 1).@count",
                call(
                    .count,
                    .subquery(
                        Self.a, variable: "x",
                        Self.predicate(.keyPath(of: x, .init(["b"])), .equal, Self.one)))
            ),
            (
                "TERNARY(a == 1 OR b == 1, 1, 2)",
                .ternary(
                    .or([
                        Self.predicate(Self.a, .equal, Self.one),
                        Self.predicate(b, .equal, Self.one),
                    ]),
                    Self.one, two)
            ),
            ("TERNARY(TRUEPREDICATE, TRUE, FALSE)", .condition(.constant(true))),
        ]
        for (text, expression) in cases {
            #expect(
                try DataStorePredicate("\(text) == 1")
                    == Self.predicate(expression, .equal, Self.one), "\(text)")
            #expect(
                try DataStorePredicate("c > \(text)")
                    == Self.predicate(c, .greater, expression), "\(text)")
            #expect(
                try DataStorePredicate("NOT (\(text)) == 1 AND c == 1")
                    == .and([
                        .not(Self.predicate(expression, .equal, Self.one)),
                        Self.predicate(c, .equal, Self.one),
                    ]), "\(text)")
        }
    }

    @Test func quantifiersAndOptions() throws {
        let all = Self.predicate(Self.a, .greater, Self.one, modifier: .all)
        let any = Self.predicate(Self.a, .greater, Self.one, modifier: .any)
        #expect(try DataStorePredicate("ALL a > 1") == all)
        #expect(try DataStorePredicate("none a > 1") == .not(any))
        #expect(try DataStorePredicate("NOT NONE a > 1") == .not(.not(any)))
        let text = Expression.value(.string("x"))
        for (letters, options) in [
            ("[n]", .normalized), ("[cn]", [.normalized, .caseInsensitive]),
            ("[ndc]", [.normalized, .caseInsensitive, .diacriticInsensitive]),
        ] as [(String, DataStorePredicate.Options)] {
            #expect(
                try DataStorePredicate("a like\(letters) 'x'")
                    == Self.predicate(Self.a, .like, text, options: options))
            #expect(
                try DataStorePredicate("a MATCHES\(letters)'x'")
                    == Self.predicate(Self.a, .matches, text, options: options))
        }
    }

    @Test func variablesAreSubstituted() throws {
        let template = try DataStorePredicate(
            "a BETWEEN {$low, $high} AND SUBQUERY(b, $x, $x > $low).@count == $x")
        let predicate = try template.substituting(["low": 1, "high": 2.5, "x": "t"])
        #expect(
            try predicate
                == DataStorePredicate(
                    "a BETWEEN {1, 2.5} AND SUBQUERY(b, $x, $x > 1).@count == 't'"))
        #expect(
            try DataStorePredicate("a == $n", variables: ["n": nil])
                == DataStorePredicate("a == nil"))
        #expect(
            try DataStorePredicate("a == $n AND b == %d", arguments: [1], variables: ["n": 2])
                == DataStorePredicate("a == 2 AND b == 1"))
        try predicate.validate()
        let error = #expect(throws: DataStoreError.self) { try template.validate() }
        #expect(error?.code == .invalidPredicate)
        #expect(error?.message.contains("substituting") == true)
        let unsupported = #expect(throws: DataStoreError.self) {
            try template.substituting(["low": Set([1])])
        }
        #expect(unsupported?.code == .unsupportedValue)
        let odd = DataStorePredicate.comparison(.init(.variable("a b"), .equal, Self.one))
        #expect(throws: DataStoreError.self) { try odd.substituting(["a b": 1]) }
    }

    @Test func argumentsAreNeverParsed() throws {
        let hostile = "x' OR TRUEPREDICATE OR a == '%@\0\n\"\\"
        let predicate = try DataStorePredicate("a == %@", hostile)
        #expect(predicate == Self.predicate(Self.a, .equal, .value(.string(hostile))))
        let path = try DataStorePredicate("%K == 1", "x == 1 OR y")
        #expect(path == Self.predicate(Self.path("x == 1 OR y"), .equal, Self.one))
    }

    @Test func attributeEquals() throws {
        #expect(
            try DataStorePredicate(attribute: "a.b", equals: nil)
                == Self.predicate(Self.path("a", "b"), .equal, .value(.null)))
        #expect(
            try DataStorePredicate(attribute: "in", equals: true)
                == Self.predicate(Self.path("in"), .equal, .value(.bool(true))))
        for name in ["", ".", "a.", ".a", "a..b", "a.@sum2", "@sum", "a.@count.b"] {
            let error = #expect(throws: DataStoreError.self) {
                try DataStorePredicate(attribute: name, equals: 1)
            }
            #expect(error?.code == .invalidPredicate)
        }
        let error = #expect(throws: DataStoreError.self) {
            try DataStorePredicate(attribute: "a", equals: Set([1]))
        }
        #expect(error?.code == .unsupportedValue)
    }

    @Test func combinatorsAreFlat() throws {
        let (a, b, c) = (
            DataStorePredicate.constant(true), DataStorePredicate.constant(false),
            DataStorePredicate.constant(true)
        )
        #expect((a && b && c) == .and([a, b, c]))
        #expect((a || (b || c)) == .or([a, b, c]))
        #expect((a && b || !c) == .or([.and([a, b]), .not(c)]))
    }
}
