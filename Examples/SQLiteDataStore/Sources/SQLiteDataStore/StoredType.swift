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
        /// Empty for one that gave way to another, which has its names.
        var name: String
        var formerNames: [String] = []
        /// The kinds that the latest declaration allows; empty for all.
        var declaredKinds: Set<DataStoreValue.Kind> = []
        /// The first default that was declared.
        var defaultValue: DataStoreValue?
        var isOptional = true
        /// The kinds of the values stored so far.
        var kinds: Set<DataStoreValue.Kind> = []

        /// The attribute as the contract describes it.
        var schema: AttributeSchema {
            AttributeSchema(
                name, kinds: declaredKinds, storedKinds: kinds, default: defaultValue,
                isOptional: isOptional, formerNames: formerNames)
        }

        func isUp(to declared: AttributeSchema) -> Bool {
            declaredKinds == declared.kinds && isOptional == declared.isOptional
                && defaultValue == declared.withDefault(recorded: defaultValue).defaultValue
        }

        mutating func update(to declared: AttributeSchema) {
            declaredKinds = declared.kinds
            isOptional = declared.isOptional
            defaultValue = declared.withDefault(recorded: defaultValue).defaultValue
        }
    }

    init(number: Int64, key: String) {
        self.number = number
        self.key = key
    }

    /// The number of the attribute that has that name now.
    func number(ofAttribute name: String) -> Int? {
        name.isEmpty ? nil : attributes.firstIndex { $0.name == name }
    }

    /// The number of the attribute that had that name; a name is a former one of one attribute at most.
    func number(ofFormer name: String) -> Int? {
        attributes.firstIndex { $0.formerNames.contains(name) }
    }

    /// The type as the contract describes it.
    var schema: ItemSchema {
        ItemSchema(
            key, attributes: attributes.filter { !$0.name.isEmpty }.map(\.schema), indexes: indexes)
    }

    // MARK: Changes

    /// The numbers that the attributes of a schema may have: several where values may be under a name and
    /// under a former one.
    func numbers(of schema: ItemSchema) -> [[Int]] {
        var taken = Set(schema.attributes.compactMap { number(ofAttribute: $0.name) })
        return schema.attributes.map { attribute in
            var found = number(ofAttribute: attribute.name).map { [$0] } ?? []
            let isKnown = !found.isEmpty
            func look(_ number: Int?) {
                if let number, taken.insert(number).inserted { found.append(number) }
            }
            attribute.formerNames.forEach { look(number(ofAttribute: $0)) }
            if !isKnown { look(number(ofFormer: attribute.name)) }
            if found.isEmpty { attribute.formerNames.forEach { look(number(ofFormer: $0)) } }
            return found
        }
    }

    /// Which of several attributes has the values of a declared one: the one that `holdsValues`.
    func choose(
        _ numbers: [Int], for attribute: AttributeSchema,
        holdsValues: (Int) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> Int? {
        if numbers.count < 2 { return numbers.first }
        var holders: [Int] = []
        for number in numbers where try holdsValues(number) { holders.append(number) }
        if holders.count < 2 { return holders.first ?? numbers.first }
        let names = holders.map { "“\(attributes[$0].name)”" }.joined(separator: " and ")
        throw DataStoreError(
            .conflictingAttributes, in: "declare",
            """
            “\(attribute.name)” of “\(key)” was renamed, and items have values under \(names). Nothing was \
            changed. Copy the values that count to one of them, and set the other to nil.
            """, itemType: key, attribute: attribute.name)
    }

    /// Adds what a schema declares beside what is known, and tells whether that was anything.
    mutating func declare(
        _ schema: ItemSchema, limits: DataStoreLimits,
        holdsValues: (Int) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> Bool {
        try schema.validate()
        var isChanged = false
        for (attribute, numbers) in zip(schema.attributes, numbers(of: schema)) {
            let number: Int
            if let known = try choose(numbers, for: attribute, holdsValues: holdsValues) {
                number = known
                for other in numbers where other != number {
                    give(namesOf: other, to: number)
                    isChanged = true
                }
                if isNewName(attribute, at: number) {
                    try limits.check(attributeName: attribute.name, of: key)
                    rename(number, to: attribute.name)
                    isChanged = true
                }
            } else {
                try limits.check(attributeName: attribute.name, of: key)
                number = attributes.count
                forget(attribute.name)
                attributes.append(Attribute(name: attribute.name))
                isChanged = true
            }
            if !attributes[number].isUp(to: attribute) {
                attributes[number].update(to: attribute)
                isChanged = true
            }
            for name in attribute.formerNames where isFree(name) {
                attributes[number].formerNames.append(name)
                isChanged = true
            }
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

    /// Whether a declared name is later than the one that the attribute has.
    func isNewName(_ attribute: AttributeSchema, at number: Int) -> Bool {
        let known = attributes[number]
        return known.name != attribute.name
            && (attribute.formerNames.contains(known.name)
                || !known.formerNames.contains(attribute.name))
    }

    private func isFree(_ name: String) -> Bool {
        number(ofAttribute: name) == nil && number(ofFormer: name) == nil
    }

    private mutating func forget(_ name: String) {
        if let former = number(ofFormer: name) {
            attributes[former].formerNames.removeAll { $0 == name }
        }
    }

    private mutating func rename(_ number: Int, to name: String) {
        forget(name)
        let old = attributes[number].name
        attributes[number].formerNames.append(old)
        attributes[number].name = name
        indexes = indexes.map { $0.naming(name, insteadOf: old) }
    }

    private mutating func give(namesOf other: Int, to number: Int) {
        let names = [attributes[other].name] + attributes[other].formerNames
        attributes[other].name = ""
        attributes[other].formerNames = []
        attributes[number].formerNames += names
        indexes = indexes.map { $0.naming(attributes[number].name, insteadOf: names[0]) }
    }

    /// Notes the kinds of an item's values, and tells whether one is new to its attribute.
    mutating func note(_ values: [Int: DataStoreValue]) -> Bool {
        var isChanged = false
        for (number, value) in values
        where !value.isNull && attributes[number].kinds.insert(value.kind).inserted {
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

extension IndexSchema {
    fileprivate func naming(_ new: String, insteadOf old: String) -> IndexSchema {
        IndexSchema(attributes.map { $0 == old ? new : $0 }, isUnique: isUnique)
    }
}
