import ArgumentParser

/// The measured operations, in the order of the table's rows.
enum Operation: String, CaseIterable, ExpressibleByArgument {
    case create
    case createIndexed = "create-indexed"
    case createObserved = "create-observed"
    case fetchByID = "fetch-by-id"
    case fetchByIDAlone = "fetch-by-id-alone"
    case fetchByIDThreads = "fetch-by-id-threads"
    case fetchByIDBesideWriter = "fetch-by-id-beside-writer"
    case fetchByIDs = "fetch-by-ids"
    case newest
    case fetchAll = "fetch-all"
    case fetchAllUntouched = "fetch-all-untouched"
    case count
    case countText = "count-text"
    case countIn = "count-in"
    case countBetween = "count-between"
    case countOr = "count-or"
    case countContains = "count-contains"
    case group
    case sort
    case sortIndexed = "sort-indexed"
    case index
    case find
    case update
    case upsert
    case commit
    case commitQueued = "commit-queued"
    case commitThreads = "commit-threads"
    case commitObserved = "commit-observed"
    case commitLogged = "commit-logged"
    case deleteEach = "delete-each"
    case delete
    case memory

    /// The title of the table's row.
    var title: String {
        switch self {
        case .create: "create all, one commit"
        case .createIndexed: "create all with 2 indexes, one commit"
        case .createObserved: "create all, one commit, a change stream"
        case .fetchByID: "fetch each by id, shuffled"
        case .fetchByIDAlone: "fetch by id, a block each"
        case .fetchByIDThreads: "fetch by id, a block each, 2 threads"
        case .fetchByIDBesideWriter: "fetch by id, a block each, 4 threads beside a writer"
        case .fetchByIDs: "fetch by lists of 1,000 ids, a block each"
        case .newest: "newest 10, a block each"
        case .fetchAll: "fetch all, read 2 attributes"
        case .fetchAllUntouched: "fetch all, read nothing"
        case .count: "filtered count, full scan"
        case .countText: "filtered count, text beyond ASCII"
        case .countIn: "filtered count, IN of 10"
        case .countBetween: "filtered count, BETWEEN"
        case .countOr: "filtered count, OR"
        case .countContains: "filtered count, CONTAINS[c]"
        case .group: "count and average by group"
        case .sort: "best 10 of a full scan"
        case .sortIndexed: "best 10 by an index"
        case .index: "fetch 20 % by an index"
        case .find: "find one by a unique text, a query each"
        case .update: "update all, one commit"
        case .upsert: "upsert all by a unique attribute, one commit"
        case .commit: "durable commits of 1 item"
        case .commitQueued: "durable commits of 1 item, queued"
        case .commitThreads: "durable commits of 1 item, 8 threads"
        case .commitObserved: "durable commits of 1 item, a change stream"
        case .commitLogged: "durable commits of 1 item, a change log"
        case .deleteEach: "delete each by id, one commit"
        case .delete: "delete all, one commit"
        case .memory: "peak memory of fetching all"
        }
    }

    /// The operation that this one is compared with on the same side, and JustPersist's goal on LMDB for the ratio of
    /// items per second.
    var baseline: (operation: Operation, goal: Double)? {
        switch self {
        case .fetchByIDAlone: (.fetchByID, 0.5)
        case .fetchByIDThreads: (.fetchByIDAlone, 1.7)
        case .fetchByIDBesideWriter: (.fetchByIDAlone, 1.6)
        case .newest: (.fetchByID, 0.2)
        case .commitQueued: (.commit, 7.5)
        case .commitThreads: (.commit, 3)
        case .createIndexed: (.create, 0.35)
        case .createObserved: (.create, 0.95)
        case .commitObserved, .commitLogged: (.commit, 0.95)
        case .sortIndexed: (.sort, 10)
        case .upsert: (.update, 0.5)
        default: nil
        }
    }

    /// Whether it does not change a store: such operations share one.
    var onlyReads: Bool {
        switch self {
        case .create, .createIndexed, .createObserved, .update, .upsert, .commit, .commitQueued,
            .commitThreads, .commitObserved, .commitLogged, .fetchByIDBesideWriter, .deleteEach,
            .delete:
            false
        default: true
        }
    }

    /// Whether it requires a store with change streams.
    var isAboutChanges: Bool {
        [.createObserved, .commitObserved, .commitLogged].contains(self)
    }

    /// The indexes of the operation's store.
    var indexing: Indexing {
        switch self {
        case .createIndexed, .sortIndexed, .index: .boroughAndRating
        case .upsert, .find: .uniqueName
        case .commitLogged: .changeLog
        default: .none
        }
    }

    /// The default operations of `--growth`.
    static let growing: [Operation] = [
        .create, .fetchByID, .fetchAll, .count, .index, .find, .sortIndexed, .update, .deleteEach,
        .delete,
    ]

    /// The goal of `--growth`: the most that an item may cost in the largest store relative to the smallest.
    var growthGoal: Double { self == .find ? 3 : 1.3 }

    /// The operations one by one, except that those with a common baseline share a race.
    static func races(of operations: [Operation]) -> [[Operation]] {
        let compared = operations.filter { operation in
            operation.baseline != nil || allCases.contains { $0.baseline?.operation == operation }
        }
        return operations.compactMap { operation in
            guard compared.contains(operation) else { return [operation] }
            return operation == compared.first ? compared : nil
        }
    }
}

/// The indexes of a store, or its log.
enum Indexing: String, Sendable {
    case none
    /// Indexes on `borough` and on `rating`.
    case boroughAndRating = "indexed"
    /// The name is unique.
    case uniqueName = "unique"
    /// A log of changes.
    case changeLog = "logged"
}
