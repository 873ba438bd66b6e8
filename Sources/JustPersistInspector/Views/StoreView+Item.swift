import Foundation
import JustPersist
import JustPersistImportExport

/// One item, and what refers to it.
extension StoreView {
    struct Item: Encodable {
        struct Attribute: Encodable {
            let name: String
            let cell: Cell
            /// The type of a picture that the value is.
            let picture: String?
            /// The value as JSON that an import reads; `nil` if it is hidden or large.
            let json: String?
        }

        struct Relationship: Encodable {
            let name: String
            let type: String
            let isToMany: Bool
            let deleteRule: String
            /// `nil` if they could not be counted in time.
            let count: Int?
            let items: [Linked]
        }

        struct Linked: Encodable {
            let type: String
            let id: String
            /// The value of an attribute that names the item; `nil` for an item that does not exist.
            let title: String?
        }

        struct Cascade: Encodable {
            let type: String
            let count: Int
        }

        struct Referrer: Encodable {
            let type: String
            let attribute: String
            /// `nil` if they could not be counted in time.
            let count: Int?
            /// The predicate that finds them.
            let predicate: String
        }

        let time: Date
        let type: String
        let id: String
        let title: String?
        let attributes: [Attribute]
        let relationships: [Relationship]
        let referrers: [Referrer]
        /// The items that deleting this one deletes with it, by type.
        let cascades: [Cascade]
        /// Whether there are more of them than were counted, or the time was not enough to count them.
        let hasMoreCascades: Bool
    }

    private static let mostLinked = 50
    private static let mostCascades = 10_000

    func item(_ parameters: Parameters) async throws -> Item {
        try await read { db in
            let time = Date()
            let schema = try schema(parameters.required("type"), db)
            let type = schema.itemTypeKey
            let item = try item(parameters, of: type, db)
            let reference = ItemReference(itemTypeKey: type, id: item.uniqueToken)
            let end = ContinuousClock.now + Self.deadline / 2
            let cascades = try Self.inTime(until: end) { () throws(DataStoreError) in
                try db.cascadeTargets(of: [reference], limit: Self.mostCascades)
            }
            return Item(
                time: time, type: type, id: reference.id.description,
                title: try title(of: item, schema),
                attributes: try schema.attributes.map { attribute in
                    let name = attribute.name
                    let isHidden = redaction.hides(name, of: type)
                    let value = try item.backing.value(forAttribute: name)
                    return Item.Attribute(
                        name: name, cell: Cell(value, limit: Self.itemBytes, isHidden: isHidden),
                        picture: isHidden ? nil : value.picture?.type,
                        json: isHidden ? nil : Self.json(value))
                },
                relationships: try relationships(of: reference, until: end, db),
                referrers: try referrers(to: reference, until: end, db),
                cascades: Dictionary(grouping: cascades ?? [], by: \.itemTypeKey)
                    .map { Item.Cascade(type: $0.key, count: $0.value.count) }
                    .sorted { $0.type < $1.type },
                hasMoreCascades: cascades.map { $0.count >= Self.mostCascades } ?? true)
        }
    }

    private static func json(_ value: DataStoreValue) -> String? {
        guard let size = value.storedSize(limit: itemBytes), size <= itemBytes else { return nil }
        return value.jsonText
    }

    private func item(
        _ parameters: Parameters, of type: String, _ db: borrowing DataStoreReader
    ) throws(DataStoreError) -> any DataStoreItem {
        try existing(try parameters.required("id"), of: type, db)
    }

    /// A short text that names an item: its name or title, or else its first text.
    private func title(
        of item: any DataStoreItem, _ schema: ItemSchema
    ) throws(DataStoreError) -> String? {
        let texts = schema.attributes.filter {
            $0.storedKinds.contains(.string) && !redaction.hides($0.name, of: schema.itemTypeKey)
        }.map(\.name)
        let best = ["name", "title", "label"].first { texts.contains($0) } ?? texts.first
        guard let best, case .string(let text) = try item.backing.value(forAttribute: best) else {
            return nil
        }
        return String(text.prefix(100))
    }

    private func relationships(
        of item: ItemReference, until end: ContinuousClock.Instant,
        _ db: borrowing DataStoreReader
    ) throws(DataStoreError) -> [Item.Relationship] {
        var relationships: [Item.Relationship] = []
        for relation in try db.relations(ofType: item.itemTypeKey) {
            let name = relation.schema.name
            if redaction.hides(name, of: item.itemTypeKey) { continue }
            let count = try Self.inTime(until: end) { () throws(DataStoreError) in
                try db.count(relation, of: item)
            }
            let references = try Self.inTime(until: end) { () throws(DataStoreError) in
                try db.references(relation, of: item, limit: Self.mostLinked)
            }
            var items: [Item.Linked] = []
            // All were read if an order is incomplete.
            for reference in (references ?? []).prefix(Self.mostLinked) {
                items.append(try linked(reference, db))
            }
            relationships.append(
                Item.Relationship(
                    name: name, type: relation.schema.destination,
                    isToMany: relation.schema.isToMany,
                    deleteRule: relation.schema.deleteRule.rawValue, count: count, items: items))
        }
        return relationships
    }

    private func linked(
        _ reference: ItemReference, _ db: borrowing DataStoreReader
    ) throws(DataStoreError) -> Item.Linked {
        let type = reference.itemTypeKey
        var title: String?
        if let schema = try db.schemas().schema(ofType: type),
            let item = try db.performFetchItem(ItemType(dynamic: type), id: reference.id)
        {
            title = try self.title(of: item, schema) ?? ""
        }
        return Item.Linked(type: type, id: reference.id.description, title: title)
    }

    /// The attributes of all types that may refer to an item, with the number of items that do.
    private func referrers(
        to item: ItemReference, until end: ContinuousClock.Instant,
        _ db: borrowing DataStoreReader
    ) throws(DataStoreError) -> [Item.Referrer] {
        var referrers: [Item.Referrer] = []
        for schema in try db.schemas() {
            let type = schema.itemTypeKey
            for attribute in schema.attributes
            where attribute.storedKinds.contains(.reference)
                && !redaction.hides(attribute.name, of: type)
            {
                let request = DataStoreRequest(itemTypeKey: type)
                request.predicate = .comparison(
                    .init(.path(.init([attribute.name])), .equal, .value(.reference(item))))
                let count = try Self.inTime(until: end) { () throws(DataStoreError) in
                    try db.count(request)
                }
                if count == 0 { continue }
                referrers.append(
                    Item.Referrer(
                        type: type, attribute: attribute.name, count: count,
                        predicate: Self.predicate(attribute.name, equals: .reference(item))))
            }
        }
        return referrers
    }

    /// The result of a part of a view; `nil` if the time was not enough.
    ///
    /// All parts share the time.
    private static func inTime<Value>(
        until end: ContinuousClock.Instant, _ part: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value? {
        let left = max(.milliseconds(1), end - .now)
        do throws(DataStoreError) {
            return try WorkLimit.within(left, countsPauses: true, part)
        } catch {
            if error.code == .deadlineExceeded { return nil }
            throw error
        }
    }

    // MARK: Values

    /// The whole value of an attribute: text and Data as they are, everything else as JSON.
    func value(_ parameters: Parameters) async throws -> DataStoreValue {
        try await read { db in
            let schema = try schema(parameters.required("type"), db)
            let name = try parameters.required("attribute")
            let type = schema.itemTypeKey
            guard schema.index(ofAttribute: name) != nil else {
                throw DataStoreError(
                    .unknownAttribute, in: "inspect", "“\(type)” has no attribute “\(name)”.",
                    itemType: type, attribute: name)
            }
            if redaction.hides(name, of: type) { throw redaction.refusal(name, of: type) }
            return try item(parameters, of: type, db).backing.value(forAttribute: name)
        }
    }
}

extension DataStoreValue {
    /// The bytes and the type of a picture, by its first bytes and never by a name.
    ///
    /// SVG is not among the types, because it can contain scripts.
    var picture: (data: Data, type: String)? {
        guard case .data(let data) = self else { return nil }
        let start = Array(data.prefix(12))
        let types: [(type: String, magic: [UInt8])] = [
            ("image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
            ("image/jpeg", [0xff, 0xd8, 0xff]),
            ("image/gif", Array("GIF8".utf8)),
        ]
        if let known = types.first(where: { start.starts(with: $0.magic) }) {
            return (data, known.type)
        }
        let isWebP =
            start.starts(with: "RIFF".utf8) && start.dropFirst(8).elementsEqual("WEBP".utf8)
        return isWebP ? (data, "image/webp") : nil
    }
}
