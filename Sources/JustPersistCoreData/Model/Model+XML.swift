import Foundation
import JustPersist

extension Model {
    /// The model in the file `contents` of an `.xcdatamodel`.
    init(xml data: Data) throws(Malformed) {
        let tree = try XMLTree(data)
        guard tree.name == "model" else { throw Malformed("it is no model of Xcode") }
        let composites = Dictionary(
            tree.all("composite").map { ($0.attributes["name"] ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
        var budget = 100_000
        var found: [Entity] = []
        for element in tree.all("entity") {
            guard let name = element.attributes["name"] else {
                throw Malformed("an entity has no name")
            }
            var entity = Entity(name: name)
            entity.parent = element.attributes["parentEntity"]
            entity.className = element.attributes["representedClassName"]
            entity.isAbstract = element.isTrue("isAbstract")
            entity.formerName = element.formerName
            for element in element.all("attribute") {
                entity.attributes.append(
                    try Attribute(element, of: name, composites, depth: 0, &budget))
            }
            for element in element.all("relationship") {
                entity.relationships.append(try Relationship(element, of: name))
            }
            entity.unique = element.all("uniquenessConstraints")
                .flatMap { $0.all("uniquenessConstraint") }
                .map { $0.all("constraint").compactMap { $0.attributes["value"] } }
            entity.indexes =
                element.all("fetchIndex").map { index in
                    index.all("fetchIndexElement").compactMap { $0.attributes["property"] }
                }
                + element.all("compoundIndexes").flatMap { $0.all("compoundIndex") }
                .map { $0.all("index").compactMap { $0.attributes["value"] } }
            entity.indexes.removeAll(where: \.isEmpty)
            entity.unique.removeAll(where: \.isEmpty)
            found.append(entity)
        }
        try self.init(found)
    }
}

extension XMLTree {
    fileprivate func isTrue(_ name: String) -> Bool { attributes[name] == "YES" }

    /// The renaming identifier, which Xcode writes as the id of the element.
    fileprivate var formerName: String? {
        let former = attributes["renamingIdentifier"] ?? attributes["elementID"]
        return former == attributes["name"] ? nil : former
    }
}

extension Model.Attribute {
    private static let kinds: [String: Kind] = [
        "Integer 16": .int16, "Integer 32": .int32, "Integer 64": .int64, "Decimal": .decimal,
        "Double": .double, "Float": .float, "String": .string, "Boolean": .bool, "Date": .date,
        "Binary": .data, "UUID": .uuid, "URI": .url, "Transformable": .transformable,
        "Composite": .composite,
    ]

    fileprivate init(
        _ element: XMLTree, of entity: String, _ composites: [String: XMLTree], depth: Int,
        _ budget: inout Int
    ) throws(Malformed) {
        // Composites may contain one another many times.
        budget -= 1
        guard budget > 0 else { throw Malformed("it has too many attributes") }
        let values = element.attributes
        guard let name = values["name"] else {
            throw Malformed("an attribute of “\(entity)” has no name")
        }
        // Without a type, an attribute is transient.
        let type = values["attributeType"]
        guard let kind = type.map({ Self.kinds[$0] }) ?? .undefined, depth < 10 else {
            throw Malformed("“\(name)” of “\(entity)” is of a type that is not known here")
        }
        self.init(name: name, kind: kind)
        isOptional = element.isTrue("optional")
        isTransient = element.isTrue("transient")
        isIndexed = element.isTrue("indexed")
        isExternal = element.isTrue("allowsExternalBinaryDataStorage")
        transformer = values["valueTransformerName"]
        className = values["customClassName"]
        formerName = element.formerName
        if let seconds = values["defaultDateTimeInterval"].flatMap(Double.init),
            seconds.isFinite
        {
            defaultValue = .date(Date(timeIntervalSinceReferenceDate: seconds))
        } else if let text = values["defaultValueString"] {
            defaultValue = value(ofText: text)
        }
        guard kind == .composite, let composite = composites[values["compositeName"] ?? name] else {
            return
        }
        for element in composite.all("attribute") {
            elements.append(try Self(element, of: entity, composites, depth: depth + 1, &budget))
        }
    }

    private func value(ofText text: String) -> DataStoreValue? {
        switch DataStoreValue.Kind(self) {
        case .int: Int64(text).map { .int($0) }
        case .double: Double(text).map { .double($0) }
        case .decimal: Decimal(wholeText: text).map { .decimal($0) }
        case .bool:
            ["YES", "1", "true"].contains(text)
                ? .bool(true) : ["NO", "0", "false"].contains(text) ? .bool(false) : nil
        case .string: .string(text)
        case .uuid: UUID(wholeText: text).map { .uuid($0) }
        case .url: URL(wholeText: text).map { .url($0) }
        default: nil
        }
    }
}

extension Model.Relationship {
    fileprivate init(_ element: XMLTree, of entity: String) throws(Malformed) {
        let values = element.attributes
        guard let name = values["name"], let destination = values["destinationEntity"] else {
            throw Malformed("a relationship of “\(entity)” has no name or no destination")
        }
        self.init(name: name, destination: destination)
        inverse = values["inverseName"]
        minimum = max(0, values["minCount"].flatMap(Int.init) ?? 0)
        maximum = max(0, values["maxCount"].flatMap(Int.init) ?? (element.isTrue("toMany") ? 0 : 1))
        deleteRule =
            switch values["deletionRule"] {
            case "Cascade": .cascade
            case "Deny": .deny
            case "Nullify", nil: .nullify
            default: .noAction
            }
        isOrdered = element.isTrue("ordered")
        isOptional = element.isTrue("optional")
        isTransient = element.isTrue("transient")
        formerName = element.formerName
    }
}
