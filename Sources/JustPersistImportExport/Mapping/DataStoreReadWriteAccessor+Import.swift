public import JustPersist

/// Import of objects, such as those of a server's response.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Creates an item from an object, or changes the item that the object identifies.
    ///
    /// ```swift
    /// let json = try JSONSerialization.jsonObject(with: data)
    /// try store.write { db in try db.importItem(Article.self, from: json, mapping: mapping) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The class of the item.
    ///   - object: A dictionary, as `JSONSerialization` returns it, or a `DataStoreValue` of one.
    ///   - mapping: The sources of the attributes' values. Without a ``ItemMapping/key`` every call creates an item.
    /// - Returns: The item; `nil` if the mapping's ``ItemMapping/willImport`` left the object out.
    /// - Throws: `.invalidInput` for an object that the mapping cannot read, with the key path and the value;
    ///   `.unknownAttribute` if the mapping names an attribute that the class does not have; the store's error for a
    ///   value. Nested items may have been created before the failure; roll the block back if they should not stay.
    @discardableResult
    public func importItem<Item: MutableDataStoreItem>(
        _ type: Item.Type, from object: Any?, mapping: ItemMapping = ItemMapping()
    ) throws(DataStoreError) -> Item? {
        let items: [Item] = try typed(
            importItems(ItemType(type), [object], mapping, isAlone: true))
        return items.first
    }

    /// Creates an item from each object, or changes the items that the objects identify, and returns the items in the
    /// order of the objects.
    ///
    /// This is faster than one call for each.
    ///
    /// - Parameters:
    ///   - type: The class of the items.
    ///   - objects: An array of dictionaries, or a `DataStoreValue` of one.
    ///   - mapping: The sources of the attributes' values.
    /// - Throws: As for one object; the message has the object's number, counted from 1.
    @discardableResult
    public func importItems<Item: MutableDataStoreItem>(
        _ type: Item.Type, from objects: Any?, mapping: ItemMapping = ItemMapping()
    ) throws(DataStoreError) -> [Item] {
        try typed(importItems(ItemType(type), Self.elements(of: objects), mapping))
    }

    /// Creates an item of a type without a Swift class from an object, or changes the item that the object identifies.
    ///
    /// The keys of the object become attributes of the type, which need not be declared before.
    @discardableResult
    public func importItem(
        _ itemTypeKey: String, from object: Any?, mapping: ItemMapping = ItemMapping()
    ) throws(DataStoreError) -> DynamicItem? {
        let items: [DynamicItem] = try typed(
            importItems(ItemType(dynamic: itemTypeKey), [object], mapping, isAlone: true))
        return items.first
    }

    /// Creates an item of a type without a Swift class from each object, or changes the items that the objects
    /// identify.
    @discardableResult
    public func importItems(
        _ itemTypeKey: String, from objects: Any?, mapping: ItemMapping = ItemMapping()
    ) throws(DataStoreError) -> [DynamicItem] {
        try typed(
            importItems(ItemType(dynamic: itemTypeKey), Self.elements(of: objects), mapping))
    }

    private static func elements(of objects: Any?) throws(DataStoreError) -> [Any?] {
        if let elements = objects as? [Any?] { return elements }
        guard case .array(let elements) = try DataStoreValue(objects) else {
            throw .notImportable(
                "An array of objects is needed, and this is none. For one object call importItem.")
        }
        return elements
    }

    private func typed<Item>(_ items: [any DataStoreItem]) throws(DataStoreError) -> [Item] {
        var typed: [Item] = []
        for item in items {
            guard let item = item as? Item else {
                throw DataStoreError(
                    .couldNotCreateItemOfType, in: "import",
                    "The store made an item of another class than “\(Item.self)”.",
                    itemType: item.backing.itemTypeKey)
            }
            typed.append(item)
        }
        return typed
    }

    private func importItems(
        _ type: ItemType, _ objects: [Any?], _ mapping: ItemMapping, isAlone: Bool = false
    ) throws(DataStoreError) -> [any DataStoreItem] {
        let mapper = try ItemMapper(type, mapping, schemas: schemas())
        func place(_ row: Int) -> String { isAlone ? "The object: " : "Row \(row): " }
        var rows: [ImportRow] = []
        for (number, object) in objects.enumerated() {
            do {
                guard case .dictionary(let members) = try DataStoreValue(object) else {
                    throw RowFailure(reason: "it is no object with keys", line: number + 1)
                }
                let sorted = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                if let row = try mapper.row(sorted, line: number + 1) { rows.append(row) }
            } catch let failure as RowFailure {
                throw .notImportable("\(place(failure.line))\(failure.reason).")
            } catch let error as DataStoreError {
                throw error
            } catch {
                throw .notImportable("\(error)")
            }
        }
        var writer = ItemsWriter(mapper)
        var refused: ImportRow?
        do {
            return try write(rows, with: &writer, &refused).items
        } catch {
            guard let refused else { throw error }
            throw DataStoreError(
                error.code, in: error.operation, "\(place(refused.line))\(error.message)",
                itemType: error.itemType, attribute: error.attribute, engine: error.engine)
        }
    }
}

extension DataStoreError {
    fileprivate static func notImportable(_ message: String) -> DataStoreError {
        DataStoreError(.invalidInput, in: "import", message)
    }
}
