import Foundation
import SQLiteDataStore
import Synchronization
import Testing

/// An item with a name and a value of any kind.
final class Note: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Note",
        attributes: [
            AttributeSchema("name", kinds: [.string], keyPath: \Note.name),
            AttributeSchema("value", keyPath: \Note.value),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String {
        get { attribute(at: 0, default: "") }
        set { setAttribute(newValue, at: 0) }
    }
    var value: DataStoreValue {
        get { attribute(at: 1, default: .null) }
        set { setAttribute(newValue, at: 1) }
    }
}

extension SQLiteDataStore {
    /// The directory of the store.
    var url: URL { engine.url }
}

extension DataStore {
    /// Adds notes with these names.
    func fill(_ names: String...) throws {
        try write { db in
            for name in names { try db.create(Note.self).name = name }
        }
    }

    /// The names of the notes, in the order of their creation.
    func names() throws -> [String] { try read { db in try db.items(Note.self).map(\.name) } }
}

/// The errors that an error handler received.
final class ErrorLog: Sendable {
    private let errors = Mutex<[DataStoreError]>([])

    var all: [DataStoreError] { errors.withLock { $0 } }
    var codes: [DataStoreError.Code] { all.map(\.code) }

    func append(_ error: DataStoreError) { errors.withLock { $0.append(error) } }
}

/// A separate directory for a test.
func withDirectory(_ body: (URL) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "justpersist-sqlite-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory)
}

/// An open store in a separate directory, verified at the end.
func withStore(
    errors: ErrorLog = ErrorLog(), limits: DataStoreLimits = .contract,
    _ body: (SQLiteDataStore) throws -> Void
) throws {
    try withDirectory { directory in
        let store = SQLiteDataStore(
            at: directory, options: DataStoreOptions(errorHandler: { errors.append($0) }),
            limits: limits)
        try store.open()
        try body(store)
        try #expect(store.verify().problems.isEmpty)
        try store.close()
    }
}

/// Expects an error with a code, and returns it.
@discardableResult
func expectError(
    _ code: DataStoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> DataStoreError? {
    let error = #expect(throws: DataStoreError.self, sourceLocation: sourceLocation) {
        try body()
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return error
}
