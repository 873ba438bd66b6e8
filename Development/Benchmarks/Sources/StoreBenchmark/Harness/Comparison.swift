/// The goals for the ratio of two sides' throughput in one run.
struct Comparison: Sendable {
    let subject: String
    let peer: String
    /// The least ratio, for the operations that have a goal.
    let goals: [Operation: Double]

    /// "LMDB : GRDB tuned".
    var title: String {
        "\(subject) : \(peer)".replacing("JustPersist ", with: "")
    }

    static let onLMDB = "JustPersist LMDB"
    private static let onLevelDB = "JustPersist LevelDB"

    /// The goals of the filtered counts, in addition to that of the plain count.
    private static let filters: [Operation: Double] = [
        .countText: 1, .countIn: 1, .countBetween: 1, .countOr: 1, .countContains: 1,
    ]

    static let all: [Comparison] = [
        Comparison(
            subject: onLMDB, peer: "GRDB Codable",
            goals: filters.merging([
                .create: 12, .fetchByID: 80, .fetchAll: 9, .count: 1.5, .sort: 1, .index: 9,
                .update: 12, .commit: 1, .delete: 1.5,
            ]) { $1 }),
        Comparison(
            subject: onLMDB, peer: "GRDB tuned",
            goals: filters.merging([
                .create: 3, .fetchByID: 6, .fetchAll: 2.5, .count: 1.5, .sort: 1, .index: 3,
                .update: 2, .commit: 1, .delete: 1.5,
            ]) { $1 }),
        Comparison(
            subject: onLMDB, peer: "raw LMDB",
            goals: [
                .create: 0.5, .fetchByID: 0.6, .fetchAll: 0.07, .count: 0.4, .sort: 0.25,
                .update: 0.15, .index: 0.6,
            ]),
        Comparison(subject: onLevelDB, peer: "raw LevelDB", goals: [:]),
        Comparison(
            subject: onLevelDB, peer: onLMDB,
            goals: Dictionary(
                uniqueKeysWithValues: Operation.allCases.filter { $0 != .memory }.map { ($0, 0.5) })
        ),
        Comparison(subject: "JustPersist memory", peer: onLMDB, goals: [:]),
    ]
}
