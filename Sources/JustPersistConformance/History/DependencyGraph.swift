/// Which transaction must come before which.
///
/// All walks are loops, so that their depth is not bounded by the stack.
struct DependencyGraph {
    /// Why one transaction comes before another.
    struct Relation: OptionSet, Hashable {
        let rawValue: UInt8

        /// Both appended to a list, the first before the second.
        static let writeWrite = Relation(rawValue: 1)
        /// The second read what the first had appended.
        static let writeRead = Relation(rawValue: 2)
        /// The first read a list without what the second appended.
        static let readWrite = Relation(rawValue: 4)
        /// Both are of one process, which ran the first before.
        static let process = Relation(rawValue: 8)
        /// The first had ended when the second began.
        static let realTime = Relation(rawValue: 16)

        static let order: Relation = [.process, .realTime]
        static let all: Relation = [.writeWrite, .writeRead, .readWrite, .order]
    }

    /// One dependency; the second transaction comes after the first.
    struct Edge {
        let first: Int32
        let second: Int32
        let relation: Relation
        /// The value of a list that the dependency is about, if it is about one.
        var list: Int32 = 0
        var value = 0
    }

    let transactionCount: Int
    /// By first transaction.
    private let edges: [Edge]
    /// Where in `edges` those of a transaction begin; one more at the end.
    private let starts: [Int]

    init(transactionCount: Int, edges unsorted: [Edge]) {
        self.transactionCount = transactionCount
        var starts = Array(repeating: 0, count: transactionCount + 1)
        for edge in unsorted { starts[Int(edge.first) + 1] += 1 }
        for index in 0..<transactionCount { starts[index + 1] += starts[index] }
        var next = starts
        var places = Array(repeating: 0, count: unsorted.count)
        for (index, edge) in unsorted.enumerated() {
            places[next[Int(edge.first)]] = index
            next[Int(edge.first)] += 1
        }
        edges = places.map { unsorted[$0] }
        self.starts = starts
    }

    func edges(from transaction: Int) -> ArraySlice<Edge> {
        edges[starts[transaction]..<starts[transaction + 1]]
    }

    /// The edges of some relations whose ends lie in one component.
    func edges(_ relation: Relation, inside components: Components) -> [Edge] {
        edges.filter { edge in
            edge.relation == relation
                && components.number[Int(edge.first)] == components.number[Int(edge.second)]
        }
    }

    /// The strongly connected components of the graph.
    struct Components {
        /// By transaction, numbers that fall along the edges that leave a component.
        var number: [Int32]
        var count = 0

        /// Whether there is a circle.
        var isCyclic: Bool { count < number.count }
    }

    /// The strongly connected components by some relations (Tarjan's algorithm).
    func components(by relations: Relation) -> Components {
        let unvisited: Int32 = -1
        var found = Components(number: Array(repeating: unvisited, count: transactionCount))
        var visit = Array(repeating: unvisited, count: transactionCount)
        var low = Array(repeating: unvisited, count: transactionCount)
        var nextVisit: Int32 = 0
        var open: [Int] = []
        var path: [(transaction: Int, nextEdge: Int)] = []
        for root in 0..<transactionCount where visit[root] == unvisited {
            path.append((root, starts[root]))
            while let (transaction, nextEdge) = path.last {
                if visit[transaction] == unvisited {
                    visit[transaction] = nextVisit
                    low[transaction] = nextVisit
                    nextVisit += 1
                    open.append(transaction)
                }
                if nextEdge < starts[transaction + 1] {
                    path[path.count - 1].nextEdge += 1
                    let edge = edges[nextEdge]
                    guard relations.contains(edge.relation) else { continue }
                    let second = Int(edge.second)
                    if visit[second] == unvisited {
                        path.append((second, starts[second]))
                    } else if found.number[second] == unvisited {
                        low[transaction] = min(low[transaction], visit[second])
                    }
                    continue
                }
                path.removeLast()
                if let caller = path.last?.transaction {
                    low[caller] = min(low[caller], low[transaction])
                }
                guard low[transaction] == visit[transaction] else { continue }
                while let member = open.popLast() {
                    found.number[member] = Int32(found.count)
                    if member == transaction { break }
                }
                found.count += 1
            }
        }
        return found
    }
}
