import JustPersist

/// The item types that a store of Core Data becomes, and where their values are.
///
/// Each entity that can have rows becomes one type, with the properties that it inherits. A relationship to an entity with
/// sub-entities becomes one relationship for each type to which it can lead: `owner` to the entity itself and `owner_Company` to
/// its sub-entity.
struct Layout {
    /// One type.
    struct ItemKind {
        let name: String
        /// The number of the entity in the rows.
        let number: Int
        let table: SourceStore.Table
        let formerName: String?
        var fields: [Field] = []
        var links: [Link] = []
        var indexes: [[String]] = []
        var unique: [[String]] = []
    }

    /// One attribute.
    struct Field {
        let attribute: Model.Attribute
        /// The column, or no column if it is composite.
        let column: String?
        var parts: [Field] = []

        /// The columns of the attribute or of its parts.
        var columns: [String] { column.map { [$0] } ?? parts.flatMap(\.columns) }
    }

    /// One relationship from one type to one other.
    struct Link {
        let name: String
        /// The relationship in the model, which may have other links.
        let relationship: Model.Relationship
        /// The type of the others.
        let target: String
        /// The name of the link back.
        let inverse: String?
        /// The column of the others with the keys of these rows, if both sides lead to one item.
        let partnerColumn: String?
        let place: Place
        let isSplit: Bool
        /// The numbers of the entities to which it may lead, selected or not.
        let targets: Set<Int>
        /// The numbers of the entities that have the relationship.
        let owners: Set<Int>
    }

    /// Where a relationship is kept.
    enum Place: Hashable {
        /// In a column of the rows that have the relationship.
        case column(String)
        /// As pairs of keys in a table.
        case pairs(Pairs)
        /// In a column of the others, without an order.
        case inverse
    }

    /// Pairs of keys.
    struct Pairs: Hashable {
        let table: String
        let near: String
        let far: String
        /// The column with the order of the others, if it has one.
        var order: String?
    }

    private(set) var kinds: [ItemKind] = []
    /// The numbers of all entities that can become types, selected or not, by their tables.
    private(set) var numbersOfTypes: [String: Set<Int>] = [:]
    /// The entities and properties of the model that the store lacks.
    private(set) var missing: [String] = []
    /// The columns that the model does not explain, with their tables.
    private(set) var unexplainedColumns: [(table: String, column: String)] = []
    /// The tables of the store that the model does not use, with those that Core Data keeps for itself.
    private(set) var unusedTables: [String] = []
    /// What is noted already: a property is inherited by many.
    private var noted: Set<String> = []
    private var unknownEntities: [String] = []
    /// The columns that are declared with another type than the model has.
    private(set) var otherColumns: [String] = []
    /// The properties that are left out, with the reason.
    private(set) var notes: [CoreDataImport.Note] = []

    private let model: Model
    private let store: SourceStore
    private let numbers: [String: Int]
    private var columns: [String: ColumnNames] = [:]
    private var usedColumns: [String: Set<String>] = [:]
    private var usedTables: Set<String> = []

    /// The layout of a model in a store.
    ///
    /// - Parameter selected: The entities to import; `nil` for all.
    init(_ model: Model, in store: SourceStore, selected: Set<String>? = nil) {
        self.model = model
        self.store = store
        let known = store.entities.filter { $0.number < 16_000 }
        numbers = Dictionary(known.map { ($0.name, $0.number) }, uniquingKeysWith: { a, _ in a })
        for entity in known where model.entities[entity.name] == nil {
            unknownEntities.append(entity.name)
        }
        for root in Set(model.entities.keys.map(model.root)) {
            if let table = store.tables["Z\(root.uppercased())"] {
                columns[root] = ColumnNames(of: root, in: model, numbers: numbers, table)
                usedTables.insert(table.name.uppercased())
            }
        }
        let names = model.entities.values.filter { !$0.isAbstract }.map(\.name).sorted()
        let present = Set(names.filter { numbers[$0] != nil && columns[model.root(of: $0)] != nil })
        for name in names where !present.contains(name) { missing.append("the entity “\(name)”") }
        let wanted =
            selected.map { selected in
                Set(selected.flatMap(model.concrete)).intersection(present)
            } ?? present
        for name in names where present.contains(name) {
            guard let number = numbers[name],
                let table = store.tables["Z\(model.root(of: name).uppercased())"]
            else { continue }
            numbersOfTypes[table.name, default: []].insert(number)
            var kind = ItemKind(
                name: name, number: number, table: table,
                formerName: model.entities[name]?.formerName)
            for entity in model.line(of: name) {
                kind.indexes +=
                    entity.indexes + entity.attributes.filter(\.isIndexed).map { [$0.name] }
                kind.unique += entity.unique
                addFields(of: entity, to: &kind)
                for relationship in entity.relationships where !relationship.isTransient {
                    addLinks(relationship, of: entity.name, to: &kind, present, wanted)
                }
            }
            if wanted.contains(name) { kinds.append(kind) }
        }
        findUnexplained()
    }

    /// The entities, tables and columns that the model does not explain.
    var unexplained: [String] {
        unknownEntities.map { "the entity “\($0)”" }
            + unusedTables.filter { !SourceStore.isHistory($0.uppercased()) }.map {
                "the table \($0)"
            }
            + unexplainedColumns.map { "the column \($0.column) of \($0.table)" }
    }

    // MARK: Attributes

    private mutating func addFields(of entity: Model.Entity, to kind: inout ItemKind) {
        for attribute in entity.attributes
        where !attribute.isTransient && attribute.kind != .undefined {
            if let field = field(attribute, [], of: entity.name, kind) { kind.fields.append(field) }
        }
    }

    private mutating func field(
        _ attribute: Model.Attribute, _ path: [String], of entity: String, _ kind: ItemKind
    ) -> Field? {
        let path = path + [attribute.name]
        if attribute.kind == .composite {
            var field = Field(attribute: attribute, column: nil)
            for element in attribute.elements {
                if let part = self.field(element, path, of: entity, kind) {
                    field.parts.append(part)
                }
            }
            return field.parts.isEmpty ? nil : field
        }
        guard let column = column(path, of: entity) else { return nil }
        let declared = table(of: entity)?.columns[column.uppercased()] ?? ""
        let expected = Self.columnTypes(attribute.kind)
        if let type = expected.first, Self.knownTypes.contains(declared),
            !expected.contains(declared)
        {
            let text =
                "“\(path.joined(separator: "."))” of “\(entity)” is \(declared) in the store, not \(type)"
            if noted.insert(text).inserted { otherColumns.append(text) }
        }
        return Field(attribute: attribute, column: column)
    }

    /// The types that Core Data declares columns with.
    private static let knownTypes: Set = [
        "INTEGER", "FLOAT", "DECIMAL", "TIMESTAMP", "VARCHAR", "BLOB",
    ]

    /// The types that the column of an attribute may have; empty if that is not known.
    private static func columnTypes(_ kind: Model.Attribute.Kind) -> [String] {
        switch kind {
        case .int16, .int32, .int64, .bool: ["INTEGER"]
        case .double, .float: ["FLOAT"]
        case .decimal: ["DECIMAL"]
        case .date: ["TIMESTAMP"]
        case .string, .url: ["VARCHAR"]
        case .data, .transformable: ["BLOB"]
        case .uuid: ["BLOB", "VARCHAR"]
        case .undefined, .objectID, .composite: []
        }
    }

    /// The column of a property, which is noted as missing if the table does not have it.
    private mutating func column(_ path: [String], of entity: String) -> String? {
        let root = model.root(of: entity)
        guard let table = store.tables["Z\(root.uppercased())"] else { return nil }
        guard let column = columns[root]?.column(path, of: entity), table.has(column) else {
            let name = "“\(path.joined(separator: "."))” of “\(entity)”"
            if noted.insert(name).inserted { missing.append(name) }
            return nil
        }
        usedColumns[table.name.uppercased(), default: []].insert(column.uppercased())
        return column
    }

    // MARK: Relationships

    private mutating func addLinks(
        _ relationship: Model.Relationship, of owner: String, to kind: inout ItemKind,
        _ present: Set<String>, _ wanted: Set<String>
    ) {
        let targets = model.targets(of: relationship)
        let back = model.inverse(of: relationship)
        guard let place = place(of: relationship, owner, back) else {
            let name = "“\(relationship.name)” of “\(owner)”"
            if noted.insert(name).inserted { missing.append(name) }
            return
        }
        var partnerColumn: String?
        if let back, !relationship.isToMany, !back.relationship.isToMany {
            partnerColumn = column([back.relationship.name], of: back.owner)
        }
        let targetNumbers = Set(targets.compactMap { numbers[$0] })
        let ownerNumbers = Set(model.concrete(under: owner).compactMap { numbers[$0] })
        for target in targets where present.contains(target) {
            if !wanted.contains(target) {
                notes.append(
                    .init(
                        kind.name, relationship.name,
                        "leads to “\(target)”, which is not selected: left out"))
                continue
            }
            kind.links.append(
                Link(
                    name: model.name(of: relationship, to: target), relationship: relationship,
                    target: target,
                    inverse: model.inverseName(of: relationship, leadingBackTo: kind.name),
                    partnerColumn: partnerColumn, place: place,
                    isSplit: targets.count > 1, targets: targetNumbers, owners: ownerNumbers))
        }
        if targets.count > 1, relationship.isOrdered {
            notes.append(
                .init(
                    kind.name, relationship.name,
                    "leads to several types: each of its relationships has an order of its own"))
        }
    }

    private mutating func place(
        of relationship: Model.Relationship, _ owner: String,
        _ back: (owner: String, relationship: Model.Relationship)?
    ) -> Place? {
        if !relationship.isToMany {
            return column([relationship.name], of: owner).map { .column($0) }
        }
        guard let others = table(of: relationship.destination) else { return nil }
        guard let back else {
            // [S] The others have a column with the number of the entity in its name.
            guard let number = numbers[owner] else { return nil }
            let column = "Z\(number)\(relationship.name.uppercased())"
            guard others.has(column) else { return nil }
            usedColumns[others.name.uppercased(), default: []].insert(column)
            return .pairs(
                Pairs(table: others.name, near: column, far: "Z_PK", order: order(column, others)))
        }
        if back.relationship.isToMany {
            return joined(relationship, back.relationship).map { .pairs($0) }
        }
        guard let column = column([back.relationship.name], of: back.owner) else { return nil }
        guard relationship.isOrdered else { return .inverse }
        return .pairs(
            Pairs(table: others.name, near: column, far: "Z_PK", order: order(column, others)))
    }

    private func table(of entity: String) -> SourceStore.Table? {
        store.tables["Z\(model.root(of: entity).uppercased())"]
    }

    /// The column with the order of the rows that refer to others by a column.
    private func order(_ column: String, _ table: SourceStore.Table) -> String? {
        let order = "Z_FOK_" + column.dropFirst(column.hasPrefix("Z_") ? 2 : 1)
        return table.has(order) ? order : nil
    }

    /// The table with the pairs of a relationship between many and many.
    ///
    /// It is found by its columns: each has the number of the entity to which its keys belong, and the name of the relationship
    /// that leads there. Its own name is that of either side.
    private mutating func joined(
        _ relationship: Model.Relationship, _ back: Model.Relationship
    ) -> Pairs? {
        let isReflexive = relationship == back
        var found: [(pairs: Pairs, length: Int)] = []
        for table in store.tables.values where table.name.hasPrefix("Z_") {
            let far = columns(of: relationship, table)
            let near =
                isReflexive ? far + ["REFLEXIVE"].filter(table.has) : columns(of: back, table)
            for farColumn in far {
                for nearColumn in near where nearColumn != farColumn {
                    let pairs = Pairs(
                        table: table.name, near: nearColumn, far: farColumn,
                        order: relationship.isOrdered ? order(farColumn, table) : nil)
                    found.append((pairs, farColumn.utf8.count + nearColumn.utf8.count))
                }
            }
        }
        // A name may end in a digit, so the shortest one is meant.
        let best = found.min { ($0.length, $0.pairs.table) < ($1.length, $1.pairs.table) }
        if let best {
            usedTables.insert(best.pairs.table.uppercased())
        }
        return best?.pairs
    }

    /// The columns of a table that may have the keys to which a relationship leads.
    private func columns(of relationship: Model.Relationship, _ table: SourceStore.Table)
        -> [String]
    {
        guard let number = numbers[relationship.destination] else { return [] }
        let name = "Z_\(number)\(relationship.name.uppercased())"
        return table.columns.keys.filter {
            $0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber)
        }.sorted()
    }

    // MARK: What is left

    private mutating func findUnexplained() {
        for table in store.tables.values.sorted(by: { $0.name < $1.name }) {
            let name = table.name.uppercased()
            if SourceStore.describesStore(name) || name.hasPrefix("SQLITE_") { continue }
            guard usedTables.contains(name) else {
                unusedTables.append(table.name)
                continue
            }
            if name.hasPrefix("Z_") { continue }
            let used = usedColumns[name] ?? []
            let own = ["Z_PK", "Z_ENT", "Z_OPT"]
            for column in table.columns.keys.sorted()
            where !used.contains(column) && !own.contains(column) && !Self.accompanies(column, used)
            {
                unexplainedColumns.append((table.name, column))
            }
        }
    }

    /// Whether a column has the order of another one, or the entity of the rows to which it leads.
    private static func accompanies(_ column: String, _ used: Set<String>) -> Bool {
        if column.hasPrefix("Z_FOK_") { return used.contains("Z" + column.dropFirst(6)) }
        let rest = column.dropFirst().drop(while: \.isNumber)
        return column.hasPrefix("Z") && rest.first == "_" && used.contains("Z" + rest.dropFirst())
    }

    // MARK: Contradictions

    /// The error if a column that several entities could have has values in rows of another entity than was computed.
    func check() throws(DataStoreError) {
        for entity in model.entities.values.sorted(by: { $0.name < $1.name })
        where entity.parent != nil {
            let root = model.root(of: entity.name)
            guard let table = table(of: entity.name), let names = columns[root] else { continue }
            let below = model.concrete(under: entity.name).compactMap { numbers[$0] }
            for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
                guard let column = names.column([name], of: entity.name), table.has(column) else {
                    continue
                }
                let list = below.map(String.init).joined(separator: ",")
                let others = try store.file.first(
                    """
                    SELECT EXISTS (SELECT 1 FROM \(table.name.quotedName) WHERE \(column.quotedName) IS NOT NULL AND Z_ENT NOT IN \
                    (\(list)))
                    """)
                if others == .int(0) { continue }
                throw DataStoreError(
                    .invalidInput, in: "import",
                    """
                    The column \(column) of “\(store.name)” should belong to “\(name)” of “\(entity.name)”, but rows of other \
                    entities have values in it. The model is not that of the store; give the right one (--model).
                    """, itemType: entity.name, attribute: name)
            }
        }
    }
}
