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
    /// The names of the entities below each and itself that can have rows, in their order.
    private let kinds: [String: [String]]

    /// A model of entities, which may repeat what they inherit.
    ///
    /// - Throws: ``Malformed`` if an entity is its own ancestor, or an ancestor or the destination of a relationship is not there.
    init(_ all: [Entity]) throws(Malformed) {
        let entities = Dictionary(
            all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        if entities.count < all.count { throw Malformed("two entities have one name") }
        if entities.isEmpty { throw Malformed("it has no entities") }
        var owned: [String: Entity] = [:]
        for entity in all {
            var ancestor = entity
            var seen = Set([entity.name])
            var own = entity
            while let name = ancestor.parent {
                guard let next = entities[name] else {
                    throw Malformed("the parent “\(name)” of “\(ancestor.name)” does not exist")
                }
                guard seen.insert(name).inserted else {
                    throw Malformed("“\(name)” is its own ancestor")
                }
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
        var kinds: [String: [String]] = [:]
        for name in owned.keys.sorted() where owned[name]?.isAbstract == false {
            var next: String? = name
            while let ancestor = next {
                kinds[ancestor, default: []].append(name)
                next = owned[ancestor]?.parent
            }
        }
        self.kinds = kinds
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
    func root(of name: String) -> String { line(of: name).first?.name ?? name }

    /// The entities below an entity and itself that can have rows, by name.
    func concrete(under name: String) -> [String] { kinds[name] ?? [] }

    /// The declaration of a relationship, and the entity that declares it.
    func relationship(_ name: String, of entity: String) -> (owner: String, Relationship)? {
        for entity in line(of: entity) {
            if let found = entity.relationships.first(where: { $0.name == name }) {
                return (entity.name, found)
            }
        }
        return nil
    }
}
