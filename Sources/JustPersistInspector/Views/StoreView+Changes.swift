import Foundation
import JustPersist
import JustPersistImportExport

/// Changes that a page has prepared: shown first, and then committed in one write block.
extension StoreView {
    struct Draft: Decodable {
        struct Change: Decodable {
            let type: String
            /// `nil` for a new item.
            let id: String?
            let isDeletion: Bool?
            /// The new values by attribute, as the JSON that imports read.
            let values: [String: String]?
        }

        let store: Int
        let changes: [Change]
        /// The preview that the user has seen, for a commit.
        let preview: String?
    }

    struct Preview: Codable, Equatable {
        struct Value: Codable, Equatable {
            let attribute: String
            let before: String
            let after: String
        }

        struct Change: Codable, Equatable {
            /// `new`, `changed` or `deleted`.
            let kind: String
            let type: String
            let id: String?
            var values: [Value] = []
            /// The numbers of the items that are deleted with it, by type.
            var cascades: [String: Int] = [:]
            /// The numbers of the items that stay and lose it, or one that is deleted with it, from a relationship, by type and
            /// relationship: `Book.author`.
            var cleared: [String: Int] = [:]
            /// Stands for all values of the item, for the items that are deleted with it, and for those that lose it.
            ///
            /// Its key is random in each process, so that it reveals nothing of hidden values.
            var digest: Int?
        }

        let changes: [Change]
    }

    private static let mostChanges = 1000

    /// The changes, each with the values that it replaces.
    func preview(_ draft: Draft) async throws -> Preview {
        try await read { db in try preview(draft, db) }
    }

    /// Carries out changes, unless an item, or what is deleted with it, has changed since the preview.
    func commit(_ draft: Draft) async throws -> Preview {
        guard let shown = draft.preview,
            let expected = try? JSONDecoder().decode(Preview.self, from: Data(shown.utf8))
        else {
            throw DataStoreError(
                .invalidRequest, in: "inspect", "Changes are committed with their preview.")
        }
        return try await store.write { db in
            let found = try WorkLimit.within(Self.deadline, countsPauses: true) { () throws in
                try preview(draft, db)
            }
            guard found == expected else {
                throw DataStoreError(
                    .invalidRequest, in: "inspect",
                    "The items have changed since the preview. Nothing was changed; look at the preview again."
                )
            }
            for change in draft.changes { try apply(change, db) }
            return expected
        }
    }

    private func preview(
        _ draft: Draft, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws -> Preview {
        try redaction.checkNames(db)
        if draft.changes.isEmpty || draft.changes.count > Self.mostChanges {
            throw DataStoreError(
                .invalidRequest, in: "inspect", "A draft has 1 to \(Self.mostChanges) changes.")
        }
        return Preview(
            changes: try draft.changes.map { change in
                let schema = try schema(change.type, db)
                let type = schema.itemTypeKey
                if type == AppliedSchemaStep.itemTypeKey {
                    throw DataStoreError.ownRecord(type, in: "inspect")
                }
                let item = try change.id.map { try existing($0, of: type, db) }
                if change.isDeletion == true, let item {
                    let reference = ItemReference(itemTypeKey: type, id: item.uniqueToken)
                    let found = try db.cascadeTargets(of: [reference])
                    let cleared = try db.clearedRelationships(byDeleting: [reference] + found)
                    return Preview.Change(
                        kind: "deleted", type: type, id: change.id,
                        cascades: Dictionary(grouping: found, by: \.itemTypeKey)
                            .mapValues(\.count), cleared: cleared.mapValues(\.count),
                        digest: try digest(
                            of: item, schema,
                            [Set(found)] + cleared.sorted { $0.key < $1.key }.map(\.value)))
                }
                let values = try values(change, schema).sorted { $0.key < $1.key }
                return Preview.Change(
                    kind: item == nil ? "new" : "changed", type: type, id: change.id,
                    values: try values.map { attribute, value in
                        let before = try item?.backing.value(forAttribute: attribute) ?? .null
                        return Preview.Value(
                            attribute: attribute, before: before.jsonText, after: value.jsonText)
                    }, digest: try item.map { try digest(of: $0, schema, []) })
            })
    }

    private func digest(
        of item: any DataStoreItem, _ schema: ItemSchema, _ others: [Set<ItemReference>]
    ) throws(DataStoreError) -> Int {
        var hasher = Hasher()
        for attribute in schema.attributes {
            hasher.combine(try item.backing.value(forAttribute: attribute.name).jsonText)
        }
        for others in others { hasher.combine(others) }
        return hasher.finalize()
    }

    private func apply(_ change: Draft.Change, _ db: borrowing DataStoreWriter) throws {
        let schema = try schema(change.type, db)
        let type = schema.itemTypeKey
        let values = try values(change, schema)
        let item: DynamicItem
        if let id = change.id {
            let reference = ItemReference(itemTypeKey: type, id: try Self.id(id))
            // An earlier deletion of the draft may also have deleted it.
            guard let found = try db.dynamicItem(reference) else { return }
            if change.isDeletion == true { return try db.delete(found) }
            item = found
        } else {
            item = try db.create(type)
        }
        for (attribute, value) in values { item[attribute] = value }
    }

    private func values(
        _ change: Draft.Change, _ schema: ItemSchema
    ) throws(DataStoreError) -> [String: DataStoreValue] {
        var values: [String: DataStoreValue] = [:]
        for (name, text) in change.values ?? [:] {
            guard schema.index(ofAttribute: name) != nil else {
                throw DataStoreError(
                    .unknownAttribute, in: "inspect",
                    "“\(schema.itemTypeKey)” has no attribute “\(name)”.",
                    itemType: schema.itemTypeKey, attribute: name)
            }
            if redaction.hides(name, of: schema.itemTypeKey) {
                throw redaction.refusal(name, of: schema.itemTypeKey)
            }
            guard let value = try DataStoreValue.parsed(jsonText: text) else {
                throw DataStoreError(
                    .invalidRequest, in: "inspect",
                    "The new value of “\(name)” is not JSON. Write a text in double quotes.",
                    itemType: schema.itemTypeKey, attribute: name)
            }
            values[name] = value
        }
        return values
    }

    func existing(
        _ text: String, of type: String, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> any DataStoreItem {
        let id = try Self.id(text)
        if let item = try db.performFetchItem(ItemType(dynamic: type), id: id) { return item }
        throw DataStoreError(
            .itemDeleted, in: "inspect", "There is no “\(type)” with the id \(id).", itemType: type)
    }

    static func id(_ text: String) throws(DataStoreError) -> ItemID {
        if let id = ItemID(text) { return id }
        throw DataStoreError(.invalidRequest, in: "inspect", "“\(text)” is not the id of an item.")
    }
}
