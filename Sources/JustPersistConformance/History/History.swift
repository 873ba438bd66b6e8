/// The operations of transactions on append-only lists, as their callers saw them.
///
/// Lists are the most informative kind of register: one read shows which writes preceded it, and in which order.
/// A value is appended at most once in a history, so that a list identifies its writers. The histories
/// and the names of the anomalies are those of Elle (Kingsbury and Alvaro, "Elle: Inferring Isolation
/// Anomalies from Experimental Observations", 2020) and Adya ("Weak Consistency", 1999).
struct History: Sendable {
    /// One operation of a transaction.
    enum Operation: Sendable, Hashable {
        case append(Int, list: Int)
        case read([Int], list: Int)
    }

    /// One transaction.
    struct Transaction: Sendable {
        /// The process that ran the transaction.
        ///
        /// A process runs its transactions one after the other.
        let process: Int
        /// The time of the call, and the time at which the caller knew the outcome, on one clock for all processes.
        let began: Int
        let ended: Int
        let operations: [Operation]
        /// Whether the transaction was committed.
        ///
        /// If not, it was rolled back.
        let isCommitted: Bool
    }

    /// The transactions in any order.
    ///
    /// The name of a transaction is T and its index here.
    let transactions: [Transaction]
}

extension History.Operation: CustomStringConvertible {
    var description: String {
        switch self {
        case .append(let value, let list): "append \(value) to list \(list)"
        case .read(let values, let list): "read list \(list): \(History.text(values))"
        }
    }
}

extension History {
    /// A list as text.
    ///
    /// For a long list it shows only the end, which has the latest values.
    static func text(_ values: [Int]) -> String {
        let shown = values.suffix(8).map(String.init).joined(separator: " ")
        return values.count > 8 ? "[… \(shown)] (\(values.count) values)" : "[\(shown)]"
    }

    /// A transaction as text.
    func text(of transaction: Int) -> String {
        let it = transactions[transaction]
        let operations = it.operations.map(\.description).joined(separator: "; ")
        return """
            T\(transaction) (process \(it.process)\(it.isCommitted ? "" : ", rolled back")): \
            \(operations.isEmpty ? "nothing" : operations)
            """
    }
}
