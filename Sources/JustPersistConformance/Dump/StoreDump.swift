import JustPersist

/// All items of a store with all their values, as canonical text.
///
/// Types are sorted by their keys and attributes by their names; items are in the store's own order of
/// creation. Types without items and attributes without values are left out: the contract does not distinguish
/// them from types and attributes that never existed.
struct StoreDump: Hashable, Sendable {
    // All names are escaped texts, because canonically equivalent strings would be equal.

    /// The items of one type.
    struct TypeItems: Hashable, Sendable {
        let name: String
        let items: [Item]
    }

    /// One item.
    struct Item: Hashable, Sendable {
        let name: String
        let attributes: [Attribute]
    }

    /// One value that is not null.
    struct Attribute: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The types that have items.
    let types: [TypeItems]

    /// Reads all items that a block sees.
    ///
    /// `typeKeys` are read even if the store does not list them. `name` returns the text for an item's id.
    init(
        reading accessor: borrowing DataStoreReader,
        typeKeys: [String] = [], naming name: (ItemID) -> String = \.description
    ) throws {
        var keys: [String] = []
        for key in (try accessor.schemas().map(\.itemTypeKey) + typeKeys)
            .sorted(by: { $0.precedesInBytes($1) })
        where keys.last.map({ $0.utf8.elementsEqual(key.utf8) }) != true {
            keys.append(key)
        }
        var types: [TypeItems] = []
        for key in keys {
            let items = try accessor.dynamicItems(DataStoreRequest(itemTypeKey: key))
            if items.isEmpty { continue }
            types.append(
                TypeItems(name: key.escaped, items: try items.map { try Item($0, naming: name) }))
        }
        self.types = types
    }

    /// Reads the committed state of a store in one block.
    init(
        of store: any DataStore, typeKeys: [String] = [],
        naming name: (ItemID) -> String = \.description
    ) throws {
        var dump: StoreDump?
        try store.performRead { accessor in
            dump = try StoreDump(reading: accessor, typeKeys: typeKeys, naming: name)
        }
        guard let dump else { throw BlockDidNotRun(operation: "read") }
        self = dump
    }
}

/// A store that reported success without running a block.
struct BlockDidNotRun: Error, CustomStringConvertible {
    let operation: String

    var description: String { "The store's \(operation) returned without running its block." }
}

extension StoreDump.Item {
    init(_ item: DynamicItem, naming name: (ItemID) -> String) throws {
        self.name = name(item.uniqueToken)
        attributes = try item.values().sorted { $0.key.precedesInBytes($1.key) }.map {
            StoreDump.Attribute(
                name: $0.key.escaped, value: $0.value.canonicalText(naming: name))
        }
    }

    /// The item on one line.
    var text: String {
        name + "{"
            + attributes.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "}"
    }
}
