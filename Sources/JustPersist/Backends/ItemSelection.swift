/// Evaluates a request in memory: filters, sorts and slices rows by the contract's rules.
///
/// Use it if your engine does not evaluate predicates, or evaluates them differently from the contract. Add the
/// rows one by one, in the order of their ids:
///
/// ```swift
/// var selection = try ItemSelection<MyRow>(request)
/// while let row = try cursor.next(), try selection.add(row) {}
/// return selection.rows
/// ```
///
/// For a sorted request with a limit, it keeps at most twice `offset + limit` rows in memory, or 1,024 if that is
/// more.
public struct ItemSelection<Row: PredicateSubject & Identifiable> where Row.ID == ItemID {
    private let predicate: PreparedPredicate?
    private let sort: [DataStoreSortDescriptor]
    private let keys: [RequestKey]
    private let slice: DataStoreRequest.Slice
    /// The number of rows at the start of the request's order that can be part of the result.
    private let needed: Int
    private let keepsRows: Bool

    private var matchCount = 0
    private var candidates: [Candidate] = []

    private struct Candidate {
        let row: Row
        let keys: [DataStoreValue]
    }

    /// Checks and prepares a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stored: As for ``DataStoreRequest/validate(operators:textOrders:stored:)``.
    public init(
        _ request: DataStoreRequest, stored: ItemSchema? = nil
    ) throws(DataStoreError) {
        try self.init(request, stored, keepsRows: true)
    }

    /// Checks and prepares a request of which only ``count`` is used: ``rows`` stays empty.
    public init(
        counting request: DataStoreRequest, stored: ItemSchema? = nil
    ) throws(DataStoreError) {
        try self.init(request, stored, keepsRows: false)
    }

    private init(
        _ request: DataStoreRequest, _ stored: ItemSchema?, keepsRows: Bool
    ) throws(DataStoreError) {
        let keys = try request.keys(of: request.type.attributeNames(stored: stored))
        self.keys = keepsRows ? keys : []
        self.keepsRows = keepsRows
        predicate = request.predicate.map { PreparedPredicate($0) }
        sort = keepsRows ? request.sortDescriptors ?? [] : []
        slice = request.slice
        needed = slice.end ?? .max
    }

    /// Adds a row, and returns whether you should add further rows.
    ///
    /// Add rows in the order of their ids. The result is false if no later row can be part of the result.
    ///
    /// - Throws: The error that the row throws.
    public mutating func add(_ row: Row) throws(DataStoreError) -> Bool {
        if let predicate, try !predicate.matches(row) { return true }
        matchCount += 1
        if keepsRows, sort.isEmpty ? matchCount > slice.offset : true {
            var keys: [DataStoreValue] = []
            for (key, descriptor) in zip(self.keys, sort) {
                keys.append(descriptor.key(try key.value(for: row)))
            }
            candidates.append(Candidate(row: row, keys: keys))
        }
        guard sort.isEmpty else {
            if candidates.count >= 1024, candidates.count / 2 >= needed { cut() }
            return true
        }
        return matchCount < needed
    }

    /// The number of the added rows that the request selects.
    public var count: Int { slice.count(of: matchCount) }

    /// The rows that the request selects, of those added so far, in its order.
    public var rows: [Row] {
        guard !sort.isEmpty else { return candidates.map(\.row) }
        var sorted = self
        sorted.cut()
        return sorted.candidates.dropFirst(slice.offset).map(\.row)
    }

    private mutating func cut() {
        let sort = sort
        candidates.sort { first, second in
            for index in sort.indices {
                let precedes = sort[index].precedes(first.keys[index], second.keys[index])
                if let precedes { return precedes }
            }
            // In the order of creation, in both directions.
            return first.row.id < second.row.id
        }
        if candidates.count > needed { candidates.removeLast(candidates.count - needed) }
    }
}
