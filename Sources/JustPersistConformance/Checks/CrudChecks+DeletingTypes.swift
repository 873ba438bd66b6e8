import JustPersist

extension CrudChecks {
    /// Checks of deleting all items of a type, and of the separation of types.
    static let deletingTypes: [CheckDefinition] = [
        CheckDefinition(
            "crud/delete-all-leaves-other-types", clause: [8],
            "Deleting all items of a type keeps those of types whose key extends its key, or is a prefix of it."
        ) { check in
            let store = try check.openStore()
            let keys = [
                "User", "UserProfile", "User\0x", "User\0", "Use", "user", "User ", "Users",
                "User\u{10FFFF}",
            ]
            var left: [(type: StoredType, ids: [ItemID])] = []
            for key in keys {
                let type = try StoredType(key, ["name"], in: store, check)
                left.append((type, [try type.create(), try type.create()]))
            }
            for key in keys {
                let index = try check.require(
                    left.firstIndex { $0.type.key == key }, "the type “\(key)”")
                let deleted = left.remove(at: index).type
                try store.write { db in try db.performDeleteAll([deleted.itemType]) }
                try deleted.expect([], "after they were deleted")
                for other in left {
                    try other.type.expect(
                        other.ids, "after all of \(key.escaped) were deleted")
                }
            }
        },
        CheckDefinition(
            "crud/types-do-not-mix", clause: [8],
            "Among 50 types, a request returns only items of its own type."
        ) { check in
            let store = try check.openStore()
            let types = try (1...50).map {
                try StoredType("Crud\($0)", ["name"], in: store, check)
            }
            // The types take turns, so that the items of one type are not adjacent.
            var ids = Array(repeating: [ItemID](), count: types.count)
            try store.write { db in
                for _ in 0..<3 {
                    for (index, type) in types.enumerated() {
                        let item = try type.create(["name": .string(type.key)], db)
                        ids[index].append(item.uniqueToken)
                    }
                }
            }
            for (index, type) in types.enumerated() {
                try type.expect(ids[index], "with 49 other types present")
                let next = (index + 1) % types.count
                check.expect(
                    try type.values(of: ids[next][0]) == nil,
                    "An item of “\(types[next].key)” was found by its id as a “\(type.key)”")
                try type.expect(
                    [], where: "name", .equal, .string(types[next].key), "which is another's value")
            }
        },
    ]
}
