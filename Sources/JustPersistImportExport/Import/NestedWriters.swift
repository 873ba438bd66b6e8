import JustPersist

/// The writers of nested items, by the attributes that refer to them.
extension [String: ItemsWriter] {
    /// Whether they write items of a type.
    func write(_ type: String) -> Bool {
        values.contains { $0.type.key == type || $0.nested.write(type) }
    }

    /// Whether they declare an attribute of a type unique, as the key of its items.
    func declareUnique(_ key: String, of type: String) -> Bool {
        values.contains { writer in
            writer.type.key == type && writer.key == key
                || writer.nested.declareUnique(key, of: type)
        }
    }

    /// The values of an attribute in the items of a type that are nested in a row.
    func values(of attribute: String, ofType type: String, in row: ImportRow) -> [DataStoreValue] {
        row.nested.flatMap { nested -> [DataStoreValue] in
            guard let writer = self[nested.attribute] else { return [] }
            return nested.rows.flatMap { row in
                (writer.type.key == type ? row.values(of: attribute) : [])
                    + writer.nested.values(of: attribute, ofType: type, in: row)
            }
        }
    }
}

extension ImportRow {
    /// The value of an attribute, unless it is null.
    func values(of attribute: String) -> [DataStoreValue] {
        let value = members.last { $0.name == attribute }?.value
        return [value].compactMap(\.self).filter { !$0.isNull }
    }
}
