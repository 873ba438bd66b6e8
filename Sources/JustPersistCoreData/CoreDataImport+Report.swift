public import JustPersist

extension CoreDataImport {
    /// The result of an import or of an examination.
    public struct Report: Sendable, Codable {
        /// The rows of one entity.
        public struct Entity: Sendable, Codable {
            /// The name of the entity, and of the item type.
            public let name: String
            /// The rows in the store.
            public let rows: Int
            /// The items that were created.
            public internal(set) var created = 0
            /// The items that existed, and were changed.
            public internal(set) var updated = 0
            /// The items of an earlier import whose rows do not exist any more; they stay.
            public internal(set) var left = 0
        }

        /// The links of one relationship.
        public struct Links: Sendable, Codable {
            /// The entity with the relationship.
            public let entity: String
            /// The name of the relationship.
            public let relationship: String
            /// The entity to which it leads.
            public let destination: String
            /// The number of others that all items have together.
            public let ends: Int
        }

        /// A table that is no part of the model.
        public struct Table: Sendable, Codable {
            /// The name of the table.
            public let name: String
            /// The number of its rows.
            public let rows: Int
        }

        /// The name of the file.
        public let store: String
        /// The identity of the store, which is in the URIs of its objects.
        public let storeID: String
        /// Where the model was found.
        public let model: String
        /// The entities that can have rows, by name.
        public internal(set) var entities: [Entity]
        /// The relationships, from both sides.
        public let links: [Links]
        /// Remarks on everything that could not be mapped exactly.
        public private(set) var notes: [Note]
        /// The tables that are left out: the history of changes, the state of CloudKit, and what the model does not have.
        public let leftOut: [Table]
        /// The ids of the items by the URIs of their objects, if ``CoreDataImport/reportsURIs`` is true.
        public internal(set) var uris: [String: ItemID]?
    }

    /// A remark on a property.
    public struct Note: Sendable, Codable, Hashable {
        /// The entity; `nil` if the note is about the whole store.
        public let entity: String?
        /// The property, if the note is about one.
        public let property: String?
        /// The remark.
        public let text: String
        /// The number of rows that it is about; `nil` for all.
        public let count: Int?
        /// The keys of the first of these rows; a row of the key 7 is the object `p7`.
        public let rows: [Int64]

        init(
            _ entity: String?, _ property: String?, _ text: String, _ count: Int? = nil,
            rows: [Int64] = []
        ) {
            (self.entity, self.property, self.text) = (entity, property, text)
            (self.count, self.rows) = (count, rows)
        }
    }
}

extension CoreDataImport.Report {
    /// The report on rows that were read.
    init(_ source: ItemSource, modelOrigin: String, guesses: [CoreDataImport.Note]) throws {
        let (store, layout, findings) = (source.store, source.layout, source.findings)
        var notes = guesses + layout.notes
        self.store = store.name
        storeID = store.uuid
        model = modelOrigin
        entities = layout.kinds.map { Entity(name: $0.name, rows: findings.rows[$0.name] ?? 0) }
        links = layout.kinds.flatMap { kind in
            kind.links.map { link in
                Links(
                    entity: kind.name, relationship: link.name, destination: link.target,
                    ends: findings.ends[.init(kind: kind.name, name: link.name)] ?? 0)
            }
        }
        for name in layout.missing { notes.append(.init(nil, nil, "\(name) is in the model only")) }
        for kind in layout.kinds { _ = kind.schema(findings, isWhole: true, &notes) }
        for (property, tallies) in findings.tallies {
            for (matter, tally) in tallies {
                notes.append(
                    .init(
                        property.kind, property.name, matter.text, tally.count, rows: tally.rows))
            }
        }
        for (table, count) in source.countOthers() where count > 0 {
            notes.append(
                .init(
                    nil, nil,
                    "\(table) has rows of entities that the model does not have or calls abstract: left out",
                    count))
        }
        for (table, column) in layout.unexplainedColumns {
            let count = try store.file.first(
                "SELECT count(\(column.quotedName)) FROM \(table.quotedName)"
            ).int
            notes.append(
                .init(
                    nil, nil, "the column \(column) of \(table) is not in the model: left out",
                    count.map { Int($0) }))
        }
        leftOut = try layout.unusedTables.map { table in
            Table(
                name: table,
                rows: Int(try store.file.first("SELECT count(*) FROM \(table.quotedName)").int ?? 0)
            )
        }
        self.notes = []
        add(notes)
    }

    /// Adds notes in the order of their entities and properties.
    mutating func add(_ notes: [CoreDataImport.Note]) {
        self.notes = (self.notes + notes).sorted {
            ($0.entity ?? "", $0.property ?? "", $0.text) < (
                $1.entity ?? "", $1.property ?? "", $1.text
            )
        }
    }

    /// The ids by the URIs that Core Data gives the objects.
    static func uris(_ source: ItemSource) throws -> [String: ItemID] {
        var uris: [String: ItemID] = [:]
        for kind in source.layout.kinds {
            try source.forEach(kind) { row in
                uris["x-coredata://\(source.store.uuid)/\(kind.name)/p\(row.key)"] = row.id
            }
        }
        return uris
    }
}
