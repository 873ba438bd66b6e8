import JustPersist

extension DynamicItem {
    /// Changes attributes.
    ///
    /// Throws the errors that the subscript would report.
    func set(_ values: [String: DataStoreValue]) throws(DataStoreError) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try backing.setValue(value, forAttribute: name)
        }
    }

    /// The value of an attribute.
    ///
    /// Throws the errors for which the subscript returns null.
    func value(_ attribute: String) throws(DataStoreError) -> DataStoreValue {
        try backing.value(forAttribute: attribute)
    }
}
