public import JustPersist

/// Finds the differences between two stores of any backends.
///
/// ```swift
/// let summary = try StoreComparison(old, new).run { difference in print(difference) }
/// ```
///
/// Items are the same if they have the same type and id. Their values are compared bit for bit; null and no value are
/// equal. If the stores have applied the same steps of schema plans, their records of the steps are compared only if `types`
/// names them. Each store is read as one snapshot, and both must be open. Each item of one store is read, and looked up in
/// the other; nothing is kept in memory.
public struct StoreComparison: Sendable {
    /// The numbers of differences.
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

        /// Whether the stores have no differences.
        public var isSame: Bool {
            differentTypes == 0 && onlyInFirst == 0 && onlyInSecond == 0 && different == 0
        }
    }

    private let first: any DataStore
    private let second: any DataStore
    private let types: [String]?
    /// Whether items are compared, and not only the declarations of types.
    public var includesItems = true

    /// A comparison of two open stores.
    ///
    /// - Parameters:
    ///   - first: One store.
    ///   - second: The other one.
    ///   - types: The keys of the types to compare; all by default.
    public init(_ first: any DataStore, _ second: any DataStore, types: [String]? = nil) {
        self.first = first
        self.second = second
        self.types = types
    }

    /// The progress of a comparison.
    public struct Progress: Sendable {
        /// The number of items compared so far.
        public fileprivate(set) var items = 0
        /// The expected number of items to compare: those of the first store, and those of each type of the second
        /// store that has items that the first lacks.
        public fileprivate(set) var totalItems = 0
    }

    /// Compares the stores, and calls `body` with each difference: by type, first of its declaration, then of its
    /// items.
    ///
    /// `progress` is called after each 1,000 items, whether they differ or not. If either throws, the comparison ends
    /// with that error. A type or attribute that was renamed in one of the stores is compared as one, with a difference
    /// in the declaration. Throws if neither store has a type in `types`.
    @discardableResult
    public func run(
        _ body: (StoreDifference) throws -> Void = { _ in },
        progress: (Progress) throws -> Void = { _ in }
    ) throws -> Summary {
        try WorkLimit.throwingCancellation { try compare(body, progress) }
    }

    private func compare(
        _ body: (StoreDifference) throws -> Void, _ progress: (Progress) throws -> Void
    ) throws -> Summary {
        var summary = Summary()
        try first.performRead { first in
            try second.performRead { second in
                let schemas = (
                    try first.schemas().withInversesOnBothSides,
                    try second.schemas().withInversesOnBothSides
                )
                let renames = RenamedTypes(schemas.1, in: schemas.0)
                let pairs = try pairs(schemas.0, schemas.1, renames)
                let isSameHistory = try types == nil && HistoryCheck.areSame(first, second)
                var state = Progress()
                for case (let own?, _) in pairs {
                    state.totalItems += try first.expectedCount(own.itemTypeKey)
                }
                for (own, other) in pairs {
                    guard let key = own?.itemTypeKey ?? other?.itemTypeKey else { continue }
                    if isSameHistory, key == AppliedSchemaStep.itemTypeKey { continue }
                    if !(own?.declaresSame(as: other) ?? false) {
                        summary.differentTypes += 1
                        try body(.type(key, first: own, second: other))
                    }
                    if !includesItems { continue }
                    let pass = ComparisonPass(
                        key: key, otherKey: other?.itemTypeKey ?? key, renames: renames)
                    try pass.run(first, second, &summary, &state, body, progress)
                }
            }
        }
        return summary
    }

    /// The types to compare, ordered by their keys in the first store, or else in the second.
    private func pairs(
        _ first: [ItemSchema], _ second: [ItemSchema], _ renames: RenamedTypes
    ) throws(DataStoreError) -> [(ItemSchema?, ItemSchema?)] {
        var pairs: [String: (ItemSchema?, ItemSchema?)] = [:]
        for schema in first { pairs[schema.itemTypeKey] = (schema, nil) }
        for schema in second {
            let key = renames.key(schema.itemTypeKey) ?? schema.itemTypeKey
            pairs[key] = (pairs[key]?.0, schema)
        }
        func has(_ key: String, _ pair: (ItemSchema?, ItemSchema?)) -> Bool {
            pair.0?.itemTypeKey == key || pair.1?.itemTypeKey == key
        }
        guard let types else { return pairs.sorted { $0.key < $1.key }.map(\.value) }
        for key in types where !pairs.values.contains(where: { has(key, $0) }) {
            throw .undeclaredType(key, in: "diff")
        }
        return pairs.sorted { $0.key < $1.key }.map(\.value)
            .filter { pair in types.contains { has($0, pair) } }
    }
}

/// The comparison of the items of one type.
private struct ComparisonPass {
    let key: String
    /// The key of the type in the second store.
    let otherKey: String
    /// The names that the second store's types have in the first.
    let renames: RenamedTypes

    func run(
        _ first: borrowing DataStoreReader, _ second: borrowing DataStoreReader,
        _ summary: inout StoreComparison.Summary, _ state: inout StoreComparison.Progress,
        _ body: (StoreDifference) throws -> Void,
        _ progress: (StoreComparison.Progress) throws -> Void
    ) throws {
        let type = ItemType(dynamic: key)
        let otherType = ItemType(dynamic: otherKey)
        var inBoth = 0
        func noteItem(_ state: inout StoreComparison.Progress) throws {
            state.items += 1
            if state.items % 1_000 == 0 { try progress(state) }
        }
        try first.forEach(DataStoreRequest(type: type)) { item in
            try noteItem(&state)
            guard let other = try second.performFetchItem(otherType, id: item.uniqueToken) else {
                summary.onlyInFirst += 1
                return try body(.onlyInFirst(item.reference))
            }
            inBoth += 1
            let values = try item.storedValues().differences(
                from: renames.values(try other.storedValues(), ofType: otherKey))
            if values.isEmpty {
                summary.same += 1
            } else {
                summary.different += 1
                try body(.values(item.reference, values))
            }
        }
        // Usually the second store has no other items.
        let count = try second.expectedCount(otherKey)
        if count == inBoth { return }
        state.totalItems += count
        try second.forEach(DataStoreRequest(type: otherType)) { item in
            try noteItem(&state)
            guard try first.performFetchItem(type, id: item.uniqueToken) == nil else { return }
            summary.onlyInSecond += 1
            try body(.onlyInSecond(item.reference))
        }
    }
}

extension [ItemSchema] {
    /// The schemas with each inverse on both sides: classes name it on one of them, imports on both.
    fileprivate var withInversesOnBothSides: [ItemSchema] {
        map { schema in
            let relationships = schema.relationships.map { relationship in
                if relationship.inverse != nil { return relationship }
                let back = self.schema(ofType: relationship.destination)?.relationships.first {
                    ([relationship.name] + relationship.formerNames).contains($0.inverse)
                        && ([schema.itemTypeKey] + schema.formerTypeKeys).contains($0.destination)
                }
                return back.map { relationship.paired(with: $0.name) } ?? relationship
            }
            if relationships == schema.relationships { return schema }
            return ItemSchema(
                schema.itemTypeKey, formerTypeKeys: schema.formerTypeKeys,
                attributes: schema.attributes, indexes: schema.indexes,
                relationships: relationships)
        }
    }
}

extension ItemSchema {
    /// Whether both declare the same attributes, indexes and relationships under the same key, in any order.
    func declaresSame(as other: ItemSchema?) -> Bool {
        guard let other else { return false }
        return itemTypeKey == other.itemTypeKey && Set(formerTypeKeys) == Set(other.formerTypeKeys)
            && Set(attributes.map(\.name)) == Set(other.attributes.map(\.name))
            && attributes.allSatisfy { attribute in
                other.attributes.contains { attribute.declaresSame(as: $0) }
            } && Set(indexes) == Set(other.indexes)
            && Set(relationships) == Set(other.relationships)
    }
}

extension AttributeSchema {
    /// Whether both declare the same attribute in the same way.
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
        try storedValues().differences(from: try other.storedValues()).isEmpty
    }
}

extension [String: DataStoreValue] {
    /// The attributes that have another value in another item, by name; null and no value are equal.
    func differences(from other: [String: DataStoreValue]) -> [StoreDifference.Value] {
        var differences: [StoreDifference.Value] = []
        for name in Set(keys).union(other.keys) {
            let (mine, theirs) = (self[name] ?? .null, other[name] ?? .null)
            if mine.isIdentical(to: theirs) { continue }
            differences.append(
                StoreDifference.Value(attribute: name, first: mine, second: theirs))
        }
        return differences.sorted { $0.attribute < $1.attribute }
    }
}
