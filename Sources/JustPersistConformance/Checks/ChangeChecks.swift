import Foundation
import JustPersist

/// Checks of the observation of a store's commits.
enum ChangeChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "chg/begins-anew", clause: [21], gate: .requires(.changeStreams),
            "An observation without a token begins immediately with a set that is not complete."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let observation = try items.store.observeChanges(.everything, since: nil)
            let first = try check.next(observation)
            check.expectEqual(first?.isComplete, false, "whether the first set is complete")
            check.expectEqual(first?.types, [], "the changes in the first set")
        },
        CheckDefinition(
            "chg/names-what-changed", clause: [21], gate: .requires(.changeStreams),
            "A set names the items that were created, changed and deleted, and the attributes that were set.",
            run: namesWhatChanged),
        CheckDefinition(
            "chg/visible-when-told", clause: [21], gate: .requires(.changeStreams),
            "A change is reported after its commit: a block that begins then sees it.",
            run: visibleWhenTold),
        CheckDefinition(
            "chg/rolled-back-tells-nothing", clause: [5, 21], gate: .requires(.changeStreams),
            "A block that throws is not reported, nor is one that changes nothing."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1, "b": 2])
            let listener = try ChangeListener(items.store)
            for number in 0..<5 {
                do {
                    try items.store.write { db in
                        try items.create("c", number, db)
                        try items.set("a", to: number + 10, db)
                        _ = try db.performDelete(try items.known("b", db))
                        // The changes must be in the state of the block.
                        _ = try db.performCount(items.request())
                        throw Refusal()
                    }
                } catch is Refusal {}
                try items.store.write { db in _ = try db.performCount(items.request()) }
            }
            let id = try items.added("d")
            let sets = listener.sets { $0.contains { $0.inserted.contains(id) } }
            check.expectEqual(
                sets.flatMap(\.inserted), [id], "the items reported as created")
            check.expectEqual(sets.flatMap(\.updated), [], "the items reported as changed")
            check.expectEqual(sets.flatMap(\.deleted), [], "the items reported as deleted")
            check.expect(sets.allSatisfy(\.isComplete), "the sets are not complete")
        },
        CheckDefinition(
            "chg/poll", clause: [21], gate: .requires(.changeStreams),
            "As soon as a write call has returned, its changes can be taken once, without waiting."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let observation = try items.store.observeChanges(.everything, since: nil)
            check.expectEqual(
                observation.poll()?.isComplete, false, "whether the first set is complete")
            check.expectEqual(observation.poll(), nil, "the changes before anything is written")
            for number in 0..<20 {
                let id = try items.added("item \(number)")
                let told = observation.poll()?.types.flatMap(\.inserted)
                check.expectEqual(told, [id], "the items reported after write \(number)")
                check.expectEqual(observation.poll(), nil, "the changes reported again")
            }
        },
        CheckDefinition(
            "chg/once-and-in-order", clause: [21], gate: .requires(.changeStreams),
            "Each commit of concurrent writers is reported once, in the order of the commits.",
            run: onceAndInOrder),
        CheckDefinition(
            "chg/joined", clause: [21], gate: .requires(.changeStreams),
            "Commits that are reported as one set are reported as one difference.", run: joined),
        CheckDefinition(
            "chg/slow-consumer", clause: [21], gate: .requires(.changeStreams),
            "An observer that takes no changes delays no writer, and finally gets the changes or is required to read again.",
            run: slowConsumer),
        CheckDefinition(
            "chg/token", clause: [21], gate: .requires(.changeStreams),
            "An observation since the token of a state or of a set reports all later changes, and no earlier ones.",
            run: token),
        CheckDefinition(
            "chg/token-of-snapshot", clause: [4, 21],
            gate: .requires(.changeStreams && .concurrentReads),
            "The token of a read block is the place of its snapshot, even if others commit before the token is read."
        ) { check in
            if check.capabilities.threading.readsOnMainThread {
                try check.notApplicable("its blocks run on the main thread, one after the other")
            }
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            for commits in 1...3 {
                let (token, made) = try items.store.read { db in
                    // The block has begun, and has not read anything yet.
                    let made = Locked<[ItemID]>([])
                    try check.start {
                        for _ in 0..<commits {
                            let id = try items.added("b")
                            made.withLock { $0.append(id) }
                        }
                    }.join()
                    return (try db.performChangeToken(), made.withLock { $0 })
                }
                let observation = try items.store.observeChanges(.everything, since: token)
                let live = try items.added("c")
                var told: [ItemID] = []
                while !told.contains(live) {
                    let set = try check.require(check.next(observation), "a set after the token")
                    if !set.isComplete { return }
                    told += set[items.key]?.inserted ?? []
                }
                check.expectEqual(
                    told, made + [live],
                    "the items reported after the token of a block begun before it")
            }
        },
        CheckDefinition(
            "chg/unknown-token", clause: [21], gate: .requires(.changeStreams),
            "An observation since an unknown token begins with a set that is not complete."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let known = try items.store.read { db in try db.changeToken }
            for token in [
                ChangeToken(origin: ItemID(), position: known.position),
                ChangeToken(origin: known.origin, position: known.position + 1_000),
            ] {
                let observation = try items.store.observeChanges(.everything, since: token)
                // A store that ignores the unknown token would report this change.
                try items.store.write { db in try items.create("b", 2, db) }
                let first = try check.next(observation)
                check.expectEqual(
                    first?.isComplete, false, "whether the first set after \(token) is complete")
            }
        },
        CheckDefinition(
            "chg/scopes", clause: [21], gate: .requires(.changeStreams),
            "An observation of a type or of an item reports nothing else.", run: scopes),
        CheckDefinition(
            "chg/ends-with-the-store", clause: [1, 21], gate: .requires(.changeStreams),
            "Closing a store ends its observations after the last committed change, and waits for none."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let listener = try ChangeListener(items.store)
            let idle = try items.store.observeChanges(.everything, since: nil)
            let id = try items.added("b")
            try items.store.close()
            check.expect(listener.ends, "the observation does not end")
            check.expectEqual(
                listener.told.flatMap(\.inserted), [id], "the items reported before the end")
            var sets: [ChangeSet] = []
            while let set = try check.next(idle) { sets.append(set) }
            check.expect(
                sets.contains { !$0.isComplete || $0.types.contains { $0.inserted == [id] } },
                "an observation that took nothing did not hear of the last commit")
            check.expectError(.notSetUp, what: "observing a closed store") {
                _ = try items.store.observeChanges(.everything, since: nil)
            }
            try items.store.open()
            let next = try items.store.observeChanges(.everything, since: nil)
            check.expectEqual(
                try check.next(next)?.isComplete, false, "the first set of the store opened again")
            check.expect(try check.next(idle) == nil, "an observation goes on that has ended")
        },
        CheckDefinition(
            "chg/results", clause: [12, 13, 21], gate: .requires(.changeStreams),
            "The positions in a stream of results transform each list into the next, which is the request's result.",
            run: results),
        CheckDefinition(
            "chg/copy", clause: [21], gate: .requires(.changeStreams),
            "Copies that follow the streams at their own pace equal the store at the end.",
            run: copy),
        CheckDefinition(
            "chg/reopened", clause: [21], gate: .requires(.changeStreams && .persistent),
            "A token is valid after the store is opened again, within the length of the change log.",
            run: reopened),
        CheckDefinition(
            "chg/undeclared-refused", clause: [19], gate: .counterCheck(.changeStreams),
            "A store that declares no change streams refuses to be observed, and has no tokens."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            check.expectError(.unsupported, what: "observing") {
                _ = try items.store.observeChanges(.everything, since: nil)
            }
            check.expectError(.unsupported, what: "the token of a state") {
                _ = try items.store.read { db in try db.changeToken }
            }
        },
    ]

    struct Refusal: Error {}

    private static func namesWhatChanged(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore(), ["a": 1, "b": 2, "c": 3])
        let others = try NamedItems(in: items.store, key: "ConformanceOtherNamed")
        let ids = try items.ids()
        let listener = try ChangeListener(items.store)
        let (new, gone, other) = try items.store.write { db in
            let a = try items.known("a", db)
            let b = try items.known("b", db)
            a["number"] = .int(10)
            a["note"] = .string("changed")
            _ = try db.performDelete(b)
            let passing = try items.make("passing", 0, db)
            _ = try db.performCount(items.request())
            _ = try db.performDelete(passing)
            return (
                try items.make("d", 4, db).uniqueToken, b.uniqueToken,
                try others.make("e", 5, db).uniqueToken
            )
        }
        let set = try check.require(
            listener.set { $0.types.contains { $0.inserted.contains(new) } },
            "the set of the commit")
        check.expectEqual(
            set.types.map(\.itemTypeKey), [items.key, others.key].sorted(), "the types of the set")
        let changes = set[items.key]
        check.expectEqual(changes?.inserted, [new], "the items that were created")
        check.expectEqual(changes?.deleted, [gone], "the items that were deleted")
        check.expectEqual(changes?.updated.map(\.id), [ids[0]], "the items that were changed")
        check.expectEqual(
            changes?.updated.first?.attributes, ["number", "note"], "the attributes that were set")
        check.expectEqual(set[others.key]?.inserted, [other], "the items of the other type")
        try items.store.write { db in try db.performDeleteAll([ItemType(dynamic: items.key)]) }
        let last = try check.require(
            listener.set { $0[items.key]?.deleted.contains(new) ?? !$0.isComplete },
            "the set of the deletion of all")
        check.expectEqual(
            last[items.key]?.deleted, [ids[0], ids[2], new].sorted(), "the items that were deleted")
        check.expect(last.token != set.token, "two commits have one token")
    }

    private static func visibleWhenTold(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore())
        let store = items.store
        let unseen = Locked<[ItemID]>([])
        let listener = try ChangeListener(store) { set in
            let new = set[items.key]?.inserted ?? []
            // `store.read` does not block a thread that runs tasks.
            let seen = try await store.read { db in try items.ids(db) }
            let missing = new.filter { !seen.contains($0) }
            unseen.withLock { $0 += missing }
        }
        var last = ItemID()
        for number in 0..<20 {
            last = try store.write { db in
                let item = try items.make("\(number)", number, db)
                _ = try db.performCount(items.request())
                Thread.sleep(forTimeInterval: 0.002)
                return item.uniqueToken
            }
        }
        _ = listener.set { $0[items.key]?.inserted.contains(last) ?? false }
        check.expectEqual(
            unseen.withLock { $0.count }, 0, "the items reported before they could be seen")
    }

    private static func onceAndInOrder(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore())
        let listener = try ChangeListener(items.store)
        let made = Locked<[[ItemID]]>([[], [], [], []])
        try check.threads(4) { thread in
            for number in 0..<40 {
                let id = try items.added("\(thread)", number)
                made.withLock { $0[thread].append(id) }
            }
        }
        let all = made.withLock { $0 }
        let sets = listener.sets { sets in
            Set(sets.flatMap(\.inserted)).isSuperset(of: all.joined())
        }
        check.expectEqual(
            sets.flatMap(\.inserted).count, 160, "how many items were reported as created")
        check.expect(sets.allSatisfy(\.isComplete), "a set is not complete")
        let order = sets.flatMap(\.inserted)
        for (thread, ids) in all.enumerated() {
            check.expect(
                order.filter(ids.contains) == ids,
                "the commits of thread \(thread) were reported in another order than it made them")
        }
        let positions = sets.map(\.token.position)
        check.expect(positions == positions.sorted(), "the tokens do not grow")
    }

    private static func joined(_ check: CheckContext) throws {
        let items = try NamedItems(
            in: check.openStore(), ["changed": 1, "deleted": 2, "both": 3, "again": 4])
        let ids = try items.ids()
        let token = try items.store.read { db in try db.changeToken }
        let observation = try items.store.observeChanges(.everything, since: token)
        let anew = try items.store.observeChanges(.everything, since: nil)
        _ = try check.next(anew)
        let every = try items.store.observeChanges(
            .withEveryDeletion(in: .everything), since: token)
        // Each change is a separate commit, and no observer takes any of them.
        let new = try items.added("new")
        let passing = try items.added("passing")
        for (name, number) in [("new", 5), ("changed", 6), ("both", 7), ("passing", 8)] {
            try items.store.write { db in try items.set(name, to: number, db) }
        }
        try items.store.write { db in
            try items.known("changed", db)["note"] = .string("too")
        }
        for name in ["deleted", "both", "passing"] { try items.remove(name) }
        try items.store.write { db in
            _ = try db.performDelete(try items.known("again", db))
        }
        try items.store.write { db in
            _ = try db.performInsert(
                DynamicItem(items.key, id: ids[3], values: ["name": .string("again")]))
        }
        let set = try check.require(check.next(observation), "the set of all commits")
        let changes = set[items.key]
        check.expectEqual(changes?.inserted, [new], "the items that were created")
        check.expectEqual(
            changes?.deleted, [ids[1], ids[2]], "the items that were deleted")
        check.expectEqual(
            changes?.updated.map(\.id), [ids[0], ids[3]],
            "the items that were changed, or deleted and inserted again")
        check.expectEqual(
            changes?.updated.first?.attributes, ["number", "note"],
            "the attributes that were set in two commits")
        check.expect(
            changes?.updated.last?.attributes.contains("number") ?? false,
            "an attribute is not named that an item lost when it was inserted again")
        // A state that was read before may include the item that was deleted later.
        let other = try check.require(check.next(anew), "the set after one that is not complete")
        check.expectEqual(
            other[items.key]?.deleted, [ids[1], ids[2], passing],
            "the items that were deleted since the observer was required to read again")
        let third = try check.require(check.next(every), "the set with every deletion")
        check.expectEqual(
            third[items.key]?.deleted, [ids[1], ids[2], passing],
            "the items that were deleted, for an observer of every deletion")
        check.expectEqual(
            third[items.key]?.inserted, [new],
            "the items that were created, for an observer of every deletion")
    }

    private static func slowConsumer(_ check: CheckContext) throws {
        try check.requireBlocks(of: 2_000)
        let items = try NamedItems(in: check.openStore(), ["a": 1])
        let others = try NamedItems(in: items.store, key: "ConformanceOtherNamed", ["b": 1])
        let scopes: [ChangeScope] = [
            .everything, .types([ItemType(dynamic: items.key)]),
            .types([ItemType(dynamic: others.key)]),
        ]
        let observations = try (0..<30).map { number in
            try items.store.observeChanges(scopes[number % 3], since: nil)
        }
        for observation in observations { _ = try check.next(observation) }
        for round in 0..<4 {
            try items.store.write { db in
                for number in 0..<2_000 { try items.create("\(round)", number, db) }
            }
            try others.store.write { db in try others.set("b", to: round + 2, db) }
            check.tick()
        }
        let ids = try items.ids()
        for (number, observation) in observations.enumerated() {
            let set = try check.require(check.next(observation), "the set of observer \(number)")
            if number % 3 < 2, set.isComplete, set[items.key]?.isComplete ?? true {
                check.expectEqual(
                    set[items.key]?.inserted.count, ids.count - 1,
                    "how many items observer \(number) heard of")
            }
            if number % 3 == 2, set.isComplete {
                check.expectEqual(
                    set.types.map(\.itemTypeKey), [others.key], "the types of the other type's set")
            }
        }
    }

    private static func token(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore(), ["a": 1])
        let (token, seen) = try items.store.read { db in (try db.changeToken, try items.ids(db)) }
        var made = [try items.added("b"), try items.added("c")]
        let first = try items.store.observeChanges(.everything, since: token)
        let set = try check.require(check.next(first), "the set after a state's token")
        check.expectEqual(
            set[items.key]?.inserted, made, "the items created after the state \(seen)")
        // An observation after a set receives each commit, while another observer continues.
        var last = set.token
        for round in 0..<10 {
            made = []
            for _ in 0...(round % 3) { made.append(try items.added("d")) }
            let next = try items.store.observeChanges(.everything, since: last)
            let live = try items.added("e")
            var told: [ItemID] = []
            while !told.contains(live) {
                let set = try check.require(check.next(next), "a set after a set's token")
                try check.require(set.isComplete, "a set after a set's token is not complete")
                told += set[items.key]?.inserted ?? []
                last = set.token
            }
            check.expectEqual(told, made + [live], "the items created after a set")
        }
        let text = try JSONEncoder().encode(last)
        check.expectEqual(
            try JSONDecoder().decode(ChangeToken.self, from: text), last, "a token as JSON")
        try items.store.write { db in
            let before = try db.changeToken
            try items.create("f", 1, db)
            check.expectEqual(
                try db.changeToken, before, "the token of a write block after a change")
        }
    }

    private static func scopes(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore(), ["a": 1, "b": 2])
        let others = try NamedItems(in: items.store, key: "ConformanceNamedOther", ["c": 3])
        let ids = try items.ids()
        let type = ItemType(dynamic: items.key)
        let ofType = try ChangeListener(items.store, of: .types([type]))
        let ofItem = try ChangeListener(items.store, of: .item(type, ids[0]))
        for number in 0..<5 {
            try others.store.write { db in try others.set("c", to: number + 10, db) }
            try items.store.write { db in try items.set("b", to: number + 10, db) }
            _ = try others.added("d")
        }
        try items.store.write { db in try items.set("a", to: 10, db) }
        try items.remove("a")
        let byType = ofType.sets { $0.contains { $0.deleted.contains(ids[0]) } }
        check.expectEqual(
            Set(byType.map(\.itemTypeKey)), [items.key],
            "the types that the type's observer received")
        // The deletion may be reported in one set with the item's last changes, or replace them.
        check.expectEqual(
            Set(byType.flatMap(\.updated).map(\.id)).subtracting([ids[0]]), [ids[1]],
            "the items that the type's observer received")
        let byItem = ofItem.sets { $0.contains { $0.deleted.contains(ids[0]) } }
        check.expectEqual(
            Set(byItem.flatMap { $0.updated.map(\.id) + $0.deleted + $0.inserted }), [ids[0]],
            "the items that the item's observer heard of")
    }

    private static func reopened(_ check: CheckContext) throws {
        try check.requireChangeLog()
        var items = try NamedItems(in: check.openStore(), ["a": 1])
        var token = try items.store.read { db in try db.changeToken }
        for round in 0..<3 {
            let before = try items.added("before \(round)")
            items = NamedItems(try check.reopened(items.store), like: items)
            let after = try items.added("after \(round)")
            let passing = try items.added("passing \(round)")
            try items.remove("passing \(round)")
            let every = try items.store.observeChanges(
                .withEveryDeletion(in: .everything), since: token)
            check.expectEqual(
                try check.next(every)?[items.key]?.deleted, [passing],
                "the deletions for an observer of every deletion")
            let observation = try items.store.observeChanges(.everything, since: token)
            let live = try items.added("live \(round)")
            var told: [ItemID] = []
            while !told.contains(live) {
                let set = try check.require(check.next(observation), "a set after the token")
                try check.require(
                    set.isComplete,
                    "the first set after a token of an earlier opening is not complete")
                told += set[items.key]?.inserted ?? []
                token = set.token
            }
            check.expectEqual(told, [before, after, live], "the items reported after the token")
        }
    }
}
