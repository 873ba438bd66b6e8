import Foundation
import JustPersist
import JustPersistMigration

/// The roles of processes that use a store until they are killed.
enum DurabilityRoles {
    static let all = [
        writer, queuer, blockWriter, deleter, merger, migrator, readers, changer, cleanWriter,
    ]

    /// The name of the store that all roles use.
    static let storeName = "store"
    /// The name of the store that ``migrator`` copies.
    static let sourceName = "source"
    /// The type of the items.
    static let type = "Durable"
    static let schema = ItemSchema(
        type, attributes: ["group", "part", "name", "value"].map { AttributeSchema($0) })

    /// Writes groups of items without end, each group in one block.
    static let writer = ChildRole("dur/writer") { context in
        let store = try open(context)
        let script = try CrashScript(context)
        let size = try context.number("size")
        var group = try context.number("first")
        while true {
            try script.begin()
            try write(group: group, of: size, to: store)
            try script.acknowledge(group)
            group += 1
        }
    }

    /// Queues blocks without end, twenty at a time.
    ///
    /// Each creates an item, and some throw.
    static let queuer = ChildRole("dur/queuer") { context in
        let store = try open(context)
        let script = try CrashScript(context)
        let first = try context.number("first")
        var next = first
        while true {
            let completed = Locked(0)
            try script.begin()
            for number in next..<next + 20 {
                store.enqueueWrite { db in
                    try db.declare(schema)
                    try db.create(type)["group"] = .int(Int64(number))
                    if queuedBlockThrows(number) { throw Upset(number: number) }
                } completion: { _ in
                    // A failure shows in the store.
                    try? script.acknowledge(number)
                    let isLast = completed.change { completed in
                        completed += 1
                        return completed == 20
                    }
                    if !isLast { try? script.begin() }
                }
            }
            completed.wait { $0 == 20 ? () : nil }
            next += 20
        }
    }

    /// Whether a block of ``queuer`` throws after its changes.
    static func queuedBlockThrows(_ number: Int) -> Bool { number % 5 == 3 }

    /// Ends the process inside a write block, after a number of its steps.
    static let blockWriter = ChildRole("dur/block-writer") { context in
        let store = try open(context)
        let steps = try context.number("steps")
        try store.write { db in
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: type))
            for step in 0..<steps {
                let stored = items[step % items.count]
                stored["name"] = .string("changed \(step)")
                if step >= 100 { _ = try db.performDelete(stored) }
                let item = try db.create(type)
                item["name"] = .string("new")
                if step % 50 == 0 { _ = try db.performCount(DataStoreRequest(itemTypeKey: type)) }
            }
            CrashScript.die()
        }
    }

    /// Deletes all items, and waits to be killed.
    static let deleter = ChildRole("dur/deleter") { context in
        let store = try open(context)
        let script = try CrashScript(context)
        try script.acknowledge(0)
        try script.begin()
        try store.write { db in try db.performDeleteAll([ItemType(dynamic: type)]) }
        try script.acknowledge(1)
        script.waitForDeath()
    }

    /// Changes all items in a child, replaces some, merges, and waits to be killed.
    static let merger = ChildRole("dur/merger") { context in
        let store = try open(context)
        let script = try CrashScript(context)
        let round = try context.number("round")
        let child = try store.makeChild()
        try child.open()
        try child.write { db in
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: type))
            for item in items { item["group"] = .int(Int64(round)) }
            for item in items.prefix(10) {
                try db.delete(item)
                try db.create(type)["group"] = .int(Int64(round))
            }
        }
        try script.acknowledge(0)
        try script.begin()
        try store.merge(child, policy: .childWins)
        try script.acknowledge(1)
        script.waitForDeath()
    }

    /// Copies a store into another one of its kind in batches, by records or item by item, and waits to be killed.
    static let migrator = ChildRole("dur/migrator") { context in
        let source = try context.makeStore(named: sourceName)
        try source.open()
        let target = try open(context)
        let script = try CrashScript(context)
        let isPlain = try context.number("plain") == 1
        let seen: any DataStore = isPlain ? InterposedStore(source) : source
        try script.begin()
        try Migration(from: seen, to: target, batchSize: 20).run { progress in
            guard progress.phase == .copying else { return }
            try script.acknowledge(progress.items)
            try script.begin()
        }
        try script.acknowledge(Int.max)
        script.waitForDeath()
    }

    /// Opens read blocks on many threads, and kills its process.
    static let readers = ChildRole("dur/readers") { context in
        let store = try open(context)
        let count = try context.number("threads")
        let gathering = Gathering(of: count)
        for _ in 0..<count {
            let thread = Thread {
                do {
                    try store.performRead { db in
                        _ = try db.performCount(DataStoreRequest(itemTypeKey: type))
                        gathering.arrive()
                        while true { Thread.sleep(forTimeInterval: 1) }
                    }
                } catch {
                    // A store may refuse a reader if there are too many.
                    gathering.arrive()
                }
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        gathering.wait()
        CrashScript.die()
    }

    /// Creates, changes and deletes random items in one block after another, without end.
    static let changer = ChildRole("dur/changer") { context in
        let store = try open(context)
        let script = try CrashScript(context)
        var random = SeededGenerator(
            seed: context.seed, name: "changer \(try context.number("round"))")
        var block = 0
        while true {
            try script.begin()
            try store.write { db in
                try db.declare(schema)
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: type))
                for _ in 0..<random.int(in: 1...10) {
                    let item =
                        items.isEmpty || random.int(in: 0..<3) == 0
                        ? try db.create(type) : random.pick(items)
                    if random.int(in: 0..<5) == 0 {
                        _ = try db.performDelete(item)
                    } else if try db.performMutableVersion(of: item) != nil {
                        item["group"] = random.bool() ? .int(Int64(random.int(in: 0..<5))) : .null
                        item["name"] = .string(random.pick(["a", "b", "é", "e\u{301}", ""]))
                    }
                }
            }
            try script.acknowledge(block)
            block += 1
        }
    }

    /// Writes values of all kinds, closes the store, and ends normally.
    static let cleanWriter = ChildRole("dur/clean-writer") { context in
        let store = try open(context)
        try write(values(of: store.capabilities.valueKinds), to: store)
        try store.close()
    }

    private static func open(_ context: ChildContext) throws -> any DataStore {
        let store = try context.makeStore(named: storeName)
        try store.open()
        return store
    }

    // MARK: Writing, also for checks

    /// Writes one group in one block.
    static func write(group: Int, of size: Int, to store: any DataStore) throws {
        try store.write { db in
            try db.declare(schema)
            for part in 0..<size {
                let item = try db.create(type)
                item["group"] = .int(Int64(group))
                item["part"] = .int(Int64(part))
            }
        }
    }

    /// Writes one item for each value.
    static func write(_ values: [DataStoreValue], to store: any DataStore) throws {
        try store.write { db in
            try db.declare(schema)
            for value in values {
                let item = try db.create(type)
                try item.backing.setValue(value, forAttribute: "value")
            }
        }
    }

    /// The values of the items, in the order of their creation.
    static func values(in store: any DataStore) throws -> [DataStoreValue] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: type)).map {
                item throws(DataStoreError) in try item.backing.value(forAttribute: "value")
            }
        }
    }

    /// Values of the given kinds: edge cases of each, and collections of all.
    static func values(of kinds: Set<DataStoreValue.Kind>) -> [DataStoreValue] {
        let plain: [DataStoreValue] =
            [.null, .bool(true), .bool(false)] + ModelValues.ints.map { .int($0) }
            + ModelValues.doubles.map { .double($0) } + ModelValues.strings.map { .string($0) }
            + ModelValues.doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            + [.data(Data()), .data(Data(0...255))] + [.uuid(ItemID(high: .max, low: 1).uuid)]
            + ModelValues.decimals.map { .decimal($0) } + ModelValues.urls.map { .url($0) }
            + [.reference(.numbered(7, type: type))]
        let kept = plain.filter { $0.isWithin(kinds) }
        let collections: [DataStoreValue] = [
            .array([]), .array(kept), .dictionary([:]),
            .dictionary(
                Dictionary(
                    kept.enumerated().map { ("entry \($0)", $1) },
                    uniquingKeysWith: { first, _ in first })),
        ]
        return kept + collections.filter { $0.isWithin(kinds) }
    }
}
