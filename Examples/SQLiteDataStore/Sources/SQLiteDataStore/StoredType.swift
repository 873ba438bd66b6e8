import Foundation
import GRDB
import JustPersist

/// What the store knows of a type: a row of the table `type`, as JSON.
struct StoredType: Codable {
    /// Stands for the type in the table `item`.
    let number: Int64
    let key: String
    /// An attribute's place is its number in the JSON of items: so it can have a new name.
    private(set) var attributes: [Attribute] = []
    private(set) var indexes: [IndexSchema] = []

    struct Attribute: Codable {
        var name: String
        /// The kinds of the values stored so far.
        var kinds: Set<DataStoreValue.Kind> = []
    }

    init(number: Int64, key: String) {
        self.number = number
        self.key = key
    }

    /// The number of the named attribute.
    func number(ofAttribute name: String) -> Int? {
        attributes.firstIndex { $0.name == name }
    }

    /// The type as the contract describes it.
    var schema: ItemSchema {
        ItemSchema(
            key, attributes: attributes.map { AttributeSchema($0.name, kinds: $0.kinds) },
            indexes: indexes)
    }

    // MARK: Changes

    /// Adds what a schema declares beside what is known, and tells whether that was anything.
    mutating func declare(
        _ schema: ItemSchema, limits: DataStoreLimits
    ) throws(DataStoreError) -> Bool {
        var isChanged = false
        for attribute in schema.attributes where number(ofAttribute: attribute.name) == nil {
            try limits.check(attributeName: attribute.name, of: key)
            if let number = attribute.originalName.flatMap(number(ofAttribute:)) {
                attributes[number].name = attribute.name
            } else {
                attributes.append(Attribute(name: attribute.name))
            }
            isChanged = true
        }
        for index in schema.indexes where !indexes.contains(index) {
            if let name = index.attributes.first(where: { number(ofAttribute: $0) == nil }) {
                throw .unknownAttribute(name, ofType: key, in: "declare")
            }
            indexes.append(index)
            isChanged = true
        }
        return isChanged
    }

    /// Notes the kinds of an item's values, and tells whether one is new to its attribute.
    mutating func note(_ values: [Int: DataStoreValue]) -> Bool {
        var isChanged = false
        for (number, value) in values
        where attributes[number].kinds.insert(value.kind).inserted {
            isChanged = true
        }
        return isChanged
    }

    // MARK: The table

    /// All types of the state that `database` sees, by key.
    static func all(in database: Database) throws -> [String: StoredType] {
        var types: [String: StoredType] = [:]
        for text in try String.fetchAll(database, sql: "SELECT description FROM type") {
            do {
                let type = try JSONDecoder().decode(StoredType.self, from: Data(text.utf8))
                types[type.key] = type
            } catch {
                throw DataStoreError(
                    .corrupted, in: "read",
                    "A row of the table “type” is damaged: \(text.prefix(80)). Restore the store.")
            }
        }
        return types
    }

    /// Writes the type into its row.
    func save(in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO type (number, description) VALUES (?, ?)",
            arguments: [
                number, String(decoding: try JSONEncoder().encode(self), as: UTF8.self),
            ])
    }
}
