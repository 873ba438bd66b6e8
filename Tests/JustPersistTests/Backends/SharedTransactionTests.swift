import Foundation
import JustPersist
import Testing

/// Write blocks of a gate that share transactions.
@Suite struct SharedTransactionTests {
    private struct Failure: Error {}

    /// A framework with savepoints, which keeps numbers.
    private final class Journal: SharedTransaction {
        struct State {
            var pending: [Int] = []
            var committed: [Int] = []
            var commits = 0
            var failingCommits = 0
        }

        let isPassedBetweenThreads: Bool
        let state = Locked(State())

        init(isPassedBetweenThreads: Bool = true) {
            self.isPassedBetweenThreads = isPassedBetweenThreads
        }

        var hasRoom: Bool { state.withLock { $0.pending.count < 100 } }

        var committed: [Int] { state.withLock { $0.committed } }

        func add(_ number: Int) { state.withLock { $0.pending.append(number) } }

        func commit(_ body: () throws -> Void) throws {
            defer { state.withLock { $0.pending = [] } }
            try body()
            try state.withLock { state in
                if state.failingCommits > 0 {
                    state.failingCommits -= 1
                    throw Failure()
                }
                state.committed += state.pending
                state.commits += 1
            }
        }

        func withSavepoint(_ body: () throws -> Void) throws {
            let before = state.withLock { $0.pending }
            do {
                try body()
            } catch {
                state.withLock { $0.pending = before }
                throw error
            }
        }
    }

    /// Queues blocks, numbered from 0, while one holds the gate, and gives the numbers of those that failed.
    private func burst(
        of count: Int, in gate: BlockGate, _ body: @escaping @Sendable (Int) throws -> Void
    ) -> [Int] {
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let outcomes = Locked<[(number: Int, hasFailed: Bool)]>([])
        gate.enqueueWrite {
            isHeld.signal()
            mayEnd.wait()
        } completion: { _ in
        }
        isHeld.wait()
        for number in 0..<count {
            gate.enqueueWrite {
                try body(number)
            } completion: { error in
                outcomes.withLock { $0.append((number, error != nil)) }
                done.signal()
            }
        }
        mayEnd.signal()
        for _ in 0..<count { done.wait() }
        let ended = outcomes.withLock { $0 }
        #expect(ended.map(\.number) == Array(0..<count))
        return ended.filter(\.hasFailed).map(\.number)
    }

    @Test(arguments: [false, true])
    func queuedBlocksShareCommits(_ isPassedBetweenThreads: Bool) throws {
        let journal = Journal(isPassedBetweenThreads: isPassedBetweenThreads)
        let gate = BlockGate(transaction: journal)
        try gate.open {}
        let failed = burst(of: 80, in: gate) { number in
            journal.add(number)
            if number % 3 == 0 { throw Failure() }
        }
        #expect(failed == (0..<80).filter { $0 % 3 == 0 })
        #expect(journal.committed == (0..<80).filter { $0 % 3 != 0 })
        #expect(journal.state.withLock { $0.commits } < 54)
        try gate.close("close") {}
    }

    @Test func aFailedCommitFailsEachOfItsBlocks() throws {
        let journal = Journal()
        let gate = BlockGate(transaction: journal)
        try gate.open {}
        let failed = burst(of: 80, in: gate) { number in
            if number == 0 { journal.state.withLock { $0.failingCommits = 1 } }
            journal.add(number)
        }
        // Those of one group, which may be as small as the machine is slow.
        #expect(!failed.isEmpty && failed == Array(0..<failed.count))
        #expect(journal.committed == Array(failed.count..<80))
        try gate.close("close") {}
    }

    @Test(arguments: [false, true])
    func threadsGetTheirOwnOutcomes(_ isPassedBetweenThreads: Bool) throws {
        let journal = Journal(isPassedBetweenThreads: isPassedBetweenThreads)
        let gate = BlockGate(transaction: journal)
        try gate.open {}
        let threads = (0..<8).map { thread in
            let ended = DispatchSemaphore(value: 0)
            Thread {
                for round in 0..<50 {
                    let number = thread * 50 + round
                    let own = Thread.current
                    var hasFailed = false
                    do {
                        try gate.write {
                            #expect(Thread.current === own)
                            journal.add(number)
                            if number % 4 == 0 { throw Failure() }
                        }
                    } catch {
                        hasFailed = true
                    }
                    #expect(hasFailed == (number % 4 == 0))
                    #expect(journal.committed.contains(number) != hasFailed)
                }
                ended.signal()
            }.start()
            return ended
        }
        for thread in threads { thread.wait() }
        #expect(journal.committed.sorted() == (0..<400).filter { $0 % 4 != 0 })
        try gate.close("close") {}
    }

    @Test func theFirstBlockThrowsWithoutASavepoint() throws {
        let journal = Journal()
        let gate = BlockGate(transaction: journal)
        try gate.open {}
        #expect(throws: Failure.self) {
            try gate.write {
                journal.add(1)
                throw Failure()
            }
        }
        #expect(journal.state.withLock { $0.commits } == 0)
        try gate.write { journal.add(2) }
        #expect(journal.committed == [2])
        try gate.close("close") {}
    }
}
