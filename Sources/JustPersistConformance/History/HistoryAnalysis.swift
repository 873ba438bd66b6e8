/// Finds the anomalies of a history.
///
/// The longest read of a list gives the order of its versions. This order gives the dependencies between transactions,
/// and a cycle of dependencies is an anomaly. The reads of a transaction that was rolled back must be consistent too,
/// so such a transaction counts as one that only read.
struct HistoryAnalysis {
    let history: History
    /// By list, the values of its longest read, followed by the committed values that no read saw.
    private(set) var orders: [Int: VersionOrder] = [:]
    private(set) var writers: [Version: Writer] = [:]
    private(set) var reads: [ExternalRead] = []
    private var found = Findings()

    /// One value in one list.
    struct Version: Hashable {
        let list: Int
        let value: Int
    }

    /// The transaction that appended a value.
    struct Writer {
        let transaction: Int
        /// Whether this was the transaction's last value for that list.
        var isLast: Bool
    }

    /// A read of a list without the transaction's own appends.
    struct ExternalRead {
        let transaction: Int
        let list: Int
        let values: [Int]
    }

    /// The versions of one list.
    struct VersionOrder {
        var values: [Int] = []
        /// The transaction that read them.
        var reader = 0
        /// Whether reads contradict the order, so that it does not show which append came first.
        var isContradicted = false
        /// Committed appends that no read saw.
        ///
        /// They came after all others, in an unknown order.
        var unseen: [Int] = []
    }

    init(_ history: History) {
        self.history = history
        indexWriters()
        collectReads()
        checkReads()
        findUnseenAppends()
        checkOrders()
        findLostUpdates()
        findCycles()
    }

    /// The anomalies found, one for each kind.
    var anomalies: [HistoryAnomaly] {
        HistoryAnomaly.Kind.allCases.compactMap { found.byKind[$0] }
    }

    // MARK: Appends and reads

    private mutating func indexWriters() {
        for (index, transaction) in history.transactions.enumerated() {
            var lists: Set<Int> = []
            for case .append(let value, let list) in transaction.operations.reversed() {
                writers[Version(list: list, value: value)] = Writer(
                    transaction: index, isLast: lists.insert(list).inserted)
            }
        }
    }

    private mutating func collectReads() {
        for (index, transaction) in history.transactions.enumerated() {
            // The transaction must see the list as it first read it, followed by its own appends.
            var seen: [Int: [Int]] = [:]
            var own: [Int: [Int]] = [:]
            for operation in transaction.operations {
                switch operation {
                case .append(let value, let list): own[list, default: []].append(value)
                case .read(let values, let list):
                    let mine = own[list] ?? []
                    if let before = seen[list] {
                        if values != before + mine {
                            noteInternal(index, list, values, expected: before + mine)
                        }
                    } else if values.suffix(mine.count).elementsEqual(mine) {
                        let others = Array(values.dropLast(mine.count))
                        seen[list] = others
                        reads.append(ExternalRead(transaction: index, list: list, values: others))
                        if transaction.isCommitted { extendOrder(list, values, reader: index) }
                    } else {
                        noteInternal(index, list, values, expected: mine)
                    }
                }
            }
        }
        // The values that a rolled-back transaction appended are no versions, but the values that it read from others
        // are.
        for read in reads { extendOrder(read.list, read.values, reader: read.transaction) }
    }

    private mutating func extendOrder(_ list: Int, _ values: [Int], reader: Int) {
        if let order = orders[list], order.values.count >= values.count { return }
        orders[list] = VersionOrder(values: values, reader: reader)
    }

    private mutating func noteInternal(
        _ transaction: Int, _ list: Int, _ values: [Int], expected: [Int]
    ) {
        found.note(
            .internal,
            """
            T\(transaction) read list \(list) as \(History.text(values)), where what it had read and \
            appended before makes \(History.text(expected)).\n\(history.text(of: transaction))
            """)
    }

    // MARK: Reads one by one

    private mutating func checkReads() {
        for read in reads {
            let text = "T\(read.transaction) read list \(read.list) as \(History.text(read.values))"
            if Set(read.values).count < read.values.count {
                found.note(.duplicate, "\(text), with a value twice.")
            }
            for value in read.values {
                guard let writer = writer(of: value, in: read.list) else {
                    found.note(.garbageRead, "\(text), and no transaction appended \(value) to it.")
                    continue
                }
                if !isCommitted(writer), writer.transaction != read.transaction {
                    found.note(
                        .g1a,
                        """
                        \(text), and T\(writer.transaction), which appended the \(value), was rolled \
                        back.
                        """)
                }
            }
            if let last = read.values.last, let writer = writer(of: last, in: read.list),
                !writer.isLast, writer.transaction != read.transaction
            {
                found.note(
                    .g1b,
                    """
                    \(text), and T\(writer.transaction), which appended the \(last), appended more to \
                    that list.\n\(history.text(of: writer.transaction))
                    """)
            }
            if let order = orders[read.list], !order.values.starts(with: read.values) {
                orders[read.list]?.isContradicted = true
                found.note(
                    .incompatibleOrder,
                    "\(text), and T\(order.reader) read it as \(History.text(order.values)).")
            }
        }
    }

    func writer(of value: Int, in list: Int) -> Writer? {
        writers[Version(list: list, value: value)]
    }

    func isCommitted(_ writer: Writer) -> Bool {
        history.transactions[writer.transaction].isCommitted
    }

    // MARK: Lists

    private mutating func findUnseenAppends() {
        let seen = orders.mapValues { Set($0.values) }
        for transaction in history.transactions where transaction.isCommitted {
            for case .append(let value, let list) in transaction.operations
            where seen[list]?.contains(value) != true {
                orders[list, default: VersionOrder()].unseen.append(value)
            }
        }
    }

    private mutating func checkOrders() {
        for (list, order) in orders.sorted(by: { $0.key < $1.key }) {
            var rolledBack: (value: Int, transaction: Int)?
            for value in order.values {
                guard let writer = writer(of: value, in: list) else { continue }
                if !isCommitted(writer) {
                    rolledBack = (value, writer.transaction)
                } else if let behind = rolledBack {
                    found.note(
                        .dirtyUpdate,
                        """
                        T\(writer.transaction) appended \(value) to list \(list) after the \
                        \(behind.value) of T\(behind.transaction), which was rolled back; T\(order.reader) \
                        read the list as \(History.text(order.values)).
                        """)
                }
            }
        }
    }

    private mutating func findLostUpdates() {
        var firstToChange: [[Int]: Int] = [:]
        for read in reads {
            let transaction = history.transactions[read.transaction]
            guard transaction.isCommitted,
                transaction.operations.contains(where: {
                    if case .append(_, read.list) = $0 { true } else { false }
                })
            else { continue }
            let version = [read.list, read.values.count] + read.values.suffix(1)
            guard let first = firstToChange[version] else {
                firstToChange[version] = read.transaction
                continue
            }
            found.note(
                .lostUpdate,
                """
                T\(first) and T\(read.transaction) both read list \(read.list) as \
                \(History.text(read.values)), both appended to it, and both were committed.
                \(history.text(of: first))\n\(history.text(of: read.transaction))
                """)
        }
    }

    // MARK: Cycles

    private mutating func findCycles() {
        for (kind, cycle) in DependencyGraph(self).anomalies() {
            let witness = text(of: cycle)
            found.note(kind, witness)
        }
    }
}

/// The anomalies found: the number of each kind, and the description of the first one.
private struct Findings {
    private(set) var byKind: [HistoryAnomaly.Kind: HistoryAnomaly] = [:]

    mutating func note(_ kind: HistoryAnomaly.Kind, _ witness: @autoclosure () -> String) {
        if byKind[kind] == nil {
            byKind[kind] = HistoryAnomaly(kind: kind, witness: witness())
        } else {
            byKind[kind]?.count += 1
        }
    }
}
