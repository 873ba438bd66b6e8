import JustPersist

/// The types of a graph of items: their declarations, and their classes if they have any.
struct GraphShape: Sendable {
    /// A description for messages.
    let name: String
    let schemas: [ItemSchema]
    /// The classes by the keys of their types; types without one are declared, and used without a class.
    var classes: [String: any MutableDataStoreItem.Type] = [:]

    /// The attribute with the name of an item.
    static let label = "label"

    init(
        _ name: String, _ types: KeyValuePairs<String, [RelationshipSchema]>
    ) {
        self.name = name
        schemas = types.map {
            ItemSchema(
                $0.key, attributes: [AttributeSchema(Self.label, kinds: [.string])],
                relationships: $0.value)
        }
    }

    init(_ name: String, _ classes: [any MutableDataStoreItem.Type]) {
        self.name = name
        schemas = classes.map { $0.schema }
        for itemClass in classes { self.classes[itemClass.itemTypeKey] = itemClass }
    }

    func itemType(_ key: String) -> ItemType {
        classes[key].map { ItemType($0) } ?? ItemType(dynamic: key)
    }

    func relationships(of type: String) -> [RelationshipSchema] {
        schemas.first { $0.itemTypeKey == type }?.relationships ?? []
    }

    func relationship(_ name: String, of type: String) -> RelationshipSchema? {
        relationships(of: type).first { $0.name == name }
    }

    /// The relationship of the destination that is kept in step with one of a type.
    func inverse(of relationship: RelationshipSchema, _ type: String) -> RelationshipSchema? {
        relationships(of: relationship.destination).first {
            $0.name == relationship.inverse
                || $0.destination == type && $0.inverse == relationship.name
        }
    }
}

/// Two types, `Left` and `Right`, that are related to each other: items of `Left` have `rights`, those of `Right` have
/// `lefts`.
extension GraphShape {
    /// The sides that name their inverse.
    enum Namers: CaseIterable { case left, right, both }

    /// The number of others, and their order, seen from one side.
    enum Others: String, CaseIterable { case one, many, ordered }

    /// The rules and limits of one side.
    struct Side {
        var rule = RelationshipSchema.DeleteRule.nullify
        var minimum = 0
        var maximum: Int?
    }

    static func pair(
        _ rights: Others, _ lefts: Others, prefix: String = "", left: Side = Side(),
        right: Side = Side(), named: Namers = .left
    ) -> GraphShape {
        func side(_ name: String, _ others: Others, _ inverse: String?, _ side: Side, to: String)
            -> RelationshipSchema
        {
            RelationshipSchema(
                name, to: prefix + to, isToMany: others != .one, isOrdered: others == .ordered,
                deleteRule: side.rule, inverse: inverse, minimum: side.minimum,
                maximum: side.maximum)
        }
        return GraphShape(
            "rights: \(rights) \(left.rule), lefts: \(lefts) \(right.rule)",
            [
                prefix + "Left": [
                    side("rights", rights, named == .right ? nil : "lefts", left, to: "Right")
                ],
                prefix + "Right": [
                    side("lefts", lefts, named == .left ? nil : "rights", right, to: "Left")
                ],
            ])
    }

    static let oneToOne = pair(.one, .one)
    static let oneToMany = [pair(.many, .one), pair(.ordered, .one)]
    static let manyToMany = [
        pair(.many, .many), pair(.ordered, .many), pair(.many, .ordered), pair(.ordered, .ordered),
    ]
    /// Only items of `Left` have a relationship.
    static let withoutInverse = Others.allCases.map { rights in
        GraphShape(
            "rights: \(rights), without an inverse",
            [
                "Left": [
                    RelationshipSchema(
                        "rights", to: "Right", isToMany: rights != .one,
                        isOrdered: rights == .ordered)
                ],
                "Right": [],
            ])
    }
    /// The shapes in which an item of `Left` has many `rights`.
    static let toMany = oneToMany + manyToMany + withoutInverse.dropFirst()
    /// The shapes in which `rights` are ordered.
    static let ordered = [
        pair(.ordered, .one), pair(.ordered, .many), pair(.ordered, .ordered), withoutInverse[2],
    ]
    /// Items of one type with many friends of the same type.
    static let friends = GraphShape(
        "friends",
        ["Left": [RelationshipSchema("rights", to: "Left", isToMany: true, inverse: "rights")]])
}
