import Foundation

/// All that a run found: what the table shows, and the JSON holds.
struct Report: Codable {
    struct Figure: Codable {
        let side: String
        let itemsPerSecond: Double
        /// From the slowest round to the fastest, as a part of the median.
        let spread: Double
        /// Each counted round, in order.
        let seconds: [Double]
    }

    struct Ratio: Codable {
        let subject: String
        let peer: String
        /// The median of the rounds' own ratios: the two sides of each ran next to each other.
        let ratio: Double
        let goal: Double?
    }

    struct Row: Codable {
        let operation: String
        let title: String
        let items: Int
        let figures: [Figure]
        let ratios: [Ratio]
    }

    let machine: String
    let date: Date
    let versions: [String: String]
    let items: Int
    let rounds: Int
    /// The bytes of all items' attributes in a flat layout, without keys and without a store.
    let encodedBytes: Int
    var rows: [Row] = []
    var memory: [MemoryUse] = []

    mutating func add(
        _ operation: Operation, items: Int, _ timings: [(side: String, seconds: [Double])]
    ) {
        let rounds = Dictionary(uniqueKeysWithValues: timings)
        let ratios = Comparison.all.compactMap { comparison -> Ratio? in
            guard let subject = rounds[comparison.subject], let peer = rounds[comparison.peer]
            else {
                return nil
            }
            return Ratio(
                subject: comparison.subject, peer: comparison.peer,
                ratio: zip(peer, subject).map { $0 / $1 }.median,
                goal: comparison.goals[operation])
        }
        let figures = timings.map { side, seconds in
            Figure(
                side: side, itemsPerSecond: Double(items) / seconds.median,
                spread: ((seconds.max() ?? 0) - (seconds.min() ?? 0)) / seconds.median,
                seconds: seconds)
        }
        rows.append(
            Row(
                operation: operation.rawValue, title: operation.title, items: items,
                figures: figures, ratios: ratios))
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self)
    }
}

extension [Double] {
    /// The middle value, or the mean of the two in the middle; 0 if there is none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
