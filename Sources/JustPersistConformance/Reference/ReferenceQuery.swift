package import JustPersist

/// Executes a request on a state: selects the rows of its type that match, sorts them, and takes its slice.
package enum ReferenceQuery {
    /// The rows that a request finds.
    package static func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        try request.withinDeadline { () throws(DataStoreError) in try allRows(request, state) }
    }

    private static func allRows(
        _ request: DataStoreRequest, _ state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        try request.validate(stored: state.type(of: request.type)?.schema)
        try WorkLimit.check()
        if let schema = request.type.schema { _ = try state.storedNames(schema) }
        let key = try state.type(of: request.type)?.key
        let all = state.rows.filter { $0.key.itemType == key }
        let matching = try matching(all, request, state)
        try checkSortable(matching, request, state)
        let sorted = sorted(matching, request, state)
        return sliced(sorted, offset: request.offset, limit: request.limit)
    }

    /// The rows that match the request's predicate.
    package static func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        guard let predicate = request.predicate else { return rows }
        return rows.filter { row in
            ReferencePredicate.matches(predicate, subject(row, request.type, state))
        }
    }

    /// The rows that match a predicate.
    ///
    /// Throws the errors of its parts that are evaluated on items.
    private static func matching(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        guard let predicate = request.predicate else { return rows }
        var matching: [ReferenceRow] = []
        for row in rows {
            try WorkLimit.check()
            let subject = subject(row, request.type, state)
            if ReferencePredicate.matches(predicate, subject) { matching.append(row) }
            if let error = subject.failure.error { throw error }
        }
        return matching
    }

    /// The rows sorted by the request's sort descriptors.
    ///
    /// Rows that are equal in all of them are in the order of creation.
    package static func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let descriptors = request.sortDescriptors ?? []
        let keys = descriptors.map { try? sortKey($0.key, request.type, state) }
        let keyed = rows.map { row in
            (
                row,
                keys.map { key in
                    key.map { ReferenceExpression.value(of: $0, subject(row, request.type, state)) }
                        ?? .null
                }
            )
        }
        return keyed.sorted { a, b in
            for (index, descriptor) in descriptors.enumerated() {
                switch sortOrder(a.1[index], b.1[index], by: descriptor.textOrder) {
                case .same: continue
                case .ascending: return descriptor.ascending
                case .descending: return !descriptor.ascending
                }
            }
            return a.0.key < b.0.key
        }.map(\.0)
    }

    /// The rows after the first `offset`, at most `limit` of them.
    ///
    /// A limit of 0 means no limit.
    package static func sliced(
        _ rows: [ReferenceRow], offset: Int?, limit: Int?
    ) -> [ReferenceRow] {
        let rest = rows.dropFirst(offset ?? 0)
        guard let limit, limit > 0 else { return Array(rest) }
        return Array(rest.prefix(limit))
    }

    /// A row as the subject of a predicate.
    package static func subject(
        _ row: ReferenceRow, _ type: ItemType, _ state: ReferenceState
    ) -> ReferencePredicate.Subject {
        var subject = ReferencePredicate.Subject(
            value: { value(ofAttribute: $0, row, type, state) },
            valueOfOther: { name, reference in
                value(ofAttribute: name, at: reference, state)
            })
        subject.item = { itemClass throws(DataStoreError) in try item(row, as: itemClass, state) }
        return subject
    }

    /// A row as a read-only item of a class.
    private static func item(
        _ row: ReferenceRow, as itemClass: any DataStoreItem.Type, _ state: ReferenceState
    ) throws(DataStoreError) -> any DataStoreItem {
        let type =
            itemClass == DynamicItem.self
            ? ItemType(dynamic: row.key.itemType) : ItemType(itemClass)
        guard try state.type(of: type)?.key == row.key.itemType else {
            throw DataStoreError(
                .invalidRequest, in: "predicate",
                "The predicate is about “\(type.key)”, and the request about “\(row.key.itemType)”.",
                itemType: row.key.itemType)
        }
        var values: [String: DataStoreValue] = [:]
        let known = try state.type(of: type)?.schema
        let attributes = (type.schema ?? known)?.attributes ?? []
        for name in attributes.map(\.name) {
            values[name] = try ReferenceAttribute(name, of: type, in: state)?.value(in: row)
        }
        return itemClass.init(
            backing: DictionaryBacking(
                itemTypeKey: type.key, schema: type.schema, id: row.key.id, values: values,
                isMutable: false))
    }

    /// The value of an attribute of the item that a reference leads to; null if there is no such item.
    static func value(
        ofAttribute name: String, at reference: ItemReference, _ state: ReferenceState
    ) -> DataStoreValue {
        let key = ReferenceKey(reference.itemTypeKey, reference.id)
        guard let row = state.row(key) else { return .null }
        return value(ofAttribute: name, row, ItemType(dynamic: reference.itemTypeKey), state)
    }

    /// The value of an attribute of a row.
    ///
    /// `uniqueToken` is the id, unless the type has such an attribute.
    private static func value(
        ofAttribute name: String, _ row: ReferenceRow, _ type: ItemType, _ state: ReferenceState
    ) -> DataStoreValue {
        // The store may know attributes that the class does not declare.
        let attribute =
            (try? ReferenceAttribute(name, of: type, in: state))
            ?? (try? ReferenceAttribute(name, of: ItemType(dynamic: row.key.itemType), in: state))
        if let attribute {
            let value = attribute.value(in: row)
            guard case .reference(let reference) = value,
                state.row(ReferenceKey(reference.itemTypeKey, reference.id)) == nil
            else { return value }
            let known = state.schemasWithRelationships
            return known.dangling(of: type).contains(name) ? .null : value
        }
        if let others = ReferenceRelations.others(name, of: row, type, state) {
            return .array(others.map { .reference($0) })
        }
        return name == "uniqueToken" ? .uuid(row.key.id.uuid) : .null
    }

    static func sortOrder(
        _ a: DataStoreValue, _ b: DataStoreValue, by textOrder: TextOrder
    ) -> ValueOrder {
        guard case .string(let first) = a, case .string(let second) = b else {
            return ReferenceOrder.sortOrder(a, b)
        }
        return ReferenceText.order(first, second, by: textOrder)
    }

    /// The value that a key of a sort or an aggregation computes from an item of a type.
    static func sortKey(
        _ key: String, _ type: ItemType, _ state: ReferenceState, in operation: String = "sort"
    ) throws(DataStoreError) -> DataStorePredicate.Expression {
        let stored = try state.type(of: type)?.schema
        return try RequestKey(key, of: type.attributeNames(stored: stored), in: operation)
            .expression
    }

    /// Throws if a sort descriptor's path leads through an array of one of the rows.
    static func checkSortable(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) throws(DataStoreError) {
        for descriptor in request.sortDescriptors ?? [] {
            let key = try sortKey(descriptor.key, request.type, state)
            for row in rows {
                try checkSortable(key, subject(row, request.type, state), in: "sort")
            }
        }
    }

    /// Throws for a path that leads through an array, because there is no single value to sort by.
    static func checkSortable(
        _ key: DataStorePredicate.Expression, _ subject: ReferencePredicate.Subject,
        in operation: String
    ) throws(DataStoreError) {
        guard case .path(let path) = key else { return }
        for count in 1..<max(path.components.count, 1) {
            let start = DataStorePredicate.AttributePath(Array(path.components.prefix(count)))
            guard case .array = ReferenceExpression.value(of: .path(start), subject) else {
                continue
            }
            throw DataStoreError(
                .invalidRequest, in: operation,
                "“\(path.components.joined(separator: "."))” has several values for one item.",
                attribute: path.components[0])
        }
    }
}
