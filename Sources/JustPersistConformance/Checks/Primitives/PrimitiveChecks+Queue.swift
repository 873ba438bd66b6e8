import JustPersist

extension PrimitiveChecks {
    /// Examines queued blocks in one situation.
    static func examineQueue(_ circumstance: Circumstance, _ check: CheckContext) throws {
        switch circumstance {
        case .many: try queueMany(check)
        case .ownChanges, .rollback, .error: try queueChanges(circumstance, check)
        case .snapshot: try queueBehindSnapshot(check)
        case .reopened: try queueAndClose(check)
        case .again: try queueAgain(check)
        }
    }

    /// Queues a block with each of the changes, waits for its completion, and returns the expected shelf.
    private static func queue(
        _ changes: [Change], _ count: Int, to shelf: Shelf, in shelved: ShelvedStore,
        throwing upset: Upset? = nil
    ) throws -> Shelf {
        let after = Locked(shelf)
        let runs = Locked(0)
        let check = shelved.check
        let error = shelved.store.enqueueAndWait { db in
            runs.withLock { $0 += 1 }
            var shelf = shelf
            for change in changes {
                try change.apply(count, to: &shelf, db, check)
                for question in Question.allCases {
                    try question.expect(
                        shelf, "in a queued block after its \(change.primitive)", db, check)
                }
            }
            if let upset { throw upset }
            after.withLock { [shelf] in $0 = shelf }
        }
        check.expectEqual(
            runs.withLock { $0 }, 1, "how often a queued block had run at its completion")
        check.expectEqual(error as? Upset, upset, "the error of a queued block")
        if let error, !(error is Upset) { throw error }
        return after.withLock { $0 }
    }

    private static func queueMany(_ check: CheckContext) throws {
        try check.requireBlocks(of: many(check))
        let (shelved, shelf) = try ShelvedStore.filled(items: 5, check)
        let after = try queue([.create], many(check), to: shelf, in: shelved)
        try shelved.expect(after, "after a queued block with many")
    }

    private static func queueChanges(
        _ circumstance: Circumstance, _ check: CheckContext
    ) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        for changes in [
            [Change.create, .set, .delete, .declare], [.insert, .mutableVersion], [.deleteAll],
        ] {
            let upset = circumstance == .ownChanges ? nil : Upset(number: changes.count)
            let after = try queue(changes, 5, to: shelf, in: shelved, throwing: upset)
            try shelved.expect(after, "after a queued block")
            guard circumstance == .ownChanges else { continue }
            return
        }
        let after = try queue([.create, .delete], 5, to: shelf, in: shelved)
        try shelved.expect(after, "after a queued block that followed those that threw")
    }

    private static func queueBehindSnapshot(_ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let after = try shelved.store.read { db in
            let after = try queue([.create, .set, .delete], 5, to: shelf, in: shelved)
            for question in Question.allCases {
                try question.expect(shelf, "in a block begun before a queued one", db, check)
            }
            return after
        }
        try shelved.expect(after, "after a queued block beside a reader")
    }

    private static func queueAndClose(_ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let after = try queue([.create, .delete, .set, .declare], 5, to: shelf, in: shelved)
        try shelved.reopened().expect(after, "after a queued block, in the store reopened")
    }

    private static func queueAgain(_ check: CheckContext) throws {
        var (shelved, shelf) = try ShelvedStore.filled(check)
        for round in 1...3 {
            shelf = try queue([.create, .set, .insert, .delete], 5, to: shelf, in: shelved)
            try shelved.expect(shelf, "after \(round) queued blocks")
        }
    }
}
