import JustPersist

/// A request as a value, so that it can be repeated and shown.
struct Query: Sendable, Hashable {
    var predicate: DataStorePredicate?
    var sort: [DataStoreSortDescriptor] = []
    var offset: Int?
    var limit: Int?

    func request(_ type: String) -> DataStoreRequest {
        DataStoreRequest(
            type: ItemType(dynamic: type), predicate: predicate, sortDescriptors: sort,
            offset: offset, limit: limit)
    }
}

extension Query: CustomStringConvertible {
    var description: String {
        var parts = ["items"]
        if let predicate {
            let text = predicate.description
            parts.append("where " + (text.utf8.count > 1_000 ? text.prefix(500) + "…" : text))
        }
        if !sort.isEmpty {
            let keys = sort.map { descriptor in
                "\(descriptor.key) \(descriptor.ascending ? "ascending" : "descending")"
                    + (descriptor.textOrder == .scalars ? "" : " by \(descriptor.textOrder)")
            }
            parts.append("sorted by \(keys.joined(separator: ", "))")
        }
        if let offset { parts.append("offset \(offset)") }
        if let limit { parts.append("limit \(limit)") }
        return parts.joined(separator: " ").withVisibleScalars
    }
}

extension DataStorePredicate {
    /// A comparison of an attribute, or of a path with dots, with a value.
    static func compare(
        _ path: String, _ relation: Operator, _ value: DataStoreValue, _ options: Options = [],
        modifier: Modifier = .direct
    ) -> DataStorePredicate {
        let names = path.split(separator: ".").map(String.init)
        return .comparison(
            Comparison(
                .path(AttributePath(names)), relation, .value(value), modifier: modifier,
                options: options))
    }
}

extension String {
    /// The text with the number of each scalar outside printable ASCII in its place, because "é" may be one scalar or
    /// two.
    var withVisibleScalars: String {
        unicodeScalars.map { scalar in
            (0x20..<0x7F).contains(scalar.value) ? String(scalar) : scalar.escaped(asASCII: true)
        }.joined()
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The ids of the items that a query finds.
    func ids(_ query: Query, of type: String) throws(DataStoreError) -> [ItemID] {
        try performFetch(query.request(type)).map { $0.uniqueToken }
    }
}
