import JustPersist

/// A subject made of a dictionary, which can follow references into a table of others.
struct DictionarySubject: PredicateSubject {
    var attributes: [String: DataStoreValue]
    var others: [ItemReference: [String: DataStoreValue]] = [:]

    func value(forAttribute name: String) -> DataStoreValue { attributes[name] ?? .null }

    func value(forAttribute name: String, of reference: ItemReference) -> DataStoreValue {
        others[reference]?[name] ?? .null
    }
}
