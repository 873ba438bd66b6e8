import JustPersist

extension DynamicItem {
    /// Changes attributes; throws where the subscript reports.
    func set(_ values: [String: DataStoreValue]) throws(DataStoreError) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try backing.setValue(value, forAttribute: name)
        }
    }

    /// The value of an attribute; throws where the subscript gives null.
    func value(_ attribute: String) throws(DataStoreError) -> DataStoreValue {
        try backing.value(forAttribute: attribute)
    }
}
