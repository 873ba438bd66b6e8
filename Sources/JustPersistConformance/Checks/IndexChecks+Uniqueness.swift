import Foundation
import JustPersist

/// Checks that no two items have equal values if that is declared.
extension IndexChecks {
    static let uniqueness: [CheckDefinition] = [
        CheckDefinition(
            "idx/unique-refused", clause: [5, 10, 14, 20], gate: .requires(.uniqueness),
            "A block that creates a second item with a unique value fails, and is rolled back."
        ) { check in
            let items = try uniqueItems(check)
            let first = try items.create([key: .string("40391"), other: .int(1)])
            var second: ItemID?
            let error = check.expectError(
                .uniqueViolation, what: "a second item with one value"
            ) {
                try items.store.write { db in
                    _ = try items.create([key: .string("free")], db)
                    second = try items.create([key: .string("40391")], db).uniqueToken
                }
            }
            if let error, let second {
                for id in [first, second] {
                    check.expect(
                        error.message.contains("\(id)"),
                        "The error does not name the item \(id): \(error)")
                }
                check.expectEqual(error.itemType, items.key, "the type that the error names")
                check.expectEqual(error.attribute, key, "the attribute that the error names")
            }
            try items.expect([first], "after a second item was refused")
            try items.expectValues(
                [key: .string("40391"), other: .int(1)], of: first, "that was there first")
            let third = try items.create([key: .string("free")])
            try items.expect([first, third], "after a value of a refused block was used again")
            try expectSameness(check)
        },
        CheckDefinition(
            "idx/unique-ignoring-case", clause: [10, 20], gate: .requires(.uniqueness),
            "If a unique index ignores case, texts that differ only in case are equal, and no others are."
        ) { check in
            let items = try uniqueItems(check, ignoringCase: true)
            let long = String(repeating: "Long ", count: 200)
            let pairs: [(String, String, areSame: Bool)] = [
                ("a@b.c", "A@B.C", true), ("a", "a", true), ("a", "b", false), ("", "", true),
                ("caf\u{E9}", "CAFE\u{301}", true), ("cafe", "caf\u{E9}", false),
                ("\u{434}\u{430}", "\u{414}\u{410}", true), ("a", "a ", false),
                (long + "a", long + "A", true), (long + "a", long + "b", false),
                (long, long.uppercased(), true),
            ]
            for (first, second, areSame) in pairs {
                try expect(items, .string(first), .string(second), areSame: areSame, check)
            }
            let id = try items.create([key: .string("Kept")])
            let error = check.expectError(.uniqueViolation, what: "another case of a stored text") {
                _ = try items.create([key: .string("KEPT")])
            }
            check.expect(
                error?.message.contains("\(id)") ?? true, "The error does not name the item \(id)")
            try items.expect([id], "after another case was refused")
            try items.expectValues([key: .string("Kept")], of: id, "that was there first")
        },
        CheckDefinition(
            "idx/unique-in-block", clause: [4, 5, 20], gate: .requires(.uniqueness),
            "Two items with one unique value in a block are refused by its next query, or at the latest at its end."
        ) { check in
            let items = try uniqueItems(check)
            let first = try items.create([key: .string("first")])
            func twice(_ db: borrowing DataStoreWriter) throws {
                for _ in 0..<2 { _ = try items.create([key: .string("twice")], db) }
            }
            let queries: [(String, (borrowing DataStoreWriter) throws -> Void)] = [
                ("fetching", { db in _ = try db.performFetch(items.request()) }),
                ("counting", { db in _ = try db.performCount(items.request()) }),
                ("looping", { db in try db.performForEach(items.request()) { _ in } }),
                (
                    "asking by the value",
                    { db in
                        _ = try items.ids(where: .compare(key, .equal, .string("twice")), db)
                    }
                ),
            ]
            for (what, query) in queries {
                check.expectError(.uniqueViolation, what: "a block with two, \(what) caught") {
                    try items.store.write { db in
                        try twice(db)
                        check.expectError(.uniqueViolation, what: "\(what) after two were made") {
                            try query(db)
                        }
                    }
                }
                try items.expect([first], "after \(what) was refused")
            }
            check.expectError(.uniqueViolation, what: "a block with two, without a query") {
                try items.store.write { db in try twice(db) }
            }
            check.expectError(.uniqueViolation, what: "a block with the value of an item") {
                try items.store.write { db in
                    _ = try items.create([key: .string("first")], db)
                    check.expectError(.uniqueViolation, what: "counting") {
                        _ = try db.performCount(items.request())
                    }
                }
            }
            try items.expect([first], "after all of them were refused")
        },
        CheckDefinition(
            "idx/unique-nil", clause: [11, 20], gate: .requires(.uniqueness),
            "Items without a value, with NaN or with a collection never violate uniqueness."
        ) { check in
            let items = try uniqueItems(check)
            let samples = SampleValues(check.capabilities)
            let collections = [DataStoreValue.array([.int(1)]), .dictionary(["a": .int(1)])]
            for value in [.null, .double(.nan)] + collections where samples.isDeclared(value) {
                for _ in 0..<2 { try items.create([key: value]) }
                try items.store.write { db in
                    for _ in 0..<2 { _ = try items.create([key: value], db) }
                    _ = try db.performCount(items.request())
                }
            }
            let without = try items.store.write { db in
                (
                    try items.create([:], db).uniqueToken,
                    try items.create([key: .string("given back")], db).uniqueToken
                )
            }
            try items.set([key: .null], of: without.1)
            let count = try items.ids().count
            try items.create([key: .string("given back")])
            check.expectEqual(try items.ids().count, count + 1, "the number of items")
        },
        CheckDefinition(
            "idx/unique-compound", clause: [20], gate: .requires(.uniqueness),
            "Attributes that are unique together may each have a value twice."
        ) { check in
            let items = try uniqueItems(check, [[key, other]])
            func values(_ number: Int64, _ year: Int64?) -> [String: DataStoreValue] {
                [key: .int(number), other: year.map { .int($0) } ?? .null]
            }
            var ids: [ItemID] = []
            for (number, year) in [(1, 2024), (1, 2025), (2, 2024), (1, nil), (1, nil)] {
                ids.append(try items.create(values(Int64(number), year.map { Int64($0) })))
            }
            for (number, year) in [(1, 2025), (2, 2024)] as [(Int64, Int64)] {
                check.expectError(.uniqueViolation, what: "\(number) of \(year) again") {
                    try items.create(values(number, year))
                }
            }
            check.expectError(.uniqueViolation, what: "a change of one of both to a pair there is")
            {
                try items.set([other: .int(2024)], of: ids[1])
            }
            check.expectError(.uniqueViolation, what: "a value for nil that makes a pair there is")
            {
                try items.set([other: .int(2025)], of: ids[3])
            }
            try items.set([other: .int(2026)], of: ids[3])
            try items.expect(ids, "after pairs were refused")
        },
        CheckDefinition(
            "idx/unique-declared-later", clause: [9, 14, 20], gate: .requires(.uniqueness),
            "Items with equal values when uniqueness is declared are kept and reported, and further ones are refused."
        ) { check in
            let items = try uniqueItems(check, [])
            for number in 0..<6 { try items.create([key: .int(Int64(number % 4))]) }
            check.errors.removeAll()
            try items.store.write { db in try declare(items, [[key]], db) }
            check.expect(
                comesTrue(within: .seconds(10)) {
                    check.errors.codes.contains(.uniqueViolation)
                },
                "Two items that agree are not reported when their attribute is declared unique")
            check.expectEqual(try items.ids().count, 6, "the items after the declaration")
            try items.store.write { db in
                for id in try items.ids(db) { try items.live(id, db).set([other: .int(1)]) }
            }
            for number in [0, 3] as [Int64] {
                check.expectError(.uniqueViolation, what: "one more item with \(number)") {
                    try items.create([key: .int(number)])
                }
            }
            // One item changes its value, so that the other is the only one with that value.
            try items.set([key: .int(9)], of: try items.ids()[0])
            try items.set([key: .int(0)], of: try items.ids()[4])
            check.expectEqual(try items.ids().count, 6, "the items in the end")
        },
    ]

    /// A type of items with a unique attribute, or with several attributes that are unique together.
    static func uniqueItems(
        _ check: CheckContext, _ unique: [[String]] = [[key]], ignoringCase: Bool = false
    ) throws -> StoredType {
        let items = StoredType("ConformanceUnique", knownIn: try check.openStore(), check)
        try items.store.write { db in try declare(items, unique, ignoringCase: ignoringCase, db) }
        return items
    }

    private static func declare(
        _ items: StoredType, _ unique: [[String]], ignoringCase: Bool = false,
        _ db: borrowing DataStoreWriter
    ) throws {
        try db.declare(
            ItemSchema(
                items.key, attributes: [key, text, other].map { AttributeSchema($0) },
                indexes: unique.map {
                    IndexSchema($0, isUnique: true, ignoresCase: ignoringCase)
                }))
    }

    /// Expects that a block that creates two items with these values fails, or that it succeeds.
    private static func expect(
        _ items: StoredType, _ first: DataStoreValue, _ second: DataStoreValue, areSame: Bool,
        _ check: CheckContext
    ) throws {
        let what = "\(second.shortText) beside \(first.shortText)"
        func both() throws {
            try items.store.write { db in
                _ = try items.create([key: first], db)
                _ = try items.create([key: second], db)
            }
        }
        if areSame {
            check.expectError(.uniqueViolation, what: what) { try both() }
        } else {
            check.expectSuccess(what) { try both() }
        }
        try items.store.write { db in try db.performDeleteAll([items.itemType]) }
    }

    /// Expects that exactly those values are considered equal that the contract considers equal.
    private static func expectSameness(_ check: CheckContext) throws {
        let samples = SampleValues(check.capabilities)
        let small = Decimal(sign: .plus, exponent: -1, significand: 1)
        let pairs: [(DataStoreValue, DataStoreValue, isSame: Bool)] = [
            (.int(1), .double(1), true), (.int(1), .bool(true), true),
            (.double(-0.0), .int(0), true), (.string("e\u{301}"), .string("\u{E9}"), true),
            (.int(1 << 60), .double(0x1p60), true), (.string(""), .string(""), true),
            (.decimal(small), .decimal(Decimal(sign: .plus, exponent: -2, significand: 10)), true),
            (.string("a"), .string("A"), false), (.int(1), .string("1"), false),
            (.int((1 << 53) + 1), .double(0x1p53), false), (.int(.max), .double(0x1p63), false),
            (.decimal(small), .double(0.1), false), (.string(""), .null, false),
            (.string("a"), .string("a\0"), false), (.int(1 << 60), .int((1 << 60) + 1), false),
        ]
        let items = try uniqueItems(check)
        for (first, second, isSame) in pairs
        where samples.isDeclared(first) && samples.isDeclared(second) {
            try expect(items, first, second, areSame: isSame, check)
        }
    }
}
