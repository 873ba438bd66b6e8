import Foundation

extension DataStoreItem {
    /// The value at a key path: an attribute's name, with dots into dictionaries and along references.
    ///
    /// Numbers are returned as `Int` or `Double`, collections as `[Any?]` and `[String: Any?]`. For an undeclared
    /// attribute or a value that cannot be read, this reports the error and returns `nil`; a block of a throwing form then
    /// fails with it at its end. To handle the error yourself, use ``storedValue(forKeyPath:)``.
    public func value(forKeyPath keyPath: String) -> Any? {
        do throws(DataStoreError) {
            return try storedValue(forKeyPath: keyPath).any
        } catch {
            backing.fail(error)
            return nil
        }
    }

    /// The value of one attribute, as ``value(forKeyPath:)`` returns it.
    public func object(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The value of one attribute as the requested type; `nil` if it is of another type.
    public func get<Value>(forKey key: String) -> Value? { value(forKeyPath: key) as? Value }

    /// The value at a key path, exactly as stored; null if a link of the path is missing.
    ///
    /// As in predicates, dots lead into dictionaries and along references to attributes of other items. References are
    /// followed only while the item's block runs. Collection operators are supported, as in `tags.@count`.
    /// `uniqueToken` is the item's id as a UUID, unless the type declares an attribute of that name.
    public func storedValue(forKeyPath keyPath: String) throws(DataStoreError) -> DataStoreValue {
        let subject = ItemSubject(backing: backing, item: self)
        let path = DataStorePredicate.AttributePath(dotted: keyPath)
        guard path.components.dropFirst().contains(where: { $0.hasPrefix("@") }) else {
            return try subject.value(at: path)
        }
        var scope = PredicateScope()
        return try PreparedExpression(
            DataStorePredicate.Expression(keyPath: keyPath), now: .distantPast
        ).value(for: subject, &scope)
    }

    /// The value of a request's key for the item.
    package func value(of key: RequestKey) throws(DataStoreError) -> DataStoreValue {
        try key.value(for: ItemSubject(backing: backing, item: self))
    }
}

/// An item as key paths are evaluated on it.
struct ItemSubject: PredicateSubject {
    let backing: any ItemBacking
    /// The item of the backing, whose relationships can be followed.
    var item: (any DataStoreItem)?

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        if name == "uniqueToken", !backing.attributeNames.contains(name) {
            return .uuid(backing.id.uuid)
        }
        do throws(DataStoreError) {
            return try backing.value(forAttribute: name)
        } catch {
            // The name may be that of a relationship to many, which is followed in the item's block only.
            guard error.code == .unknownAttribute,
                let others = (try? others(name)) ?? nil
            else { throw error }
            return others
        }
    }

    /// References to the others in a relationship to many, as a value; `nil` if there is none of that name.
    private func others(_ name: String) throws(DataStoreError) -> DataStoreValue? {
        guard let item else { return nil }
        let type = ItemType(of: item)
        if let schema = type.schema,
            !schema.relationships.contains(where: { $0.isToMany && $0.name == name })
        {
            return nil
        }
        if backing.storeBacking is DictionaryBacking { return nil }
        var value: DataStoreValue?
        try backing.withReader { (db) throws(DataStoreError) in
            if type.schema == nil, try !db.hasRelationships { return }
            do throws(DataStoreError) {
                let relation = try db.relation(name, of: type)
                guard relation.schema.isToMany else { return }
                value = .array(
                    try db.references(relation, of: ItemReference(to: item)).map { .reference($0) })
            } catch {
                if error.code != .unknownAttribute { throw error }
            }
        }
        return value
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try backing.value(forAttribute: name, of: reference)
    }
}

extension MutableDataStoreItem {
    /// Changes the value at a key path: an attribute's name, with dots into dictionaries.
    ///
    /// Missing dictionaries along the path are created. A path through a value that is not a dictionary, an
    /// undeclared attribute, a value that cannot be stored or a read-only item is reported as an error, and nothing
    /// changes.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        do throws(DataStoreError) {
            try setStoredValue(value, forKeyPath: keyPath)
        } catch {
            backing.fail(error)
        }
    }

    /// Changes one attribute, as ``setValue(_:forKeyPath:)`` does.
    public func setObject(_ value: Any?, forKey key: String) { setValue(value, forKeyPath: key) }

    /// Changes one attribute, as ``setValue(_:forKeyPath:)`` does.
    public func set<Value>(_ value: Value, forKey key: String) { setValue(value, forKeyPath: key) }

    /// Changes the value at a key path, and throws the errors that ``setValue(_:forKeyPath:)`` reports.
    public func setStoredValue(_ value: Any?, forKeyPath keyPath: String) throws(DataStoreError) {
        let path = DataStorePredicate.AttributePath(dotted: keyPath).components
        let stored: DataStoreValue
        do throws(DataStoreError) {
            stored = try DataStoreValue(value)
        } catch {
            throw DataStoreError(
                error.code, in: "setValue",
                "“\(keyPath)” of “\(backing.itemTypeKey)” was not changed: \(error.message)",
                itemType: backing.itemTypeKey, attribute: path[0])
        }
        if path.count == 1 {
            if try setRelated(path[0], toValue: stored) { return }
            return try backing.setValue(stored, forAttribute: path[0])
        }
        let current = try backing.value(forAttribute: path[0])
        guard let changed = current.setting(stored, at: path.dropFirst()) else {
            throw DataStoreError(
                .unsupportedValue, in: "setValue",
                """
                “\(keyPath)” of “\(backing.itemTypeKey)” was not changed: the path leads through a value \
                that is no dictionary.
                """, itemType: backing.itemTypeKey, attribute: path[0])
        }
        try backing.setValue(changed, forAttribute: path[0])
    }
}

extension DataStoreValue {
    /// This value with the value at a path of dictionary keys replaced; `nil` if the path leads through anything but
    /// dictionaries.
    ///
    /// Null removes the key.
    fileprivate func setting(
        _ value: DataStoreValue, at path: ArraySlice<String>
    ) -> DataStoreValue? {
        guard let key = path.first else { return value }
        var entries: [String: DataStoreValue] = [:]
        switch self {
        case .null: break
        case .dictionary(let existing): entries = existing
        default: return nil
        }
        guard let inner = (entries[key] ?? .null).setting(value, at: path.dropFirst()) else {
            return nil
        }
        entries[key] = inner.isNull ? nil : inner
        return .dictionary(entries)
    }
}
