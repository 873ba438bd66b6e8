@testable import JustPersistConformance

extension History {
    /// Concurrent transactions, each of its own process unless the caller names others.
    static func overlapping(
        _ transactions: [Operation]..., rolledBack: Set<Int> = [], process: [Int]? = nil
    ) -> History {
        History(
            transactions: transactions.enumerated().map { index, operations in
                Transaction(
                    process: process?[index] ?? index, began: index,
                    ended: transactions.count + index, operations: operations,
                    isCommitted: !rolledBack.contains(index))
            })
    }

    /// Transactions of one process each that ran one after another.
    static func inTurn(_ transactions: [[Operation]]) -> History {
        History(
            transactions: transactions.enumerated().map { index, operations in
                Transaction(
                    process: index, began: 2 * index, ended: 2 * index + 1, operations: operations,
                    isCommitted: true)
            })
    }
}

/// The kinds of the anomalies of a history.
func kinds(in history: History) -> [HistoryAnomaly.Kind] {
    HistoryAnalysis(history).anomalies.map(\.kind)
}
