import JustPersist

extension Model {
    /// A model that the tables of a store suggest.
    ///
    /// The names of entities are right; those of properties are in lower case. A column is a relationship to one if it has an index
    /// and all of its numbers are keys of exactly one table.
    init(
        guessedFrom store: SourceStore, _ notes: inout [CoreDataImport.Note]
    ) throws(DataStoreError) {
        let known = store.entities.filter { $0.number < 16_000 }
        let byNumber = Dictionary(uniqueKeysWithValues: known.map { ($0.number, $0) })
        // Circles and long chains are refused before any walk.
        try Self.checked(
            known.map { Entity(name: $0.name, parent: byNumber[$0.parent]?.name) }, store)
        let parents = Set(known.map(\.parent))
        let tree = Hierarchy(parents: byNumber.mapValues(\.parent))
        var found: [Int: Entity] = [:]
        for entity in known {
            var guess = Entity(name: entity.name, parent: byNumber[entity.parent]?.name)
            if parents.contains(entity.number),
                let table = store.tables[tree.table(entity, byNumber)]
            {
                guess.isAbstract =
                    try store.file.first(
                        "SELECT EXISTS (SELECT 1 FROM \(table.name.quotedName) WHERE Z_ENT = \(entity.number))"
                    )
                    == .int(0)
            }
            found[entity.number] = guess
        }
        let roots = known.filter { byNumber[$0.parent] == nil }
        let tables = roots.compactMap { root in
            store.tables["Z\(root.name.uppercased())"].map { (root: root.number, table: $0) }
        }
        for (root, table) in tables {
            for (column, type) in table.columns.sorted(by: { $0.key < $1.key })
            where column.hasPrefix("Z")
                && !column.dropFirst().prefix(while: { $0.isNumber || $0 == "_" }).contains("_")
            {
                let users = try store.numbers(
                    "SELECT DISTINCT Z_ENT FROM \(table.name.quotedName) WHERE \(column.quotedName) IS NOT NULL"
                )
                let owner = tree.common(users) ?? root
                guard let name = found[owner]?.name else { continue }
                let property = column.dropFirst().lowercased()
                if type == "INTEGER", !users.isEmpty,
                    let other = try Self.destination(of: column, table, tables.map(\.table), store),
                    let number = tree.common(other), let destination = byNumber[number]?.name
                {
                    found[owner]?.relationships.append(
                        Relationship(name: property, destination: destination, maximum: 1))
                    notes.append(
                        .init(name, property, "is guessed to be a relationship to “\(destination)”")
                    )
                } else {
                    let kind = Self.kind(type)
                    found[owner]?.attributes.append(Attribute(name: property, kind: kind))
                    notes.append(.init(name, property, "is guessed from its column, as \(kind)"))
                }
            }
        }
        for table in store.tables.values where table.name.hasPrefix("Z_") {
            let ends = table.columns.keys.sorted().compactMap {
                column -> (number: Int, name: String)? in
                let rest = column.dropFirst(2)
                guard column.hasPrefix("Z_"), let number = Int(rest.prefix(while: \.isNumber))
                else { return nil }
                return (number, rest.drop(while: \.isNumber).lowercased())
            }
            guard ends.count == 2, let one = byNumber[ends[0].number],
                let other = byNumber[ends[1].number]
            else { continue }
            for (end, owner, back) in [(ends[0], other, ends[1]), (ends[1], one, ends[0])] {
                guard let destination = byNumber[end.number]?.name else { continue }
                var relationship = Relationship(
                    name: end.name, destination: destination, inverse: back.name)
                relationship.isOrdered = table.has("Z_FOK_\(end.number)\(end.name)")
                found[owner.number]?.relationships.append(relationship)
                notes.append(
                    .init(
                        owner.name, end.name,
                        "is guessed to be a relationship to many of “\(destination)”"))
            }
        }
        self = try Self.checked(Array(found.values), store)
    }

    @discardableResult
    private static func checked(
        _ entities: [Entity], _ store: SourceStore
    ) throws(DataStoreError) -> Model {
        do throws(Malformed) {
            return try Model(entities)
        } catch {
            throw store.damaged("of its entities, \(error.reason)")
        }
    }

    /// The entities of the rows of the only table whose keys a column can have; `nil` if it has none of its own.
    private static func destination(
        of column: String, _ table: SourceStore.Table, _ tables: [SourceStore.Table],
        _ store: SourceStore
    ) throws(DataStoreError) -> [Int]? {
        let index = "\(table.name)_\(column)_INDEX".uppercased()
        guard store.indexes.contains(index) else { return nil }
        let name = column.quotedName
        var found: [[Int]] = []
        for other in tables where other.has("Z_PK") {
            let strangers = try store.file.first(
                """
                SELECT EXISTS (SELECT 1 FROM \(table.name.quotedName) WHERE \(name) IS NOT NULL AND \(name) NOT IN (SELECT Z_PK \
                FROM \(other.name.quotedName)))
                """)
            guard strangers == .int(0) else { continue }
            found.append(
                try store.numbers(
                    """
                    SELECT DISTINCT Z_ENT FROM \(other.name.quotedName) WHERE Z_PK IN (SELECT \(name) FROM \
                    \(table.name.quotedName))
                    """))
        }
        return found.count == 1 ? found[0] : nil
    }

    private static func kind(_ type: String) -> Attribute.Kind {
        switch type {
        case "INTEGER": .int64
        case "FLOAT": .double
        case "DECIMAL": .decimal
        case "TIMESTAMP": .date
        case "VARCHAR": .string
        default: .data
        }
    }
}

/// The inheritance of entities by their numbers.
private struct Hierarchy {
    let parents: [Int: Int]

    /// An entity and its ancestors, the nearest first; damaged ones may be in a circle.
    func line(_ number: Int) -> [Int] {
        var line: [Int] = []
        var next = number
        while let parent = parents[next], !line.contains(next) {
            line.append(next)
            next = parent
        }
        return line
    }

    /// The nearest entity from which all of some inherit.
    func common(_ numbers: [Int]) -> Int? {
        guard let first = numbers.first else { return nil }
        let lines = numbers.map { Set(line($0)) }
        return line(first).first { number in lines.allSatisfy { $0.contains(number) } }
    }

    /// The name of the table of an entity, in upper case.
    func table(_ entity: SourceStore.Entity, _ entities: [Int: SourceStore.Entity]) -> String {
        "Z" + (line(entity.number).last.flatMap { entities[$0]?.name } ?? entity.name).uppercased()
    }
}
