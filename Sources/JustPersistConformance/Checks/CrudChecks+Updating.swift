import Foundation
import JustPersist

extension CrudChecks {
    /// Checks of changing attributes.
    static let updating: [CheckDefinition] = [
        CheckDefinition(
            "crud/update-leaves-other-attributes", clause: [8, 9],
            "Changing one attribute to a longer or shorter value or to nil keeps the others."
        ) { check in
            let items = try check.openItems()
            var values: [String: DataStoreValue] = [
                "name": .string("name"), "number": .int(5), "note": .string("note"),
            ]
            let id = try items.create(values)
            let changes: [(String, DataStoreValue)] = [
                ("number", .int(6)), ("name", .string(String(repeating: "long", count: 3_000))),
                ("name", .string("")), ("note", .null), ("note", .string("back")),
                ("number", .null), ("name", .null),
            ]
            for (name, value) in changes {
                try items.set([name: value], of: id)
                values[name] = value.isNull ? nil : value
                try items.expectValues(
                    values, of: id, "after “\(name)” was set to \(value.shortText)")
            }
        },
        CheckDefinition(
            "crud/set-nil-clears", clause: [8, 11],
            "An attribute set to nil is nil, and is found only as nil."
        ) { check in
            let items = try check.openItems()
            let cleared = try items.create(["name": .string("a"), "number": .int(1)])
            let kept = try items.create(["name": .string("a"), "number": .int(2)])
            try items.store.write { db in
                let item = try items.live(cleared, db)
                try item.set(["name": .null])
                check.expectIdentical(
                    try item.value("name"), .null, "an attribute set to nil, in the same block")
            }
            try items.expectValues(["number": .int(1)], of: cleared, "whose name was cleared")
            try items.expect([cleared], where: "name", .equal, .null, "after one was cleared")
            try items.expect([kept], where: "name", .notEqual, .null, "after one was cleared")
            try items.expect([kept], where: "name", .equal, .string("a"), "after one was cleared")
            try items.set(["name": .string("b")], of: cleared)
            try items.expect([], where: "name", .equal, .null, "after it was set again")
            try items.expect(
                [cleared], where: "name", .equal, .string("b"), "after it was set again")
        },
        CheckDefinition(
            "crud/change-kind-of-attribute", clause: [8, 9, 10],
            "An attribute that is overwritten with another kind has that kind, and its old value is gone."
        ) { check in
            let items = try check.openItems()
            let day = Date(timeIntervalSinceReferenceDate: 5)
            // No two of these values are equal.
            let values: [DataStoreValue] = [
                .string("5"), .int(5), .bool(true), .double(5.5), .date(day), .data(Data([5])),
                .uuid(ItemID(high: 0, low: 5).uuid), .array([.int(5)]),
                .dictionary(["5": .int(5)]), .string("last"),
            ].filter { check.capabilities.valueKinds.contains($0.kind) }
            let id = try items.create()
            var old: DataStoreValue = .null
            for value in values {
                try items.set(["name": value], of: id)
                let when = "after \(old.shortText) was overwritten with \(value.shortText)"
                try items.expectValues(["name": value], of: id, when)
                try items.expect([id], where: "name", .equal, value, when)
                try items.expect([], where: "name", .equal, old, when)
                old = value
            }
        },
    ]
}
