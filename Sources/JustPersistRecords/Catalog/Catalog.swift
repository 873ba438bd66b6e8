import JustPersist

/// The types that a store knows.
///
/// There is one immutable value for each committed state.
struct Catalog: Sendable {
    /// Counts the commits that changed the catalog.
    var version: UInt64 = 0
    /// The types in the order of their numbers, in which they were added.
    private(set) var types: [CatalogType] = []
    /// The entries that cannot be read.
    private(set) var damages: [CatalogDamage] = []
    /// The number that the next new type gets.
    ///
    /// Types are numbered from 1. Numbers are never reused, not even the number of a damaged entry.
    private(set) var nextNumber: UInt32 = 1
    /// The keys of the types by number, including undeclared types that items refer to.
    var names = TypeNames()
    private var places: [UInt32: Int] = [:]
    /// The schemas of the types that have relationships, in no particular order.
    private(set) var schemasWithRelationships: [ItemSchema] = []

    /// An empty catalog.
    init(names: TypeNames = TypeNames()) { self.names = names }

    /// The declared type with that key, which may be a former key.
    func type(_ key: String) -> CatalogType? {
        guard let type = entry(key), type.isDeclared else { return nil }
        return type
    }

    /// The type with that key, declared or not.
    func entry(_ key: String) -> CatalogType? { names.number(of: key).flatMap { self[$0] } }

    /// The type with that number.
    subscript(number: UInt32) -> CatalogType? { places[number].map { types[$0] } }

    /// Notes a value of an attribute, and returns whether this changes what is known of the values.
    mutating func note(
        tag: UInt8, isExact: Bool, ofAttribute id: UInt16, type number: UInt32
    ) -> Bool {
        guard let place = places[number] else { return false }
        return types[place].changeTags(ofAttribute: id) { $0.note(tag: tag, isExact: isExact) }
    }

    /// A type as the contract describes it, with the present keys of the types to which its relationships lead.
    func schema(of type: CatalogType) -> ItemSchema {
        let schema = type.schema
        if schema.relationships.isEmpty { return schema }
        return schema.withDestinations { self.type($0)?.key ?? $0 }
    }

    /// Replaces the type with the same number, or appends the type.
    mutating func put(_ type: CatalogType) {
        defer {
            if !type.relationships.isEmpty || !schemasWithRelationships.isEmpty {
                // The type may be the destination of others under a former key.
                schemasWithRelationships = types.filter { !$0.relationships.isEmpty }.map(schema)
            }
        }
        if let place = places[type.number] {
            types[place] = type
        } else {
            places[type.number] = types.count
            types.append(type)
            reserve(type.number)
        }
        guard type.isDeclared else { return names.note(type.key, for: type.number) }
        names.set(type.key, for: type.number)
        for key in type.formerKeys {
            // Skipped if another type has the key now.
            if let known = self.type(key), known.key == key { continue }
            names.setFormer(key, of: type.number)
        }
    }

    /// Prevents new types from using a number or any number below it.
    mutating func reserve(_ number: UInt32) {
        nextNumber = max(nextNumber, number == .max ? .max : number + 1)
    }

    /// Notes an entry that cannot be read.
    mutating func note(_ damage: CatalogDamage) { damages.append(damage) }

    /// The error if damage hides whether the store knows a type under one of its keys; `nil` if it does not.
    func damage(of type: ItemType) -> DataStoreError? {
        if damages.isEmpty { return nil }
        let keys = [type.key] + (type.schema?.formerTypeKeys ?? [])
        let unknown = keys.filter { self.type($0) == nil }
        let isKnown = unknown.count < keys.count
        for key in unknown {
            let damage = damages.first { $0.key == key || $0.key == nil && !isKnown }
            if let damage { return damage.error(ofType: key) }
        }
        return nil
    }
}
