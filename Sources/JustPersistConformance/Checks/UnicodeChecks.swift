import Foundation
import JustPersist

/// Checks of texts in many scripts.
enum UnicodeChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "uni/round-trip", clause: [9, 10],
            "Texts in any script are read byte for byte as they were written."
        ) { check in
            try check.roundTrip(
                [
                    ["é", "e\u{301}"], ["👩‍👩‍👧‍👦"], ["👩👩👧👦"], ["🏳️‍🌈"], ["🏳‍🌈"],
                    ["مرحبا"], ["\u{202E}abc"], ["abc"], ["שָׁלוֹם"], ["𐍈"], ["\u{10FFFF}"],
                    ["Z\u{337}\u{322}\u{327}a\u{336}\u{30A}"], ["\u{FFFD}"], ["\u{FFFE}"],
                    ["\u{FEFF}"],
                    ["\u{FEFF}abc"], [""], ["\u{200B}"], ["\u{200D}"], ["日本"], ["日本語"], ["ｶﾞ"],
                    ["ガ"],
                    ["각", "\u{1100}\u{1161}\u{11A8}"], ["\u{1100}"], ["ß"], ["ss"], ["ı"], ["i"],
                    ["\u{E000}"], ["\u{301}"], ["a" + String(repeating: "\u{301}", count: 500)],
                ].map { $0.map { .string($0) } })
        },
        CheckDefinition(
            "uni/canonical-equivalence-eq", clause: [10],
            "Strings that are canonically equivalent are equal, and others are not."
        ) { check in
            for group in equivalent {
                // The texts are used alone, and inside a longer text.
                for pattern in ["", "before "] {
                    let texts = group.map { pattern + $0 }
                    let different = unlike.map { pattern + $0 }
                    let items = try check.openValues()
                    let ids = try texts.map { try items.create(["value": .string($0)]) }
                    let others = try different.map { try items.create(["value": .string($0)]) }
                    for text in texts {
                        let value = DataStoreValue.string(text)
                        try items.expect(ids, where: "value", .equal, value, "as written here")
                        try items.expect(
                            others, where: "value", .notEqual, value, "as written here")
                        try items.store.read { db in
                            let request = items.request(where: .comparing("value", .equal, value))
                            check.expectEqual(
                                try db.performCount(request), ids.count,
                                "the count where value == \(text.escaped)")
                        }
                        for ordering in [DataStorePredicate.Operator.less, .greater] {
                            let found = try items.ids(where: .comparing("value", ordering, value))
                            check.expect(
                                Set(found).isDisjoint(with: ids),
                                """
                                value \(ordering.rawValue) \(text.escaped) found a string that is \
                                canonically equivalent
                                """)
                        }
                    }
                }
            }
        },
        CheckDefinition(
            "uni/canonical-equivalence-in-begins", clause: [10],
            "IN, CONTAINS, BEGINSWITH and ENDSWITH treat canonically equivalent strings as equal."
        ) { check in
            let declared = check.capabilities.predicateOperators
            guard !declared.isDisjoint(with: [.in, .contains, .beginsWith, .endsWith]) else {
                try check.notApplicable("the store declares none of these operators")
            }
            // A combining mark without a letter would combine with the preceding letter.
            for group in equivalent where group != ["\u{344}", "\u{308}\u{301}"] {
                let items = try check.openValues()
                let ids = try group.map { try items.create(["value": .string($0)]) }
                let longer = try group.map { try items.create(["value": .string("x\($0)x")]) }
                let plain = try items.create(["value": .string("xx")])
                for text in group {
                    if check.capabilities.valueKinds.contains(.array) {
                        let list = DataStoreValue.array([.string("other"), .string(text)])
                        try items.expect(ids, where: "value", .in, list, "in a list")
                    }
                    try items.expect(
                        ids + longer, where: "value", .contains, .string(text), "as a part")
                    try items.expect(
                        ids, where: "value", .beginsWith, .string(text), "at the start")
                    try items.expect(
                        longer, where: "value", .beginsWith, .string("x" + text), "at the start")
                    try items.expect(ids, where: "value", .endsWith, .string(text), "at the end")
                    try items.expect(
                        longer, where: "value", .endsWith, .string(text + "x"), "at the end")
                }
                try items.expect(
                    longer + [plain], where: "value", .beginsWith, .string("x"), "at the start")
            }
        },
        CheckDefinition(
            "uni/sort-order", clause: [10, 12],
            "Strings sort by the scalars of their composed form, equivalent ones by creation."
        ) { check in
            var random = check.generator()
            let texts = random.shuffled(
                equivalent.flatMap { $0 } + unlike + [
                    "a", "A", "b", "B", "z", "Z", "aa", "a b", "", " ", "ä", "zebra", "Äpfel", "é",
                    "ea", "eb", "f", "e\u{301}a", "éb", "\u{FFFD}", "\u{E000}", "𐍈", "🏳️‍🌈",
                    "\u{FFFF}",
                    "日", "本", "\0", "~",
                ])
            let items = try check.openValues()
            let ids = try items.store.write { db in
                var ids: [ItemID] = []
                for text in texts {
                    ids.append(try items.create(["value": .string(text)], db).uniqueToken)
                }
                return ids
            }
            let numbered = Array(zip(ids, texts))
            for ascending in [true, false] {
                let expected = numbered.sorted {
                    if $0.1 == $1.1 { return $0.0 < $1.0 }
                    return ascending ? $0.1.isComposedBefore($1.1) : $1.1.isComposedBefore($0.1)
                }
                let order = DataStoreSortDescriptor(key: "value", ascending: ascending)
                let found = try items.store.read { db in
                    try db.dynamicItems(
                        DataStoreRequest(type: items.itemType, sortDescriptors: [order])
                    ).map { ($0.uniqueToken, try $0.value("value")) }
                }
                check.expectEqual(
                    found.map { $0.1.shortText },
                    expected.map { $0.1.escaped }.map { "string \($0)" },
                    "the strings in \(ascending ? "ascending" : "descending") order")
                check.expectEqual(
                    found.map(\.0), expected.map(\.0),
                    "the items in that order, equal ones by creation")
            }
            for text in texts {
                let before = numbered.filter { $0.1.isComposedBefore(text) }.map(\.0)
                let behind = ids.filter { !before.contains($0) }
                let value = DataStoreValue.string(text)
                try items.expect(before, where: "value", .less, value, "of all strings")
                try items.expect(behind, where: "value", .greaterOrEqual, value, "of all strings")
            }
        },
        CheckDefinition(
            "uni/attribute-names", clause: [9],
            "Attributes may have names of any script; equivalent names are one attribute or two."
        ) { check in
            let names = ["名前", "ñ", "имя", "🏳️‍🌈", "اسم", "\u{10348}", "ﬁ", "fi", "İ", "i"]
            let pair = ["é", "e\u{301}"]
            var items = try StoredType("UnicodeNames", names, in: try check.openStore(), check)
            // Declared separately, because one schema may not declare a name twice.
            try items.store.write { db in for name in pair { try items.declare([name], db) } }
            let values = Dictionary(
                uniqueKeysWithValues: names.map { ($0, DataStoreValue.string("of " + $0)) })
            let id = try items.create(values)
            let twin = try items.store.write { db in
                let item = try items.create([:], db)
                for name in pair { try item.set([name: .string(name.escaped)]) }
                return item.uniqueToken
            }
            let isOne = try items.store.read { db in
                let item = try check.require(try items.item(twin, db), "the item of the pair")
                return try item.value(pair[0]) == item.value(pair[1])
            }
            let expected = pair.map { DataStoreValue.string((isOne ? pair[1] : $0).escaped) }
            func read(_ when: String) throws {
                try items.expectValues(values, of: id, when)
                for name in names {
                    try items.expect([id], where: name, .equal, .string("of " + name), when)
                }
                try items.store.read { db in
                    let item = try check.require(try items.item(twin, db), "the item of the pair")
                    for (name, value) in zip(pair, expected) {
                        check.expectIdentical(
                            try item.value(name), value, "the attribute \(name.escaped) \(when)")
                    }
                }
                for (name, value) in zip(pair, expected) {
                    try items.expect([twin], where: name, .equal, value, when)
                }
            }
            try read("in a later block")
            if try items.reopens() { try read("after the store was reopened") }
        },
        CheckDefinition(
            "uni/type-keys", clause: [16],
            "Types may have keys of any script, up to the limit; equivalent keys are one type or two."
        ) { check in
            var store = try check.openStore()
            let limit = check.capabilities.limits.nameBytes
            let long = String(repeating: "k", count: min(limit, 4_096) - 1)
            let keys = [
                "名前", "ñ", "🏳️‍🌈", "اسم", "ﬁ", "fi", "İ", "i", " ", "a.b", long + "1", long + "2",
                long,
            ]
            var ids: [(key: String, id: ItemID)] = []
            for key in keys {
                let type = try StoredType(key, ["name"], in: store, check)
                ids.append((key, try type.create(["name": .string(key)])))
            }
            let pair = ["é", "e\u{301}"]
            let twins = try pair.map {
                try StoredType($0, ["name"], in: store, check).create(["name": .string($0)])
            }
            let first = try StoredType(pair[0], knownIn: store, check).ids()
            let isOne = first.count == 2
            func read(_ when: String) throws {
                for (key, id) in ids {
                    let type = StoredType(key, knownIn: store, check)
                    try type.expect([id], when)
                    try type.expectValues(["name": .string(key)], of: id, when)
                }
                for (key, id) in zip(pair, twins) {
                    let type = StoredType(key, knownIn: store, check)
                    try type.expect(isOne ? twins : [id], "written \(key.escaped) \(when)")
                }
            }
            try read("in a later block")
            if check.reopeningKeepsData {
                store = try check.reopened(store)
                try read("after the store was reopened")
            }
            try store.write { db in
                for key in ["", String(repeating: "k", count: limit + 1)] {
                    check.expectError(
                        key.isEmpty ? .invalidName : .limitExceeded,
                        what: "declaring a type with a key of \(key.utf8.count) bytes"
                    ) {
                        try db.declare(ItemSchema(key, attributes: [AttributeSchema("name")]))
                    }
                }
            }
            try read("after other keys were refused")
        },
        CheckDefinition(
            "uni/normalisation-not-applied", clause: [9],
            "Strings are stored as written, even if they replace a canonically equivalent one."
        ) { check in
            let kinds = check.capabilities.valueKinds
            var items = try check.openValues()
            for group in equivalent {
                let id = try items.create(["value": .string(group[0])])
                for text in group.reversed() + group {
                    let values: [DataStoreValue] = [
                        .string(text), .array([.string(text)]), .dictionary([text: .string(text)]),
                    ].filter { kinds.contains($0.kind) }
                    for value in values {
                        try items.set(["value": value], of: id)
                        try items.expectValues(
                            ["value": value], of: id, "set to one of several equivalent spellings")
                    }
                    try items.set(["value": .string(text)], of: id)
                }
                if check.reopeningKeepsData {
                    items = try items.reopened()
                    try items.expectValues(
                        ["value": .string(group[group.count - 1])], of: id,
                        "set to an equivalent spelling, after the store was reopened")
                }
            }
        },
    ]

    /// Groups of strings that are canonically equivalent.
    private static let equivalent = [
        ["é", "e\u{301}"], ["\u{212B}", "\u{C5}", "A\u{30A}"], ["각", "\u{1100}\u{1161}\u{11A8}"],
        ["q\u{307}\u{323}", "q\u{323}\u{307}"], ["\u{212A}", "K"], ["\u{344}", "\u{308}\u{301}"],
        ["ế", "ê\u{301}", "e\u{302}\u{301}"], ["\u{2126}", "Ω"],
    ]

    /// Strings that look similar or have similar meanings, and are not equivalent to those above.
    private static let unlike = [
        "e", "ê", "E\u{301}", "A", "k", "ﬁ", "ſ", "µ", "μ", "q\u{307}", "ω", "",
    ]
}

extension String {
    /// Whether the scalars of this string's composed form come before those of another's.
    ///
    /// Swift's `<` is not used, because it orders "éb" before a decomposed "é".
    fileprivate func isComposedBefore(_ other: String) -> Bool {
        precomposedStringWithCanonicalMapping.unicodeScalars.lexicographicallyPrecedes(
            other.precomposedStringWithCanonicalMapping.unicodeScalars)
    }
}
