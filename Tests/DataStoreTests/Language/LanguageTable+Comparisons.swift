/// Texts of the language, and the numbers of the places that each finds, derived by hand from what Apple documents:
/// the Predicate Programming Guide for comparisons, quantifiers and literals.
enum LanguageTable {
    typealias Line = (format: String, numbers: [Int])

    static let comparisons: [Line] = [
        ("stars == 5", [1]), ("stars = 3", [2]), ("stars != 3", Place.others(2)),
        ("stars <> 3", Place.others(2)), ("stars > 3", [1, 3, 7]), ("stars >= 4", [1, 3, 7]),
        ("stars => 4", [1, 3, 7]), ("stars < 0", [6]), ("stars <= 0", [6, 8]),
        ("stars =< 0", [6, 8]), ("5 == stars", [1]), ("5 > stars", [2, 3, 4, 6, 8]),
        ("stars BETWEEN {2, 4}", [2, 3, 4]), ("stars between {4, 2}", []),
        ("NOT stars BETWEEN {2, 4}", [1, 5, 6, 7, 8]), ("stars IN {2, 3, 99}", [2, 4]),
        ("stars == nil", [5]), ("stars == NULL", [5]), ("stars != nil", Place.others(5)),
        ("address.missing == nil", Place.all), ("stars == 9007199254740993", [7]),
        ("stars == 9007199254740992.0", []), ("open == TRUE", [1, 3, 4]),
        ("open == YES", [1, 3, 4]),
        ("open == 1", [1, 3, 4]), ("open == false", [2, 5]), ("open == NO", [2, 5]),
        ("open != TRUE", [2, 5, 6, 7, 8]), ("TRUEPREDICATE", Place.all), ("FALSEPREDICATE", []),
        ("price == 9.0", [3]), ("price < 9", [2, 6, 8]), ("price == decimal('10.1')", [5]),
        ("stars > 3 AND open == TRUE", [1, 3]), ("stars > 3 && open == TRUE", [1, 3]),
        ("stars > 4 OR stars < 0", [1, 6, 7]), ("stars > 4 || stars < 0", [1, 6, 7]),
        ("!(stars > 3)", [2, 4, 5, 6, 8]), ("! stars > 3", [2, 4, 5, 6, 8]),
        ("NOT NOT stars == 5", [1]), ("stars == 5 OR stars == 3 AND open == TRUE", [1]),
        ("(stars == 5 OR stars == 3) AND open == FALSE", [2]),
        ("stars == 5 or not stars < 100", [1, 5, 7]),
    ]

    static let texts: [Line] = [
        ("name == 'Bar?'", [5]), ("name == \"Bar?\"", [5]), ("name == ''", [6]),
        ("name == nil", [7]),
        (#"name == 'Caf\u00e9 Bleu'"#, [1]), (#"name == 'Cafe\u0301 Bleu'"#, [1]),
        ("name ==[c] 'CAFÉ BLEU'", [1]), ("name ==[cd] 'cafe bleu'", [1]),
        ("name ==[n] 'café bleu'", []), ("name ==[cn] 'CAFÉ BLEU'", []),
        ("name ==[cdn] 'Café Bleu'", [1]), ("name BEGINSWITH 'Caf'", [1]),
        ("name BEGINSWITH[c] 'caf'", [1, 3]), ("name BEGINSWITH[cd] 'CAFE'", [1, 3]),
        ("name BEGINSWITH[cn] 'caf'", [3]), ("name CONTAINS 'r'", [2, 3, 5, 8]),
        ("name ENDSWITH '?'", [5]), ("name ENDSWITH[c] 'BLEU'", [1]), ("name CONTAINS '%'", [4]),
        ("'e' IN name", [1, 2, 3, 8]), ("name IN {'', 'Bar?'}", [5, 6]),
        ("name IN[c] {'CAFE NOIR'}", [3]), ("name > 'b'", [3, 8]),
        // LIKE
        ("name LIKE 'Bar?'", [5]), (#"name LIKE 'Bar\\?'"#, [5]), (#"name LIKE 'Ba\\?'"#, []),
        ("name LIKE '*'", Place.others(7)), ("name LIKE ''", [6]),
        ("name LIKE '?*'", Place.others(6, 7)), ("name LIKE '??'", []), ("name LIKE 'C*'", [1]),
        ("name LIKE[c] 'C*'", [1, 3]), ("name LIKE[cd] 'CAF? *'", [1, 3]),
        ("name LIKE 'Caf? Bleu'", [1]), ("name LIKE '*a*e*'", [1, 2, 3]),
        (#"name LIKE '*\\*'"#, [4]), ("name LIKE '100% *'", [4]), ("name LIKE 'line?break'", [8]),
        ("name LIKE 'a'", []), ("NOT name LIKE '*'", [7]), ("stars LIKE '5'", []),
        ("ANY tags LIKE 'b*'", [1, 2, 6]), ("name LIKE name", Place.others(7)),
        ("name LIKE '*%*'", [4]), ("name LIKE '_*'", []), ("name LIKE[n] 'B*'", [5]),
        ("name LIKE nil", []), ("'abc' LIKE 'a*c'", Place.all), ("'ac' LIKE 'a?c'", []),
        ("'aXbXc' LIKE 'a*b*c'", Place.all), ("'mississippi' LIKE 'm*iss*ip*i'", Place.all),
        ("'mississippi' LIKE 'm*iss*iss*iss*'", []), ("'a' LIKE '**?**'", Place.all),
        // MATCHES
        ("name MATCHES '.*'", Place.others(7, 8)), ("name MATCHES '(?s).*'", Place.others(7)),
        ("name MATCHES 'C.+'", [1]), ("name MATCHES[c] 'c.+'", [1, 3]),
        ("name MATCHES[cd] 'CAFE .*'", [1, 3]), ("name MATCHES '[a-z ]+'", [3]),
        ("name MATCHES 'cafe'", []), ("name MATCHES 'Thai|Thai Garden'", [2]),
        ("name MATCHES ''", [6]), (#"name MATCHES '\\d+% .*'"#, [4]),
        (#"name MATCHES 'Bar\\?'"#, [5]), (#"name MATCHES 'line\nbreak'"#, [8]),
        ("NOT name MATCHES '.+'", [6, 7, 8]), ("ANY tags MATCHES '[a-z]{3}'", [1, 2, 6]),
        ("ALL tags MATCHES '[a-z]+'", [1, 2, 3, 4, 5]), ("name MATCHES[d] 'Cafe Bleu'", [1]),
        (#"name MATCHES 'Caf\\u00e9 Bleu'"#, [1]), ("name MATCHES[cn] 'C.*'", [1]),
        (#"name MATCHES '\\QBar?'"#, [5]), ("name MATCHES '(?x) B a r . # the last'", [5]),
        ("name MATCHES '^Bar.$'", [5]), ("stars MATCHES '5'", []),
        ("'aaa' MATCHES '(a+)+'", Place.all),
        (#"'abab' MATCHES '(ab)\\1'"#, Place.all), ("'ab' MATCHES 'a'", []),
    ]

    static let collections: [Line] = [
        ("ANY tags == 'bar'", [1, 2, 6]), ("SOME tags ==[c] 'Bar'", [1, 2, 6]),
        ("NONE tags == 'bar'", [3, 4, 5, 7, 8]), ("ALL tags == 'bar'", [3, 5]),
        ("ALL tags ==[c] 'bar'", [3, 5, 6]), ("ALL tags != 'bar'", [3, 4, 5, 8]),
        ("NOT ALL tags == 'bar'", [1, 2, 4, 6, 7, 8]), ("ANY grades.score > 8", [1, 6]),
        ("ALL grades.score > 3", [1, 3, 5, 6, 8]),
        ("ALL grades.score BETWEEN {5, 9}", [1, 3, 5, 8]), ("ANY grades.by == nil", [2, 4, 6]),
        ("ANY nums IN {3, 5}", [1, 2, 6]), ("ANY matrix == 1", []), ("ANY stars == 5", []),
        ("ALL stars == 5", [5]), ("NONE address.missing == 1", Place.all), ("tags CONTAINS 'thai'", [2]),
        ("'thai' IN tags", [2]), ("tags CONTAINS[c] 'THAI'", [2]), ("tags CONTAINS nil", [8]),
        ("tags CONTAINS 'bar'", [1, 2, 6, 7]), ("'Bern' IN address", [2]),
        ("'BERN' IN[c] address", [2]), ("'8001' IN address", [1]),
        ("stars IN {'x': 5, 'y': 2}", [1, 4]), ("tags == {'pizza'}", [4]), ("tags == {}", [3]),
        ("any tags like 'b*' and not name contains 'x'", [1, 2, 6]),
    ]

    static let literals: [Line] = [
        ("stars == 0x5", [1]), ("stars == 0X5", [1]), ("stars == 0o5", [1]),
        ("stars == 0b101", [1]),
        ("stars == -1", [6]), ("stars == - 1", [6]), ("stars == -0x1", [6]),
        ("price == 1e300", [7]),
        ("price == 1.525e1", [4]), ("price == 15250e-3", [4]), ("price == -2.5", [8]),
        ("stars IN {0x2, 0b11}", [2, 4]), (#"name == 'Bar\x3f'"#, [5]),
        (#"name == 'Bar\077'"#, [5]),
        (#"name == 'Bar\u003F'"#, [5]), (#"name == 'Bar\U003F'"#, [5]),
        (#"name == 'Bar\U0000003F'"#, [5]), (#"name == "Bar\?""#, [5]), ("#name == 'Bar?'", [5]),
        ("SELF.name == 'Bar?'", [5]), ("0xFF == 255", Place.all), ("0o17 == 15", Place.all),
        ("1e2 == 100", Place.all), ("{1, 2} == {1, 2}", Place.all), ("{1, 2} == {2, 1}", []),
        ("name == {'a': 1}", []), ("nil == NULL", Place.all), ("YES == TRUE", Place.all),
    ]
}
