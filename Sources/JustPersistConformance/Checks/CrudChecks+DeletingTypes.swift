import JustPersist

extension CrudChecks {
    /// Items are deleted by type, and types are kept apart.
    static let deletingTypes: [CheckDefinition] = [
        CheckDefinition(
            "crud/delete-all-of-type", clause: [8],
            "Deleting all items of a type leaves none, those of the same block included."
        ) { check in
            let items = try check.openItems()
            for _ in 0..<3 { try items.create(["name": .string("old")]) }
            check.errors.removeAll()
            try items.store.write { db in
                _ = try items.create(["name": .string("new")], db)
                try db.performDeleteAll([items.itemType])
                try items.expect([], "in the block that deleted all", db)
                for _ in 0..<3 { _ = try db.create(ConformanceUser.self) }
            }
            try items.expect([], "after all were deleted")
            try items.store.write { db in
                check.expect(
                    db.deleteAllItems(ofMutableType: ConformanceUser.self),
                    "deleteAllItems(ofMutableType:) gave false")
            }
            let users = try items.store.read { db in try db.count(ConformanceUser.self) }
            check.expectEqual(users, 0, "the count after deleteAllItems(ofMutableType:)")
            try items.store.write { db in
                check.expect(
                    db.deleteAllItems(ofMutableType: ConformanceUser.self),
                    "deleteAllItems(ofMutableType:) gave false where there are none")
                try db.deleteAll(ConformanceUserProfile.self)
                try db.performDeleteAll([ItemType(dynamic: "CrudUnknown")])
            }
            check.expectReports([], of: items.store, "deleting all items of types")
            let new = try items.create()
            try items.expect([new], "created after all were deleted")
        },
        CheckDefinition(
            "crud/delete-all-leaves-other-types", clause: [8],
            "Deleting all of one type leaves types whose keys begin with its key, or it with theirs."
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
            "crud/batch-delete-types", clause: [5, 8],
            "Several types are emptied in one call, all or none; an empty list changes nothing."
        ) { check in
            struct Rollback: Error {}
            let store = try check.openStore()
            let types = try ["CrudA", "CrudB", "CrudC"].map {
                try StoredType($0, ["name"], in: store, check)
            }
            let ids = try types.map { [try $0.create(), try $0.create()] }
            check.errors.removeAll()
            try store.write { db in
                check.expect(
                    db.batchDeleteAllItems(ofMutableTypes: []),
                    "batchDeleteAllItems(ofMutableTypes:) of no types gave false")
                try db.performDeleteAll([])
            }
            for (type, ids) in zip(types, ids) {
                try type.expect(ids, "after the items of no types were deleted")
            }
            let error = check.expectThrows("a write block that throws") {
                try store.write { db in
                    try db.performDeleteAll(types.map(\.itemType))
                    for type in types { try type.expect([], "in the block that deleted all", db) }
                    throw Rollback()
                }
            }
            check.expect(error is Rollback, "a block threw Rollback; got \(error, default: "none")")
            for (type, ids) in zip(types, ids) {
                try type.expect(ids, "after a block that deleted all of them threw")
            }
            try store.write { db in
                try db.performDeleteAll([
                    types[0].itemType, ItemType(dynamic: "CrudUnknown"), types[1].itemType,
                    types[0].itemType,
                ])
            }
            for (type, ids) in zip(types, [[], [], ids[2]]) {
                try type.expect(ids, "after the items of CrudA and CrudB were deleted")
            }
            try store.write { db in
                _ = try db.create(ConformanceUser.self)
                _ = try db.create(ConformanceUserProfile.self)
                check.expect(
                    db.batchDeleteAllItems(
                        ofMutableTypes: [ConformanceUser.self, ConformanceUserProfile.self]),
                    "batchDeleteAllItems(ofMutableTypes:) gave false")
            }
            try store.read { db in
                check.expectEqual(try db.count(ConformanceUser.self), 0, "the count of “User”")
                check.expectEqual(
                    try db.count(ConformanceUserProfile.self), 0, "the count of “UserProfile”")
            }
            check.expectReports([], of: store, "deleting the items of several types")
        },
        CheckDefinition(
            "crud/types-do-not-mix", clause: [8],
            "Among 50 types, a request gives items of the type that it asks for and no others."
        ) { check in
            let store = try check.openStore()
            let types = try (1...50).map {
                try StoredType("Crud\($0)", ["name"], in: store, check)
            }
            // Taken in turns, so that no type's items were made together.
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
