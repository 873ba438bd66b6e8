import Foundation
import JustPersist
import Testing

/// Values that a block has set before it changes a schema.
@Suite struct SchemaBlockTests {
    final class Note: MutableDataStoreItem {
        static let schema = ItemSchema(
            "T",
            attributes: [
                AttributeSchema("a", kinds: [.int]), AttributeSchema("b", kinds: [.string]),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private func fill(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(
                ItemSchema("T", attributes: ["a", "x"].map { AttributeSchema($0) }))
            let item = try db.create("T")
            (item["a"], item["x"]) = (.int(1), .int(1))
        }
    }

    private func first(_ db: borrowing DataStoreWriter) throws -> DynamicItem {
        try #require(try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).first)
    }

    /// Changes of the type that do not concern the value.
    private static let changes: [@Sendable (borrowing DataStoreWriter) throws -> Void] = [
        { db in try db.renameAttribute("x", to: "y", of: "T") },
        { db in try db.dropAttribute("x", of: "T") },
        { db in try db.convert("x", of: "T", to: .string) },
        { db in
            let attribute = AttributeSchema("x", default: .int(5))
            try db.declare(ItemSchema("T", attributes: [attribute]))
            try db.convert("x", of: "T", to: .string)
        },
        { db in try db.renameType("T", to: "U") },
        { db in try db.declare(ItemSchema("T", attributes: [AttributeSchema("z")])) },
        { db in try db.declare(ItemSchema("T", attributes: [AttributeSchema("a", kinds: [.int])]))
        },
    ]

    @Test(arguments: Backend.allCases)
    func aClassIsRefusedForAValueThatWasSetBeforeAnotherChange(_ backend: Backend) throws {
        for (number, change) in Self.changes.enumerated() {
            for isOneBlock in [false, true] {
                try backend.withStore { store in
                    try fill(store)
                    let note = "change \(number), in one block: \(isOneBlock)"
                    func use(_ db: borrowing DataStoreWriter) throws {
                        expectError(.schemaMismatch) { _ = try db.create(Note.self) }
                    }
                    try store.write { db in
                        try first(db)["a"] = .string("many")
                        try change(db)
                        if isOneBlock { try use(db) }
                    }
                    if store.capabilities.persistence != .none {
                        try store.close()
                        try store.open()
                    }
                    let kinds = try store.read { db in
                        try db.schemas()[0].attributes.first { $0.name == "a" }?.storedKinds
                    }
                    #expect(kinds?.contains(.string) == true, "\(note)")
                    if number != 4 { try store.write { db in try use(db) } }
                    try expectSound(store)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aRefusalEndsWithTheValuesThatDidNotFit(_ backend: Backend) throws {
        let corrections: [@Sendable (borrowing DataStoreWriter, DynamicItem) throws -> Void] = [
            { _, item in item["a"] = .int(2) }, { _, item in item["a"] = .null },
            { db, item in try db.delete(item) },
            { db, _ in try db.performDeleteAll([ItemType(dynamic: "T")]) },
            { db, _ in try db.dropAttribute("a", of: "T") },
            { db, _ in try db.convert("a", of: "T", to: .int, onFailure: .drop) },
            { db, _ in try db.renameAttribute("a", to: "other", of: "T") },
        ]
        for (number, correct) in corrections.enumerated() {
            try backend.withStore { store in
                try fill(store)
                try store.write { db in
                    let item = try first(db)
                    item["a"] = .string("many")
                    for _ in 0..<2 {
                        expectError(.schemaMismatch) { _ = try db.create(Note.self) }
                    }
                    try correct(db, item)
                    if number == corrections.count - 1 {
                        // The former name belongs to the values until another attribute has it.
                        expectError(.schemaMismatch) { _ = try db.create(Note.self) }
                    } else {
                        try db.create(Note.self).setStoredValue(3, forKeyPath: "a")
                    }
                }
            }
        }
    }
}
