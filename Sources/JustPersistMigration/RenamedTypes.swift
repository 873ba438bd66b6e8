import JustPersist

/// The types and attributes that two stores share, even if one of the stores has renamed them.
struct RenamedTypes {
    /// The types by their keys in the other store, with their names in this one.
    private let types: [String: Renames]

    /// Whether the keys of some types differ, and so the references to their items.
    private let changesReferences: Bool

    private struct Renames {
        let key: String
        /// The names that differ, by the name in the other store.
        let attributes: [String: String]
    }

    /// Matches the types of another store with the types of this one.
    init(_ others: [ItemSchema], in schemas: [ItemSchema]) {
        let pairs = Self.pairs(
            others.map { ($0.itemTypeKey, $0.formerTypeKeys) },
            schemas.map { ($0.itemTypeKey, $0.formerTypeKeys) })
        let own = Dictionary(
            schemas.map { ($0.itemTypeKey, $0) }, uniquingKeysWith: { first, _ in first })
        var types: [String: Renames] = [:]
        for other in others {
            guard let key = pairs[other.itemTypeKey], let schema = own[key] else { continue }
            let names = Self.pairs(
                other.attributes.map { ($0.name, $0.formerNames) },
                schema.attributes.map { ($0.name, $0.formerNames) })
            types[other.itemTypeKey] = Renames(
                key: key, attributes: names.filter { $0.key != $0.value })
        }
        self.types = types
        changesReferences = types.contains { $0.key != $0.value.key }
    }

    /// Pairs each name of the other store with the same name here, or with one that either store has recorded as its
    /// former or later name.
    private static func pairs(
        _ others: [(name: String, former: [String])], _ own: [(name: String, former: [String])]
    ) -> [String: String] {
        var left = own
        var pairs: [String: String] = [:]
        func take(_ other: String, _ isSame: ((name: String, former: [String])) -> Bool) {
            guard pairs[other] == nil, let place = left.firstIndex(where: isSame) else { return }
            pairs[other] = left.remove(at: place).name
        }
        let names = Set(own.map(\.name))
        for other in others where names.contains(other.name) {
            take(other.name) { $0.name == other.name }
        }
        for other in others {
            take(other.name) {
                $0.former.contains(other.name) || other.former.contains($0.name)
            }
        }
        return pairs
    }

    /// The key in this store of a type of the other store; `nil` if the type is not here.
    func key(_ other: String) -> String? { types[other]?.key }

    /// The name in this store of an attribute of the other store.
    func attribute(_ name: String, ofType other: String) -> String {
        types[other]?.attributes[name] ?? name
    }

    /// The values of an item of the other store under the names of this store.
    func values(
        _ values: [String: DataStoreValue], ofType other: String
    ) -> [String: DataStoreValue] {
        var renamed = values
        if let names = types[other]?.attributes, !names.isEmpty {
            renamed = [:]
            for (name, value) in values { renamed[names[name] ?? name] = value }
        }
        return changesReferences ? renamed.mapValues(value) : renamed
    }

    private func value(_ value: DataStoreValue) -> DataStoreValue {
        switch value {
        case .reference(let reference):
            guard let key = key(reference.itemTypeKey), key != reference.itemTypeKey else {
                return value
            }
            return .reference(ItemReference(itemTypeKey: key, id: reference.id))
        case .array(let values): return .array(values.map(self.value))
        case .dictionary(let values): return .dictionary(values.mapValues(self.value))
        default: return value
        }
    }
}
