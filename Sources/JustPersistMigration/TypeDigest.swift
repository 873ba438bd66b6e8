public import JustPersist

/// The number of items of a type, and a hash over their ids and values that does not depend on their order.
///
/// Two digests of one kind are equal if both stores hold the same items with the same values, bit for bit; null and no
/// value are equal. Accidental differences (lost, duplicated, swapped or altered items, attributes or values) go
/// unnoticed with a probability of about 1 in 2^64. A digest does not protect against deliberate changes.
///
/// A digest of values is the same in every process and on every machine. A ``Migration`` that copies records compares
/// digests of the records' checksums instead: they are equal on both sides, but not equal to a digest of values.
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

    /// Adds an item with its values; returns the size of its hashed form.
    @discardableResult
    mutating func add(_ item: any DataStoreItem) throws(DataStoreError) -> Int {
        var hash = ItemHash(item.uniqueToken)
        try item.backing.forEachValue { (name, value) throws(DataStoreError) in
            hash.add(name, value)
        }
        return add(hash)
    }

    /// Adds an item by its hash; returns the size of its hashed form.
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

/// The hash of one item: a sum over its attributes, independent of their order.
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
