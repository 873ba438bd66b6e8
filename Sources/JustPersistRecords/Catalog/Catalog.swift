import JustPersist

/// What a store knows of its types.
///
/// One immutable value per committed state.
struct Catalog: Sendable {
    /// Counts the commits that changed the catalog.
    var version: UInt64 = 0
    /// The types in the order in which they came, which is that of their numbers.
    private(set) var types: [CatalogType] = []
    /// The entries that cannot be read.
    private(set) var damages: [CatalogDamage] = []
    /// The number that the next new type gets.
    ///
    /// Types are numbered from 1. Numbers are never reused, not even a damaged entry's.
    private(set) var nextNumber: UInt32 = 1
    /// The keys of the types by number, of those too that are only referred to.
    var names = TypeNames()
    private var places: [UInt32: Int] = [:]

    /// An empty catalog.
    init(names: TypeNames = TypeNames()) { self.names = names }

    /// The declared type with that key, be it a former one.
    func type(_ key: String) -> CatalogType? {
        guard let type = entry(key), type.isDeclared else { return nil }
        return type
    }

    /// The same, or one that is only referred to.
    func entry(_ key: String) -> CatalogType? { names.number(of: key).flatMap { self[$0] } }

    /// The type with that number.
    subscript(number: UInt32) -> CatalogType? { places[number].map { types[$0] } }

    /// Adds the tag of a value that an attribute now has, and tells whether it is the first such value.
    mutating func note(tag: UInt8, ofAttribute id: UInt16, type number: UInt32) -> Bool {
        guard let place = places[number] else { return false }
        return types[place].note(tag: tag, ofAttribute: id)
    }

    /// Puts a type in its place: over the one with its number, or behind the last.
    mutating func put(_ type: CatalogType) {
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
            // Not if another type has it now.
            if let known = self.type(key), known.key == key { continue }
            names.setFormer(key, of: type.number)
        }
    }

    /// Keeps a number, and those before it, from new types.
    mutating func reserve(_ number: UInt32) {
        nextNumber = max(nextNumber, number == .max ? .max : number + 1)
    }

    /// Notes that entries cannot be read.
    mutating func note(_ damage: CatalogDamage) { damages.append(damage) }

    /// Why it cannot be told what the store knows of a type under any of its keys; `nil` if it can.
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
