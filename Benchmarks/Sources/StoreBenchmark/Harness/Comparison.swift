/// How many times a side's throughput another's should be, in the same run.
struct Comparison: Sendable {
    let subject: String
    let peer: String
    /// The least ratio wanted, for the operations that have a goal.
    let goals: [Operation: Double]

    /// "LMDB : GRDB tuned".
    var title: String {
        "\(subject) : \(peer)".replacing("JustPersist ", with: "")
    }

    private static let onLMDB = "JustPersist LMDB"
    private static let onLevelDB = "JustPersist LevelDB"

    static let all: [Comparison] = [
        Comparison(
            subject: onLMDB, peer: "GRDB Codable",
            goals: [.create: 10, .fetchByID: 50, .fetchAll: 9, .index: 9, .update: 10]),
        Comparison(
            subject: onLMDB, peer: "GRDB tuned",
            goals: [
                .create: 2.5, .fetchByID: 5, .fetchAll: 2.5, .count: 1.5, .sort: 1, .index: 3,
                .update: 1.2,
            ]),
        Comparison(subject: onLMDB, peer: "raw LMDB", goals: [.create: 0.45, .fetchByID: 0.6]),
        Comparison(subject: onLevelDB, peer: "raw LevelDB", goals: [:]),
        Comparison(
            subject: onLevelDB, peer: onLMDB,
            goals: Dictionary(
                uniqueKeysWithValues: Operation.allCases.filter { $0 != .memory }.map { ($0, 0.5) })
        ),
        Comparison(subject: "JustPersist memory", peer: onLMDB, goals: [:]),
    ]
}
