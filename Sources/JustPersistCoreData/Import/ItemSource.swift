import Foundation
import JustPersist

/// The rows of a store of Core Data as items.
final class ItemSource {
    /// One row.
    struct Row {
        let key: Int64
        let id: ItemID
        /// The values of all attributes and relationships to one, null where there is none.
        var values: [String: DataStoreValue] = [:]
    }

    /// A property of a type.
    struct Property: Hashable {
        let kind: String
        let name: String
    }

    /// The findings in the rows.
    struct Findings {
        var rows: [String: Int] = [:]
        /// The ends of links by relationship.
        var ends: [Property: Int] = [:]
        /// The ends of each item, for relationships with limits.
        var counts: [Property: [Int64: Int]] = [:]
        var oddities: [Property: [AttributeReader.Oddity: Int]] = [:]
        var nulls: [Property: Int] = [:]
        /// The keys that lead to no row, by relationship.
        var dangling: [Property: Int] = [:]
        /// The pairs that only one of the two rows knows.
        var completed: [Property: Int] = [:]
        /// The keys that contradict those of the other side.
        var contradicting: [Property: Int] = [:]
    }

    let store: SourceStore
    let layout: Layout
    private(set) var findings = Findings()
    private let reader: AttributeReader
    private let failsWithoutFiles: Bool
    /// Whether what rows have is noted in the findings.
    private var isExamining = false
    private let kinds: [Int: Layout.ItemKind]
    private var ids: [String: ObjectIDs] = [:]
    /// The numbers of the entities of all rows, by table and key.
    private var entities: [String: [Int64: Int]] = [:]
    /// The keys of the other rows, by table and column, where both sides lead to one row.
    private var partners: [Place: [Int64: Int64]] = [:]
    private var pairs: [Layout.Pairs: [Int64: [Int64]]] = [:]

    private struct Place: Hashable {
        let table: String
        let column: String
    }

    /// The rows of a store.
    init(_ store: SourceStore, _ layout: Layout, failsWithoutFiles: Bool) {
        self.store = store
        self.layout = layout
        self.failsWithoutFiles = failsWithoutFiles
        reader = AttributeReader(of: store.copy.original)
        kinds = Dictionary(uniqueKeysWithValues: layout.kinds.map { ($0.number, $0) })
        for kind in layout.kinds {
            ids[kind.name] = ObjectIDs(store: store.uuid, entity: kind.name)
        }
    }

    /// Reads all rows once, and fills the findings.
    func examine(_ progress: (_ rows: Int) throws -> Void) throws {
        for table in Set(layout.kinds.map(\.table.name)) {
            var known: [Int64: Int] = [:]
            try store.file.forEach("SELECT Z_PK, Z_ENT FROM \(table.quotedName)") {
                (row) throws(DataStoreError) in
                guard let key = row[0].int, (0...ObjectIDs.greatestKey).contains(key) else {
                    throw store.damaged("the key of a row of \(table) is not from 0 to 2³²")
                }
                known[key] = row[1].int.map { Int(clamping: $0) } ?? 0
            }
            entities[table] = known
        }
        isExamining = true
        defer { isExamining = false }
        try match()
        for kind in layout.kinds {
            findings.rows[kind.name] = 0
            for link in kind.links { findings.ends[Property(kind: kind.name, name: link.name)] = 0 }
        }
        for kind in layout.kinds {
            try forEach(kind) { (row) throws(DataStoreError) in
                findings.rows[kind.name, default: 0] += 1
            }
            try progress(findings.rows.values.reduce(0, +))
            for link in kind.links {
                guard case .pairs(let place) = link.place else { continue }
                let property = Property(kind: kind.name, name: link.name)
                let isFirst = kind.links.first { $0.place == link.place }?.name == link.name
                for (near, far) in try others(place) {
                    guard entity(near, in: kind.table.name) == kind.number else { continue }
                    // Counted once, though a relationship may have become several.
                    let lost = isFirst ? far.count { entity($0, of: link) == nil } : 0
                    if lost > 0 { findings.dangling[property, default: 0] += lost }
                    let count = far.count { self.kind($0, of: link)?.name == link.target }
                    note(count, of: near, property, link)
                }
            }
        }
    }

    // MARK: Rows

    /// Calls `body` with each row of a type.
    func forEach(
        _ kind: Layout.ItemKind, _ body: (Row) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard let ids = ids[kind.name] else { return }
        let toOne = Dictionary(
            grouping: kind.links.compactMap { link -> (String, Layout.Link)? in
                if case .column(let column) = link.place { (column, link) } else { nil }
            }, by: \.0
        ).mapValues { $0.map(\.1) }.sorted { $0.key < $1.key }
        let columns = kind.fields.flatMap(\.columns) + toOne.map(\.key)
        let list = (["Z_PK"] + columns).map(\.quotedName).joined(separator: ", ")
        try store.file.forEach(
            """
            SELECT \(list) FROM \(kind.table.name.quotedName) WHERE Z_ENT = \(kind.number) ORDER BY Z_PK
            """
        ) { (stored) throws(DataStoreError) in
            guard let key = stored[0].int, (0...ObjectIDs.greatestKey).contains(key) else { return }
            var row = Row(key: key, id: ids.id(key))
            var place = 1
            for field in kind.fields {
                let value = try value(of: field, stored, &place, kind, key)
                row.values[field.attribute.name] = value
                if isExamining, value.isNull, !field.attribute.isOptional {
                    findings.nulls[
                        Property(kind: kind.name, name: field.attribute.name), default: 0] += 1
                }
            }
            for (column, links) in toOne {
                for link in links { row.values[link.name] = .null }
                let other = self.other(stored[place].int, of: key, links[0], column, kind)
                place += 1
                guard let other else { continue }
                guard let target = self.kind(other, of: links[0]),
                    let link = links.first(where: { $0.target == target.name }),
                    let targetIDs = self.ids[target.name]
                else {
                    if isExamining, entity(other, of: links[0]) == nil {
                        findings.dangling[
                            Property(kind: kind.name, name: links[0].name), default: 0] += 1
                    }
                    continue
                }
                row.values[link.name] = .reference(
                    ItemReference(itemTypeKey: target.name, id: targetIDs.id(other)))
                note(1, of: key, Property(kind: kind.name, name: link.name), link)
                if let inverse = target.links.first(where: {
                    $0.name == link.inverse && $0.target == kind.name
                }),
                    inverse.place == .inverse
                {
                    note(1, of: other, Property(kind: target.name, name: inverse.name), inverse)
                }
            }
            try body(row)
        }
    }

    private func note(_ count: Int, of key: Int64, _ property: Property, _ link: Layout.Link) {
        guard isExamining else { return }
        findings.ends[property, default: 0] += count
        if link.minimum > 0 || link.maximum != nil {
            findings.counts[property, default: [:]][key, default: 0] += count
        }
    }

    private func value(
        of field: Layout.Field, _ row: SQLiteFile.Row, _ place: inout Int, _ kind: Layout.ItemKind,
        _ key: Int64
    ) throws(DataStoreError) -> DataStoreValue {
        if field.column == nil {
            var parts: [String: DataStoreValue] = [:]
            for part in field.parts {
                let value = try value(of: part, row, &place, kind, key)
                if !value.isNull { parts[part.attribute.name] = value }
            }
            return parts.isEmpty ? .null : .dictionary(parts)
        }
        var oddity: AttributeReader.Oddity?
        let value = reader.value(of: field.attribute, row[place], &oddity)
        place += 1
        if oddity == .missingFile, failsWithoutFiles {
            throw DataStoreError(
                .invalidInput, in: "import",
                """
                The file with “\(field.attribute.name)” of the object p\(key) of “\(kind.name)” is not in the directory \
                “.\(store.copy.original.deletingPathExtension().lastPathComponent)_SUPPORT”. Copy that directory beside the store, \
                or import without such values (--missing-external skip).
                """, itemType: kind.name, attribute: field.attribute.name)
        }
        if let oddity, isExamining {
            let property = Property(kind: kind.name, name: field.attribute.name)
            findings.oddities[property, default: [:]][oddity, default: 0] += 1
        }
        return value
    }

    // MARK: Other rows

    /// The number of the entity of a row to which a link leads; `nil` if there is no such row.
    private func entity(_ key: Int64, of link: Layout.Link) -> Int? {
        tables[link.target].flatMap { entity(key, in: $0) }
    }

    private lazy var tables = Dictionary(
        uniqueKeysWithValues: layout.kinds.map { ($0.name, $0.table.name) })

    private func entity(_ key: Int64, in table: String) -> Int? { entities[table]?[key] }

    /// The type of the row to which a link of a relationship leads.
    private func kind(_ key: Int64, of link: Layout.Link) -> Layout.ItemKind? {
        entity(key, of: link).flatMap { kinds[$0] }
    }

    private func other(
        _ stored: Int64?, of key: Int64, _ link: Layout.Link, _ column: String,
        _ kind: Layout.ItemKind
    ) -> Int64? {
        if link.partnerColumn == nil { return stored }
        return partners[Place(table: kind.table.name, column: column)]?[key]
    }

    /// The references of a relationship that is kept as pairs of keys, by the keys of the rows that have it.
    func references(
        _ link: Layout.Link, of kind: Layout.ItemKind
    ) throws(DataStoreError) -> [Int64: [ItemReference]] {
        guard case .pairs(let place) = link.place, let ids = ids[link.target] else { return [:] }
        var references: [Int64: [ItemReference]] = [:]
        for (near, others) in try others(place)
        where entity(near, in: kind.table.name) == kind.number {
            references[near] = others.filter { self.kind($0, of: link)?.name == link.target }
                .map { ItemReference(itemTypeKey: link.target, id: ids.id($0)) }
        }
        return references
    }

    private func others(_ place: Layout.Pairs) throws(DataStoreError) -> [Int64: [Int64]] {
        if let known = pairs[place] { return known }
        var found: [Int64: [Int64]] = [:]
        let columns = [place.near, place.order, place.far].compactMap { $0?.quotedName }
            .joined(separator: ", ")
        try store.file.forEach(
            """
            SELECT DISTINCT \(place.near.quotedName), \(place.far.quotedName) FROM \(place.table.quotedName) ORDER BY \(columns)
            """
        ) { (row) throws(DataStoreError) in
            if let near = row[0].int, let far = row[1].int { found[near, default: []].append(far) }
        }
        pairs[place] = found
        return found
    }

    // MARK: Pairs of rows

    /// Matches the rows of relationships that lead to one row on both sides.
    ///
    /// Each side has a column, and one of them may lack what the other has.
    private func match() throws(DataStoreError) {
        for kind in layout.kinds {
            for link in kind.links {
                guard case .column(let column) = link.place, let partnerColumn = link.partnerColumn,
                    let otherTable = tables[link.target]
                else { continue }
                let near = Place(table: kind.table.name, column: column)
                let far = Place(table: otherTable, column: partnerColumn)
                if partners[near] != nil { continue }
                try match(near, far, Property(kind: kind.name, name: link.relationship.name))
            }
        }
    }

    private func match(
        _ near: Place, _ far: Place, _ property: Property
    ) throws(DataStoreError) {
        let (forth, back) = (try keys(near), try keys(far))
        let isReflexive = near == far
        var (nearKeys, farKeys): ([Int64: Int64], [Int64: Int64]) = ([:], [:])
        /// Relates two rows, unless one of them has another partner.
        func relate(_ one: Int64, _ other: Int64) -> Bool {
            if nearKeys[one] == other { return true }
            let isFree =
                isReflexive
                ? nearKeys[one] == nil && nearKeys[other] == nil
                : nearKeys[one] == nil && farKeys[other] == nil
            guard isFree else { return false }
            nearKeys[one] = other
            if isReflexive { nearKeys[other] = one } else { farKeys[other] = one }
            return true
        }
        var oneSided: [(Int64, Int64)] = []
        for (one, other) in forth.sorted(by: { $0.key < $1.key }) {
            if entities[far.table]?[other] == nil {
                findings.dangling[property, default: 0] += 1
            } else if back[other] == one {
                _ = relate(one, other)
            } else {
                oneSided.append((one, other))
            }
        }
        for (other, one) in back.sorted(by: { $0.key < $1.key })
        where !isReflexive && forth[one] != other {
            if entities[near.table]?[one] == nil {
                findings.dangling[property, default: 0] += 1
            } else {
                oneSided.append((one, other))
            }
        }
        for (one, other) in oneSided {
            if relate(one, other) {
                findings.completed[property, default: 0] += 1
            } else {
                findings.contradicting[property, default: 0] += 1
            }
        }
        partners[near] = nearKeys
        if !isReflexive { partners[far] = farKeys }
    }

    private func keys(_ place: Place) throws(DataStoreError) -> [Int64: Int64] {
        var keys: [Int64: Int64] = [:]
        try store.file.forEach(
            "SELECT Z_PK, \(place.column.quotedName) FROM \(place.table.quotedName)"
        ) { (row) throws(DataStoreError) in
            if let key = row[0].int, let other = row[1].int { keys[key] = other }
        }
        return keys
    }

    // MARK: Ids

    /// The rows of entities that become no items, because the model does not have them or calls them abstract, by table.
    func countOthers() -> [(table: String, rows: Int)] {
        entities.sorted { $0.key < $1.key }.map { table, rows in
            let known = layout.numbersOfTypes[table] ?? []
            return (table, rows.values.count { !known.contains($0) })
        }
    }

    /// The ids of the objects of a type.
    func ids(of kind: Layout.ItemKind) -> ObjectIDs {
        ids[kind.name] ?? ObjectIDs(store: store.uuid, entity: kind.name)
    }

    /// Whether there is a row of a type with a key.
    func has(_ key: Int64, of kind: Layout.ItemKind) -> Bool {
        entity(key, in: kind.table.name) == kind.number
    }
}

extension Layout.Link {
    /// The smallest number of others that the model demands; 0 where the others are of several types.
    var minimum: Int {
        if isSplit || relationship.isOptional { return 0 }
        return relationship.isToMany ? relationship.minimum : 1
    }

    /// The greatest number of others; `nil` for any number, and for one.
    var maximum: Int? {
        guard relationship.isToMany, relationship.maximum >= Swift.max(minimum, 1) else {
            return nil
        }
        return relationship.maximum
    }
}
