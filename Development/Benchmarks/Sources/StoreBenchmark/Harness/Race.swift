import Benchmark

/// Times operations on all sides, in rounds: every lane once, then every lane again.
///
/// swift-benchmark runs and times the operations in the order of registration, which interleaves the lanes. A
/// temporary slowdown of the machine therefore affects all of them.
struct Race {
    /// A contender that performs one operation.
    struct Lane {
        let contender: Contender
        let operation: Operation
    }

    /// The measurements of a lane: the seconds per item of each round.
    struct Timing {
        let side: String
        let operation: Operation
        /// The number of restaurants in the store.
        let size: Int
        /// The number of items in one performance.
        let items: Int
        let secondsPerItem: [Double]
    }

    let lanes: [Lane]
    let rounds: Int

    /// Returns the timings of the lanes whose side has the operation.
    ///
    /// The first round is a warm-up and is not counted.
    func run() throws -> [Timing] {
        let suite = BenchmarkSuite(name: "race", settings: Iterations(1))
        let referee = Referee()
        for round in 0...rounds {
            for place in lanes.indices {
                // Each round begins with another lane, so that no lane always follows the same one.
                let number = (place + round) % lanes.count
                let lane = lanes[number]
                suite.benchmark(String(number)) { clock in
                    referee.judge(lane, round) {
                        try lane.contender.perform(lane.operation, round: round, &clock)
                    }
                }
            }
        }
        var runner = BenchmarkRunner(suites: [suite], settings: [Format(.none), Quiet(true)])
        try runner.run()
        try referee.verdict()

        return lanes.enumerated().compactMap { number, lane in
            let own = runner.results.filter { $0.benchmarkName == String(number) }
            let name = lane.contender.side.name
            guard !referee.isAbsent(lane) else { return nil }
            let items = lane.contender.workload.items(of: lane.operation)
            return Timing(
                side: name, operation: lane.operation,
                size: lane.contender.workload.restaurants.count, items: items,
                secondsPerItem: own.dropFirst().flatMap(\.measurements)
                    .map { $0 / 1e9 / Double(max(1, items)) })
        }
    }
}

/// Checks that all sides return equal results for an operation in a round.
private final class Referee {
    private struct Question: Hashable {
        let operation: Operation
        let size: Int
        let round: Int
    }

    private struct Absence: Hashable {
        let side: String
        let operation: Operation
    }

    private var absent: Set<Absence> = []
    private var answers: [Question: (side: String, digest: Int)] = [:]
    private var failure: (any Error)?

    func judge(_ lane: Race.Lane, _ round: Int, _ perform: () throws -> Int?) {
        // swift-benchmark traps on an error, so the error is kept and the rest is skipped.
        guard failure == nil else { return }
        let side = lane.contender.side.name
        do {
            guard let digest = try perform() else {
                absent.insert(Absence(side: side, operation: lane.operation))
                return
            }
            let question = Question(
                operation: lane.operation, size: lane.contender.workload.restaurants.count,
                round: round)
            let expected = answers[question, default: (side, digest)]
            answers[question] = expected
            guard digest == expected.digest else {
                throw Disagreement(
                    operation: lane.operation, sides: (expected.side, side),
                    digests: (expected.digest, digest))
            }
        } catch {
            failure = error
        }
    }

    func isAbsent(_ lane: Race.Lane) -> Bool {
        absent.contains(Absence(side: lane.contender.side.name, operation: lane.operation))
    }

    func verdict() throws {
        if let failure { throw failure }
    }
}

/// Two sides with different results for equal work.
struct Disagreement: Error, CustomStringConvertible {
    let operation: Operation
    let sides: (String, String)
    let digests: (Int, Int)

    var description: String {
        """
        \(operation.rawValue): \(sides.0) answers \(digests.0) and \(sides.1) answers \(digests.1). \
        Their figures cannot be compared.
        """
    }
}
