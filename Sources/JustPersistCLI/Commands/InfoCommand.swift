import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistPostgres

/// Prints a summary of a store.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show the types, attributes and size of a store.")

    /// The output format.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json
    }

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Option(help: "How to print it.") var format = Format.table
    @OptionGroup var tables: TableOptions

    func run() throws {
        let opened = try OpenStore.reading(store)
        var info = StoreInfo(store: store, sizeOnDisk: try Self.size(of: store, opened.store))
        try opened.store.performRead { db in
            let linkTypes = try db.linkTypeKeys()
            for schema in try db.schemas() where !linkTypes.contains(schema.itemTypeKey) {
                // One damaged type must not hide the others.
                let count = Result { () throws(DataStoreError) in
                    try db.count(DataStoreRequest(itemTypeKey: schema.itemTypeKey))
                }
                if case .failure(let error) = count, error.code != .corrupted { throw error }
                info.types.append(
                    StoreInfo.TypeInfo(
                        schema, count: count, try db.relations(ofType: schema.itemTypeKey)))
            }
        }
        let output = tables.output
        switch format {
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try output.data(String(decoding: try encoder.encode(info), as: UTF8.self))
        case .table: for line in info.lines(width: output.width) { try output.line(line) }
        }
        try output.flush()
        let damaged = info.types.count { $0.damage != nil }
        if damaged > 0 {
            throw DataStoreError(
                .corrupted, in: "info", "Damaged types in “\(store)”: \(damaged). Run verify.")
        }
    }

    /// The bytes of the files of a store; 0 for a store without a path, and `nil` for one whose server keeps the files.
    private static func size(of text: String, _ store: any DataStore) throws -> Int? {
        let url = try StoreURL(text)
        guard !url.location.isEmpty else { return 0 }
        if store is PostgresDataStore { return nil }
        let directory = try StoreDirectory.url(url.location, scheme: url.scheme)
            .resolvingSymlinksInPath()
        guard
            let names = try? FileManager.default.subpathsOfDirectory(atPath: directory.path)
        else { return 0 }
        return names.reduce(0) { sum, name in
            let file = directory.appending(path: name).path
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}

/// The summary of a store, as it is printed.
private struct StoreInfo: Encodable {
    struct TypeInfo: Encodable {
        let name: String
        /// The number of its items; `nil` if it cannot be read.
        let count: Int?
        /// The reason, if it cannot be read.
        let damage: String?
        let attributes: [AttributeInfo]
        let indexes: [IndexInfo]
        let relationships: [RelationshipInfo]

        init(
            _ schema: ItemSchema, count: Result<Int, DataStoreError>, _ relations: [Relation]
        ) {
            name = schema.itemTypeKey
            switch count {
            case .success(let count): (self.count, damage) = (count, nil)
            case .failure(let error): (self.count, damage) = (nil, error.message)
            }
            relationships = relations.map { relation in
                var links: String?
                if case .links(let type, _) = relation.storage { links = type.key }
                return RelationshipInfo(
                    name: relation.schema.name, type: relation.schema.destination,
                    isToMany: relation.schema.isToMany, isOrdered: relation.schema.isOrdered,
                    deleteRule: relation.schema.deleteRule, inverse: relation.inverse?.name,
                    minimum: relation.schema.minimum, maximum: relation.schema.maximum,
                    linkType: links ?? relation.order?.key)
            }
            // A relationship to one item is an attribute too.
            let related = Set(relations.map(\.schema.name))
            attributes = schema.attributes.filter { !related.contains($0.name) }.map { attribute in
                AttributeInfo(
                    name: attribute.name,
                    kinds: attribute.storedKinds.sorted { $0.rawValue < $1.rawValue }.map {
                        "\($0)"
                    })
            }
            indexes = schema.indexes.filter {
                $0.isUnique || $0.attributes.count > 1 || !related.contains($0.attributes[0])
            }.map {
                IndexInfo(
                    attributes: $0.attributes, isUnique: $0.isUnique, ignoresCase: $0.ignoresCase)
            }
        }
    }

    struct AttributeInfo: Encodable {
        let name: String
        let kinds: [String]
    }

    struct IndexInfo: Encodable {
        let attributes: [String]
        let isUnique: Bool
        let ignoresCase: Bool
    }

    struct RelationshipInfo: Encodable {
        let name: String
        let type: String
        let isToMany: Bool
        let isOrdered: Bool
        let deleteRule: RelationshipSchema.DeleteRule
        let inverse: String?
        let minimum: Int
        let maximum: Int?
        /// The type of the items that keep the relationship or its order, if there is one.
        let linkType: String?

        /// The number of others, in words.
        var number: String {
            let limits =
                maximum.map { "\(minimum)–\($0)" } ?? (minimum > 0 ? "\(minimum) at least" : "")
            let number = isToMany ? "many" : "one"
            return ([number] + (isOrdered ? ["ordered"] : []) + (limits.isEmpty ? [] : [limits]))
                .joined(separator: ", ")
        }
    }

    let store: String
    let sizeOnDisk: Int?
    var types: [TypeInfo] = []

    func lines(width: Int?) -> [String] {
        var lines = [
            "\(store): \(types.count.counted("type")), "
                + (sizeOnDisk.map { "\($0.counted("byte")) on disk" } ?? "on a server")
        ]
        for type in types {
            if let damage = type.damage {
                lines += ["", "\(type.name): damaged. \(damage)"]
                continue
            }
            lines += ["", "\(type.name): \((type.count ?? 0).counted("item"))"]
            var table = TextTable(header: ["ATTRIBUTE", "KINDS"])
            for attribute in type.attributes {
                table.append([attribute.name, attribute.kinds.joined(separator: ", ")])
            }
            if !type.attributes.isEmpty {
                lines += table.lines(width: width.map { $0 - 2 }).map { "  " + $0 }
            }
            if !type.relationships.isEmpty {
                var table = TextTable(header: [
                    "RELATIONSHIP", "TO", "NUMBER", "DELETE RULE", "INVERSE",
                ])
                for relationship in type.relationships {
                    table.append([
                        relationship.name, relationship.type, relationship.number,
                        relationship.deleteRule.rawValue, relationship.inverse ?? "",
                    ])
                }
                if !type.attributes.isEmpty { lines.append("") }
                lines += table.lines(width: width.map { $0 - 2 }).map { "  " + $0 }
            }
            lines += type.indexes.map { index in
                "  index over \(index.attributes.joined(separator: ", "))"
                    + (index.isUnique ? ", unique" : "")
                    + (index.ignoresCase ? ", ignoring case" : "")
            }
        }
        return lines
    }
}
