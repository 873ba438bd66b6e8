import ArgumentParser

/// What is measured.
enum Operation: String, CaseIterable, ExpressibleByArgument {
    case create
    case fetchByID = "fetch-by-id"
    case fetchAll = "fetch-all"
    case fetchAllUntouched = "fetch-all-untouched"
    case count
    case sort
    case index
    case update
    case commit
    case delete
    case memory

    /// One line for the head of a table's row.
    var title: String {
        switch self {
        case .create: "create all, one commit"
        case .fetchByID: "fetch each by id, shuffled"
        case .fetchAll: "fetch all, read 2 attributes"
        case .fetchAllUntouched: "fetch all, read nothing"
        case .count: "filtered count, full scan"
        case .sort: "best 10 of a full scan"
        case .index: "fetch 20 % by an index"
        case .update: "update all, one commit"
        case .commit: "durable commits of 1 item"
        case .delete: "delete all, one commit"
        case .memory: "peak memory of fetching all"
        }
    }
}
