import JustPersist

/// The effects of a script's steps on items.
extension NamedItems {
    /// Executes a step that reads; returns nil for any other step.
    func read<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ action: Step.Action, _ db: borrowing Accessor
    ) throws -> [Int]? {
        switch action {
        case .get(let name): return try item(name, db).map { [$0.number] } ?? []
        case .items(let text):
            return try items(where: DataStorePredicate(text), db).map(\.number).sorted()
        case .count(let text):
            return [try db.performCount(request(where: DataStorePredicate(text)))]
        default: return nil
        }
    }

    /// Executes a step that writes.
    ///
    /// `seen` contains the numbers that the session has read.
    func write(
        _ action: Step.Action, seen: [String: Int],
        _ db: borrowing DataStoreWriter
    ) throws {
        switch action {
        case .set(let name, let number): try set(name, to: number, db)
        case .add(let number, let name): try set(name, to: (seen[name] ?? 0) + number, db)
        case .addWhere(let number, let text):
            for item in try items(where: DataStorePredicate(text), db) {
                item["number"] = .int(Int64(item.number + number))
            }
        case .insert(let name, let number): try create(name, number, db)
        case .delete(let text):
            for item in try items(where: DataStorePredicate(text), db) { try db.delete(item) }
        default: break
        }
    }
}
