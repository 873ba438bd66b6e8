public import JustPersist

/// The number of items of a type, and a hash over their ids and values that does not depend on their order.
///
/// Two digests of one kind are equal if both stores hold the same items with the same values, bit for bit; an
/// attribute without a value is as good as none. If they do not, the digests differ, but for a chance of
/// about 1 in 2^64 with accidental differences: lost, doubled, swapped or altered items, attributes and
/// values. It is no protection against differences that somebody makes on purpose.
///
/// A digest of values is the same in every process and on every machine. A ``Migration`` that copies records as they are
/// compares those of the records' checksums instead: equal on both of its sides, but not equal to a digest of values.
public struct TypeDigest: Sendable, Hashable {
    /// The number of items.
    public private(set) var count = 0
    /// The sum of the items' hashes.
    public private(set) var hash: UInt64 = 0

    /// The digest of no items.
    public init() {}

    /// Adds an item: its id, and those of its values that are not null.
    ///
    /// Returns the size of the item in the hashed form, which is close to that of its values.
    @discardableResult
    public mutating func add(_ id: ItemID, _ values: [String: DataStoreValue]) -> Int {
        var item = ItemHash(id)
        for (name, value) in values { item.add(name, value) }
        return add(item)
    }

    /// Adds an item with its values; returns its size, as above.
    @discardableResult
    mutating func add(_ item: any DataStoreItem) throws(DataStoreError) -> Int {
        var hash = ItemHash(item.uniqueToken)
        try item.backing.forEachValue { (name, value) throws(DataStoreError) in
            hash.add(name, value)
        }
        return add(hash)
    }

    /// Adds an item by its hash; returns its size, as above.
    @discardableResult
    mutating func add(_ item: ItemHash) -> Int {
        count += 1
        hash &+= CanonicalHash.mixed(item.sum)
        return item.size
    }

    /// Adds a record by its checksum, which covers the item's type, id and values.
    mutating func add(checksum: UInt64) {
        count += 1
        hash &+= CanonicalHash.mixed(checksum)
    }
}

/// The hash over one item: a sum over its attributes, whose order is nobody's.
struct ItemHash {
    fileprivate private(set) var sum: UInt64
    fileprivate private(set) var size: Int

    init(_ id: ItemID) {
        var item = CanonicalHash()
        item.combine(id.high)
        item.combine(id.low)
        sum = item.mixed
        size = item.count
    }

    mutating func add(_ name: String, _ value: DataStoreValue) {
        if value.isNull { return }
        var attribute = CanonicalHash()
        attribute.combine(name)
        attribute.combine(value)
        sum &+= attribute.mixed
        size += attribute.count
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The digest of the values of all items of a type.
    ///
    /// Reads every value.
    public func digest(ofType itemTypeKey: String) throws -> TypeDigest {
        var digest = TypeDigest()
        try forEach(DataStoreRequest(itemTypeKey: itemTypeKey)) { item in
            try digest.add(item)
        }
        return digest
    }
}
