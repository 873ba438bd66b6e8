@testable import JustPersistConformance

/// Generates the histories that clients of a store see at one level of isolation.
struct SimulatedHistory {
    /// The level of isolation, or its fault.
    enum Isolation {
        /// Each runs at one moment of its life.
        case serial
        /// Each reads the state of one moment, and changes it at a later one if no other transaction changed these
        /// lists meanwhile.
        case snapshot
        /// Like the previous case, without the check.
        case lastWriterWins
        /// Each reads the state at one moment and changes it at a later one by appending to what is there.
        case blindAppends
        /// Each runs at one moment, and one in a hundred reads a state of a while ago.
        case stale
        /// Each runs at one moment, and one in a hundred that is rolled back leaves its appends.
        case leaky
    }

    private struct Running {
        let began: Int
        let planned: [(list: Int, isAppend: Bool)]
        let isRolledBack: Bool
        /// When it reads and, later, when it writes.
        let reads: Int
        let writes: Int
        let ends: Int
        var operations: [History.Operation] = []
        var appended: [(value: Int, list: Int)] = []
        var seen: [Int: [Int]] = [:]
        var isCommitted = true
    }

    private var generator: SeededGenerator
    private let isolation: Isolation
    private var lists: [Int: [Int]] = [:]
    private var past: [[Int: [Int]]] = []
    private var nextValue = 0
    private var begun = 0

    init(_ isolation: Isolation, seed: UInt64) {
        self.isolation = isolation
        generator = SeededGenerator(seed: seed)
    }

    /// A history of so many transactions by eight processes.
    static func make(_ count: Int, _ isolation: Isolation, seed: UInt64) -> History {
        var simulation = SimulatedHistory(isolation, seed: seed)
        return simulation.run(count)
    }

    private mutating func run(_ count: Int) -> History {
        var transactions: [History.Transaction] = []
        var running: [Int: Running] = [:]
        var time = 0
        while begun < count || !running.isEmpty {
            time += 1
            for process in 0..<8 {
                guard var transaction = running[process] else {
                    if begun < count, Int.random(in: 0..<3, using: &generator) == 0 {
                        running[process] = begin(at: time)
                    }
                    continue
                }
                if transaction.reads == time { read(&transaction) }
                if transaction.writes == time { write(&transaction) }
                running[process] = transaction
                if transaction.ends == time {
                    running[process] = nil
                    transactions.append(
                        History.Transaction(
                            process: process, began: transaction.began, ended: time,
                            operations: transaction.operations,
                            isCommitted: transaction.isCommitted))
                }
            }
        }
        return History(transactions: transactions)
    }

    private mutating func begin(at time: Int) -> Running {
        begun += 1
        // Lists change as time goes by, so that none grows without end.
        let planned = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            (
                list: begun / 60 * 4 + Int.random(in: 0..<4, using: &generator),
                isAppend: Bool.random(using: &generator)
            )
        }
        let reads = time + Int.random(in: 1...4, using: &generator)
        let isAtOnce = [.serial, .stale, .leaky].contains(isolation)
        let writes = isAtOnce ? reads : reads + Int.random(in: 0...4, using: &generator)
        return Running(
            began: time, planned: planned,
            isRolledBack: Int.random(in: 0..<10, using: &generator) == 0, reads: reads,
            writes: writes, ends: writes + Int.random(in: 1...4, using: &generator))
    }

    private mutating func read(_ transaction: inout Running) {
        var state = lists
        if isolation == .stale {
            past.append(lists)
            if past.count > 40 { past.removeFirst() }
            if Int.random(in: 0..<100, using: &generator) == 0 { state = past[0] }
        }
        var own: [Int: [Int]] = [:]
        for (list, isAppend) in transaction.planned {
            if isAppend {
                nextValue += 1
                own[list, default: []].append(nextValue)
                transaction.appended.append((nextValue, list))
                transaction.seen[list] = state[list] ?? []
                transaction.operations.append(.append(nextValue, list: list))
            } else {
                transaction.operations.append(
                    .read((state[list] ?? []) + (own[list] ?? []), list: list))
            }
        }
    }

    private mutating func write(_ transaction: inout Running) {
        let isConflict = transaction.seen.contains { lists[$0.key] ?? [] != $0.value }
        if transaction.isRolledBack || isolation == .snapshot && isConflict {
            transaction.isCommitted = false
            guard isolation == .leaky, Int.random(in: 0..<10, using: &generator) == 0 else {
                return
            }
        }
        if isolation == .lastWriterWins {
            for (list, values) in transaction.seen { lists[list] = values }
        }
        for (value, list) in transaction.appended { lists[list, default: []].append(value) }
    }
}
