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
        public let notes: [Note]
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

        init(_ entity: String?, _ property: String?, _ text: String, _ count: Int? = nil) {
            (self.entity, self.property, self.text, self.count) = (entity, property, text, count)
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
        let remarks: [([ItemSource.Property: Int], String)] = [
            (findings.dangling, "leads to rows that do not exist: left out"),
            (findings.completed, "is in one of two related rows only: set in both"),
            (
                findings.contradicting,
                "contradicts the other side, or leads where another row leads: left out"
            ),
        ]
        for (counts, text) in remarks {
            for (property, count) in counts {
                notes.append(.init(property.kind, property.name, text, count))
            }
        }
        for (property, oddities) in findings.oddities {
            for (oddity, count) in oddities {
                notes.append(.init(property.kind, property.name, oddity.text, count))
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
        self.notes = notes.sorted {
            ($0.entity ?? "", $0.property ?? "", $0.text) < (
                $1.entity ?? "", $1.property ?? "", $1.text
            )
        }
        leftOut = try layout.unusedTables.map { table in
            Table(
                name: table,
                rows: Int(try store.file.first("SELECT count(*) FROM \(table.quotedName)").int ?? 0)
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

extension AttributeReader.Oddity {
    fileprivate var text: String {
        switch self {
        case .otherKind:
            "is of another kind than the model says: kept as it is stored, in an attribute of any kind"
        case .rounded:
            "has more digits than the store keeps exactly: the shortest number that the store has"
        case .archived: "is an archive with classes that cannot be read here: kept as data"
        case .missingFile: "is in a file that does not exist: null"
        }
    }
}
