import Foundation
import JustPersist

extension ValueChecks {
    /// Checks of the names of attributes, and of kinds that the store does not declare.
    static let names: [CheckDefinition] = [
        CheckDefinition(
            "val/attribute-names", clause: [9, 16],
            "Any nonempty name without a dot is valid for an attribute, up to the limit."
        ) { check in
            let limit = check.capabilities.limits.nameBytes
            let names = [
                "id", "self", "SELF", "uniqueToken", "name", "Name", "NAME", " ", "a b", "a ", "#",
                "%K", "@count", "\"", "'", "\\", "$", "*", "null", "type", "class", "value", "\0",
                "a\0", "a\0b", "0", "-1", "🏳️‍🌈", "名", "__proto__",
                String(repeating: "n", count: min(limit, 4_096)),
                String(repeating: "n", count: min(limit, 4_096) - 1) + "m",
            ]
            var items = try StoredType("ValueNames", names, in: try check.openStore(), check)
            let values = Dictionary(
                names.map { ($0, DataStoreValue.string("of " + $0)) }, uniquingKeysWith: { $1 })
            let id = try items.create(values)
            let bare = try items.create()
            func read(_ when: String) throws {
                try items.expectValues(values, of: id, when)
                try items.expectValues([:], of: bare, "without values, \(when)")
                // In a predicate, a path that ends in uniqueToken is the item's id.
                for name in names where name != "uniqueToken" {
                    try items.expect([id], where: name, .equal, .string("of " + name), when)
                    try items.expect([bare], where: name, .equal, .null, when)
                }
            }
            try read("with attributes of odd names")
            if try items.reopens() {
                try read("with attributes of odd names, after the store was reopened")
            }
            try items.store.write { db in
                for name in ["", ".", "a.b", ".a", "a.", "a..b"] {
                    check.expectError(.invalidName, what: "declaring an attribute \(name.escaped)")
                    {
                        try items.declare(["fine", name], db)
                    }
                }
                let long = String(repeating: "n", count: limit + 1)
                check.expectError(.limitExceeded, what: "declaring a name of \(limit + 1) bytes") {
                    try items.declare([long], db)
                }
                try items.live(bare, db).set(["name": .string("after")])
            }
            try items.expectValues(
                ["name": .string("after")], of: bare, "set in a block that was refused names")
        },
        CheckDefinition(
            "val/unsupported-kind-refused", clause: [5, 9, 19],
            gate: .counterCheck(.allValueKinds),
            "A value of a kind that the store does not declare is refused, with its attribute and kind in the error."
        ) { check in
            let kinds = check.capabilities.valueKinds.union([.null])
            let items = try check.openValues()
            let id = try items.create(["value": .string("before")])
            for kind in DataStoreValue.Kind.allCases where !kinds.contains(kind) {
                var refused = [sample(kind)]
                if kinds.contains(.array) { refused.append(.array([sample(kind)])) }
                if kinds.contains(.dictionary) { refused.append(.dictionary(["a": sample(kind)])) }
                try items.store.write { db in
                    let item = try items.live(id, db)
                    for value in refused {
                        let error = check.expectError(
                            .unsupportedValue, what: "setting \(value.shortText)"
                        ) {
                            try item.set(["value": value])
                        }
                        check.expectEqual(
                            error?.attribute, "value",
                            "the attribute in the refusal of \(value.shortText)")
                        check.expect(
                            error?.message.lowercased().contains("\(kind)".lowercased()) != false,
                            "The refusal does not name the kind “\(kind)”: \(error?.message ?? "")")
                        check.expectIdentical(
                            try item.value("value"), .string("before"),
                            "the value after \(value.shortText) was refused")
                    }
                    try item.set(["behind": .string("\(kind)")])
                }
                try items.expectValues(
                    ["value": .string("before"), "behind": .string("\(kind)")], of: id,
                    "after values of kind \(kind) were refused")
            }
        },
    ]
}
