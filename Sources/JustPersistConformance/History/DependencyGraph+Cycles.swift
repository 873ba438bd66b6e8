extension DependencyGraph {
    /// A circle: each edge begins where the one before ends, and the first where the last ends.
    typealias Cycle = [Edge]

    /// The circles, at most one of a kind for each set of transactions that hang together, a short one.
    func anomalies() -> [(HistoryAnomaly.Kind, Cycle)] {
        let whole = components(by: .all)
        guard whole.isCyclic else { return [] }
        var anomalies: [(HistoryAnomaly.Kind, Cycle)] = []
        var explained: Set<Int32> = []
        // The kinds nest, each allowing more than the one before: a circle is of the first that it fits.
        let kinds: [(HistoryAnomaly.Kind, closing: Relation, path: Relation)] = [
            (.g0, .writeWrite, [.writeWrite, .order]),
            (.g1c, .writeRead, [.writeWrite, .writeRead, .order]),
            (.gSingle, .readWrite, [.writeWrite, .writeRead, .order]),
            (.g2Item, .readWrite, .all),
        ]
        for (kind, closing, path) in kinds {
            let found = cycles(closing: closing, path: path, inside: whole)
            for (component, cycle) in found.sorted(by: { $0.key < $1.key }) {
                // A single read that missed a write makes a circle with several only by going round.
                if kind == .g2Item, explained.contains(component) { continue }
                explained.insert(component)
                anomalies.append((kind, cycle))
            }
        }
        return anomalies
    }

    /// By component, a circle of one edge of a relation and a path of others back to where it begins.
    private func cycles(
        closing relation: Relation, path: Relation, inside whole: Components
    ) -> [Int32: Cycle] {
        let parts = components(by: path)
        // An edge can be closed to a circle only if the path may lead back, and only between these numbers.
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
            // A few more tries than one, for a circle that is easier to read.
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

/// Looks for shortest paths in a graph, breadth first.
private struct PathSearch {
    private let graph: DependencyGraph
    private let relations: DependencyGraph.Relation
    private let components: DependencyGraph.Components
    /// By transaction, the search that reached it last and the edge that it came by.
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
                // Numbers fall along a path, so one below the end's cannot lead there.
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
