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
    /// Types are numbered from 1, and a number is never used again, that of a damaged entry neither.
    private(set) var nextNumber: UInt32 = 1
    private var places: [UInt32: Int] = [:]
    private var numbers: [String: UInt32] = [:]

    /// The type with that key.
    func type(_ key: String) -> CatalogType? {
        numbers[key].flatMap { self[$0] }
    }

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
        numbers[type.key] = type.number
    }

    /// Keeps a number, and those before it, from new types.
    mutating func reserve(_ number: UInt32) {
        nextNumber = max(nextNumber, number == .max ? .max : number + 1)
    }

    /// Notes that entries cannot be read.
    mutating func note(_ damage: CatalogDamage) { damages.append(damage) }

    /// Why it cannot be told what the store knows of a type; `nil` if it can.
    func damage(ofType key: String) -> DataStoreError? {
        if damages.isEmpty || numbers[key] != nil { return nil }
        return damages.first { $0.key == nil || $0.key == key }?.error(ofType: key)
    }
}

/// What a store knows of one type.
struct CatalogType: Sendable {
    /// Stands for the type in keys.
    ///
    /// Never used again for another.
    let number: UInt32
    let key: String
    /// The attributes; an attribute's id is its place.
    private(set) var attributes: [CatalogAttribute] = []
    var indexes: [CatalogIndex] = []
    private var ids: [String: UInt16] = [:]

    init(number: UInt32, key: String) {
        self.number = number
        self.key = key
    }

    /// The id of the attribute with that name.
    func id(ofAttribute name: String) -> UInt16? { ids[name] }

    /// Adds an attribute behind the others.
    mutating func append(_ attribute: CatalogAttribute) {
        ids[attribute.name] = UInt16(attributes.count)
        attributes.append(attribute)
    }

    /// Gives an attribute another name; its values stay where they are.
    mutating func rename(_ id: UInt16, to name: String) {
        ids[attributes[Int(id)].name] = nil
        attributes[Int(id)].name = name
        ids[name] = id
    }

    /// Whether the attribute is known to have had a value with that tag.
    @inline(__always)
    func hasNoted(tag: UInt8, ofAttribute id: UInt16) -> Bool {
        attributes[Int(id)].tags & 1 << UInt16(tag) != 0
    }

    /// Adds the tag of a value that the attribute now has, and tells whether it is the first such value.
    mutating func note(tag: UInt8, ofAttribute id: UInt16) -> Bool {
        if hasNoted(tag: tag, ofAttribute: id) { return false }
        attributes[Int(id)].tags |= 1 << UInt16(tag)
        return true
    }

    /// The type as the contract describes it.
    var schema: ItemSchema {
        ItemSchema(
            key,
            attributes: attributes.map { attribute in
                AttributeSchema(attribute.name, kinds: attribute.kinds)
            },
            indexes: indexes.map { index in
                IndexSchema(
                    index.attributes.map { attributes[Int($0)].name }, isUnique: index.isUnique)
            })
    }
}

/// What a store knows of one attribute.
struct CatalogAttribute: Sendable {
    var name: String
    /// The tags of the values stored so far, a bit for each.
    var tags: UInt16 = 0

    var kinds: Set<DataStoreValue.Kind> {
        Set((0..<16).filter { tags & 1 << UInt16($0) != 0 }.compactMap(ValueTag.kind(of:)))
    }
}

/// An index that was declared for a type.
///
/// The entries of indexes are not written yet.
struct CatalogIndex: Hashable, Sendable {
    /// The ids of the attributes, the first one deciding first.
    let attributes: [UInt16]
    let isUnique: Bool
}
