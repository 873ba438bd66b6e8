import JustPersist

/// A primitive with which a block reads from its store.
enum Question: String, CaseIterable, Sendable {
    case fetch, count, fetchItem, forEach, scan, aggregate, explain, schemas

    /// The name of the primitive in the protocol.
    var primitive: String { self == .schemas ? rawValue : primitiveName(rawValue) }

    /// Expects that this primitive returns the contents of the shelf.
    func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ shelf: Shelf, _ when: String, _ db: borrowing Accessor, _ check: CheckContext,
        file: String = #fileID, line: Int = #line
    ) throws {
        switch self {
        case .fetch:
            var found: [Shelf.Entry] = []
            for item in try db.performFetch(Shelf.all) { found.append(try Shelf.Entry(item)) }
            check.expectEqual(
                found, shelf.items, "the items of performFetch \(when)", file: file, line: line)
        case .count:
            check.expectEqual(
                try db.performCount(Shelf.all), shelf.items.count,
                "the result of performCount \(when)", file: file, line: line)
        case .fetchItem:
            func found(by ids: [ItemID]) throws -> [Shelf.Entry?] {
                try ids.map {
                    try db.performFetchItem(Shelf.type, id: $0).map { try Shelf.Entry($0) }
                }
            }
            check.expectEqual(
                try found(by: shelf.items.map(\.id)), shelf.items,
                "what performFetchItem finds by the ids of items \(when)", file: file, line: line)
            check.expectEqual(
                try found(by: shelf.deleted).compactMap { $0 }, [],
                "what performFetchItem finds by the ids of deleted items \(when)", file: file,
                line: line)
        case .forEach:
            var found: [Shelf.Entry] = []
            try db.performForEach(Shelf.all) { found.append(try Shelf.Entry($0)) }
            check.expectEqual(
                found, shelf.items, "the items of performForEach \(when)", file: file, line: line)
        case .scan:
            var found: [Shelf.Entry?] = []
            try db.performScan(Shelf.all) { found.append(try? Shelf.Entry($0)) }
            check.expectEqual(
                found, shelf.items, "the rows of performScan \(when)", file: file, line: line)
        case .aggregate:
            var counts: [Int: Int64] = [:]
            for entry in shelf.items { counts[entry.number, default: 0] += 1 }
            check.expectEqual(
                try db.performAggregate(Shelf.all, Shelf.counts),
                counts.sorted { $0.key < $1.key }.map {
                    DataStoreRow(
                        columns: ["number", "count"],
                        values: [.int(Int64($0.key)), .int($0.value)])
                },
                "the numbers of items that performAggregate counts \(when)", file: file, line: line)
        case .explain:
            let matched = [
                try db.performExplain(.fetch, Shelf.all).matched,
                try db.performExplain(.count, Shelf.all).matched,
                try db.performExplain(.aggregate(Shelf.counts), Shelf.all).matched,
            ]
            let numbers = Set(shelf.items.map(\.number))
            check.expectEqual(
                matched, [shelf.items.count, shelf.items.count, numbers.count],
                "how many items and rows performExplain reports \(when)", file: file, line: line)
        case .schemas:
            // A store may or may not list a type without items.
            let emptied = shelf.items.isEmpty ? Shelf.key : nil
            // A child declares types in its root store, where they remain if its block is rolled back (clause 15).
            let schemas = try db.schemas().filter {
                $0.itemTypeKey.hasPrefix(Shelf.key) && $0.itemTypeKey != emptied
                    && (!check.variant.isChild || shelf.types[$0.itemTypeKey] != nil)
            }
            check.expectEqual(
                schemas.map(\.itemTypeKey), shelf.types.keys.filter { $0 != emptied }.sorted(),
                "the types that schemas lists \(when)", file: file, line: line)
            let incomplete = schemas.filter {
                shelf.types[$0.itemTypeKey]?.isSubset(of: $0.attributes.map(\.name)) == false
            }
            check.expectEqual(
                incomplete.map(\.itemTypeKey), [],
                "the types of which schemas leaves out attributes that have values \(when)",
                file: file, line: line)
        }
    }
}

/// The name of the primitive of a call, such as `performFetch` for `fetch`.
func primitiveName(_ call: String) -> String {
    "perform" + call.prefix(1).uppercased() + call.dropFirst()
}
