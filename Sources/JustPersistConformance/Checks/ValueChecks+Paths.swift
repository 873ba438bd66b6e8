import JustPersist

extension ValueChecks {
    /// Checks of key paths through references.
    static let paths: [CheckDefinition] = [
        CheckDefinition(
            "val/paths-follow-references", clause: [9, 11],
            gate: .requires(.valueKind(.reference)),
            "A path can lead through references, for properties, predicates and sorting."
        ) { check in
            var chain = try Chain(check)
            try chain.read("in a read block")
            if check.reopeningKeepsData {
                chain.items = try chain.items.reopened()
                try chain.read("after the store was reopened")
            }
            try chain.items.store.write { db in
                // Paths see the block's own changes, even if the store has not written them yet.
                let last = try chain.items.live(chain.last, db)
                try last.setStoredValue(30, forKeyPath: "n")
                let first = try chain.items.live(chain.first, db)
                check.expectIdentical(
                    try first.storedValue(forKeyPath: "next.next.n"), .int(30),
                    "a value that the block has changed, at the end of a path")
                let added = try chain.items.create(["next": .reference(first.reference)], db)
                check.expectIdentical(
                    try added.storedValue(forKeyPath: "next.next.next.n"), .int(30),
                    "a value at the end of the path of an item that the block has made")
                try chain.expect([chain.middle], where: "next.n == 30", "in a write block", db)
                try db.delete(last)
                check.expectIdentical(
                    try first.storedValue(forKeyPath: "next.next.n"), .null,
                    "the value of an item that the block has deleted, at the end of a path")
                try chain.expect([], where: "next.n == 30", "after the target was deleted", db)
            }
        },
        CheckDefinition(
            "val/dangling-references", clause: [9, 11], gate: .requires(.valueKind(.reference)),
            "A reference to a missing item is kept, and a path through it is nil."
        ) { check in
            var items = try StoredType(
                "ConformanceDangling", ["n", "next"], in: try check.openStore(), check)
            let gone = try items.create(["n": .int(1)])
            let target = ItemReference(itemTypeKey: items.key, id: gone)
            let others = [
                target, ItemReference(itemTypeKey: items.key, id: ItemID()),
                ItemReference(itemTypeKey: "ConformanceNeverSeen", id: gone),
            ]
            let ids = try others.map { try items.create(["n": .int(2), "next": .reference($0)]) }
            try items.store.write { db in
                try db.delete(try items.live(gone, db))
            }
            func read(_ when: String) throws {
                try items.store.read { db in
                    for (id, reference) in zip(ids, others) {
                        let item = try check.require(try items.item(id, db), "the item \(when)")
                        check.expectIdentical(
                            try item.storedValue(forKeyPath: "next"), .reference(reference),
                            "the reference \(when)")
                        for path in ["next.n", "next.next.n", "next.uniqueToken"] {
                            check.expectIdentical(
                                try item.storedValue(forKeyPath: path), .null, "\(path) \(when)")
                        }
                        check.expect(
                            try db.dynamicItem(reference) == nil,
                            "There is an item at the end of a reference that leads to none \(when)")
                    }
                    for (format, wanted) in [
                        ("next.n == nil", ids), ("next.n != nil", []), ("next.n == 1", []),
                        ("NOT next.n == 1", ids), ("next.next.n == nil", ids),
                    ] {
                        check.expectEqual(
                            try items.ids(where: try DataStorePredicate(format), db), wanted,
                            "the items where \(format) \(when)")
                    }
                }
            }
            try read("that leads to no item")
            if try items.reopens() {
                try read("that leads to no item, after the store was reopened")
            }
            // A reference leads to any item that is later created with its id.
            try items.store.write { db in
                _ = try db.performInsert(
                    DynamicItem(items.key, id: gone, values: ["n": .int(3)]))
            }
            try items.store.read { db in
                let item = try check.require(try items.item(ids[0], db), "the item")
                check.expectIdentical(
                    try item.storedValue(forKeyPath: "next.n"), .int(3),
                    "the value of an item that came under the id of a deleted one")
            }
        },
    ]
}

/// Three items, each of which refers to the next, and one that refers to itself.
private struct Chain {
    let check: CheckContext
    var items: StoredType
    let last: ItemID
    let middle: ItemID
    let first: ItemID
    let loop: ItemID

    init(_ check: CheckContext) throws {
        self.check = check
        let items = try StoredType(
            "ConformanceChain", ["n", "next", "extra"], in: try check.openStore(), check)
        func reference(_ id: ItemID) -> DataStoreValue {
            .reference(ItemReference(itemTypeKey: items.key, id: id))
        }
        let last = try items.create(["n": .int(3)])
        let middle = try items.create(["n": .int(2), "next": reference(last)])
        first = try items.create(["n": .int(1), "next": reference(middle)])
        loop = try items.store.write { db in
            let item = try items.create(["n": .int(4)], db)
            try item.set(["next": .reference(item.reference)])
            return item.uniqueToken
        }
        self.items = items
        self.last = last
        self.middle = middle
        let kinds = check.capabilities.valueKinds
        try items.store.write { db in
            if kinds.contains(.dictionary) {
                try items.live(first, db).set(["extra": .dictionary(["way": reference(middle)])])
            }
            if kinds.contains(.array) {
                try items.live(middle, db).set(
                    ["extra": .array([reference(last), reference(first), .int(9)])])
            }
        }
    }

    func read(_ when: String) throws {
        try items.store.read { db in
            try expect(first, "next.n", .int(2), when, db)
            try expect(first, "next.next.n", .int(3), when, db)
            try expect(first, "next.next.next.n", .null, when, db)
            try expect(first, "next.uniqueToken", .uuid(middle.uuid), when, db)
            try expect(loop, "next.next.next.n", .int(4), when, db)
            try expect([middle], where: "next.n == 3", when, db)
            try expect([first], where: "next.next.n > 2 AND n == 1", when, db)
            try expect([last], where: "next.n == nil", when, db)
            try expect([loop], where: "next.n == n", when, db)
            let sorted = items.request()
            sorted.setSort(byKey: "next.n", ascending: false)
            check.expectEqual(
                try db.performFetch(sorted).map { $0.uniqueToken }, [loop, middle, first, last],
                "the items sorted by next.n \(when)")
            let kinds = check.capabilities.valueKinds
            if kinds.contains(.dictionary) {
                try expect(first, "extra.way.next.n", .int(3), when, db)
                try expect([first], where: "extra.way.next.n == 3", when, db)
            }
            if kinds.contains(.array) {
                try expect(middle, "extra.n", .array([.int(3), .int(1), .null]), when, db)
            }
        }
    }

    private func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ id: ItemID, _ path: String, _ value: DataStoreValue, _ when: String,
        _ db: borrowing Accessor, line: Int = #line
    ) throws {
        let item = try check.require(try items.item(id, db), "an item \(when)", line: line)
        check.expectIdentical(
            try item.storedValue(forKeyPath: path), value, "the property \(path) \(when)",
            line: line)
    }

    func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ ids: [ItemID], where format: String, _ when: String, _ db: borrowing Accessor,
        line: Int = #line
    ) throws {
        check.expectEqual(
            try items.ids(where: try DataStorePredicate(format), db), ids,
            "the items where \(format) \(when)", line: line)
    }
}
