import Foundation
import JustPersist

extension ErrorChecks {
    /// Checks of names, values and blocks that exceed a limit.
    static let limits: [CheckDefinition] = [
        CheckDefinition(
            "err/over-limit-refused", clause: [16, 19],
            "Data that exceeds a declared limit is refused before anything is written."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            let limits = check.capabilities.limits
            try expectNameLimit(check, store, limits.nameBytes)
            try expectValueLimit(check, store, limits.valueBytes)
            try expectBlockLimit(check, store, limits)
            try expectPredicateLimits(check, store)
            let expected = ["stored", "beside a name", "beside a value"]
            check.expectEqual(try store.notes(), expected, "the items after all refusals")
            if check.reopeningKeepsData {
                check.expectEqual(
                    try check.reopened(store).notes(), expected,
                    "the items after all refusals and a reopening")
            }
        }
    ]

    private static func expectNameLimit(
        _ check: CheckContext, _ store: any DataStore, _ limit: Int
    ) throws {
        // A larger limit is not worth a check.
        guard limit < 1 << 20 else { return }
        let longest = String(repeating: "n", count: limit)
        try store.performWrite { db in
            check.expectSuccess("declaring an attribute with a name of \(limit) bytes") {
                try db.declare(
                    ItemSchema(Notes.type.key, attributes: [AttributeSchema(longest)]))
            }
            check.expectError(
                .limitExceeded, what: "declaring an attribute with a name of \(limit + 1) bytes"
            ) {
                try db.declare(
                    ItemSchema(Notes.type.key, attributes: [AttributeSchema(longest + "n")]))
            }
            // The character has two bytes in UTF-8, so half as many characters exceed the limit.
            let wide = String(repeating: "é", count: limit / 2 + 1)
            check.expectError(
                .limitExceeded,
                what: "declaring a type with a name of \(wide.utf8.count) bytes of UTF-8"
            ) { try db.declare(ItemSchema(wide, attributes: [])) }
            check.expectError(
                .limitExceeded, what: "declaring a type with a name of \(limit + 1) bytes"
            ) { try db.declare(ItemSchema(longest + "n", attributes: [])) }
            try db.addNote("beside a name")
            let note = try check.require(try db.note("beside a name"), "an item")
            try note.setStoredValue("kept", forKeyPath: longest)
        }
        try store.performRead { db in
            let note = try check.require(try db.note("beside a name"), "an item")
            check.expectEqual(
                note[longest], .string("kept"), "an attribute with a name of \(limit) bytes")
            check.expect(
                try db.schemas().allSatisfy { schema in
                    schema.itemTypeKey.utf8.count <= limit
                        && schema.attributes.allSatisfy { $0.name.utf8.count <= limit }
                }, "The store lists a name that it refused as too long")
        }
    }

    private static func expectValueLimit(
        _ check: CheckContext, _ store: any DataStore, _ limit: Int
    ) throws {
        guard limit <= 256 << 20 else { return }
        let kinds = check.capabilities.valueKinds
        // Zeros, which use memory only when they are accessed.
        let large: DataStoreValue =
            kinds.contains(.data)
            ? .data(Data(count: limit + 1)) : .string(String(repeating: "\0", count: limit + 1))
        try store.performWrite { db in
            let note = try db.addNote("beside a value")
            try note.setStoredValue("small", forKeyPath: "extra")
            let error = check.expectError(
                .limitExceeded, what: "setting an attribute to a value of \(limit + 1) bytes"
            ) { try note.setStoredValue(large, forKeyPath: "extra") }
            if let error {
                check.expectEqual(
                    error.attribute, "extra", "the attribute that the error of a large value names")
            }
            check.tick()
            if kinds.contains(.array) {
                check.expectError(
                    .limitExceeded,
                    what: "setting an attribute to an array with \(limit + 1) bytes in it"
                ) {
                    try note.setStoredValue(DataStoreValue.array([large]), forKeyPath: "extra")
                }
            }
            check.tick()
            check.expectEqual(
                note["extra"], .string("small"), "the attribute after a value that was too large")
        }
        try store.performRead { db in
            let note = try check.require(try db.note("beside a value"), "an item")
            check.expectEqual(
                note["extra"], .string("small"), "the stored attribute after a value too large")
        }
    }

    private static func expectBlockLimit(
        _ check: CheckContext, _ store: any DataStore, _ limits: DataStoreLimits
    ) throws {
        let affordable = check.profile.pick(quick: 64 << 20, full: 64 << 20, soak: 1 << 30)
        guard limits.writeBlockBytes <= affordable else { return }
        let size = min(limits.valueBytes / 2, 1 << 20)
        let part: DataStoreValue =
            check.capabilities.valueKinds.contains(.data)
            ? .data(Data(count: size)) : .string(String(repeating: "\0", count: size))
        check.expectError(
            .limitExceeded, what: "a write block with more than \(limits.writeBlockBytes) bytes"
        ) {
            try store.performWrite { db in
                for _ in 0...limits.writeBlockBytes / max(size, 1) {
                    let note = try db.addNote("never stored")
                    try note.setStoredValue(part, forKeyPath: "extra")
                    check.tick()
                }
            }
        }
    }

    private static func expectPredicateLimits(
        _ check: CheckContext, _ store: any DataStore
    ) throws {
        var deep = DataStorePredicate.constant(true)
        for _ in 0...100 { deep = .not(deep) }
        let wide = DataStorePredicate.and(
            Array(repeating: .constant(true), count: 10_001))
        let long = DataStorePredicate.comparison(
            DataStorePredicate.Comparison(
                .path(DataStorePredicate.AttributePath(["extra"])), .in,
                .value(.array((0...100_000).map { .int(Int64($0)) }))))
        try store.performRead { db in
            for (predicate, what) in [
                (deep, "101 levels"), (wide, "more than 10,000 nodes"), (long, "100,001 operands"),
            ] {
                let request = DataStoreRequest(type: Notes.type, predicate: predicate)
                check.expectError(.limitExceeded, what: "a fetch by a predicate of \(what)") {
                    _ = try db.performFetch(request)
                }
                check.expectError(.limitExceeded, what: "a count by a predicate of \(what)") {
                    _ = try db.performCount(request)
                }
            }
        }
    }
}
