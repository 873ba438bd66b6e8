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
        // Other threads may use the items of a block that has ended.
        for item in items { try item.backing.withReader { _ in } }
        for (name, paths) in Dictionary(grouping: paths.filter { !$0.isEmpty }, by: { $0[0] }) {
            let relation = try relation(name, of: ItemType(of: first))
            let others = try others(relation, of: items)
            var all: [ItemID: any DataStoreItem] = [:]
            for other in others.joined() { all[other.uniqueToken] = other }
            try prefetch(paths.map { Array($0.dropFirst()) }, of: Array(all.values))
            for (item, others) in zip(items, others) {
                if item.backing.prefetched == nil { item.backing.prefetched = Prefetched() }
                item.backing.prefetched?[name] = others
            }
        }
    }

    /// The others of each item, in their order.
    private func others(
        _ relation: Relation, of items: [any DataStoreItem]
    ) throws(DataStoreError) -> [[any DataStoreItem]] {
        let owners = Set(items.map(\.uniqueToken)).sorted().map {
            ItemReference(itemTypeKey: relation.owner, id: $0)
        }
        if case .inverse(let attribute) = relation.storage, relation.order == nil {
            var others: [ItemID: [any DataStoreItem]] = [:]
            try fetch(relation.others, attribute, owners.map { .reference($0) }) { other, owner in
                others[owner, default: []].append(other)
            }
            return items.map { others[$0.uniqueToken] ?? [] }
        }
        var ids: [[ItemID]] = []
        if case .links(let type, let isSource) = relation.storage {
            let names = type.names(isSource: isSource)
            var linked: [ItemID: [ItemID]] = [:]
            try fetch(
                ItemType(dynamic: type.key), names.near, owners.map { .reference($0) },
                sortedBy: names.position ?? names.far
            ) { (link, owner) throws(DataStoreError) in
                if let far = try link.backing.reference(in: names.far) {
                    linked[owner, default: []].append(far.id)
                }
            }
            ids = items.map { linked[$0.uniqueToken] ?? [] }
        } else {
            for item in items {
                let owner = ItemReference(itemTypeKey: relation.owner, id: item.uniqueToken)
                ids.append(
                    relation.schema.isToMany
                        ? try references(relation, of: owner).map(\.id)
                        : try item.backing.reference(in: relation.schema.name).map { [$0.id] } ?? []
                )
            }
        }
        var others: [ItemID: any DataStoreItem] = [:]
        try fetch(
            relation.others, nil, Set(ids.joined()).sorted().map { .uuid($0.uuid) }
        ) { other, id in others[id] = other }
        return ids.map { $0.compactMap { others[$0] } }
    }

    /// Reads items by the values of an attribute in batches, which costs less than one by one.
    ///
    /// - Parameters:
    ///   - attribute: An attribute with references; `nil` for the items' own ids.
    ///   - body: Called with each item and the id for which it was found.
    private func fetch(
        _ type: ItemType, _ attribute: String?, _ values: [DataStoreValue],
        sortedBy key: String? = nil,
        _ body: (any DataStoreItem, ItemID) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        var rest = values[...]
        while !rest.isEmpty {
            let request = DataStoreRequest(type: type)
            let path = attribute.map { DataStorePredicate.AttributePath([$0]) } ?? .uniqueToken
            request.predicate = .comparison(
                .init(.path(path), .in, .value(.array(Array(rest.prefix(1_000))))))
            if let key { request.setSort(byKey: key, ascending: true) }
            for item in try performFetch(request) {
                let id = try attribute.map { (name) throws(DataStoreError) in
                    try item.backing.reference(in: name)?.id
                }
                if let id = id ?? item.uniqueToken { try body(item, id) }
            }
            rest = rest.dropFirst(1_000)
        }
    }
}
