/// The order that dependencies require between transactions.
///
/// All traversals are loops, so that the stack does not limit their depth.
struct DependencyGraph {
    /// The reasons that one transaction comes before another.
    struct Relation: OptionSet, Hashable {
        let rawValue: UInt8

        /// Both transactions appended to a list, the first one earlier.
        static let writeWrite = Relation(rawValue: 1)
        /// The second transaction read a value that the first had appended.
        static let writeRead = Relation(rawValue: 2)
        /// The first transaction read a list without the value that the second appended.
        static let readWrite = Relation(rawValue: 4)
        /// One process ran both transactions, the first one earlier.
        static let process = Relation(rawValue: 8)
        /// The first transaction had ended when the second began.
        static let realTime = Relation(rawValue: 16)

        static let order: Relation = [.process, .realTime]
        static let all: Relation = [.writeWrite, .writeRead, .readWrite, .order]
    }

    /// One dependency; the second transaction comes after the first.
    struct Edge {
        let first: Int32
        let second: Int32
        let relation: Relation
        /// The list and the value that the dependency concerns, if any.
        var list: Int32 = 0
        var value = 0
    }

    let transactionCount: Int
    /// The edges, sorted by their first transactions.
    private let edges: [Edge]
    /// The index in `edges` at which the edges of each transaction begin, and the number of edges at the end.
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

    /// The edges of some relations that have both ends in one component.
    func edges(_ relation: Relation, inside components: Components) -> [Edge] {
        edges.filter { edge in
            edge.relation == relation
                && components.number[Int(edge.first)] == components.number[Int(edge.second)]
        }
    }

    /// The strongly connected components of the graph.
    struct Components {
        /// By transaction, the number of its component.
        ///
        /// The numbers decrease along edges between components.
        var number: [Int32]
        var count = 0

        /// Whether there is a cycle.
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
