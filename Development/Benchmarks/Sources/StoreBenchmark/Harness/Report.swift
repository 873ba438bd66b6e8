import Foundation

/// The results of a run, for the table and the JSON.
struct Report: Codable {
    struct Figure: Codable {
        let side: String
        let itemsPerSecond: Double
        /// The range from the slowest round to the fastest, as a fraction of the median.
        let spread: Double
        /// Each counted round, in order.
        let seconds: [Double]
    }

    struct Ratio: Codable {
        let subject: String
        let peer: String
        /// The median of the ratios of each round, whose two measurements are adjacent.
        let ratio: Double
        /// The range of the rounds' ratios, as a fraction of the median.
        let spread: Double
        let goal: Double?
    }

    struct Row: Codable {
        let operation: String
        let title: String
        let items: Int
        let figures: [Figure]
        let ratios: [Ratio]
    }

    /// The comparison of an operation with another on the same side.
    struct Within: Codable {
        let title: String
        /// One for each side, which is both subject and peer.
        let ratios: [Ratio]
    }

    /// The effect of the store's size on the cost of an item.
    struct Growth: Codable {
        let title: String
        let side: String
        let nanosecondsPerItem: [Double]
        /// The ratio of the cost in the largest store to that in the smallest.
        let ratio: Ratio
    }

    let machine: String
    let date: Date
    let versions: [String: String]
    /// The restaurants in each store.
    let sizes: [Int]
    let rounds: Int
    /// The machine's load before and after.
    var load: [Double?] = []
    var rows: [Row] = []
    var within: [Within] = []
    var growth: [Growth] = []
    var memory: [MemoryUse] = []

    /// Adds the timings of one race between stores of one size.
    mutating func add(_ timings: [Race.Timing]) {
        for operation in Operation.allCases {
            let own = timings.filter { $0.operation == operation }
            guard let items = own.first?.items else { continue }
            let ratios = Comparison.all.compactMap { comparison -> Ratio? in
                guard let subject = own.first(where: { $0.side == comparison.subject }),
                    let peer = own.first(where: { $0.side == comparison.peer })
                else { return nil }
                return Ratio(subject, toward: peer, goal: comparison.goals[operation])
            }
            rows.append(
                Row(
                    operation: operation.rawValue, title: operation.title, items: items,
                    figures: own.map(Figure.init), ratios: ratios))

            guard let (baseline, goal) = operation.baseline else { continue }
            let pairs = own.compactMap { timing in
                timings.first { $0.operation == baseline && $0.side == timing.side }
                    .map {
                        Ratio(
                            timing, toward: $0,
                            goal: timing.side == Comparison.onLMDB ? goal : nil)
                    }
            }
            guard !pairs.isEmpty else { continue }
            within.append(Within(title: "\(operation.title) : \(baseline.title)", ratios: pairs))
        }
    }

    /// Adds the timings of one race between stores of several sizes.
    mutating func addGrowth(_ timings: [Race.Timing]) {
        for operation in Operation.allCases {
            for side in Side.all.map(\.name) {
                let own = timings.filter { $0.operation == operation && $0.side == side }
                    .sorted { $0.size < $1.size }
                guard let smallest = own.first, let largest = own.last else { continue }
                growth.append(
                    Growth(
                        title: operation.title, side: side,
                        nanosecondsPerItem: own.map { $0.secondsPerItem.median * 1e9 },
                        ratio: Ratio(
                            smallest, toward: largest,
                            goal: side.hasPrefix("JustPersist") ? operation.growthGoal : nil)))
            }
        }
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self)
    }
}

extension Report.Figure {
    init(_ timing: Race.Timing) {
        self.init(
            side: timing.side, itemsPerSecond: 1 / timing.secondsPerItem.median,
            spread: timing.secondsPerItem.spread,
            seconds: timing.secondsPerItem.map { $0 * Double(timing.items) })
    }
}

extension Report.Ratio {
    /// The ratio of a lane's speed to another's in the same round.
    init(_ subject: Race.Timing, toward peer: Race.Timing, goal: Double?) {
        let ratios = zip(peer.secondsPerItem, subject.secondsPerItem).map { $0 / $1 }
        self.init(
            subject: subject.side, peer: peer.side, ratio: ratios.median, spread: ratios.spread,
            goal: goal)
    }
}

extension [Double] {
    /// The median; 0 if there are no values.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }

    /// The range of the values, as a fraction of the median.
    fileprivate var spread: Double { ((self.max() ?? 0) - (self.min() ?? 0)) / median }
}
