extension HistoryAnalysis {
    /// The description of a cycle: the reasons that each transaction comes before the next, and their operations.
    func text(of cycle: DependencyGraph.Cycle) -> String {
        let steps = shortened(cycle)
        var lines = steps.map { "  T\($0.first) comes before T\($0.second): " + reason($0) }
        lines.append(
            steps.count == 2
                ? "so each of the two comes before the other."
                : "so each of these \(steps.count) comes before itself.")
        let members = Set(steps.map(\.first)).sorted()
        lines += members.map { "  " + history.text(of: Int($0)) }
        return "these transactions are in no order:\n" + lines.joined(separator: "\n")
    }

    /// The cycle with fewer steps: several steps are replaced by one if their first transaction had ended when the last
    /// one began.
    private func shortened(_ cycle: DependencyGraph.Cycle) -> DependencyGraph.Cycle {
        // The first edge determines the kind of the cycle, and stays.
        var steps = Array(cycle.prefix(1))
        var rest = cycle.dropFirst()
        while let edge = rest.first {
            let ended = history.transactions[Int(edge.first)].ended
            // Cycles are seldom long; without a limit a very long one would take too much time.
            if let last = rest.prefix(100).lastIndex(where: {
                ended < history.transactions[Int($0.second)].began
            }), last > rest.startIndex {
                steps.append(
                    DependencyGraph.Edge(
                        first: edge.first, second: rest[last].second, relation: .realTime))
                rest = rest[(last + 1)...]
            } else {
                steps.append(rest.removeFirst())
            }
        }
        return steps
    }

    private func reason(_ edge: DependencyGraph.Edge) -> String {
        let (first, second) = (Int(edge.first), Int(edge.second))
        let list = Int(edge.list)
        switch edge.relation {
        case .writeWrite:
            return
                "T\(first) had appended to list \(list) when T\(second) appended \(edge.value) to it"
        case .writeRead:
            return """
                T\(second) read \(read(second, list)) of list \(list), and T\(first) had appended the \
                \(edge.value)
                """
        case .readWrite:
            return """
                T\(first) read \(read(first, list)) of list \(list), without the \(edge.value) that \
                T\(second) appended
                """
        case .process:
            return "process \(history.transactions[first].process) ran it before"
        default:
            return "T\(first) had ended when T\(second) began"
        }
    }

    private func read(_ transaction: Int, _ list: Int) -> String {
        for case .read(let values, list) in history.transactions[transaction].operations {
            return History.text(values)
        }
        return "nothing"
    }
}
