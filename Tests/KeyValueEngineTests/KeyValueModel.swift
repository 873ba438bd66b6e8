import JustPersistRecords

/// The expected contents of a store, with simple and slow operations.
struct KeyValueModel: Equatable {
    var entries: [[UInt8]: [UInt8]] = [:]

    func pairs(_ range: KeyRange = .all, reversed: Bool = false) -> [Pair] {
        let sorted =
            entries
            .filter { key, _ in
                !key.lexicographicallyPrecedes(range.lower)
                    && range.upper.map { key.lexicographicallyPrecedes($0) } != false
            }
            .map { Pair($0, $1) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return reversed ? sorted.reversed() : sorted
    }
}
