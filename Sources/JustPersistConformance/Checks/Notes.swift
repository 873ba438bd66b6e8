import JustPersist

/// Items with a text, for the checks that only need some items.
enum Notes {
    static let type = ItemType(dynamic: "ConformanceNote")
    static let schema = ItemSchema(
        type.key,
        attributes: [
            AttributeSchema("text", kinds: [.string]), AttributeSchema("extra"),
        ])

    /// A request for all notes, in the order of their creation.
    static var all: DataStoreRequest { DataStoreRequest(type: type) }

    /// A request that every store refuses.
    static var impossible: DataStoreRequest { DataStoreRequest(type: type, limit: -1) }

    /// A note's text.
    static func text(of note: any DataStoreItem) throws(DataStoreError) -> String {
        guard case .string(let text) = try note.backing.value(forAttribute: "text") else {
            return "(no text)"
        }
        return text
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The texts of all notes.
    func notes() throws(DataStoreError) -> [String] {
        var texts: [String] = []
        for note in try dynamicItems(Notes.all) { texts.append(try Notes.text(of: note)) }
        return texts
    }

    /// The note with a text.
    func note(_ text: String) throws(DataStoreError) -> DynamicItem? {
        for note in try dynamicItems(Notes.all) where try Notes.text(of: note) == text {
            return note
        }
        return nil
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Creates a note.
    @discardableResult
    func addNote(_ text: String) throws(DataStoreError) -> DynamicItem {
        try declare(Notes.schema)
        let note = try create(Notes.type.key)
        try note.setStoredValue(text, forKeyPath: "text")
        return note
    }
}

extension DataStore {
    /// Creates a note in a separate write block.
    func addNote(_ text: String) throws {
        try write { db in _ = try db.addNote(text) }
    }

    /// The texts of all notes, read in a separate block.
    func notes() throws -> [String] { try read { db in try db.notes() } }
}

/// The error that blocks of checks throw.
struct Upset: Error, Equatable {
    let number: Int
}
