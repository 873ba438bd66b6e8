import JustPersist

extension PrimitiveChecks {
    /// Examines a primitive that changes a store, in one situation.
    static func examine(
        _ change: Change, _ circumstance: Circumstance, _ check: CheckContext
    ) throws {
        switch circumstance {
        case .many: try changeMany(change, check)
        case .ownChanges: try changeWhatIsNew(change, check)
        case .snapshot: try changeBehindSnapshot(change, check)
        case .rollback: try changeAndRollBack(change, check)
        case .reopened: try changeAndReopen(change, check)
        case .error: try refuse(change, check)
        case .again: try changeAgain(change, check)
        }
    }

    private static func filledWithMany(
        _ change: Change, _ check: CheckContext
    ) throws -> (ShelvedStore, Shelf, count: Int) {
        let count = change == .declare ? manyTypes(check) : many(check)
        try check.requireBlocks(of: count)
        let isOfItems = [Change.delete, .deleteAll, .mutableVersion, .set].contains(change)
        let (shelved, shelf) = try ShelvedStore.filled(
            items: isOfItems ? count + 5 : 5, check)
        return (shelved, shelf, count)
    }

    private static func changeMany(_ change: Change, _ check: CheckContext) throws {
        let (shelved, shelf, count) = try filledWithMany(change, check)
        let after = try shelved.commit(change, count, to: shelf)
        try shelved.expect(after, "after a block with \(change.primitive) \(count) times")
    }

    private static func changeWhatIsNew(_ change: Change, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(items: 5, check)
        let after = try shelved.store.write { db in
            var shelf = shelf
            for first in [Change.create, .insert, .set, change] {
                try first.apply(8, to: &shelf, db, check)
            }
            for question in Question.allCases {
                try question.expect(
                    shelf, "after \(change.primitive) of what the block made", db, check)
            }
            return shelf
        }
        try shelved.expect(after, "after a block with \(change.primitive) of what it made")
    }

    private static func changeBehindSnapshot(_ change: Change, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let after = try shelved.store.read { db in
            // The block has begun, and has not read anything yet.
            let after = try shelved.commitElsewhere([change], to: shelf)
            for question in Question.allCases {
                try question.expect(
                    shelf, "in a block begun before a commit with \(change.primitive)", db, check)
            }
            return after
        }
        try shelved.expect(after, "after a commit with \(change.primitive)")
    }

    private static func changeAndRollBack(_ change: Change, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let frozen = try shelved.frozen()
        let thrown = check.expectThrows("a write block that throws") {
            try shelved.store.write { db in
                var shelf = shelf
                try change.apply(5, to: &shelf, frozen: frozen, db, check)
                try change.apply(5, to: &shelf, frozen: frozen, db, check)
                throw Upset(number: 1)
            }
        }
        check.expectEqual(thrown as? Upset, Upset(number: 1), "the error of a write block")
        try shelved.expect(shelf, "after a rolled back \(change.primitive)")
        try shelved.expect(
            try shelved.commit(change, 5, to: shelf),
            "after \(change.primitive), rolled back and done again")
    }

    private static func changeAndReopen(_ change: Change, _ check: CheckContext) throws {
        var (shelved, shelf, count) = try filledWithMany(change, check)
        shelf = try shelved.commit(change, count, to: shelf)
        for _ in 1...2 {
            shelved = try shelved.reopened()
            try shelved.expect(shelf, "after \(change.primitive), in the store reopened")
        }
    }

    private static func refuse(_ change: Change, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        // One item has an id that also exists in this store. A store that only compares ids would accept it.
        let foreign = try ShelvedStore.filled(items: 1, check).0
        let twin = try check.require(shelf.items.first?.id, "an item")
        try foreign.store.write { db in
            _ = try db.performInsert(DynamicItem(Shelf.key, id: twin))
        }
        let items = try foreign.frozen().compactMap { $0 as? any MutableDataStoreItem }
        check.expectEqual(items.count, 2, "the items of another store")
        let after = try shelved.store.write { db in
            var shelf = shelf
            try Change.set.apply(3, to: &shelf, db, check)
            for item in items { try expectRefusal(of: change, item, twin, db, check) }
            for question in Question.allCases {
                try question.expect(shelf, "after a refused \(change.primitive)", db, check)
            }
            try change.apply(3, to: &shelf, db, check)
            return shelf
        }
        try shelved.expect(after, "after a block with a refused \(change.primitive)")
        check.expectEqual(
            try foreign.frozen().map { $0.uniqueToken }, items.map { $0.uniqueToken },
            "the items of the other store")
    }

    /// Expects that an invalid use of the primitive is refused, or has no effect if the contract requires that.
    private static func expectRefusal(
        of change: Change, _ foreign: any MutableDataStoreItem, _ id: ItemID,
        _ db: borrowing DataStoreWriter, _ check: CheckContext
    ) throws {
        let tooLong = String(repeating: "n", count: check.capabilities.limits.nameBytes + 1)
        let schema = ItemSchema(Shelf.key + "New", attributes: [AttributeSchema(tooLong)])
        let unknown = ItemType(dynamic: Shelf.key + "Unknown")
        do {
            switch change {
            case .create: _ = try db.performCreate(unknown)
            case .insert: _ = try db.performInsert(foreign)
            case .delete: _ = try db.performDelete(foreign)
            case .mutableVersion: _ = try db.performMutableVersion(of: foreign)
            case .declare: try db.declare(schema)
            case .deleteAll:
                check.expectSuccess("performDeleteAll of no types, and of one that is unknown") {
                    for types in [[], [unknown]] { try db.performDeleteAll(types) }
                }
                return
            case .dropIndex:
                check.expect(
                    try !db.dropIndex(IndexSchema(["text"]), ofType: Shelf.key),
                    "dropIndex of an index that was never declared gave true")
                return
            case .set:
                let item =
                    try db.performFetchItem(Shelf.type, id: id) as? any MutableDataStoreItem
                try item?.backing.setValue(.int(1), forAttribute: tooLong)
            }
            check.fail("\(change.primitive) of what cannot be: expected an error, but it succeeded")
        } catch {
            check.expect(!error.message.isEmpty, "\(change.primitive) was refused without a word")
            guard [.insert, .delete, .mutableVersion].contains(change) else { return }
            check.expectEqual(
                error.code, .foreignItem, "\(change.primitive) of an item of another store")
            // The calls that cannot throw report the error.
            var isDone = false
            let reported = check.reported {
                switch change {
                case .insert: isDone = db.insert(foreign)
                case .delete: isDone = db.delete(item: foreign)
                default: isDone = db.mutableVersion(ofItem: foreign) != nil
                }
            }
            check.expect(!isDone, "A foreign item was accepted by the call that does not throw")
            check.expectEqual(
                reported.map(\.code), [.foreignItem],
                "what \(change.primitive) of a foreign item reports where it cannot throw")
        }
    }

    private static func changeAgain(_ change: Change, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let frozen = try shelved.frozen()
        let one = try check.require(frozen.first, "an item of the store")
        let last = try check.require(frozen.last, "an item of the store")
        let new = DynamicItem(Shelf.key, values: ["number": .int(1)])
        var after = shelf
        for round in 1...2 {
            after = try shelved.store.write { [after] db in
                var shelf = after
                switch change {
                case .insert:
                    check.expectEqual(
                        try db.performInsert(new), round == 1, "performInsert of one item, first")
                    // An object with an equal id and other values represents the same item.
                    for item in [new, DynamicItem(Shelf.key, id: new.uniqueToken)] {
                        check.expectEqual(
                            try db.performInsert(item), false,
                            "performInsert of one item, for the second time")
                    }
                    shelf.put(new.uniqueToken, number: 1)
                case .delete:
                    check.expectEqual(
                        try db.performDelete(one), round == 1, "performDelete of one item, first")
                    let made = try db.performCreate(Shelf.type)
                    check.expectEqual(try db.performDelete(made), true, "deleting a new item")
                    for item in [one, made] {
                        check.expectEqual(
                            try db.performDelete(item), false,
                            "performDelete of one item, for the second time")
                    }
                    shelf.remove(made.uniqueToken)
                    if round == 1 { shelf.remove(one.uniqueToken) }
                case .mutableVersion:
                    let (live, again) = (
                        try db.performMutableVersion(of: one), try db.performMutableVersion(of: one)
                    )
                    check.expect(
                        live === again,
                        "performMutableVersion of one item gave two objects in one block")
                    try change.apply(5, to: &shelf, frozen: frozen, db, check)
                    if shelf.contains(last.uniqueToken) {
                        let live = try db.performMutableVersion(of: last)
                        _ = try db.performDelete(last)
                        shelf.remove(last.uniqueToken)
                        check.expect(
                            try live.flatMap { try db.performMutableVersion(of: $0) } == nil,
                            "performMutableVersion of an item that the block deleted gave one")
                    }
                    check.expect(
                        try db.performMutableVersion(of: last) == nil,
                        "performMutableVersion of a deleted item gave one")
                case .declare:
                    for name in ["text", "extra\(round)", "text"] {
                        try db.declare(ItemSchema(Shelf.key, attributes: [AttributeSchema(name)]))
                    }
                    try change.apply(2, to: &shelf, db, check)
                    let item = try db.performCreate(Shelf.type)
                    try item.backing.setValue(.int(1), forAttribute: "number")
                    try item.backing.setValue(.int(2), forAttribute: "extra\(round)")
                    shelf.put(item.uniqueToken, number: 1)
                    shelf.note(["extra\(round)"], of: Shelf.key)
                case .deleteAll:
                    try change.apply(1, to: &shelf, db, check)
                    try Change.create.apply(3, to: &shelf, db, check)
                    let unknown = ItemType(dynamic: Shelf.key + "Unknown")
                    try db.performDeleteAll([unknown, Shelf.type, Shelf.type])
                    shelf.removeAll()
                case .create, .set, .dropIndex:
                    try change.apply(5, to: &shelf, db, check)
                    try change.apply(5, to: &shelf, db, check)
                }
                for question in Question.allCases {
                    try question.expect(
                        shelf, "after \(change.primitive) twice in a block", db, check)
                }
                return shelf
            }
            try shelved.expect(after, "after \(change.primitive) in \(round) blocks")
        }
        check.expectEqual(
            Set(after.items.map(\.id)).count, after.items.count, "the number of different ids")
    }
}
