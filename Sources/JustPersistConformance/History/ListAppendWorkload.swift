import Foundation
import JustPersist

/// Runs random blocks over lists in a store, concurrently on several threads, and records their reads.
///
/// A tenth of the write blocks throw at their end. Few lists are in use at the same time, so that blocks conflict, and
/// no list becomes long.
struct ListAppendWorkload: Sendable {
    /// The way in which a thread runs its blocks.
    enum Process: Sendable {
        /// Write blocks, each with a call that waits for its commit.
        case writer
        /// Queued write blocks. The thread waits for each.
        case queue
        /// Queued write blocks, several at a time.
        case pipeline
        /// Only read blocks.
        case reader
        /// Some of the blocks in a child store, which is merged after them.
        case child
        /// Some of the blocks in a child of a child, if the store declares such children.
        case grandchild
    }

    /// All ways to run blocks on the store itself.
    static let onTheStore: [Process] = [
        .writer, .writer, .writer, .writer, .reader, .queue, .pipeline,
    ]
    /// Half of the threads that write use children.
    static let throughChildren: [Process] = [
        .writer, .writer, .queue, .pipeline, .reader, .child, .child, .child, .grandchild,
    ]

    /// The operations of a block.
    ///
    /// A pause gives other blocks the time to change the lists that it has read.
    enum Plan: Sendable {
        case pause
        case append(list: Int)
        case read(list: Int, byPredicate: Bool)
    }

    private struct State: Sendable {
        var time = 0
        var begun = 0
        var values = 0
        var transactions: [History.Transaction] = []
        var waiting = 0
    }

    struct RollBack: Error {}

    private static let key = "ConformanceList"

    let check: CheckContext
    let store: any DataStore
    private let processes: [Process]
    private let count: Int
    private let listsInUse: Int
    /// The ids of the lists.
    ///
    /// Each list is created in the store with its first value.
    private let ids: [ItemID]
    private let asArrays: Bool
    private let state = Locked(State())

    init(
        _ check: CheckContext, _ processes: [Process] = onTheStore, transactionCount count: Int,
        listsInUse: Int = 5
    ) throws {
        self.check = check
        self.processes = processes
        self.count = count
        self.listsInUse = listsInUse
        store = try check.openStore()
        ids = (0..<(count / (12 * listsInUse) + 1) * listsInUse).map { _ in ItemID() }
        asArrays = check.capabilities.valueKinds.contains(.array)
        try store.write { db in
            try db.declare(
                ItemSchema(
                    Self.key, attributes: [AttributeSchema("list"), AttributeSchema("values")]))
        }
    }

    /// Runs the blocks, and then one block that reads every list.
    func run() throws -> History {
        try check.threads(processes.count) { number in
            var generator = check.generator("process \(number)")
            let line = try childLine(for: processes[number])
            while let begun = begin() {
                check.tick()
                if let line {
                    try runInChild(line, lists: lists(begun), process: number, &generator)
                    continue
                }
                let isRolledBack = processes[number] != .reader && generator.int(in: 0..<10) == 0
                let plan = plan(begun, readsOnly: processes[number] == .reader, &generator)
                switch processes[number] {
                case .reader: try read(plan, process: number)
                case .queue: try queue(plan, isRolledBack, process: number, ahead: 1)
                case .pipeline: try queue(plan, isRolledBack, process: number, ahead: 8)
                default: try write(plan, isRolledBack, process: number)
                }
            }
            if processes[number] == .pipeline { state.wait { $0.waiting == 0 ? () : nil } }
        }
        if processes.contains(.child) { try mergeUndisturbed(process: processes.count) }
        try read(ids.indices.map { .read(list: $0, byPredicate: false) }, process: processes.count)
        return History(transactions: state.withLock { $0.transactions })
    }

    // MARK: Plans and recording

    /// The number of the next block, or nil after the last.
    private func begin() -> Int? {
        state.withLock { state in
            guard state.begun < count else { return nil }
            state.begun += 1
            return state.begun
        }
    }

    /// The lists that are in use when a block begins.
    private func lists(_ begun: Int) -> Range<Int> {
        let first = begun / (12 * listsInUse) * listsInUse
        return first..<first + listsInUse
    }

    private func plan(
        _ begun: Int, readsOnly: Bool, _ generator: inout SeededGenerator
    ) -> [Plan] {
        (0..<generator.int(in: 1...4)).map { _ in
            if generator.int(in: 0..<12) == 0 { return .pause }
            let list = generator.int(in: lists(begun))
            return readsOnly || generator.bool()
                ? .read(list: list, byPredicate: generator.int(in: 0..<4) == 0)
                : .append(list: list)
        }
    }

    func now() -> Int {
        state.withLock { state in
            state.time += 1
            return state.time
        }
    }

    func record(
        _ process: Int, began: Int, _ operations: [History.Operation], isCommitted: Bool
    ) {
        state.change { state in
            state.time += 1
            state.transactions.append(
                History.Transaction(
                    process: process, began: began, ended: state.time, operations: operations,
                    isCommitted: isCommitted))
        }
    }

    // MARK: Blocks

    /// Runs a read block, in a child if one is given.
    func read(_ plan: [Plan], in child: (any DataStore)? = nil, process: Int) throws {
        let began = now()
        let operations = try (child ?? store).read { db in
            var operations: [History.Operation] = []
            for step in plan {
                guard case .read(let list, let byPredicate) = step else {
                    Thread.sleep(forTimeInterval: 0.0003)
                    continue
                }
                operations.append(
                    .read(try values(item(list, byPredicate: byPredicate, db)), list: list))
            }
            return operations
        }
        record(process, began: began, operations, isCommitted: true)
    }

    private func write(_ plan: [Plan], _ isRolledBack: Bool, process: Int) throws {
        let began = now()
        let operations = Locked<[History.Operation]>([])
        do {
            try store.write { db in
                try carryOut(plan, operations, db)
                if isRolledBack { throw RollBack() }
            }
        } catch is RollBack {}
        record(process, began: began, operations.withLock { $0 }, isCommitted: !isRolledBack)
    }

    /// Queues a block once fewer than `limit` blocks are waiting.
    private func queue(
        _ plan: [Plan], _ isRolledBack: Bool, process: Int, ahead limit: Int
    ) throws {
        let pending = Locked<(any Error)?>(nil)
        let mine = Locked(false)
        let isAhead = limit > 1
        if isAhead {
            state.wait { state -> Void? in
                guard state.waiting < limit else { return nil }
                state.waiting += 1
                return ()
            }
        }
        let began = now()
        let operations = Locked<[History.Operation]>([])
        store.enqueueWrite(
            { db in
                try carryOut(plan, operations, db)
                if isRolledBack { throw RollBack() }
            },
            completion: { error in
                record(process, began: began, operations.withLock { $0 }, isCommitted: error == nil)
                if isAhead { state.change { $0.waiting -= 1 } }
                let failure = error is RollBack ? nil : error
                check.expect(failure == nil, "A queued block failed: \(failure, default: "nil")")
                if let failure { pending.withLock { $0 = failure } }
                mine.change { $0 = true }
            })
        if !isAhead { mine.wait { $0 ? () : nil } }
        if let error = pending.withLock({ $0 }) { throw error }
    }

    /// Executes the operations of a block, and records them.
    func carryOut(
        _ plan: [Plan], _ operations: Locked<[History.Operation]>,
        _ db: borrowing DataStoreWriter
    ) throws {
        for step in plan {
            switch step {
            case .pause: Thread.sleep(forTimeInterval: 0.0003)
            case .read(let list, let byPredicate):
                let values = try values(item(list, byPredicate: byPredicate, db))
                operations.withLock { $0.append(.read(values, list: list)) }
            case .append(let list):
                let value = state.withLock { state in
                    state.values += 1
                    return state.values
                }
                if let item = try item(list, byPredicate: false, db) {
                    try item.setStoredValue(
                        stored(try values(item) + [value]), forKeyPath: "values")
                } else {
                    _ = try db.performInsert(
                        DynamicItem(
                            Self.key, id: ids[list],
                            values: ["list": .int(Int64(list)), "values": stored([value])]))
                }
                operations.withLock { $0.append(.append(value, list: list)) }
            }
        }
    }

    // MARK: Lists

    private func item<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ list: Int, byPredicate: Bool, _ db: borrowing Accessor
    ) throws -> DynamicItem? {
        guard byPredicate else {
            return try db.performFetchItem(ItemType(dynamic: Self.key), id: ids[list])
                as? DynamicItem
        }
        return try db.dynamicItems(
            DataStoreRequest(
                type: ItemType(dynamic: Self.key),
                predicate: try DataStorePredicate("list == %d", list))
        ).first
    }

    private func stored(_ values: [Int]) -> DataStoreValue {
        asArrays
            ? .array(values.map { .int(Int64($0)) })
            : .string(values.map(String.init).joined(separator: ","))
    }

    /// The values of a list.
    ///
    /// A missing list is empty, and -1 replaces a value that is not a number.
    private func values(_ item: DynamicItem?) throws -> [Int] {
        switch try item?.storedValue(forKeyPath: "values") ?? .null {
        case .array(let values):
            values.map { if case .int(let value) = $0 { Int(value) } else { -1 } }
        case .string(let text): text.split(separator: ",").map { Int($0) ?? -1 }
        default: item == nil ? [] : [-1]
        }
    }
}
