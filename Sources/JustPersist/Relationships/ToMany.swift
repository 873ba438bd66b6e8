/// The others of an item in a relationship to many: a property of an item class.
///
/// ```swift
/// @Item final class Author {
///     var name = ""
///     @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: ToMany<Book>
/// }
/// try store.write { db in
///     let author = try db.create(Author.self)
///     author.books.insert(try db.create(Book.self))
///     print(author.books.count)
/// }
/// ```
///
/// A value of this type holds no items: each use asks the store, in the block of its item. Adding, removing and
/// `contains` cost the same for any number of others; going through them reads each once. The calls that cannot throw
/// report an error, and a block of a throwing form fails with it at its end.
public struct ToMany<Item: DataStoreItem> {
    /// The item that has the others.
    let owner: any DataStoreItem
    /// The name of the relationship.
    public let name: String

    /// The others of an item in the relationship with that name.
    public init(of owner: any DataStoreItem, _ name: String) {
        self.owner = owner
        self.name = name
    }

    private var reference: ItemReference { ItemReference(to: owner) }
    private var prefetched: [any DataStoreItem]? { owner.backing.prefetched?[name] }

    /// Whether the others can be read: in the item's block, or because they were prefetched.
    public var isLoaded: Bool {
        if prefetched != nil { return true }
        do throws(DataStoreError) {
            try owner.backing.withReader { _ in }
            return true
        } catch {
            return false
        }
    }

    private func reading<Value>(
        or fallback: Value,
        _ body: (borrowing DataStoreReader, Relation) throws(DataStoreError) -> Value
    ) -> Value {
        do throws(DataStoreError) {
            var value = fallback
            try owner.backing.withReader { (db) throws(DataStoreError) in
                value = try body(db, try db.relation(name, of: ItemType(of: owner)))
            }
            return value
        } catch {
            owner.backing.fail(error)
            return fallback
        }
    }

    @discardableResult
    private func writing<Value>(
        or fallback: Value,
        _ body: (borrowing DataStoreWriter, Relation) throws(DataStoreError) -> Value
    ) -> Value {
        do throws(DataStoreError) {
            var value = fallback
            try owner.backing.withWriter { (db) throws(DataStoreError) in
                value = try body(db, try db.relation(name, of: owner))
            }
            return value
        } catch {
            owner.backing.fail(error)
            return fallback
        }
    }

    /// The ids of the others, in their order.
    public var ids: [ItemID] {
        if let prefetched { return prefetched.map(\.uniqueToken) }
        return reading(or: []) { (db, relation) throws(DataStoreError) in
            try db.references(relation, of: reference).map(\.id)
        }
    }

    /// The others, in their order.
    public var items: [Item] {
        if let prefetched { return prefetched.compactMap { Item.cast($0) } }
        return reading(or: []) { (db, relation) throws(DataStoreError) in
            let type =
                Item.self == DynamicItem.self
                ? ItemType(dynamic: relation.destination) : ItemType(Item.self)
            return try db.items(relation, of: reference, as: type).compactMap { Item.cast($0) }
        }
    }

    /// Whether an item is among the others.
    public func contains(_ item: Item) -> Bool {
        if let prefetched { return prefetched.contains { $0.uniqueToken == item.uniqueToken } }
        return reading(or: false) { (db, relation) throws(DataStoreError) in
            try db.isRelated(relation, reference, to: ItemReference(to: item))
        }
    }

    /// Adds an item at the end, and returns whether it was not there yet.
    ///
    /// An item that is in no store is inserted.
    @discardableResult
    public func insert(_ item: Item) -> Bool {
        writing(or: false) { (db, relation) throws(DataStoreError) in
            try db.link(relation, of: owner, to: item)
        }
    }

    /// Adds an item at a place of the order; one that is there already moves to it.
    public func insert(_ item: Item, at place: Int) {
        writing(or: ()) { (db, relation) throws(DataStoreError) in
            if try !db.link(relation, of: owner, to: item, at: place) {
                try db.move(relation, of: reference, ItemReference(to: item), to: place)
            }
        }
    }

    /// Removes an item, which is not deleted, and returns whether it was there.
    @discardableResult
    public func remove(_ item: Item) -> Bool {
        writing(or: false) { (db, relation) throws(DataStoreError) in
            try db.unlink(relation, of: owner, from: ItemReference(to: item))
        }
    }

    /// Makes exactly these items the others, in this order if the relationship is ordered.
    public func replace(with items: [Item]) {
        writing(or: ()) { (db, relation) throws(DataStoreError) in
            var others: [ItemReference] = []
            for item in items { others.append(ItemReference(to: try db.live(item, for: relation))) }
            try db.replaceRelated(relation, of: owner, by: others)
        }
    }

    /// Removes all, which are not deleted.
    public func removeAll() {
        writing(or: ()) { (db, relation) throws(DataStoreError) in
            try db.replaceRelated(relation, of: owner, by: [])
        }
    }
}

extension ToMany: Sequence {
    /// The number of others.
    public var count: Int {
        if let prefetched { return prefetched.count }
        return reading(or: 0) { (db, relation) throws(DataStoreError) in
            try db.count(relation, of: reference)
        }
    }

    /// Whether there are no others.
    public var isEmpty: Bool { count == 0 }

    /// The first of the others; `nil` if there are none.
    ///
    /// Costs as much as ``items``.
    public var first: Item? { items.first }

    /// The others, read once.
    public func makeIterator() -> IndexingIterator<[Item]> { items.makeIterator() }
}
