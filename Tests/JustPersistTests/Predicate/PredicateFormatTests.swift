import Foundation
import JustPersist
import JustPersistConformance
import Testing

@Suite struct PredicateFormatTests {
    @Test(arguments: [
        ("a=1&&b!=2", "a == 1 AND b != 2"), ("not(a=1 or b=2)", "NOT (a == 1 OR b == 2)"),
        ("a contains[dc] 'it\\'s'", "a CONTAINS[cd] \"it's\""),
        ("some a.b in {1,2}", "ANY a.b IN {1, 2}"),
        ("a = NULL and b = yes", "a == nil AND b == TRUE"), ("self = null", "uniqueToken == nil"),
        ("#in.x = {}", "#in.x == {}"), ("#'a b'.@count>=0.5", "#\"a b\".@count >= 0.5"),
        ("a = '\\0\\u0007\\n'", "a == \"\\u0000\\u0007\\n\""), ("truepredicate", "TRUEPREDICATE"),
        ("a = date('86400')", "a == date(\"2001-01-02T00:00:00.000Z\")"),
        ("all a.@avg.b like[nc] 'x*'", "ALL average(a.b) LIKE[cn] \"x*\""),
        ("none a matches 'b'", "NOT ANY a MATCHES \"b\""),
        ("a+b*c-1=(a+b)*-c", "(a + (b * c)) - 1 == (a + b) * (0 - c)"),
        ("a[size]=a[first][0]['x'].y", "a.@count == a[FIRST][0][\"x\"].y"),
        (
            "subquery(a,$x,$x.y>1 or b=1).@count>$n",
            "count(SUBQUERY(a, $x, $x.y > 1 OR b == 1)) > $n"
        ),
        (
            "ternary(a=1,cast(b,'NSDate'),now())<modulus:by:(a,2)",
            "TERNARY(a == 1, CAST(b, \"NSDate\"), now()) < modulus:by:(a, 2)"
        ),
        ("(a+1).b={1,2}[last]", "(a + 1).b == ({1, 2})[LAST]"),
        ("a[#last]=0xff", "a[#last] == 255"),
        ("a = '\\uD83D\\uDE42\\u00e9'", "a == \"🙂é\""),
        ("a = {'x': {1}, 'b': nil}", "a == {\"b\": nil, \"x\": {1}}"),
    ])
    func printsOneForm(_ text: String, _ printed: String) throws {
        #expect(try DataStorePredicate(text).description == printed)
    }

    @Test func aKeyPathMayBeGivenBehindADot() throws {
        for (predicate, printed) in [
            (try DataStorePredicate("$x.%K == SELF.%K", "score", "a.b"), "$x.score == a.b"),
            (
                try DataStorePredicate("grades.%K > %d", "@avg.score", 3),
                "average(grades.score) > 3"
            ),
            (
                try DataStorePredicate(
                    "SUBQUERY(%K, $g, $g.%K > 1).@count > 0", "grades", "score.x"),
                "count(SUBQUERY(grades, $g, $g.score.x > 1)) > 0"
            ),
        ] {
            #expect(predicate.description == printed)
        }
        for argument: any Sendable in ["", "a..b", 5] {
            #expect(throws: DataStoreError.self) {
                try DataStorePredicate("a.%K == 1", arguments: [argument])
            }
        }
    }

    @Test func smallCompoundsPrintWhatTheyMean() {
        let one = DataStorePredicate.constant(true)
        #expect(DataStorePredicate.and([]).description == "TRUEPREDICATE")
        #expect(DataStorePredicate.or([]).description == "FALSEPREDICATE")
        #expect(
            DataStorePredicate.and([.or([.and([one, one])]), .or([])]).description
                == "(TRUEPREDICATE AND TRUEPREDICATE) AND FALSEPREDICATE")
    }

    @Test func theTextOfAPredicateGivesItBack() throws {
        var random = RandomPredicates()
        for _ in 0..<3000 {
            let predicate = random.predicate()
            // A text whose operators do not fit its constants is refused.
            guard (try? predicate.validate()) != nil else { continue }
            let text = predicate.description
            #expect(
                try DataStorePredicate(text) == predicate, "seed \(random.seed): \(text)")
        }
    }

    @Test func theTextOfAValueGivesItBack() throws {
        var random = RandomValues()
        let scalars = (0..<0x300).compactMap(Unicode.Scalar.init).map { String(Character($0)) }
        let values = (0..<2000).map { _ in random.value() } + scalars.map(DataStoreValue.string)
        for value in values {
            let predicate = try DataStorePredicate(attribute: "a", equals: value)
            #expect(
                try DataStorePredicate(predicate.description) == predicate,
                "seed \(random.generator.seed): \(predicate)")
        }
    }

    @Test func jsonGivesAPredicateBack() throws {
        var random = RandomPredicates()
        let predicates = (0..<1000).map { _ in random.predicate() } + [.and([]), .or([.and([])])]
        let copy = try JSONDecoder().decode(
            [DataStorePredicate].self, from: JSONEncoder().encode(predicates))
        #expect(copy == predicates, "seed \(random.seed)")
    }

    @Test(arguments: [
        "{}", #"{"and": [], "or": []}"#, #"{"xor": []}"#, #"{"constant": 1}"#,
        #"{"comparison": {"left": {}, "operator": "==", "right": {}}}"#,
    ])
    func damagedJSONIsAnError(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DataStorePredicate.self, from: Data(text.utf8))
        }
    }
}
