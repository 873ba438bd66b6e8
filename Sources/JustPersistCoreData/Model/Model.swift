import JustPersist

/// A model of Core Data: entities with their own properties.
struct Model {
    /// An attribute.
    struct Attribute: Equatable {
        /// The types, by the numbers that Core Data gives them.
        enum Kind: Int {
            case undefined = 0
            case int16 = 100
            case int32 = 200
            case int64 = 300
            case decimal = 400
            case double = 500
            case float = 600
            case string = 700
            case bool = 800
            case date = 900
            case data = 1000
            case uuid = 1100
            case url = 1200
            case transformable = 1800
            case objectID = 2000
            case composite = 2100
        }

        var name: String
        var kind: Kind
        var isOptional = true
        var isTransient = false
        var isIndexed = false
        /// Whether its values may be in files of their own.
        var isExternal = false
        var defaultValue: DataStoreValue?
        var transformer: String?
        /// The class of a transformable attribute, if the model names it.
        var className: String?
        var formerName: String?
        /// The parts of a composite attribute.
        var elements: [Attribute] = []
    }

    /// A relationship.
    struct Relationship: Equatable {
        var name: String
        var destination: String
        var inverse: String?
        var minimum = 0
        /// The greatest number of others; 0 for any number.
        var maximum = 0
        var deleteRule = RelationshipSchema.DeleteRule.nullify
        var isOrdered = false
        var isOptional = true
        var isTransient = false
        var formerName: String?

        var isToMany: Bool { maximum != 1 }
    }

    /// An entity, with the properties that it does not inherit.
    struct Entity: Equatable {
        var name: String
        var parent: String?
        var className: String?
        var isAbstract = false
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var indexes: [[String]] = []
        var unique: [[String]] = []
        var formerName: String?
    }

    /// The entities by name.
    let entities: [String: Entity]
    /// The names of the entities at the top of the hierarchies, by the names of those below and of themselves.
    private let roots: [String: String]
    /// The names of the entities of each hierarchy by that of the top.
    let families: [String: [String]]
    private let relationships: [String: [String: Relationship]]
    /// The names of the entities below each and itself that can have rows, in their order.
    private let kinds: [String: [String]]

    /// A model of entities, which may repeat what they inherit.
    ///
    /// - Throws: ``Malformed`` if an entity is its own ancestor, an ancestor or the destination of a relationship is not there, or
    ///   the types of the entities would have more than ``mostProperties`` together.
    init(_ all: [Entity]) throws(Malformed) {
        guard all.count <= Self.mostEntities else { throw Malformed("it has too many entities") }
        let entities = Dictionary(
            all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        if entities.count < all.count { throw Malformed("two entities have one name") }
        if entities.isEmpty { throw Malformed("it has no entities") }
        roots = try Self.roots(of: entities)
        families = Dictionary(grouping: entities.keys.sorted()) { [roots] in roots[$0] ?? $0 }
        var left = Self.mostProperties
        for entity in all {
            var next: Entity? = entity
            while let entity = next {
                left -= entity.attributes.count + entity.relationships.count + 1
                guard left > 0 else { throw Malformed("its entities inherit too many properties") }
                next = entity.parent.flatMap { entities[$0] }
            }
        }
        var owned: [String: Entity] = [:]
        for entity in all {
            var ancestor = entity
            var own = entity
            while let next = ancestor.parent.flatMap({ entities[$0] }) {
                let inherited = Set(next.attributes.map(\.name) + next.relationships.map(\.name))
                own.attributes.removeAll { inherited.contains($0.name) }
                own.relationships.removeAll { inherited.contains($0.name) }
                own.indexes.removeAll { next.indexes.contains($0) }
                own.unique.removeAll { next.unique.contains($0) }
                ancestor = next
            }
            for relationship in entity.relationships
            where entities[relationship.destination] == nil {
                throw Malformed(
                    """
                    “\(relationship.name)” of “\(entity.name)” leads to “\(relationship.destination)”, which does not exist
                    """)
            }
            owned[entity.name] = own
        }
        self.entities = owned
        relationships = owned.mapValues { entity in
            Dictionary(
                entity.relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        var kinds: [String: [String]] = [:]
        for name in owned.keys.sorted() where owned[name]?.isAbstract == false {
            var next: String? = name
            while let ancestor = next {
                kinds[ancestor, default: []].append(name)
                next = owned[ancestor]?.parent
            }
        }
        self.kinds = kinds
        // A type has a relationship for each type to which one of its own leads.
        left = Self.mostProperties
        for name in owned.keys where owned[name]?.isAbstract == false {
            for relationship in line(of: name).flatMap(\.relationships) {
                left -= concrete(under: relationship.destination).count
                guard left > 0 else { throw Malformed("its relationships lead to too many types") }
            }
        }
    }

    static let mostEntities = 10_000
    private static let mostProperties = 1_000_000
    private static let mostLevels = 100

    /// The entity at the top of each hierarchy, found in one walk.
    private static func roots(of entities: [String: Entity]) throws(Malformed) -> [String: String] {
        var known: [String: (root: String, level: Int)] = [:]
        for start in entities.keys {
            var line: [String] = []
            var seen: Set<String> = []
            var next: String? = start
            while let name = next, known[name] == nil {
                guard let entity = entities[name] else {
                    throw Malformed("the parent “\(name)” of “\(line.last ?? "")” does not exist")
                }
                guard seen.insert(name).inserted else {
                    throw Malformed("“\(name)” is its own ancestor")
                }
                line.append(name)
                next = entity.parent
            }
            let above = next.flatMap { known[$0] }
            for (level, name) in line.reversed().enumerated() {
                known[name] = (
                    above?.root ?? line[line.count - 1], (above?.level ?? 0) + level + 1
                )
            }
            guard known[start]?.level ?? 0 <= mostLevels else {
                throw Malformed("“\(start)” inherits over more than \(mostLevels) levels")
            }
        }
        return known.mapValues(\.root)
    }

    /// An entity and its ancestors, the root first.
    func line(of name: String) -> [Entity] {
        var line: [Entity] = []
        var next = entities[name]
        while let entity = next {
            line.insert(entity, at: 0)
            next = entity.parent.flatMap { entities[$0] }
        }
        return line
    }

    /// The name of the entity whose table has the rows of an entity.
    func root(of name: String) -> String { roots[name] ?? name }

    /// The entities below an entity and itself that can have rows, by name.
    func concrete(under name: String) -> [String] { kinds[name] ?? [] }

    /// The declaration of a relationship, and the entity that declares it.
    func relationship(_ name: String, of entity: String) -> (owner: String, Relationship)? {
        for entity in line(of: entity) {
            if let found = relationships[entity.name]?[name] {
                return (entity.name, found)
            }
        }
        return nil
    }
}
