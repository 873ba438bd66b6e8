import Foundation
import JustPersist

extension IsolationChecks {
    /// Checks of blocks that run while others write continuously.
    static let storms: [CheckDefinition] = [
        CheckDefinition(
            "iso/repeatable-read", clause: [4],
            "While others write, each query of a block always has the same result."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            try underStorm(check, on: items) { reader, round in
                func repeatAll<Accessor: DataStoreReadAccessor & ~Copyable>(
                    _ db: borrowing Accessor, _ block: String
                ) throws {
                    let first = try answers(items, db)
                    for _ in 0..<3 {
                        for (once, again) in zip(first, try answers(items, db)) {
                            check.expectEqual(
                                again, once, "a query repeated in one \(block) block")
                        }
                    }
                }
                if reader == 0, round % 4 == 3 {
                    try items.store.write { db in try repeatAll(db, "write") }
                } else {
                    try items.store.read { db in try repeatAll(db, "read") }
                }
            }
        },
        CheckDefinition(
            "iso/count-and-items-agree", clause: [4, 13],
            "While others write, a block counts as many items as it finds."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            try underStorm(check, on: items) { _, _ in
                try items.store.read { db in
                    for request in try TransactionChecks.requests(items) {
                        let count = try db.performCount(request)
                        check.expectEqual(
                            try db.performFetch(request).count, count,
                            """
                            the items found where as many were counted (\(describe(request))), in one \
                            read block
                            """)
                    }
                }
            }
        },
        CheckDefinition(
            "iso/no-torn-item", clause: [4],
            "No reader sees an item with only a part of a block's changes."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["0": 0])
            let id = try check.require(try TransactionChecks.tokens(items).first, "the item")
            let type = ItemType(dynamic: items.key)
            let reads = Turns()
            let rounds = check.profile.pick(quick: 50, full: 500, soak: 5_000)
            try check.threads(4) { index in
                defer { reads.end() }
                guard index < 2 else {
                    while !reads.areOver {
                        let found = try items.store.read { db in
                            try (db.performFetchItem(type, id: id) as? DynamicItem)?.values()
                        }
                        let values = try check.require(found, "the item, which no block deletes")
                        let number = values["number"] ?? .null
                        let isWhole: Bool
                        if case .int(let number) = number {
                            isWhole = number == 0 || values == Self.whole(Int(number))
                        } else {
                            isWhole = false
                        }
                        check.expect(
                            isWhole,
                            "A reader saw an item with attributes of different blocks: \(ReadableText.of(values))"
                        )
                        reads.note()
                    }
                    return
                }
                for round in 1...rounds {
                    reads.wait(forMore: 1)
                    try items.store.write { db in
                        guard let item = try db.performFetchItem(type, id: id) as? DynamicItem
                        else {
                            return
                        }
                        for (name, value) in Self.whole(2 * round + index) { item[name] = value }
                    }
                }
            }
        },
        CheckDefinition(
            "iso/real-time-order", clause: [4],
            "A read block that begins after a write has returned on another thread sees its changes."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["clock": 0])
            let written = Locked(0)
            let read = Locked(0)
            let rounds = check.profile.pick(quick: 60, full: 600, soak: 6_000)
            try check.threads(2) { index in
                for round in 1...rounds {
                    if index == 0 {
                        // The reader must not wait forever, even if this block fails.
                        defer { written.change { $0 = round } }
                        if round % 2 == 0 {
                            try items.store.write { db in try items.set("clock", to: round, db) }
                        } else if let error = items.store.enqueueAndWait({ db in
                            try items.set("clock", to: round, db)
                        }) {
                            throw error
                        }
                    } else {
                        written.wait { $0 >= round ? () : nil }
                        defer { read.change { $0 = round } }
                        check.expectEqual(
                            try items.all()["clock"], round,
                            "the value read after a write that had returned on another thread")
                    }
                    if index == 0 { read.wait { $0 >= round ? () : nil } }
                }
            }
        },
        CheckDefinition(
            "iso/monotonic-reads", clause: [4],
            "No reader sees a smaller value of a number that only grows."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["counter": 0])
            let reads = Turns()
            let rounds = check.profile.pick(quick: 100, full: 1_000, soak: 10_000)
            try check.threads(4) { index in
                defer { reads.end() }
                guard index == 0 else {
                    var last = 0
                    while !reads.areOver {
                        let number = try check.require(
                            try items.all()["counter"], "the counter, which no block deletes")
                        check.expect(
                            number >= last,
                            "A reader saw \(number) after it had seen \(last); the number only grows"
                        )
                        last = number
                        reads.note()
                    }
                    return
                }
                for round in 1...rounds {
                    reads.wait(forMore: 1)
                    try items.store.write { db in try items.set("counter", to: round, db) }
                }
            }
            check.expectEqual(try items.all(), ["counter": rounds], "the counter at the end")
        },
        CheckDefinition(
            "iso/bank", clause: [4, 5],
            "Transfers between accounts, some of which are closed and replaced, never change the total."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            try items.store.write { db in
                for number in 0..<10 { try items.create("account \(number)", 100, db) }
            }
            try underStorm(
                check,
                write: { generator in
                    let (amount, isRolledBack) = (
                        generator.int(in: 1...40), generator.int(in: 0..<10) == 0
                    )
                    let (from, to) = (generator.int(in: 0..<10), generator.int(in: 0..<10))
                    try (isRolledBack ? TransactionChecks.failing : Self.write)(items.store) { db in
                        let accounts = try items.items(db)
                        check.expectEqual(
                            accounts.reduce(0) { $0 + $1.number }, 1_000,
                            "the sum of all accounts at the start of a write block")
                        guard accounts.count == 10, from != to else { return }
                        let (from, to) = (accounts[from], accounts[to])
                        // Sometimes gives other blocks the time to change the accounts that were read.
                        if amount % 3 == 0 { Thread.sleep(forTimeInterval: 0.0003) }
                        to["number"] = .int(Int64(to.number + amount))
                        // The block ends after half of a transfer, which must be rolled back.
                        if isRolledBack { return }
                        if amount % 4 == 0 {
                            // The balance moves to a new account.
                            let rest = from.number - amount
                            try db.delete(from)
                            try items.create("new account", rest, db)
                        } else {
                            from["number"] = .int(Int64(from.number - amount))
                        }
                    }
                },
                read: { _, _ in
                    let (sum, parts, count) = try items.store.read { db in
                        let rich = try DataStorePredicate("number > 100")
                        return (
                            try items.items(db).reduce(0) { $0 + $1.number },
                            try (items.items(where: rich, db) + items.items(where: !rich, db))
                                .reduce(0) { $0 + $1.number }, try db.performCount(items.request())
                        )
                    }
                    check.expectEqual(sum, 1_000, "the sum of all accounts in a read block")
                    check.expectEqual(parts, 1_000, "the sum of the rich and of the others")
                    check.expectEqual(count, 10, "the number of accounts in a read block")
                })
            check.expectEqual(
                try items.store.read { db in try items.items(db).reduce(0) { $0 + $1.number } },
                1_000, "the sum of all accounts at the end")
        },
    ]

    // MARK: Shared code

    /// Runs `read` on three threads, in many rounds, while two other threads call `write` continuously, at least four
    /// times as often as one reader reads.
    private static func underStorm(
        _ check: CheckContext,
        write: @escaping @Sendable (inout SeededGenerator) throws -> Void,
        read: @escaping @Sendable (_ reader: Int, _ round: Int) throws -> Void
    ) throws {
        let rounds = check.profile.pick(quick: 15, full: 250, soak: 2_500)
        let progress = Locked((readers: 3, writes: 0, isBroken: false))
        try check.threads(5) { index in
            do {
                if index < 3 {
                    defer { progress.withLock { $0.readers -= 1 } }
                    var round = 0
                    while round < rounds
                        || progress.withLock({ $0.writes < 4 * rounds && !$0.isBroken })
                    {
                        try read(index, round)
                        round += 1
                    }
                } else {
                    var generator = check.generator("writer \(index)")
                    while progress.withLock({ $0.readers > 0 }) {
                        try write(&generator)
                        progress.withLock { $0.writes += 1 }
                    }
                }
            } catch {
                progress.withLock { $0.isBroken = true }
                throw error
            }
        }
    }

    /// Runs `read` while writers create, change and delete items.
    private static func underStorm(
        _ check: CheckContext, on items: NamedItems,
        read: @escaping @Sendable (_ reader: Int, _ round: Int) throws -> Void
    ) throws {
        try items.store.write { db in
            for number in 0..<20 { try items.create("item \(number)", number, db) }
        }
        try underStorm(
            check,
            write: { generator in
                let kinds = (0..<4).map { _ in generator.int(in: 0..<4) }
                let numbers = (0..<4).map { _ in generator.int(in: 0..<20) }
                try items.store.write { db in
                    for (kind, number) in zip(kinds, numbers) {
                        let found = try items.items(db)
                        switch kind {
                        case 0 where found.count < 40:
                            try items.create("item \(number)", number, db)
                        case 1 where found.count > 10: try db.delete(found[number % found.count])
                        default: found[number % found.count]["number"] = .int(Int64(number))
                        }
                    }
                }
            }, read: read)
    }

    private static func write(
        _ store: any DataStore,
        _ body: (borrowing DataStoreWriter) throws -> Void
    ) throws {
        try store.write { db in try body(db) }
    }

    /// A block's answers to requests of each kind.
    private static func answers<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ items: NamedItems, _ db: borrowing Accessor
    ) throws -> [String] {
        var answers: [String] = []
        for request in try TransactionChecks.requests(items) {
            let found = try db.dynamicItems(request).map { "\($0.uniqueToken) \($0.number)" }
            answers.append("\(describe(request)): \(try db.performCount(request)), \(found)")
        }
        let first = try items.items(db).first
        let byID = try first.map {
            try db.performFetchItem(ItemType(dynamic: items.key), id: $0.uniqueToken)
        }
        answers.append("by id: \((byID as? DynamicItem)?.number ?? -1)")
        return answers
    }

    private static func describe(_ request: DataStoreRequest) -> String {
        let sort = (request.sortDescriptors ?? []).map { "\($0.key) \($0.ascending)" }
        return """
            where \(request.predicate?.description ?? "all") sorted \(sort) offset \
            \(request.offset ?? 0) limit \(request.limit ?? 0)
            """
    }

    /// Values of an item, each of which determines the others.
    private static func whole(_ number: Int) -> [String: DataStoreValue] {
        [
            "name": .string("\(number)"), "number": .int(Int64(number)),
            "note": .string(String(repeating: "\(number % 10)", count: 600)),
        ]
    }
}
