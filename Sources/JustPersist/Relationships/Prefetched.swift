/// The others of an item that were read before its block ended.
///
/// A store keeps one in the backing of each item of a read block; see ``ItemBacking/prefetched``.
public final class Prefetched {
    private var others: [String: [any DataStoreItem]] = [:]

    /// None.
    public init() {}

    /// The others in a relationship of that name; `nil` if they were not read.
    subscript(name: String) -> [any DataStoreItem]? {
        get { others[name] }
        set { others[name] = newValue }
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// Reads related items together, so that they can be followed without further look-ups, also after the block.
    ///
    /// ```swift
    /// let authors = try store.read { db in
    ///     let authors = try db.items(Author.self)
    ///     try db.prefetch("books", "books.tags", of: authors)
    ///     return authors.map { Card(name: $0.name, titles: $0.books.map(\.title)) }
    /// }
    /// ```
    ///
    /// A relationship that is not prefetched can be followed while the block runs, with a look-up for each item. After
    /// it, following one reports ``DataStoreError/Code/relationshipNotLoaded``, and gives nil or no items.
    ///
    /// - Parameters:
    ///   - paths: Relationships, and relationships of the others after a dot. `books.tags` prefetches `books` too.
    ///   - items: Items of one class, of a read block. Items of a write block are left as they are: their relationships
    ///     change with it.
    /// - Throws: `.unknownAttribute` for a name that is no relationship, and the errors of reading.
    public func prefetch(
        _ paths: String..., of items: [any DataStoreItem]
    ) throws(DataStoreError) {
        try prefetch(paths.map { $0.split(separator: ".").map(String.init) }, of: items)
    }

    private func prefetch(
        _ paths: [[String]], of items: [any DataStoreItem]
    ) throws(DataStoreError) {
        guard let first = items.first else { return }
        for (name, paths) in Dictionary(grouping: paths.filter { !$0.isEmpty }, by: { $0[0] }) {
            let relation = try relation(name, of: ItemType(of: first))
            var references: [[ItemReference]] = []
            for item in items { references.append(try others(relation, of: item)) }
            let others = try fetch(Set(references.joined().map(\.id)), relation.others)
            try prefetch(paths.map { Array($0.dropFirst()) }, of: Array(others.values))
            for (item, references) in zip(items, references) {
                if item.backing.prefetched == nil { item.backing.prefetched = Prefetched() }
                item.backing.prefetched?[name] = references.compactMap { others[$0.id] }
            }
        }
    }

    private func others(
        _ relation: Relation, of item: any DataStoreItem
    ) throws(DataStoreError) -> [ItemReference] {
        if relation.schema.isToMany { return try references(relation, of: ItemReference(to: item)) }
        guard
            case .reference(let other) = try item.backing.value(forAttribute: relation.schema.name)
        else { return [] }
        return [other]
    }

    /// Reads items in batches, which costs less than one by one.
    private func fetch(
        _ ids: Set<ItemID>, _ type: ItemType
    ) throws(DataStoreError) -> [ItemID: any DataStoreItem] {
        var found: [ItemID: any DataStoreItem] = [:]
        found.reserveCapacity(ids.count)
        var rest = ids.sorted()[...]
        while !rest.isEmpty {
            let request = DataStoreRequest(type: type)
            request.predicate = .comparison(
                .init(
                    .path(.uniqueToken), .in,
                    .value(.array(rest.prefix(1_000).map { .uuid($0.uuid) }))))
            for item in try performFetch(request) { found[item.uniqueToken] = item }
            rest = rest.dropFirst(1_000)
        }
        return found
    }
}
