import Foundation
import JustPersist

extension Model {
    /// The model in an archive, as a store keeps it compressed and a `.mom` file plainly.
    init(archive bytes: [UInt8]) throws(Malformed) {
        guard let root = try KeyedArchive(bytes).root, root.className == "NSManagedObjectModel",
            let entities = root.members["NSEntities"]?.entries(atMost: Self.mostEntities)
        else { throw Malformed("it is no archive of a model, or has too many entities") }
        // Damaged ones may share a description among very many.
        var budget = 100_000
        var found: [Entity] = []
        for (_, node) in entities {
            guard let node, let entity = try Entity(node, &budget) else {
                throw Malformed("an entity cannot be read")
            }
            found.append(entity)
        }
        try self.init(found)
    }
}

extension Model.Entity {
    fileprivate init?(_ node: KeyedArchive.Node, _ budget: inout Int) throws(Malformed) {
        let members = node.members
        guard let name = members["NSEntityName"]?.string else { return nil }
        self.init(name: name)
        parent = members["NSSuperentity"]?.members["NSEntityName"]?.string
        className = members["NSClassNameForEntity"]?.string
        isAbstract = members["NSIsAbstract"]?.bool ?? false
        formerName = members["NSRenamingIdentifier"]?.string
        if formerName == name { formerName = nil }
        let properties = members["NSProperties"].map { $0.entries(atMost: budget) } ?? []
        guard let properties else {
            throw Malformed("the properties of “\(name)” cannot be read, or are too many")
        }
        for (_, property) in properties {
            budget -= 1
            guard budget > 0 else { throw Malformed("it has too many properties") }
            guard let property else { continue }
            switch property.className {
            case "NSRelationshipDescription":
                guard let relationship = Model.Relationship(property) else {
                    throw Malformed("a relationship of “\(name)” cannot be read")
                }
                relationships.append(relationship)
            case let kind where kind.hasSuffix("AttributeDescription"):
                guard let attribute = try Model.Attribute(property, depth: 0, &budget) else {
                    throw Malformed("an attribute of “\(name)” cannot be read")
                }
                attributes.append(attribute)
            // Stand-ins for inherited properties, and fetched properties.
            default: continue
            }
        }
        attributes.sort { $0.name < $1.name }
        relationships.sort { $0.name < $1.name }
        unique = Self.tuples(members["NSUniqueTuples"])
        indexes = Self.tuples(members["NSCompoundIndexes"]) + Self.fetchIndexes(members)
    }

    /// Lists of names of properties.
    private static func tuples(_ node: KeyedArchive.Node?) -> [[String]] {
        (node?.elements(atMost: 1000) ?? []).map { tuple in
            (tuple?.elements(atMost: 100) ?? []).compactMap { element in
                element?.string ?? element?.members["NSPropertyName"]?.string
            }
        }.filter { !$0.isEmpty }
    }

    private static func fetchIndexes(_ members: [String: KeyedArchive.Node]) -> [[String]] {
        let node = members["NSFetchIndexDescriptions"]
        let indexes =
            node?.elements(atMost: 1000) ?? node?.entries(atMost: 1000)?.map(\.value) ?? []
        return indexes.map { index in
            let elements =
                index?.members.values.compactMap { $0.elements(atMost: 100) }.first ?? []
            return elements.compactMap { element in
                let members = element?.members ?? [:]
                let name = members.first { $0.key.hasSuffix("PropertyName") }?.value
                return name?.string
                    ?? members.values.compactMap { $0.members["NSPropertyName"]?.string }.first
            }
        }.filter { !$0.isEmpty }
    }
}

extension Model.Attribute {
    fileprivate init?(
        _ node: KeyedArchive.Node, depth: Int, _ budget: inout Int
    ) throws(Malformed) {
        let members = node.members
        guard depth < 10, let name = members["NSPropertyName"]?.string else { return nil }
        // Values of a type that is not known here are kept as they are stored.
        self.init(name: name, kind: Kind(rawValue: members["NSAttributeType"]?.int ?? 0) ?? .data)
        isOptional = members["NSIsOptional"]?.bool ?? false
        isTransient = members["NSIsTransient"]?.bool ?? false
        isIndexed = members["NSIsIndexed"]?.bool ?? false
        isExternal = (members["NSFlagsKey"]?.int ?? 0) & 4 != 0
        transformer = members["NSValueTransformerName"]?.string
        className = members["NSAttributeValueClassName"]?.string
        formerName = members["NSRenamingIdentifier"]?.string
        if formerName == name { formerName = nil }
        if let value = members["NSDefaultValue"] {
            defaultValue = DataStoreValue(value).flatMap { self.value(of: $0) }
        }
        guard kind == .composite else { return }
        // The name of the member is not documented: it is the one with descriptions.
        for (_, member) in members.sorted(by: { $0.key < $1.key }) where elements.isEmpty {
            for case let element? in member.elements(atMost: 100) ?? [] {
                // Damaged archives may share a description among very many.
                budget -= 1
                guard budget > 0 else { throw Malformed("it has too many properties") }
                if let part = try Self(element, depth: depth + 1, &budget) { elements.append(part) }
            }
        }
    }

    /// A default as a value of the attribute's kind: numbers are archived without their kind.
    func value(of value: DataStoreValue) -> DataStoreValue? {
        switch (kind, value) {
        case (.bool, .int(let number)): .bool(number != 0)
        case (.decimal, .double(let number)): Decimal(exactText: "\(number)").map { .decimal($0) }
        case (.undefined, _), (.transformable, _), (.composite, _): nil
        default: DataStoreValue.Kind(self).flatMap { value.exactly(as: $0) }
        }
    }
}

extension DataStoreValue.Kind {
    /// The kind of the values of an attribute; `nil` if they vary.
    init?(_ attribute: Model.Attribute) {
        switch attribute.kind {
        case .int16, .int32, .int64: self = .int
        case .decimal: self = .decimal
        case .double, .float: self = .double
        case .string: self = .string
        case .bool: self = .bool
        case .date: self = .date
        case .data: self = .data
        case .uuid: self = .uuid
        case .url: self = .url
        case .composite: self = .dictionary
        case .undefined, .transformable, .objectID: return nil
        }
    }
}

extension Model.Relationship {
    fileprivate init?(_ node: KeyedArchive.Node) {
        let members = node.members
        guard let name = members["NSPropertyName"]?.string,
            let destination = members["_NSDestinationEntityName"]?.string
                ?? members["NSDestinationEntity"]?.members["NSEntityName"]?.string
        else { return nil }
        self.init(name: name, destination: destination)
        inverse =
            members["_NSInverseRelationshipName"]?.string
            ?? members["NSInverseRelationship"]?.members["NSPropertyName"]?.string
        minimum = max(0, members["NSMinCount"]?.int ?? 0)
        maximum = max(0, members["NSMaxCount"]?.int ?? 0)
        deleteRule =
            switch members["NSDeleteRule"]?.int ?? 0 {
            case 0: .noAction
            case 2: .cascade
            case 3: .deny
            default: .nullify
            }
        isOrdered = members["NSIsOrdered"]?.bool ?? false
        isOptional = members["NSIsOptional"]?.bool ?? false
        isTransient = members["NSIsTransient"]?.bool ?? false
        formerName = members["NSRenamingIdentifier"]?.string
        if formerName == name { formerName = nil }
    }
}
