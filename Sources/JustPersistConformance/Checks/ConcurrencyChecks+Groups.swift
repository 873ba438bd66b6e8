import JustPersist

extension ConcurrencyChecks {
    /// Checks of write blocks that wait at the same time, which a store may commit together.
    static let groups: [CheckDefinition] = [
        CheckDefinition(
            "conc/group-rolls-back-alone", clause: [2, 5],
            "If one of several waiting queued blocks throws, only that block is rolled back.",
            run: throwInABurst),
        CheckDefinition(
            "conc/group-violation", clause: [5, 20], gate: .requires(.uniqueness),
            """
            If one of several waiting queued blocks violates uniqueness, it is refused, even if its code continues \
            after the error.
            """, run: violateInABurst),
        CheckDefinition(
            "conc/group-order", clause: [2, 4],
            """
            While other threads write, queued blocks run in order, and their completions are called in order and see \
            the changes.
            """, run: keepOrderBesideWriters),
        CheckDefinition(
            "conc/group-writers", clause: [4, 5],
            "Each of eight threads that write at once finds its changes, and none finds those of a block that threw.",
            run: writeInThreads),
        CheckDefinition(
            "conc/group-nested-read", clause: [4, 7],
            "A read inside one of several queued blocks sees whole blocks, and nothing of the open block.",
            run: readInABurst),
    ]

    /// Runs `body` while a queued block occupies the store, so that the blocks that `body` queues wait together.
    private static func whileHeld(_ store: any DataStore, _ body: () throws -> Void) rethrows {
        let (isHeld, mayEnd) = (Latch(), Latch())
        store.enqueueWrite { _ in
            isHeld.open()
            mayEnd.wait()
        } completion: { _ in
            // If the block is refused, the check must not wait for it.
            isHeld.open()
        }
        isHeld.wait()
        defer { mayEnd.open() }
        try body()
    }

    private static func throwInABurst(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore(), ["a": 0])
        let count = check.profile.pick(quick: 100, full: 2_000, soak: 20_000)
        // The throwing blocks include single ones, adjacent ones, the first one and the last one.
        @Sendable func mayStay(_ number: Int) -> Bool {
            number % 7 != 0 && number % 11 != 0 && number != count - 1
        }
        let completed = Locked<[Bool]>([])
        whileHeld(items.store) {
            for number in 0..<count {
                items.store.enqueueWrite { db in
                    try items.create("\(number)", number, db)
                    let a = try items.item("a", db)
                    a?["number"] = .int(Int64((a?.number ?? 0) + 1))
                    if mayStay(number) { return }
                    // Each block writes twice before it throws, with a request in between.
                    _ = try db.performCount(items.request())
                    for name in ["a", "\(number)"] { try items.set(name, to: -1, db) }
                    _ = try db.performCount(items.request())
                    throw Upset(number: number)
                } completion: { error in
                    check.expectEqual(
                        error as? Upset, mayStay(number) ? nil : Upset(number: number),
                        "the error of a queued block")
                    completed.change { $0.append(error == nil) }
                }
            }
        }
        completed.wait { $0.count >= count ? () : nil }
        let expected = (0..<count).filter(mayStay)
        check.expectEqual(
            completed.withLock { $0.count { $0 } }, expected.count,
            "how many of \(count) queued blocks were committed")
        check.expectEqual(
            try items.names(), ["a"] + expected.map(String.init),
            "the items after \(count) queued blocks, some of which threw")
        check.expectEqual(
            try items.all()["a"], expected.count, "the item that each of them counted up")
    }

    private static func violateInABurst(_ check: CheckContext) throws {
        let items = try IndexChecks.uniqueItems(check)
        let (key, count) = (IndexChecks.key, 40)
        @Sendable func isDouble(_ number: Int) -> Bool { number % 8 == 5 }
        let completed = Locked(0)
        whileHeld(items.store) {
            for number in 0..<count {
                items.store.enqueueWrite { db in
                    // A duplicate has the value of the previous block, which is not committed yet.
                    let value = Int64(isDouble(number) ? number - 1 : number)
                    _ = try items.create([key: .int(value)], db)
                    do {
                        _ = try db.performCount(items.request())
                    } catch let error as DataStoreError {
                        check.expectEqual(error.code, .uniqueViolation, "the error of a count")
                    }
                } completion: { error in
                    check.expectEqual(
                        (error as? DataStoreError)?.code,
                        isDouble(number) ? .uniqueViolation : nil,
                        "the error of queued block \(number)")
                    completed.change { $0 += 1 }
                }
            }
        }
        completed.wait { $0 >= count ? () : nil }
        let values = try items.store.read { db in
            try items.ids(db).map { try items.item($0, db)?.value(key) ?? .null }
        }
        check.expectEqual(
            values, (0..<count).filter { !isDouble($0) }.map { .int(Int64($0)) },
            "the values of the items that queued blocks made")
    }

    private static func keepOrderBesideWriters(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore())
        let count = check.profile.pick(quick: 101, full: 1_001, soak: 10_001)
        let ran = Locked<[Int]>([])
        let completed = Locked<[Int]>([])
        let writes = Turns()
        try check.threads(4) { thread in
            defer { writes.end() }
            guard thread == 0 else {
                var round = 0
                while !writes.areOver {
                    try items.store.write { db in try items.create("\(thread)", round, db) }
                    writes.note()
                    check.tick()
                    round += 1
                }
                return
            }
            for number in 0..<count {
                // Otherwise all blocks could be queued before the other threads begin.
                if number % 5 == 0 { writes.wait(forMore: 3) }
                items.store.enqueueWrite { db in
                    ran.withLock { $0.append(number) }
                    try items.create("queued \(number)", number, db)
                } completion: { error in
                    check.expectNoError(error, "a queued block")
                    // Testing some of the completions is enough.
                    if number % 20 == 0 {
                        check.expectEqual(
                            (try? items.names())?.contains("queued \(number)"), true,
                            "whether the completion of block \(number) finds its item")
                    }
                    completed.change { $0.append(number) }
                }
            }
            completed.wait { $0.count >= count ? () : nil }
        }
        check.expectEqual(
            ran.withLock { $0 }, Array(0..<count), "the order of blocks queued beside writers")
        check.expectEqual(
            completed.withLock { $0 }, Array(0..<count), "the order of their completions")
        check.expectEqual(
            try items.names().filter { $0.hasPrefix("queued") },
            (0..<count).map { "queued \($0)" }, "the items of the queued blocks")
    }

    private static func writeInThreads(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore(), ["a": 0])
        let rounds = check.profile.pick(quick: 25, full: 250, soak: 2_500)
        @Sendable func mayStay(_ thread: Int, _ round: Int) -> Bool { (thread + round) % 4 != 0 }
        try check.threads(8) { thread in
            for round in 0..<rounds {
                let name = "\(thread) \(round)"
                do {
                    try items.store.write { db in
                        try items.create(name, round, db)
                        let a = try items.item("a", db)
                        a?["number"] = .int(Int64((a?.number ?? 0) + 1))
                        if !mayStay(thread, round) { throw Upset(number: round) }
                    }
                    check.expect(
                        mayStay(thread, round), "A block that threw was taken for one that did not")
                } catch let error as Upset {
                    check.expectEqual(
                        error.number, round, "the number of the error that a block threw")
                    check.expect(
                        !mayStay(thread, round), "A block got the error of another: \(error)")
                }
                let found = try items.store.read { db in
                    try items.item(name, db)?.number
                }
                check.expectEqual(
                    found, mayStay(thread, round) ? round : nil,
                    "what a thread finds of its own block once the call has returned")
                check.tick()
            }
        }
        let expected = (0..<8).flatMap { thread in
            (0..<rounds).filter { mayStay(thread, $0) }.map { "\(thread) \($0)" }
        }
        check.expectEqual(
            try items.names().sorted(), (["a"] + expected).sorted(), "the items at the end")
        check.expectEqual(
            try items.all()["a"], expected.count, "the item that all of them counted up")
    }

    private static func readInABurst(_ check: CheckContext) throws {
        let items = try NamedItems(in: check.openStore())
        let count = check.profile.pick(quick: 30, full: 300, soak: 3_000)
        let seen = Locked<[Int]>([])
        let completed = Locked(0)
        whileHeld(items.store) {
            for number in 0..<count {
                items.store.enqueueWrite { db in
                    try items.create("first of \(number)", number, db)
                    try items.create("second of \(number)", number, db)
                    check.expectEqual(
                        try items.names(items.request(), db).count, 2 * (number + 1),
                        "the items that queued block \(number) finds")
                    let committed = try items.count()
                    check.expect(
                        committed % 2 == 0 && committed <= 2 * number,
                        """
                        A read inside queued block \(number) counts \(committed) items, of blocks that made two each. \
                        It must see whole blocks, and nothing of the one that is open
                        """)
                    seen.withLock { $0.append(committed) }
                } completion: { error in
                    check.expectNoError(error, "a queued block")
                    completed.change { $0 += 1 }
                }
            }
        }
        completed.wait { $0 >= count ? () : nil }
        let counts = seen.withLock { $0 }
        check.expectEqual(
            counts, counts.sorted(), "what reads inside queued blocks count, one after the other")
        check.expectEqual(try items.count(), 2 * count, "the number of items at the end")
    }
}
