import JustPersist

extension PrimitiveChecks {
    /// Examines a primitive that reads from a store, in one situation.
    static func examine(
        _ question: Question, _ circumstance: Circumstance, _ check: CheckContext
    ) throws {
        switch circumstance {
        case .many: try askMany(question, check)
        case .ownChanges: try askOfOwnChanges(question, check)
        case .snapshot: try askOnSnapshot(question, check)
        case .rollback: try askAfterRollback(question, check)
        case .reopened: try askReopened(question, check)
        case .error: try askBesideErrors(question, check)
        case .again: try askAgain(question, check)
        }
    }

    private static func filledWithMany(
        _ question: Question, _ check: CheckContext
    ) throws -> (ShelvedStore, Shelf) {
        question == .schemas
            ? try ShelvedStore.filled(types: manyTypes(check), check)
            : try ShelvedStore.filled(items: many(check), check)
    }

    private static func askMany(_ question: Question, _ check: CheckContext) throws {
        let (shelved, shelf) = try filledWithMany(question, check)
        try shelved.expect(shelf, "among many", by: [question])
    }

    private static func askOfOwnChanges(_ question: Question, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let frozen = try shelved.frozen()
        try shelved.store.write { db in
            var shelf = shelf
            for change in [
                Change.create, .set, .insert, .mutableVersion, .delete, .declare, .deleteAll,
            ] {
                try change.apply(5, to: &shelf, frozen: frozen, db, check)
                try question.expect(shelf, "after its block's \(change.primitive)", db, check)
            }
            try Change.create.apply(1_001, to: &shelf, db, check)
            try question.expect(shelf, "after 1,001 that its block made", db, check)
        }
    }

    private static func askOnSnapshot(_ question: Question, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let after = try shelved.store.read { db in
            // The block has begun, and has not read anything yet.
            let after = try shelved.commitElsewhere(
                [.create, .set, .delete, .insert, .declare], to: shelf)
            try question.expect(shelf, "in a block begun before five commits", db, check)
            let last = try shelved.commitElsewhere([.deleteAll], to: after)
            try question.expect(shelf, "in a block begun before everything was deleted", db, check)
            return last
        }
        try shelved.expect(after, "after a block begun before six commits", by: [question])
    }

    private static func askAfterRollback(_ question: Question, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        let frozen = try shelved.frozen()
        for changes in [
            [Change.create, .set, .delete, .declare], [.insert, .mutableVersion], [.deleteAll],
        ] {
            let thrown = check.expectThrows("a write block that throws") {
                try shelved.store.write { db in
                    var shelf = shelf
                    for change in changes {
                        try change.apply(5, to: &shelf, frozen: frozen, db, check)
                    }
                    try question.expect(shelf, "before its block throws", db, check)
                    throw Upset(number: 1)
                }
            }
            check.expectEqual(thrown as? Upset, Upset(number: 1), "the error of a write block")
            try shelved.expect(shelf, "after a block that was rolled back", by: [question])
        }
    }

    private static func askReopened(_ question: Question, _ check: CheckContext) throws {
        var (shelved, shelf) = try filledWithMany(question, check)
        for change in [Change.set, .delete, .insert] {
            shelf = try shelved.commit(change, 5, to: shelf)
        }
        for _ in 1...2 {
            shelved = try shelved.reopened()
            try shelved.expect(shelf, "in the store reopened", by: [question])
        }
    }

    private static func askBesideErrors(_ question: Question, _ check: CheckContext) throws {
        var (shelved, shelf) = try ShelvedStore.filled(check)
        let thrown = check.expectThrows("a read block that throws") {
            try shelved.store.read { db in
                try question.expect(shelf, "before its block throws", db, check)
                throw Upset(number: 2)
            }
        }
        check.expectEqual(thrown as? Upset, Upset(number: 2), "the error of a read block")
        try shelved.store.read { db in
            try expectFailure(of: question, db, check)
            try question.expect(shelf, "in a read block in which it has failed", db, check)
        }
        shelf = try shelved.store.write { [shelf] db in
            var shelf = shelf
            try Change.set.apply(3, to: &shelf, db, check)
            try expectFailure(of: question, db, check)
            try Change.create.apply(1, to: &shelf, db, check)
            try question.expect(shelf, "in a write block in which it has failed", db, check)
            return shelf
        }
        try shelved.expect(shelf, "after a write block in which it had failed", by: [question])
    }

    /// Makes the primitive fail, if that is possible without an effect on its block.
    private static func expectFailure<Accessor: DataStoreReadAccessor & ~Copyable>(
        of question: Question, _ db: borrowing Accessor, _ check: CheckContext
    ) throws {
        guard ![.fetchItem, .schemas].contains(question) else { return }
        for (offset, limit) in [(nil, -1), (-1, nil), (.min, 5), (200, .min)] as [(Int?, Int?)] {
            let request = DataStoreRequest(type: Shelf.type, offset: offset, limit: limit)
            try expectFailure(of: question, request, db, check)
        }
        guard question == .forEach else { return }
        for last in [1, 3, 20] {
            var calls = 0
            do {
                try db.performForEach(Shelf.all) { _ in
                    calls += 1
                    if calls == last { throw Upset(number: last) }
                }
                check.fail("forEach: expected the error that its body threw, but it succeeded")
            } catch {
                check.expectEqual(
                    error as? Upset, Upset(number: last), "the error of forEach's body")
            }
            check.expectEqual(calls, last, "the calls of a body that throws in call \(last)")
        }
    }

    private static func expectFailure<Accessor: DataStoreReadAccessor & ~Copyable>(
        of question: Question, _ impossible: DataStoreRequest, _ db: borrowing Accessor,
        _ check: CheckContext
    ) throws {
        do {
            switch question {
            case .fetch: _ = try db.performFetch(impossible)
            case .count: _ = try db.performCount(impossible)
            case .forEach:
                try db.performForEach(impossible) { _ in
                    check.fail("forEach called its body for a request with a negative slice")
                }
            case .scan:
                try db.performScan(impossible) { _ in
                    check.fail("scan called its body for a request with a negative slice")
                }
            case .aggregate: _ = try db.performAggregate(impossible, Shelf.counts)
            case .explain: _ = try db.performExplain(.fetch, impossible)
            case .fetchItem, .schemas: return
            }
            check.fail("\(question.primitive) of a negative slice: expected an error")
        } catch let error as DataStoreError {
            check.expectEqual(
                error.code, .invalidRequest, "the error of \(question.primitive), negative slice")
        }
    }

    private static func askAgain(_ question: Question, _ check: CheckContext) throws {
        let (shelved, shelf) = try ShelvedStore.filled(check)
        func ask<Accessor: DataStoreReadAccessor & ~Copyable>(
            _ db: borrowing Accessor, _ check: CheckContext
        ) throws {
            for time in ["first", "second", "third"] {
                try question.expect(shelf, "for the \(time) time in its block", db, check)
            }
            for other in Question.allCases {
                try other.expect(shelf, "between two questions", db, check)
                try question.expect(shelf, "after \(other.rawValue)", db, check)
            }
            var walked: [Shelf.Entry] = []
            try db.performForEach(Shelf.all) { item in
                if walked.count.isMultiple(of: 7) {
                    try question.expect(shelf, "inside forEach", db, check)
                }
                walked.append(try Shelf.Entry(item))
            }
            check.expectEqual(walked, shelf.items, "a walk inside which others were asked")
        }
        try shelved.store.read { db in try ask(db, check) }
        try shelved.store.write { db in try ask(db, check) }
        try shelved.expect(shelf, "in later blocks", by: [question])
    }
}
