/// The checks that a store makes before it writes anything.
extension DataStoreLimits {
    /// Checks that a type can have this name.
    ///
    /// - Throws: `.invalidName` for an empty one, `.limitExceeded`.
    public func check(typeName: String) throws(DataStoreError) {
        try check(typeName, "type name", itemType: typeName)
    }

    /// Checks that an attribute can have this name: not empty, not too long and without a dot.
    ///
    /// - Throws: `.invalidName`, `.limitExceeded`.
    public func check(
        attributeName: String, of itemType: String
    ) throws(DataStoreError) {
        try check(attributeName, "attribute name", itemType: itemType)
        if attributeName.contains(".") {
            throw DataStoreError(
                .invalidName, in: "declare",
                """
                The attribute name “\(attributeName)” of “\(itemType)” has a dot, which stands between the \
                keys of a path. Choose a name without dots.
                """, itemType: itemType, attribute: attributeName)
        }
    }

    /// Checks the size and the nesting depth of an attribute's value and the names of types to which it refers, and returns
    /// its size in bytes.
    ///
    /// This does not check whether the store supports values of this kind.
    ///
    /// - Throws: `.limitExceeded`.
    @discardableResult
    public func check(
        _ value: DataStoreValue, for attribute: @autoclosure () -> String,
        of itemType: String
    ) throws(DataStoreError) -> Int {
        guard let size = value.storedSize(limit: valueBytes) else {
            throw DataStoreError(
                .limitExceeded, in: "setValue",
                """
                The value for “\(attribute())” of “\(itemType)” is nested deeper than \
                \(DataStoreValue.depthLimit) collections; nothing was changed.
                """, itemType: itemType, attribute: attribute())
        }
        if size > valueBytes {
            throw DataStoreError(
                .limitExceeded, in: "setValue",
                """
                The value for “\(attribute())” of “\(itemType)” is larger than the limit of \
                \(valueBytes) bytes; nothing was changed. Keep large contents in files, and their names here.
                """, itemType: itemType, attribute: attribute())
        }
        try checkTypeNames(in: value)
        return size
    }

    /// Checks the names of the types to which a value refers.
    ///
    /// An empty one belongs to no type, and is allowed.
    private func checkTypeNames(in value: DataStoreValue) throws(DataStoreError) {
        switch value {
        case .reference(let reference):
            if !reference.itemTypeKey.isEmpty { try check(typeName: reference.itemTypeKey) }
        case .array(let values):
            for value in values { try checkTypeNames(in: value) }
        case .dictionary(let entries):
            for value in entries.values { try checkTypeNames(in: value) }
        default: break
        }
    }

    private func check(
        _ name: String, _ what: String, itemType: String
    ) throws(DataStoreError) {
        if name.isEmpty {
            throw DataStoreError(
                .invalidName, in: "declare", "A \(what) is empty; give it at least one character.",
                itemType: itemType)
        }
        if name.utf8.count > nameBytes {
            throw DataStoreError(
                .limitExceeded, in: "declare",
                """
                A \(what) has \(name.utf8.count) bytes of UTF-8; the limit is \(nameBytes). It begins \
                “\(name.prefix(40))”.
                """, itemType: itemType)
        }
    }
}
