extension DependencyGraph {
    /// The dependencies that a history shows.
    init(_ analysis: HistoryAnalysis) {
        let transactions = analysis.history.transactions
        self.init(
            transactionCount: transactions.count,
            edges: Self.writeEdges(analysis) + Self.readEdges(analysis)
                + Self.processEdges(transactions) + Self.realTimeEdges(transactions))
    }

    private static func edge(
        _ first: Int, _ second: Int, _ relation: Relation, list: Int = 0, value: Int = 0
    ) -> Edge {
        Edge(
            first: Int32(first), second: Int32(second), relation: relation, list: Int32(list),
            value: value)
    }

    private static func writeEdges(_ analysis: HistoryAnalysis) -> [Edge] {
        var edges: [Edge] = []
        for (list, order) in analysis.orders where !order.isContradicted {
            var last: Int?
            func follow(_ value: Int) -> Int? {
                guard let writer = analysis.writer(of: value, in: list),
                    analysis.isCommitted(writer)
                else { return nil }
                if let last, last != writer.transaction {
                    edges.append(
                        edge(last, writer.transaction, .writeWrite, list: list, value: value))
                }
                return writer.transaction
            }
            for value in order.values { last = follow(value) ?? last }
            for value in order.unseen { _ = follow(value) }
        }
        return edges
    }

    private static func readEdges(_ analysis: HistoryAnalysis) -> [Edge] {
        var edges: [Edge] = []
        for read in analysis.reads {
            let order = analysis.orders[read.list] ?? .init()
            guard !order.isContradicted else { continue }
            if let value = read.values.last,
                let writer = analysis.writer(of: value, in: read.list),
                analysis.isCommitted(writer), writer.transaction != read.transaction
            {
                edges.append(
                    edge(
                        writer.transaction, read.transaction, .writeRead, list: read.list,
                        value: value))
            }
            // An edge to the next writer in the order suffices, because it precedes all later ones. Appends that no
            // read saw all follow the read.
            let missed = order.values.dropFirst(read.values.count).first.map { [$0] }
            for value in missed ?? order.unseen {
                guard let writer = analysis.writer(of: value, in: read.list),
                    analysis.isCommitted(writer), writer.transaction != read.transaction
                else { continue }
                edges.append(
                    edge(
                        read.transaction, writer.transaction, .readWrite, list: read.list,
                        value: value))
            }
        }
        return edges
    }

    private static func processEdges(_ transactions: [History.Transaction]) -> [Edge] {
        var last: [Int: Int] = [:]
        var edges: [Edge] = []
        for index in transactions.indices.sorted(by: {
            transactions[$0].began < transactions[$1].began
        }) {
            if let before = last.updateValue(index, forKey: transactions[index].process) {
                edges.append(edge(before, index, .process))
            }
        }
        return edges
    }

    /// For each transaction, edges from the transactions that ended last before it began.
    ///
    /// These edges imply all others.
    private static func realTimeEdges(_ transactions: [History.Transaction]) -> [Edge] {
        let events = transactions.indices.flatMap { index in
            [
                (time: transactions[index].began, isEnd: false, index: index),
                (time: transactions[index].ended, isEnd: true, index: index),
            ]
        }
        .sorted { $0.time < $1.time }
        var edges: [Edge] = []
        var latest: Set<Int> = []
        var before: [Int: Set<Int>] = [:]
        for event in events {
            if event.isEnd {
                latest.subtract(before.removeValue(forKey: event.index) ?? [])
                latest.insert(event.index)
            } else {
                before[event.index] = latest
                for index in latest { edges.append(edge(index, event.index, .realTime)) }
            }
        }
        return edges
    }
}
