/// The outcome for a value that cannot be converted.
public enum ConversionFailure: Sendable, Hashable {
    /// The conversion is refused with ``DataStoreError/Code/schemaMismatch``, and nothing is changed.
    case fail
    /// The value moves to another attribute, which is added if the type has none of that name. The converted attribute
    /// reads as its default, or nil.
    ///
    /// The other attribute must not have a stored value in such an item.
    case keep(as: String)
    /// The value is lost, and the attribute reads as its default, or nil.
    case drop
}

/// The result of a conversion.
public struct ConversionReport: Sendable, Hashable {
    /// The number of items whose value was converted.
    public var converted = 0
    /// The items whose value could not be converted.
    public var failed: [ItemID] = []
}

/// Conversions of stored values, which a changed declaration needs.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Converts the values of an attribute to another kind, and declares the attribute with that kind.
    ///
    /// ```swift
    /// try store.write { db in
    ///     try db.convert("stars", of: "Hotel", to: .int, onFailure: .keep(as: "starsText"))
    /// }
    /// ```
    ///
    /// A relationship to one becomes an attribute, unless the new kind is `.reference`: its references are converted, and the
    /// other side has no items any more. Values of the new kind and nil stay as they are. An item that stores no value gets
    /// the converted default. The memory used grows with the number of items to convert, by 16 bytes each.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute, or a former one.
    ///   - itemTypeKey: The key of the type.
    ///   - kind: The kind that its values have from now on.
    ///   - onFailure: The outcome for a value that cannot be converted.
    ///   - conversion: The value of the new kind for a value of another one; `nil` if there is none. It is called twice for
    ///     each value, and must return the same both times. By default ``DataStoreValue/converted(to:)``.
    /// - Throws: `.unknownAttribute`; `.schemaMismatch` for values that cannot be converted, with the first of them, if
    ///   `onFailure` is `.fail`; `.kindMismatch` if the attribute that keeps a value cannot hold it, and
    ///   `.conflictingAttributes` if it has a value in that item already; `.invalidRequest` if it is the converted one, or
    ///   its name is a former one of another attribute; `.unsupported` if its name is that of a relationship, and in a child
    ///   for a relationship, or if the recorded default has another kind. Nothing has changed then.
    @discardableResult
    public func convert(
        _ attribute: String, of itemTypeKey: String, to kind: DataStoreValue.Kind,
        onFailure: ConversionFailure = .fail,
        by conversion: ((DataStoreValue) -> DataStoreValue?)? = nil
    ) throws(DataStoreError) -> ConversionReport {
        guard
            let (type, known) = try found(
                attribute, of: itemTypeKey, in: "convert", relationships: true)
        else { return ConversionReport() }
        let isRelationship =
            kind != .reference && type.relationships.contains { $0.name == known.name }
        if isRelationship { try refuseInChild(type) }
        // A child cannot replace the recorded default.
        if let former = known.defaultValue, former.kind != kind { try refuseInChild(type) }
        let convert = { (value: DataStoreValue) in
            conversion.map { $0(value) } ?? value.converted(to: kind)
        }
        var kept: AttributeSchema?
        if case .keep(let name) = onFailure { kept = try keeping(name, for: known, of: type) }
        let plan = try conversions(of: known.name, in: type, to: kind, keeping: kept, convert)
        if case .fail = onFailure, let first = plan.failures.first {
            throw Self.inconvertible(
                try dynamicItem(first, of: type), plan.failures.count, known.name, kind, type)
        }
        if isRelationship { try endRelationship(known.name, of: type) }
        var attributes = [AttributeSchema(known.name, isOptional: true)]
        if case .keep(let name) = onFailure, !plan.failures.isEmpty,
            !type.attributes.contains(where: { $0.name == name })
        {
            attributes.append(AttributeSchema(name))
        }
        try declare(ItemSchema(type.itemTypeKey, attributes: attributes))
        var report = ConversionReport()
        try forEachItem(plan.convertible, of: type) { (item) throws(DataStoreError) in
            guard let value = convert(try item.backing.value(forAttribute: known.name)),
                value.kind == kind
            else {
                throw DataStoreError(
                    .schemaMismatch, in: "convert",
                    """
                    The conversion of “\(known.name)” of “\(type.itemTypeKey)” has returned a value of kind \(kind) for \
                    the item \(item.uniqueToken) first, and none later. Return the same result for the same value, and roll this \
                    block back.
                    """, itemType: type.itemTypeKey, attribute: known.name)
            }
            try item.backing.setValue(value, forAttribute: known.name)
            report.converted += 1
        }
        try forEachItem(plan.failures, of: type) { (item) throws(DataStoreError) in
            if case .keep(let name) = onFailure {
                try item.backing.setValue(
                    item.backing.value(forAttribute: known.name), forAttribute: name)
            }
            try item.backing.setValue(.null, forAttribute: known.name)
        }
        report.failed = plan.failures
        var newDefault = known.defaultValue
        if let former = newDefault, former.kind != kind {
            newDefault = convert(former)
            // Items that stored none have the converted value now.
            _ = try performSchemaChange(
                .setDefault(newDefault, ofAttribute: known.name, of: type.itemTypeKey))
        }
        try declare(
            ItemSchema(
                type.itemTypeKey,
                attributes: [
                    AttributeSchema(
                        known.name, kinds: [kind], default: newDefault, isOptional: known.isOptional
                    )
                ]))
        SchemaNotes.note(
            SchemaChange(
                "“\(known.name)” of “\(type.itemTypeKey)” converted to \(kind)",
                ofType: type.itemTypeKey, attribute: known.name, items: report.converted,
                failed: report.failed))
        return report
    }

    /// The attribute that keeps values which cannot be converted.
    private func keeping(
        _ name: String, for converted: AttributeSchema, of type: ItemSchema
    ) throws(DataStoreError) -> AttributeSchema {
        try checkTarget(name, of: type, in: "convert")
        func had(_ attribute: AttributeSchema) -> Bool { attribute.formerNames.contains(name) }
        let present = type.attributes.first { $0.name == name }
        if name != converted.name, !had(converted) {
            if let present { return present }
            if !type.attributes.contains(where: had) { return AttributeSchema(name) }
        }
        let owner = present ?? type.attributes.first(where: had) ?? converted
        throw DataStoreError(
            .invalidRequest, in: "convert",
            """
            Values of “\(converted.name)” of “\(type.itemTypeKey)” cannot be kept as “\(name)”, which is \
            \(owner.name == name ? "the name" : "a former name") of “\(owner.name)”. Nothing was changed.
            """, advice: "Name an attribute that the type does not have.",
            itemType: type.itemTypeKey, attribute: converted.name)
    }

    /// The items of a type whose values have another kind, by whether the values can be converted.
    private func conversions(
        of name: String, in type: ItemSchema, to kind: DataStoreValue.Kind,
        keeping kept: AttributeSchema?, _ convert: (DataStoreValue) -> DataStoreValue?
    ) throws(DataStoreError) -> (convertible: [ItemID], failures: [ItemID]) {
        var convertible: [ItemID] = []
        var failures: [ItemID] = []
        var failure: DataStoreError?
        let stored = type.attributes.first { $0.name == kept?.name }?.name
        try performScan(DataStoreRequest(itemTypeKey: type.itemTypeKey)) { item in
            do throws(DataStoreError) {
                let value = try item.backing.value(forAttribute: name)
                if value.isNull || value.kind == kind { return }
                if let converted = convert(value), converted.kind == kind {
                    convertible.append(item.uniqueToken)
                } else {
                    _ = try kept?.check(value, ofType: type.itemTypeKey)
                    if let stored, try !item.backing.storedValue(forAttribute: stored).isNull {
                        throw Self.taken(stored, by: item.uniqueToken, name, type)
                    }
                    failures.append(item.uniqueToken)
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return (convertible, failures)
    }

    private static func taken(
        _ kept: String, by id: ItemID, _ attribute: String, _ type: ItemSchema
    ) -> DataStoreError {
        DataStoreError(
            .conflictingAttributes, in: "convert",
            """
            A value of “\(attribute)” of “\(type.itemTypeKey)” cannot be kept as “\(kept)”: the item \(id) has a value \
            there already. Nothing was changed.
            """, advice: "Name an attribute that the type does not have.",
            itemType: type.itemTypeKey, attribute: attribute)
    }

    private static func inconvertible(
        _ first: DynamicItem, _ count: Int, _ attribute: String, _ kind: DataStoreValue.Kind,
        _ type: ItemSchema
    ) -> DataStoreError {
        let value = first[attribute]
        let text =
            if case .string(let text)? = value.converted(to: .string) {
                "“\(String(text.prefix(40)).printable)”"
            } else {
                "a value of kind \(value.kind)"
            }
        return DataStoreError(
            .schemaMismatch, in: "convert",
            """
            “\(attribute)” of “\(type.itemTypeKey)” cannot be converted to \(kind) in \(count.counted("item")): the \
            item \(first.uniqueToken) has \(text). Nothing was changed.
            """,
            advice: """
                Correct these values first, or choose their outcome with onFailure: .keep(as:) or .drop.
                """, itemType: type.itemTypeKey, attribute: attribute)
    }
}
