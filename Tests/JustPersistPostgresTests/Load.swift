import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// Writes of numbers from several threads, with what the store has said about each.
struct Load {
    /// The numbers of blocks that returned, with the time at which each did.
    private(set) var acknowledged: [(number: Int64, time: ContinuousClock.Instant)] = []
    private(set) var refused: [Int64] = []
    /// The numbers of blocks whose outcome was not known in time.
    private(set) var unknown: [(number: Int64, token: CommitToken)] = []
    /// The seconds that the slowest block took, whatever its result.
    private(set) var longestBlock = 0.0

    /// What a store says about a write.
    enum Answer {
        case acknowledged, refused
        case unknown(CommitToken)
    }

    /// Writes a number; any error that leaves open what happened, and has no token, is an issue.
    static func write(_ number: Int64, to store: PostgresDataStore) -> Answer? {
        do {
            try store.writeEntry(number)
            return .acknowledged
        } catch let error as DataStoreError {
            // A commit that waits for a standby makes the others wait for their turn.
            if error.code == .connectionLost || error.code == .busy { return .refused }
            if let token = error.commitToken { return .unknown(token) }
            Issue.record(error)
        } catch {
            Issue.record(error)
        }
        return nil
    }

    mutating func note(_ number: Int64, _ answer: Answer?) {
        switch answer {
        case .acknowledged: acknowledged.append((number, Surroundings.now))
        case .refused: refused.append(number)
        case .unknown(let token): unknown.append((number, token))
        case nil: break
        }
    }

    /// Writes while `disturb` runs, which sees how many writes were acknowledged, and at least for some seconds.
    static func run<Result>(
        on stores: [PostgresDataStore], seconds: Double, writers: Int,
        _ disturb: (_ acknowledged: () -> Int) throws -> Result
    ) throws -> (Load, Result) {
        let load = Locked(Load())
        let next = Locked<Int64>(0)
        let isOver = Locked(false)
        let running = Locked(writers)
        for writer in 0..<writers {
            Thread {
                let store = stores[writer % stores.count]
                while !isOver.withLock({ $0 }) {
                    let number = next.withLock { next in
                        next += 1
                        return next
                    }
                    let begin = Surroundings.now
                    let answer = Self.write(number, to: store)
                    let seconds = (Surroundings.now - begin) / .seconds(1)
                    load.withLock {
                        $0.note(number, answer)
                        $0.longestBlock = max($0.longestBlock, seconds)
                    }
                }
                running.change { $0 -= 1 }
            }.start()
        }
        // If the disturbance fails, its threads must not go on.
        defer {
            isOver.withLock { $0 = true }
            running.wait { $0 == 0 ? () : nil }
        }
        let start = Date()
        let result = try disturb { load.withLock { $0.acknowledged.count } }
        Thread.sleep(forTimeInterval: max(0, seconds + start.timeIntervalSinceNow))
        isOver.withLock { $0 = true }
        running.wait { $0 == 0 ? () : nil }
        return (load.withLock { $0 }, result)
    }

    /// The longest time without an acknowledgement between two moments, in seconds.
    func longestPause(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant)
        -> Double
    {
        let times = acknowledged.map(\.time).filter { $0 > start && $0 < end }.sorted()
        let gaps = zip([start] + times, times + [end]).map { ($1 - $0) / .seconds(1) }
        return gaps.max() ?? 0
    }

    /// Compares the results of the blocks with the entries of the store, which is asked for the unknown outcomes.
    func expect(in store: PostgresDataStore) throws {
        var (stored, absent) = (acknowledged.map(\.number), refused)
        for (number, token) in unknown {
            switch try store.outcome(of: token) {
            case .committed: stored.append(number)
            case .notCommitted: absent.append(number)
            }
        }
        let found = try store.entryNumbers()
        let counts = Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +)
        let lost = stored.filter { counts[$0] == nil }
        let doubled = counts.filter { $0.value > 1 }.map(\.key)
        let unwanted = absent.filter { counts[$0] != nil }
        #expect(lost.isEmpty, "acknowledged, and lost")
        #expect(doubled.isEmpty, "stored twice")
        #expect(unwanted.isEmpty, "refused, and stored")
        #expect(found.count == stored.count)
        print(
            """
            \(acknowledged.count) acknowledged, \(refused.count) refused, \(unknown.count) asked for later: \(lost.count) lost, \
            \(doubled.count) doubled, \(unwanted.count) stored though refused
            """)
    }
}
