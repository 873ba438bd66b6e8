extension DependencyGraph {
    /// A cycle: each edge begins at the end of the previous one, and the first edge at the end of the last.
    typealias Cycle = [Edge]

    /// The cycles: for each strongly connected component, at most one short cycle of each kind.
    func anomalies() -> [(HistoryAnomaly.Kind, Cycle)] {
        let whole = components(by: .all)
        guard whole.isCyclic else { return [] }
        var anomalies: [(HistoryAnomaly.Kind, Cycle)] = []
        var explained: Set<Int32> = []
        // Each kind allows more relations than the previous one. A cycle belongs to the first kind that allows it.
        let kinds: [(HistoryAnomaly.Kind, closing: Relation, path: Relation)] = [
            (.g0, .writeWrite, [.writeWrite, .order]),
            (.g1c, .writeRead, [.writeWrite, .writeRead, .order]),
            (.gSingle, .readWrite, [.writeWrite, .writeRead, .order]),
            (.g2Item, .readWrite, .all),
        ]
        for (kind, closing, path) in kinds {
            let found = cycles(closing: closing, path: path, inside: whole)
            for (component, cycle) in found.sorted(by: { $0.key < $1.key }) {
                // If one read that missed a write explains a cycle, a cycle with several such reads adds nothing.
                if kind == .g2Item, explained.contains(component) { continue }
                explained.insert(component)
                anomalies.append((kind, cycle))
            }
        }
        return anomalies
    }

    /// By component, a cycle of one edge of a relation and a path of other edges back to its beginning.
    private func cycles(
        closing relation: Relation, path: Relation, inside whole: Components
    ) -> [Int32: Cycle] {
        let parts = components(by: path)
        // A path can lead from the end of an edge back to its beginning only if this difference is not negative.
        func span(_ edge: Edge) -> Int32 {
            parts.number[Int(edge.second)] - parts.number[Int(edge.first)]
        }
        let candidates = edges(relation, inside: whole).filter { span($0) >= 0 }
            .sorted { span($0) < span($1) }
        var search = PathSearch(self, path, parts)
        var cycles: [Int32: Cycle] = [:]
        var attempts: [Int32: Int] = [:]
        for edge in candidates {
            let component = whole.number[Int(edge.first)]
            // Several attempts are made, to find a cycle that is easier to read.
            if cycles[component] != nil, attempts[component, default: 0] >= 16 { continue }
            guard let back = search.path(from: Int(edge.second), to: Int(edge.first)) else {
                continue
            }
            attempts[component, default: 0] += 1
            if cycles[component].map({ back.count + 1 < $0.count }) ?? true {
                cycles[component] = [edge] + back
            }
        }
        return cycles
    }
}

/// Searches for shortest paths in a graph, breadth first.
private struct PathSearch {
    private let graph: DependencyGraph
    private let relations: DependencyGraph.Relation
    private let components: DependencyGraph.Components
    /// By transaction, the last search that reached it, and the edge by which it was reached.
    private var reached: [(search: Int, edge: DependencyGraph.Edge?)]
    private var search = 0

    init(
        _ graph: DependencyGraph, _ relations: DependencyGraph.Relation,
        _ components: DependencyGraph.Components
    ) {
        self.graph = graph
        self.relations = relations
        self.components = components
        reached = Array(repeating: (0, nil), count: graph.transactionCount)
    }

    mutating func path(from start: Int, to end: Int) -> [DependencyGraph.Edge]? {
        search += 1
        reached[start] = (search, nil)
        var queue = [start]
        var next = 0
        while next < queue.count {
            let transaction = queue[next]
            next += 1
            if transaction == end { return path(backFrom: end) }
            for edge in graph.edges(from: transaction) where relations.contains(edge.relation) {
                let second = Int(edge.second)
                // Numbers decrease along a path, so a transaction with a lower number than the end cannot lead to it.
                guard reached[second].search != search,
                    components.number[second] >= components.number[end]
                else { continue }
                reached[second] = (search, edge)
                queue.append(second)
            }
        }
        return nil
    }

    private func path(backFrom end: Int) -> [DependencyGraph.Edge] {
        var path: [DependencyGraph.Edge] = []
        var transaction = end
        while let edge = reached[transaction].edge {
            path.append(edge)
            transaction = Int(edge.first)
        }
        return path.reversed()
    }
}
