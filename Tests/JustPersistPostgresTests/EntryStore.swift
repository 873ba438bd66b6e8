import Foundation
import JustPersist
import JustPersistPostgres

/// A store of entries, each with a number.
extension PostgresDataStore {
    static func withEntries(_ url: String) throws -> PostgresDataStore {
        let store = try PostgresDataStore.open(url)
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Entry", attributes: [AttributeSchema("number"), AttributeSchema("secret")]))
        }
        return store
    }

    /// Creates an entry, and calls `body` at the end of the block.
    func writeEntry(_ number: Int64, _ body: () -> Void = {}) throws {
        try write { db in
            let item = try db.create("Entry")
            item["number"] = .int(number)
            if let secret = Self.secret { item["secret"] = .string(secret) }
            body()
        }
    }

    /// A text that each entry has, and that is shown nowhere; `nil` unless it is looked for.
    private static var secret: String? { ProcessInfo.processInfo.environment["JP_SECRETS"] }

    /// The numbers of all entries; -1 for one that is no whole number.
    func entryNumbers() throws -> [Int64] {
        try read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Entry")).map { item in
                if case .int(let number) = item["number"] { number } else { -1 }
            }
        }
    }
}
