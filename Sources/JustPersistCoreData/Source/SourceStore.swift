import Foundation
import JustPersist

/// The tables of a store of Core Data, as they are.
final class SourceStore {
    /// One table.
    struct Table {
        let name: String
        /// The declared kinds of the columns by their names in upper case.
        let columns: [String: String]

        func has(_ column: String) -> Bool { columns[column.uppercased()] != nil }
    }

    /// One row of Z_PRIMARYKEY.
    struct Entity {
        let number: Int
        let name: String
        /// The number of the entity above; 0 for none.
        let parent: Int
    }

    let file: SQLiteFile
    let copy: StoreCopy
    /// The name for errors.
    let name: String
    /// The identity of the store, in the URIs of its objects.
    let uuid: String
    /// The tables by their names in upper case.
    let tables: [String: Table]
    let entities: [Entity]
    /// The names of the indexes, in upper case.
    let indexes: Set<String>

    /// Copies and opens a store.
    init(_ url: URL) throws(DataStoreError) {
        copy = try StoreCopy(url)
        let name = url.lastPathComponent
        self.name = name
        let file = try SQLiteFile(copy.file, named: name)
        self.file = file
        var tables: [String: Table] = [:]
        // No view and no virtual table, which would run code.
        try file.forEach(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
        ) { (row) throws(DataStoreError) in
            guard let table = row[0].text else { return }
            var columns: [String: String] = [:]
            try file.forEach("SELECT name, type FROM pragma_table_info(\(table.quotedText))") {
                if let column = $0[0].text { columns[column.uppercased()] = $0[1].text ?? "" }
            }
            tables[table.uppercased()] = Table(name: table, columns: columns)
        }
        self.tables = tables
        var indexes: Set<String> = []
        try file.forEach("SELECT name FROM sqlite_master WHERE type = 'index'") { row in
            if let index = row[0].text { indexes.insert(index.uppercased()) }
        }
        self.indexes = indexes
        guard tables["Z_METADATA"]?.has("Z_UUID") == true,
            tables["Z_PRIMARYKEY"]?.has("Z_NAME") == true,
            let uuid = try file.first("SELECT Z_UUID FROM Z_METADATA").text
        else {
            throw DataStoreError(
                .notAStore, in: "import",
                "“\(name)” is an SQLite file, but no store of Core Data or SwiftData. Give one of those."
            )
        }
        self.uuid = uuid
        var entities: [Entity] = []
        try file.forEach("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT") { row in
            guard let number = row[0].int, let name = row[1].text, (1...1_000_000).contains(number)
            else { return }
            entities.append(
                Entity(number: Int(number), name: name, parent: Int(clamping: row[2].int ?? 0)))
        }
        self.entities = entities
        if Set(entities.map(\.number)).count < entities.count
            || Set(entities.map(\.name)).count < entities.count
        {
            throw damaged("two entities have one name or one number")
        }
    }

    /// The numbers that a query finds.
    func numbers(_ query: String) throws(DataStoreError) -> [Int] {
        var numbers: [Int] = []
        try file.forEach(query) { row in
            if let number = row[0].int { numbers.append(Int(clamping: number)) }
        }
        return numbers
    }

    /// The error for content that contradicts itself.
    func damaged(_ reason: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "import",
            "“\(name)” is damaged: \(reason). Restore it from a backup.")
    }

    /// The model that the store keeps; `nil` if it has none.
    func cachedModel() throws(DataStoreError) -> Model? {
        guard tables["Z_MODELCACHE"]?.has("Z_CONTENT") == true,
            let content = try file.first("SELECT Z_CONTENT FROM Z_MODELCACHE").blob
        else { return nil }
        do throws(Malformed) {
            return try Model(archive: try Inflation.inflate(Array(content)))
        } catch {
            throw DataStoreError(
                .corrupted, in: "import",
                "The model in “\(name)” is damaged: \(error.reason). Restore the store from a backup."
            )
        }
    }

    /// The hashes of the entities with which the store was written; empty if it does not have them.
    func versionHashes() throws(DataStoreError) -> [String: Data] {
        guard tables["Z_METADATA"]?.has("Z_PLIST") == true,
            let list = try file.first("SELECT Z_PLIST FROM Z_METADATA").blob
        else { return [:] }
        do throws(Malformed) {
            return try PropertyListTree(list)["NSStoreModelVersionHashes"]?.members?
                .compactMapValues(\.data) ?? [:]
        } catch {
            throw damaged("of its description, \(error.reason)")
        }
    }

    /// Whether a table describes the store.
    static func describesStore(_ table: String) -> Bool {
        ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"].contains(table)
    }

    /// Whether a table has the history of changes, or the state of CloudKit.
    static func isHistory(_ table: String) -> Bool {
        ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table)
            || table.hasPrefix("ANSCK")
    }
}

extension String {
    /// The text as a literal in SQL.
    fileprivate var quotedText: String { "'" + replacing("'", with: "''") + "'" }
}
