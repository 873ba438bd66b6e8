import Foundation
import JustPersist

/// Checks of stores whose process is killed at random moments.
extension DurabilityChecks {
    static let crashChecks: [CheckDefinition] = [
        CheckDefinition(
            "dur/kill9-after-sync", clause: [6], gate: .requires(.processCrashSafe),
            "Every write that returned survives a kill of the process."
        ) { check in try killWriters(check, sizeOfGroups: 1) },
        CheckDefinition(
            "dur/kill9-mid-writes", clause: [5, 6], gate: .requires(.processCrashSafe),
            "After a kill while groups are written, the store has whole groups in order, and all acknowledged ones."
        ) { check in try killWriters(check, sizeOfGroups: 3) },
        CheckDefinition(
            "dur/kill9-queued", clause: [2, 5, 6], gate: .requires(.processCrashSafe),
            "Every queued block whose completion was called survives a kill, in order, except those that threw.",
            run: killQueuers),
        CheckDefinition(
            "dur/kill9-inside-block", clause: [5], gate: .requires(.processCrashSafe),
            "After a kill inside a write block, none of its changes remain.",
            run: killInsideBlock),
        CheckDefinition(
            "dur/kill9-mid-delete-all", clause: [5], gate: .requires(.processCrashSafe),
            "After a kill while all items are deleted, either all or none of them remain.",
            run: killMidDeleteAll),
        CheckDefinition(
            "dur/kill9-mid-merge", clause: [5, 6, 15],
            gate: .requires(.processCrashSafe && .childStores),
            "After a kill while a child is merged, all or none of its changes remain.",
            run: killMidMerge),
        CheckDefinition(
            "dur/kill9-mid-migration", clause: [5, 6, 18], gate: .requires(.processCrashSafe),
            "A migration that is killed and run again is complete, and does not change its source.",
            run: killMidMigration),
        CheckDefinition(
            "dur/kill9-readers", clause: [4, 6], gate: .requires(.processCrashSafe),
            "Processes that are killed inside read blocks have no effect on the store.",
            run: killReaders),
        CheckDefinition(
            "dur/kill9-indexes-agree", clause: [5, 6], gate: .requires(.processCrashSafe),
            "After a kill, requests, counts and a full scan agree.",
            run: killAndCompareQueries),
        CheckDefinition(
            "dur/power-cut", clause: [6], gate: .requires(.powerLossSafe),
            "Acknowledged writes survive a loss of power."
        ) { check in
            // The data that the system has buffered survives a kill, so a kill proves nothing here.
            try check.unverified(
                "the kit cannot cut the power: examine what the store syncs before write returns")
        },
    ]

    private static func killWriters(_ check: CheckContext, sizeOfGroups size: Int) throws {
        var first = 0
        try check.crashes(
            DurabilityRoles.writer, acknowledgements: 0...20,
            parameters: { _ in ["first": "\(first)", "size": "\(size)"] }
        ) { point, log in
            let written = first + log.numbers.count
            let store = try check.openCrashStore()
            let groups = try groups(in: store)
            let whole = groups.count / size
            check.expectEqual(
                groups, (0..<whole).flatMap { Array(repeating: $0, count: size) },
                """
                the groups, of \(size) items each and in the order of their writing, after a kill \
                \(point.microseconds) µs after write \(written)
                """)
            check.expect(
                whole == written || whole == written + 1,
                """
                \(written) write calls had returned before a kill, and the store holds the groups of \
                \(whole) blocks. It must hold all that returned, and at most the one that ran besides
                """)
            try store.close()
            first = whole
        }
    }

    private static func killQueuers(_ check: CheckContext) throws {
        var first = 0
        try check.crashes(
            DurabilityRoles.queuer, acknowledgements: 0...60,
            parameters: { _ in ["first": "\(first)"] }
        ) { point, log in
            let store = try check.openCrashStore()
            let groups = try groups(in: store)
            let last = groups.last ?? first - 1
            check.expectEqual(
                groups, (0..<last + 1).filter { !DurabilityRoles.queuedBlockThrows($0) },
                """
                the items of queued blocks, in the order of their writing and without those that threw, after a kill \
                \(point.microseconds) µs after \(log.numbers.count) completions
                """)
            let lost = log.numbers.filter { number in
                number > last && !DurabilityRoles.queuedBlockThrows(number)
            }
            check.expectEqual(
                lost, [],
                "the queued blocks whose completions were called before a kill, and that are lost")
            try store.close()
            first = max(last, log.numbers.last ?? 0) + 1
        }
    }

    private static func killInsideBlock(_ check: CheckContext) throws {
        let store = try check.openCrashStore()
        try DurabilityRoles.write(group: 0, of: 20, to: store)
        let before = try StoreDump(of: store)
        try store.close()
        var random = check.generator("steps")
        // These processes kill themselves inside their blocks, so every kill occurs inside a block.
        for _ in 0..<check.profile.pick(quick: 5, full: 50, soak: 1_000) {
            let steps = random.int(in: 1...2_000)
            let ending = try check.runChild(
                DurabilityRoles.blockWriter, parameters: ["steps": "\(steps)"])
            check.expectEqual(ending, .signalled(SIGKILL), "the end of the process that wrote")
            let store = try check.openCrashStore()
            check.expectEqual(
                try StoreDump(of: store), before,
                "what is in the store after a kill inside a write block, \(steps) steps into it")
            try store.close()
        }
        let after = try check.openCrashStore()
        try DurabilityRoles.write(group: 1, of: 1, to: after)
        check.expectEqual(
            try groups(in: after), Array(repeating: 0, count: 20) + [1],
            "the groups after kills inside write blocks and one more write")
    }

    private static func killMidDeleteAll(_ check: CheckContext) throws {
        let count = check.profile.pick(quick: 500, full: 2_000, soak: 2_000)
        func fill(_ store: any DataStore) throws {
            try DurabilityRoles.write(group: 1, of: count, to: store)
        }
        let store = try check.openCrashStore()
        try fill(store)
        try store.close()
        try check.crashes(DurabilityRoles.deleter, acknowledgements: 1...1) { _, log in
            let next = try check.openCrashStore()
            let left = try groups(in: next).count
            let isDone = log.numbers.contains(1)
            check.expect(
                left == 0 || (left == count && !isDone),
                """
                A process was killed \(isDone ? "after" : "while") it deleted all of \(count) items, \
                and \(left) are left. There must be \(isDone ? "none" : "all or none")
                """)
            if left == 0 { try fill(next) }
            try next.close()
        }
    }

    private static func killMidMerge(_ check: CheckContext) throws {
        let count = 100
        let store = try check.openCrashStore()
        try DurabilityRoles.write(group: 0, of: count, to: store)
        try store.close()
        var before = 0
        var round = 0
        try check.crashes(
            DurabilityRoles.merger, acknowledgements: 1...1,
            parameters: { ["round": "\($0 + 1)"] }
        ) { _, log in
            round += 1
            let store = try check.openCrashStore()
            let groups = try groups(in: store)
            let isMerged = groups.first == round
            let expected = isMerged || log.numbers.contains(1) ? round : before
            check.expectEqual(
                groups, Array(repeating: expected, count: count),
                """
                the groups after a kill during the merge of a child that set all of them to \(round), \
                deleted 10 items and made 10; all were \(before) before\
                \(log.numbers.contains(1) ? ", and the merge had returned" : "")
                """)
            try store.close()
            before = groups.first ?? before
        }
    }

    private static func killMidMigration(_ check: CheckContext) throws {
        let source = try check.makeStore(named: DurabilityRoles.sourceName)
        try source.open()
        for group in 0..<10 { try DurabilityRoles.write(group: group, of: 40, to: source) }
        let expected = try StoreDump(of: source)
        try source.close()
        try check.crashes(
            DurabilityRoles.migrator, acknowledgements: 0...20,
            parameters: { ["plain": "\($0 % 2)"] }
        ) { point, log in
            let target = try check.openCrashStore()
            try source.open()
            let copied = log.numbers.last { $0 != .max } ?? 0
            do {
                let found = try groups(in: target).count
                check.expect(
                    found >= copied,
                    "\(copied) items were copied before a kill, and the target has \(found)")
            } catch let error as DataStoreError
                where error.code == .unfinishedCopy && !log.numbers.contains(.max)
            {
                // The target may refuse to be used before it is complete.
            }
            try check.migrate(from: source, to: target)
            for (name, store) in [("the target", target), ("the source", source)] {
                check.expectEqual(
                    try StoreDump(of: store), expected,
                    "\(name) after a migration that was killed at \(copied) of 400 items and run again"
                )
            }
            try source.close()
            try target.destroy()
        }
    }

    private static func killReaders(_ check: CheckContext) throws {
        let threads = check.capabilities.hasConcurrentReads ? 64 : 1
        let store = try check.openCrashStore()
        try DurabilityRoles.write(group: 0, of: 10, to: store)
        // If processes can share the store, this process keeps it open, so that the last other process does not clean
        // up when it ends.
        let isShared = check.capabilities.isSharedBetweenProcesses
        if !isShared { try store.close() }
        let processes = check.profile.pick(quick: 8, full: 60, soak: 1_000)
        for _ in 0..<processes {
            let ending = try check.runChild(
                DurabilityRoles.readers, parameters: ["threads": "\(threads)"])
            check.expectEqual(ending, .signalled(SIGKILL), "the end of the process that read")
        }
        let next = isShared ? store : try check.openCrashStore()
        for group in 1...20 { try DurabilityRoles.write(group: group, of: 1, to: next) }
        let counts = Locked<[Int]>([])
        try check.threads(threads) { _ in
            do {
                let count = try groups(in: next).count
                counts.change { $0.append(count) }
            } catch is DataStoreError {
                // A store may refuse a reader if there are too many.
            }
        }
        let read = counts.withLock { $0 }
        check.expectEqual(
            read, Array(repeating: 30, count: max(read.count, 1)),
            """
            the items that \(threads) readers at once find after 20 writes and \(processes) \
            processes that were killed with \(threads) open read blocks each
            """)
    }

    private static func groups(in store: any DataStore) throws -> [Int] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: DurabilityRoles.type)).map { item in
                if case .int(let group) = item["group"] { Int(group) } else { -1 }
            }
        }
    }

    private static func killAndCompareQueries(_ check: CheckContext) throws {
        try check.crashes(
            DurabilityRoles.changer, acknowledgements: 0...20,
            parameters: { ["round": "\($0)"] }
        ) { _, _ in
            let store = try check.openCrashStore()
            try store.read { db in try compareQueries(db, check) }
            let problems = try store.verify().problems
            check.expect(
                problems.isEmpty, "After a kill the store's own check finds \(problems)")
            try store.close()
        }
    }

    /// Compares the results of requests with those of reading every item.
    private static func compareQueries<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ db: borrowing Accessor, _ check: CheckContext
    ) throws {
        let type = ItemType(dynamic: DurabilityRoles.type)
        let items = try db.dynamicItems(DataStoreRequest(type: type))
        check.expectEqual(
            try db.performCount(DataStoreRequest(type: type)), items.count, "the count after a kill"
        )
        for item in items {
            let found = try db.performFetchItem(type, id: item.uniqueToken)
            check.expect(
                found != nil,
                "After a kill a scan finds the item \(item.uniqueToken), but its id does not.")
        }
        let groups = (0..<5).map { DataStoreValue.int($0) } + [.null]
        for group in groups where check.capabilities.predicateOperators.contains(.equal) {
            let request = DataStoreRequest(
                type: type, predicate: try DataStorePredicate(attribute: "group", equals: group))
            check.expectEqual(
                try db.dynamicItems(request).map(\.uniqueToken),
                items.filter { $0["group"] == group }.map(\.uniqueToken),
                "the items of the group \(group) after a kill, against a look at each item")
        }
        let sorted = try db.dynamicItems(
            DataStoreRequest(type: type, sortDescriptors: [.ascending("group")]))
        let expected = groups.suffix(1) + groups.dropLast()
        check.expectEqual(
            sorted.map(\.uniqueToken),
            expected.flatMap { group in items.filter { $0["group"] == group } }.map(\.uniqueToken),
            "the items sorted by group after a kill, against a look at each item")
    }
}
