import Foundation
import JustPersist
import JustPersistConformance
import Testing

@Suite struct PredicateEvaluationTests {
    private static let id = ItemID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)
    private static let chef = ItemReference(itemTypeKey: "Person", id: ItemID(high: 1, low: 2))

    private static let subject = DictionarySubject(
        attributes: [
            "uniqueToken": .uuid(id.uuid), "stars": .int(3), "rating": .double(4.5),
            "open": .bool(true),
            "name": .string("Café Élan"), "nfd": .string("Cafe\u{301} E\u{301}lan"),
            "empty": .string(""), "nan": .double(.nan), "price": .decimal(Decimal(4.5)),
            "opened": .date(Date(timeIntervalSinceReferenceDate: 10)), "nothing": .null,
            "tags": .array([.string("Thai"), .string("bar"), .null]), "noTags": .array([]),
            "grades": .array([
                .dictionary(["score": .int(5), "tags": .array([.string("a"), .string("b")])]),
                .dictionary(["score": .double(7)]), .dictionary(["other": .int(1)]),
            ]),
            "address": .dictionary(["city": .dictionary(["zip": .string("8000")])]),
            "chef": .reference(chef), "token": .string(id.description),
        ],
        others: [
            chef: ["name": .string("Ann"), "age": .int(30), "uniqueToken": .uuid(chef.id.uuid)]
        ])

    private static func expect(
        _ text: String, _ arguments: Any?..., is expected: Bool,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let predicate = try DataStorePredicate(text, arguments: arguments)
        try #expect(predicate.matches(subject) == expected, "\(text)", sourceLocation: location)
        try #expect(
            (!predicate).matches(subject) != expected, "NOT \(text)", sourceLocation: location)
    }

    @Test(arguments: [
        "stars == 3", "stars == 3.0", "3 == stars", "stars != 4", "stars < 4", "stars <= 3",
        "stars > 2", "stars >= 3", "stars < rating", "rating == price", "open == 1", "open == TRUE",
        "stars BETWEEN {3, 3}", "stars BETWEEN {1, rating}", "stars IN {1, 3}", "stars IN {3.0}",
        "stars IN {stars}", "name == nfd", "name IN {'x', 'Cafe\\u0301 E\\u0301lan'}",
        "name > 'Caf'", "opened < date('11')", "opened == date('10')", "address.city.zip == '8000'",
        "tags == {'Thai', 'bar', nil}", "grades.score == {5, 7, nil}", "chef.name == 'Ann'",
        "chef.age > 29", "'Thai' IN tags", "tags CONTAINS 'bar'", "tags CONTAINS nil",
        "nil IN tags",
        "ANY tags == 'bar'", "SOME tags ==[c] 'BAR'", "ANY tags IN {'bar', 'x'}",
        "ANY grades.score > 6", "ANY grades.score == nil", "ANY grades.tags == 'b'",
        "ANY tags BEGINSWITH 'Th'", "tags.@count == 3", "grades.tags.@count == 4",
        "noTags.@count == 0",
        "address.@count == 1", "grades.@count > 2 AND grades.@count BETWEEN {1, 5}",
        "'fé' IN name", "'FE' IN[cd] name", "{1, stars} == {1, 3}", "4 IN {1, 4}",
    ])
    func holds(_ text: String) throws { try Self.expect(text, is: true) }

    @Test(arguments: [
        "stars == 4", "stars == '3'", "stars < 3", "stars > 3", "stars BETWEEN {4, 2}",
        "stars BETWEEN {'a', 'z'}", "stars IN {}", "stars IN {'3', nil}", "name == 'café élan'",
        "name < 5", "stars < 'x'", "opened == 10", "nan == nan", "nan < 1", "nan > 1", "nan >= nan",
        "nan IN {1, 2}", "nan BETWEEN {0, 1}", "ANY noTags == 1", "ANY stars == 3",
        "ANY name == 'C'",
        "ANY missing == nil", "tags CONTAINS 'Bar'", "tags CONTAINS 'Th'", "stars CONTAINS 3",
        "stars BEGINSWITH '3'", "tags IN {'Thai'}", "stars.x == 3", "chef == 'Ann'", "chef.x == 1",
        "address.zip == '8000'", "tags < {'z'}", "stars IN name", "name IN stars",
        "stars BETWEEN tags", "grades.score > 4", "name.@count == 9", "missing.@count == 0",
    ])
    func doesNotHold(_ text: String) throws { try Self.expect(text, is: false) }

    @Test func nullEqualsNullAndDoesNotOrder() throws {
        for name in ["nothing", "missing", "address.x", "missing.x.y", "missing.@count", "name.x"] {
            try Self.expect("\(name) == nil", is: true)
            try Self.expect("nil == \(name)", is: true)
            try Self.expect("\(name) == missing", is: true)
            try Self.expect("\(name) IN {1, nil}", is: true)
            try Self.expect("\(name) != 5", is: true)
            try Self.expect("\(name) != nil", is: false)
            for relation in ["<", "<=", ">", ">="] {
                try Self.expect("\(name) \(relation) 5", is: false)
                try Self.expect("5 \(relation) \(name)", is: false)
                try Self.expect("\(name) \(relation) nil", is: false)
            }
            try Self.expect("\(name) BETWEEN {1, 5}", is: false)
            for relation in ["CONTAINS", "BEGINSWITH", "ENDSWITH"]
            where !name.hasSuffix("@count") {
                try Self.expect("\(name) \(relation) 'a'", is: false)
                try Self.expect("name \(relation) \(name)", is: false)
                try Self.expect("name \(relation) nil", is: false)
            }
        }
    }

    @Test func emptyCompounds() throws {
        try #expect(DataStorePredicate.and([]).matches(Self.subject))
        try #expect(!DataStorePredicate.or([]).matches(Self.subject))
    }

    @Test func textOperators() throws {
        for name in ["name", "nfd"] {
            for part in ["Café", "Cafe\u{301}", "C", "Café Élan"] {
                try Self.expect("%K BEGINSWITH %@", name, part, is: true)
                try Self.expect("%K CONTAINS %@", name, part, is: true)
            }
            for part in ["Élan", "E\u{301}lan", "n", "Cafe\u{301} Élan"] {
                try Self.expect("%K ENDSWITH %@", name, part, is: true)
                try Self.expect("%K CONTAINS %@", name, part, is: true)
            }
            for part in ["Cafe", "x", "Café Élan!", "é", "élan"] {
                try Self.expect("%K BEGINSWITH %@", name, part, is: false)
                try Self.expect("%K ENDSWITH %@", name, part, is: false)
            }
            try Self.expect("%K BEGINSWITH[c] %@", name, "CAFÉ", is: true)
            try Self.expect("%K BEGINSWITH[d] %@", name, "Cafe", is: true)
            try Self.expect("%K BEGINSWITH[c] %@", name, "cafe", is: false)
            try Self.expect("%K CONTAINS[cd] %@", name, "FE EL", is: true)
            try Self.expect("%K ENDSWITH[cd] nfd", name, is: true)
        }
    }

    @Test func theEmptyTextIsFoundNowhere() throws {
        for name in ["name", "empty"] {
            for relation in ["BEGINSWITH", "ENDSWITH", "CONTAINS", "CONTAINS[cd]"] {
                try Self.expect("\(name) \(relation) ''", is: false)
                try Self.expect("\(name) \(relation) empty", is: false)
            }
            try Self.expect("'' IN \(name)", is: false)
        }
        try Self.expect("empty == ''", is: true)
        try Self.expect("name CONTAINS[d] %@", "\u{301}", is: false)
    }

    @Test func folding() throws {
        let equal: [(String, String, String)] = [
            ("c", "straße", "STRASSE"), ("c", "ΣΑΣ", "σας"), ("c", "É", "e\u{301}"),
            ("c", "ﬁ", "FI"),
            ("c", "𐐀", "𐐨"), ("c", "I", "i"), ("d", "é", "e"), ("d", "o\u{308}\u{301}", "o"),
            ("cd", "İ", "i"), ("cd", "Ñ", "n"), ("c", "Thai", "tHAI"),
        ]
        for (options, a, b) in equal {
            try Self.expect("%@ ==[\(options)] %@", a, b, is: true)
            try Self.expect("%@ IN[\(options)] {'x', %@}", a, b, is: true)
            try Self.expect("%@ CONTAINS[\(options)] %@", a, b, is: true)
            try Self.expect("%@ <=[\(options)] %@", a, b, is: true)
            try Self.expect("%@ == %@", a, b, is: false)
        }
        let unequal = [
            ("c", "İ", "i"), ("c", "ı", "i"), ("c", "é", "e"), ("d", "É", "é"), ("d", "ß", "s"),
        ]
        for (options, a, b) in unequal { try Self.expect("%@ ==[\(options)] %@", a, b, is: false) }
    }

    @Test func idsCompareInAllSpellings() throws {
        let other = ItemID(high: 5, low: 5)
        let spellings: [Any] = [
            Self.id, Self.id.uuid, Self.id.description, Self.id.description.uppercased(),
            ItemReference(itemTypeKey: "T", id: Self.id),
        ]
        for spelling in spellings {
            for name in ["uniqueToken", "SELF"] {
                try Self.expect("\(name) == %@", spelling, is: true)
                try Self.expect("%@ == \(name)", spelling, is: true)
                try Self.expect("\(name) != %@", spelling, is: false)
                try Self.expect("\(name) IN %@", [other, spelling], is: true)
                try Self.expect("\(name) IN {%@, %@}", other, spelling, is: true)
            }
        }
        try Self.expect("uniqueToken == %@", other, is: false)
        try Self.expect("uniqueToken == 'x'", is: false)
        try Self.expect("uniqueToken < %@", ItemID(high: .max, low: 0), is: true)
        try Self.expect("uniqueToken == token", is: true)
        try Self.expect("chef.uniqueToken == %@", Self.chef.id.description, is: true)
        try Self.expect("chef == %@", Self.chef, is: true)
        // Only for the id does a string stand for a UUID.
        try Self.expect("token == %@", Self.id.uuid, is: false)
    }

    @Test func hugeListsAgreeWithASearch() throws {
        var random = RandomPredicates()
        for size in [0, 1, 30, 10_000] {
            let list = (0..<size).map { _ in random.values.value() }
            let probes = list.prefix(40) + (0..<40).map { _ in random.values.value() }
            let predicate = try DataStorePredicate("a IN %@", DataStoreValue.array(list))
            let prepared = PreparedPredicate(predicate)
            for probe in probes {
                try #expect(
                    prepared.matches(DictionarySubject(attributes: ["a": probe]))
                        == list.contains { $0.isEqual(to: probe) },
                    "seed \(random.seed): \(probe)")
            }
        }
    }

    @Test func aPredicateAndItsNegationDivideAllSubjects() throws {
        var random = RandomPredicates()
        let subjects = (0..<30).map { _ in random.subject() }
        var matched = 0
        for _ in 0..<300 {
            let (p, q) = (random.predicate(), random.predicate())
            for subject in subjects {
                let (holds, other) = try (p.matches(subject), q.matches(subject))
                if holds { matched += 1 }
                try #expect((!p).matches(subject) == !holds, "seed \(random.seed): \(p)")
                try #expect((p && q).matches(subject) == (holds && other), "seed \(random.seed)")
                try #expect((p || q).matches(subject) == (holds || other), "seed \(random.seed)")
            }
        }
        #expect(matched > 0 && matched < 9000, "seed \(random.seed)")
    }

    @Test func wholeTextsAgreeWithEquality() throws {
        var random = RandomValues()
        let scalars = [
            "e", "\u{301}", "\u{302}", "\u{323}", "\u{1E6E6}", "\u{31C}", "가", "ᄀ", "ᅡ", "q",
        ]
        for _ in 0..<3000 {
            let parts = (0..<4).map { _ in random.pick(scalars) }
            let (a, b) = (parts.joined(), parts.shuffled(using: &random.generator).joined())
            let subject = DictionarySubject(attributes: ["a": .string(a), "b": .string(b)])
            guard a == b else { continue }
            for relation in ["BEGINSWITH", "ENDSWITH", "CONTAINS", "==", "==[c]", "CONTAINS[cd]"] {
                #expect(
                    try DataStorePredicate("a \(relation) b").matches(subject),
                    "seed \(random.generator.seed): \(a.unicodeScalars) \(relation) \(b.unicodeScalars)"
                )
            }
        }
    }
}
