import Foundation
import GRDB
import JustPersist

/// A row of the table `item`, as the contract's evaluator sees it.
struct ItemRow: PredicateSubject, Identifiable {
    let id: ItemID
    let type: BlockType
    /// By the attributes' numbers.
    let values: [Int: DataStoreValue]
    private let block: ReadBlock

    /// Decodes a row with the columns `id` and `attributes`.
    init(_ row: Row, _ type: BlockType, _ block: ReadBlock) throws(DataStoreError) {
        guard let uuid = UUID.fromDatabaseValue(row["id"]) else {
            throw Self.damaged("with an id that is none", type)
        }
        id = ItemID(uuid)
        guard let json = Data.fromDatabaseValue(row["attributes"]),
            let values = try? JSONDecoder().decode([Int: DataStoreValue].self, from: json),
            values.keys.allSatisfy({ type.stored?.attributes.indices.contains($0) == true })
        else { throw Self.damaged("\(id)", type) }
        self.values = values
        self.type = type
        self.block = block
    }

    func value(forAttribute name: String) -> DataStoreValue {
        if name == "uniqueToken", !type.hasOwnToken { return .uuid(id.uuid) }
        guard let (attribute, number) = type.attributeForQuery(name) else { return .null }
        return attribute.value(stored: number.flatMap { values[$0] })
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try block.value(forAttribute: name, of: reference)
    }

    /// The text for the column `attributes`.
    ///
    /// JSON by the contract's own coding, which keeps every bit, and in which NUL is escaped: SQLite's texts
    /// end there.
    static func json(_ values: [Int: DataStoreValue]) throws -> String {
        String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
    }

    private static func damaged(_ item: String, _ type: BlockType) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            The row of the “\(type.key)” \(item) is damaged. Other items are not concerned. Restore it from a \
            backup, or delete the item.
            """, itemType: type.key)
    }
}
