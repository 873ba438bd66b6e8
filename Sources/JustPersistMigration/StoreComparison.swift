public import JustPersist

/// Finds what two stores, of whatever backends, do not have in common.
///
/// ```swift
/// let summary = try StoreComparison(old, new).run { difference in print(difference) }
/// ```
///
/// Items are the same if they have the same type and id. Their values are compared bit for bit; an attribute without a value is
/// as good as none. Each store is read as one snapshot, and both must be open. The cost is that of reading each item of one and
/// of looking it up in the other; nothing is kept in memory.
public struct StoreComparison: Sendable {
    /// How much the stores have in common.
    public struct Summary: Sendable, Hashable {
        /// The number of types whose declarations differ.
        public fileprivate(set) var differentTypes = 0
        /// The number of items in the first store only.
        public fileprivate(set) var onlyInFirst = 0
        /// The number of items in the second store only.
        public fileprivate(set) var onlyInSecond = 0
        /// The number of items that are in both, with different values.
        public fileprivate(set) var different = 0
        /// The number of items that are in both, with the same values.
        public fileprivate(set) var same = 0

        /// Whether both stores hold the same.
        public var isSame: Bool {
            differentTypes == 0 && onlyInFirst == 0 && onlyInSecond == 0 && different == 0
        }
    }

    private let first: any DataStore
    private let second: any DataStore
    private let types: [String]?

    /// A comparison of two open stores.
    ///
    /// - Parameters:
    ///   - first: One store.
    ///   - second: The other one.
    ///   - types: The keys of the types that are compared; all by default.
    public init(_ first: any DataStore, _ second: any DataStore, types: [String]? = nil) {
        self.first = first
        self.second = second
        self.types = types
    }

    /// Compares, and calls `body` with each difference: by type, first those of its declaration, then those of its items.
    ///
    /// If `body` throws, the comparison ends with that error. A type that was named and that neither store has is an error.
    @discardableResult
    public func run(_ body: (StoreDifference) throws -> Void = { _ in }) throws -> Summary {
        var summary = Summary()
        try first.performRead { first in
            try second.performRead { second in
                let schemas = (try first.schemasByKey(types), try second.schemasByKey(types))
                for key in types ?? [] where schemas.0[key] == nil && schemas.1[key] == nil {
                    throw DataStoreError.undeclaredType(key, in: "diff")
                }
                for key in Set(schemas.0.keys).union(schemas.1.keys).sorted() {
                    if !(schemas.0[key]?.declaresSame(as: schemas.1[key]) ?? false) {
                        summary.differentTypes += 1
                        try body(.type(key, first: schemas.0[key], second: schemas.1[key]))
                    }
                    try compare(key, first, second, &summary, body)
                }
            }
        }
        return summary
    }

    private func compare(
        _ key: String, _ first: borrowing DataStoreReader, _ second: borrowing DataStoreReader,
        _ summary: inout Summary, _ body: (StoreDifference) throws -> Void
    ) throws {
        let all = DataStoreRequest(itemTypeKey: key)
        let type = ItemType(dynamic: key)
        var inBoth = 0
        try first.forEach(all) { item in
            guard let other = try second.performFetchItem(type, id: item.uniqueToken) else {
                summary.onlyInFirst += 1
                return try body(.onlyInFirst(item.reference))
            }
            inBoth += 1
            let values = try item.differences(from: other)
            if values.isEmpty {
                summary.same += 1
            } else {
                summary.different += 1
                try body(.values(item.reference, values))
            }
        }
        // Most often there are none.
        if try second.count(all) == inBoth { return }
        try second.forEach(all) { item in
            guard try first.performFetchItem(type, id: item.uniqueToken) == nil else { return }
            summary.onlyInSecond += 1
            try body(.onlyInSecond(item.reference))
        }
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    fileprivate func schemasByKey(
        _ types: [String]?
    ) throws(DataStoreError) -> [String: ItemSchema] {
        var found: [String: ItemSchema] = [:]
        for schema in try schemas() where types?.contains(schema.itemTypeKey) ?? true {
            found[schema.itemTypeKey] = schema
        }
        return found
    }
}

extension ItemSchema {
    /// Whether both declare the same attributes and indexes, in whatever order.
    func declaresSame(as other: ItemSchema?) -> Bool {
        guard let other else { return false }
        return Set(formerTypeKeys) == Set(other.formerTypeKeys)
            && Set(attributes.map(\.name)) == Set(other.attributes.map(\.name))
            && attributes.allSatisfy { attribute in
                other.attributes.contains { attribute.declaresSame(as: $0) }
            } && Set(indexes) == Set(other.indexes)
    }
}

extension AttributeSchema {
    /// Whether both are one attribute, declared in the same way.
    package func declaresSame(as other: AttributeSchema) -> Bool {
        name == other.name && kinds == other.kinds && isOptional == other.isOptional
            && (defaultValue?.isIdentical(to: other.defaultValue ?? .null)
                ?? (other.defaultValue == nil))
            && Set(formerNames) == Set(other.formerNames)
    }
}

extension DataStoreItem {
    /// Whether another item has the same values, bit for bit.
    func hasSameValues(as other: any DataStoreItem) throws(DataStoreError) -> Bool {
        try differences(from: other).isEmpty
    }

    /// The attributes of which another item has other values, by name.
    func differences(
        from other: any DataStoreItem
    ) throws(DataStoreError) -> [StoreDifference.Value] {
        let mine = try storedValues()
        let theirs = try other.storedValues()
        var differences: [StoreDifference.Value] = []
        for name in Set(mine.keys).union(theirs.keys) {
            let (value, other) = (mine[name] ?? .null, theirs[name] ?? .null)
            if value.isIdentical(to: other) { continue }
            differences.append(
                StoreDifference.Value(attribute: name, first: value, second: other))
        }
        return differences.sorted { $0.attribute < $1.attribute }
    }
}
