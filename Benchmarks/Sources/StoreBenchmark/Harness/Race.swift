import Benchmark

/// Times one operation on all sides, in rounds: every side once, then every side again.
///
/// swift-benchmark runs and times; the order of registration is the order of running, which is
/// what interleaves the sides. Whatever slows the machine for a while so slows all sides alike.
struct Race {
    let contenders: [Contender]
    let rounds: Int

    /// Returns the seconds of each round by side.
    ///
    /// A first round warms up and is not counted.
    func run(_ operation: Operation) throws -> [(side: String, seconds: [Double])] {
        let suite = BenchmarkSuite(name: operation.rawValue, settings: Iterations(1))
        let referee = Referee()
        for round in 0...rounds {
            for place in contenders.indices {
                // Each round begins with another side: none always follows the same neighbour.
                let contender = contenders[(place + round) % contenders.count]
                suite.benchmark(contender.side.name) { clock in
                    referee.judge(contender.side.name, operation, round) {
                        try contender.perform(operation, round: round, &clock)
                    }
                }
            }
        }
        var runner = BenchmarkRunner(suites: [suite], settings: [Format(.none), Quiet(true)])
        try runner.run()
        try referee.verdict()

        let counted = runner.results.dropFirst(contenders.count)
        return contenders.map(\.side.name).filter { !referee.absent.contains($0) }.map { name in
            let own = counted.filter { $0.benchmarkName == name }
            return (name, own.flatMap(\.measurements).map { $0 / 1e9 })
        }
    }
}

/// Sees that all sides give the same answer in the same round.
private final class Referee {
    private(set) var absent: Set<String> = []
    private var answers: [Int: (side: String, digest: Int)] = [:]
    private var failure: (any Error)?

    func judge(
        _ side: String, _ operation: Operation, _ round: Int, _ perform: () throws -> Int?
    ) {
        // swift-benchmark traps on an error: it is kept, and what is left is skipped.
        guard failure == nil else { return }
        do {
            guard let digest = try perform() else {
                absent.insert(side)
                return
            }
            let expected = answers[round, default: (side, digest)]
            answers[round] = expected
            guard digest == expected.digest else {
                throw Disagreement(
                    operation: operation, sides: (expected.side, side),
                    digests: (expected.digest, digest))
            }
        } catch {
            failure = error
        }
    }

    func verdict() throws {
        if let failure { throw failure }
    }
}

/// Two sides that were given the same work and did not do the same.
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
