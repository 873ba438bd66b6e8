import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import Testing

/// No two items have the same values for attributes that are declared unique.
@Suite struct UniqueTests {
    private static func schema(unique: [[String]]) -> ItemSchema {
        ItemSchema(
            "Permit", attributes: ["number", "year", "town"].map { AttributeSchema($0) },
            indexes: unique.map { IndexSchema($0, isUnique: true) })
    }

    private func withStore(
        _ backend: Backend, unique: [[String]] = [["number"]], errors: ErrorLog = ErrorLog(),
        _ body: (any DataStore) throws -> Void
    ) throws {
        try backend.withStore(errors: errors) { store in
            try store.write { db in try db.declare(Self.schema(unique: unique)) }
            try body(store)
        }
    }

    @discardableResult
    private func add(
        _ db: borrowing DataStoreWriter, _ number: DataStoreValue, year: Int64? = nil
    ) throws -> DynamicItem {
        let item = try db.create("Permit")
        item["number"] = number
        if let year { item["year"] = .int(year) }
        return item
    }

    private func expectCount(_ expected: Int, _ store: any DataStore) throws {
        let count = try store.read { db in
            try db.count(DataStoreRequest(itemTypeKey: "Permit"))
        }
        #expect(count == expected)
    }

    @Test(arguments: Backend.ofRecords)
    func aDuplicateOfAStoredItemIsRefusedNamingBoth(_ backend: Backend) throws {
        try withStore(backend) { store in
            let first = try store.write { db in try add(db, .string("40391")).id }
            var second: ItemID?
            let error = expectError(.uniqueViolation) {
                try store.write { db in
                    try add(db, .string("1"))
                    second = try add(db, .string("40391")).id
                }
            }
            let message = error?.message ?? ""
            let other = try #require(second)
            #expect(message.contains("\(first)") && message.contains("\(other)"))
            #expect(error?.itemType == "Permit" && error?.attribute == "number")
            try expectCount(1, store)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func aDuplicateInOneBlockIsRefusedByTheNextQuery(_ backend: Backend) throws {
        try withStore(backend) { store in
            expectError(.uniqueViolation) {
                try store.write { db in
                    try add(db, .string("1"))
                    try add(db, .string("1"))
                    expectError(.uniqueViolation) {
                        _ = try db.count(DataStoreRequest(itemTypeKey: "Permit"))
                    }
                }
            }
            try expectCount(0, store)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func anUpdateToAValueThatIsTakenIsRefused(_ backend: Backend) throws {
        try withStore(backend) { store in
            let second = try store.write { db in
                try add(db, .string("1"))
                return try add(db, .string("2")).reference
            }
            expectError(.uniqueViolation) {
                try store.write { db in
                    let item = try db.dynamicItem(second)
                    item?["number"] = .string("1")
                }
            }
            // As it was, and free to be anything else.
            try store.write { db in
                let item = try #require(try db.dynamicItem(second))
                #expect(item["number"] == .string("2"))
                item["number"] = .string("3")
            }
            try store.write { db in _ = try add(db, .string("2")) }
        }
    }

    @Test(arguments: Backend.ofRecords)
    func itemsExchangeTheirValues(_ backend: Backend) throws {
        try withStore(backend) { store in
            let (first, second) = try store.write { db in
                (try add(db, .string("1")).reference, try add(db, .string("2")).reference)
            }
            try store.write { db in
                try db.dynamicItem(first)?["number"] = .string("2")
                try db.dynamicItem(second)?["number"] = .string("1")
            }
            try store.read { db in
                let numbers = try [first, second].map { try db.dynamicItem($0)?["number"] }
                #expect(numbers == [.string("2"), .string("1")])
            }
        }
    }

    @Test(arguments: Backend.ofRecords)
    func aDeletedItemLeavesItsValue(_ backend: Backend) throws {
        try withStore(backend) { store in
            try store.write { db in
                let item = try add(db, .string("1"))
                try db.delete(item)
                _ = try add(db, .string("1"))
            }
            try store.write { db in
                try db.performDeleteAll([ItemType(dynamic: "Permit")])
                try add(db, .string("1"))
            }
            try expectCount(1, store)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func valuesAreTheSameAsTheContractComparesThem(_ backend: Backend) throws {
        let long = String(repeating: "x", count: 1000)
        let same: [(DataStoreValue, DataStoreValue)] = [
            (.int(1), .double(1)), (.int(1), .bool(true)), (.double(-0.0), .int(0)),
            (.string("e\u{301}"), .string("é")), (.string(long + "1"), .string(long + "1")),
            (.decimal(Decimal(string: "0.10") ?? 0), .decimal(Decimal(string: "0.1") ?? 1)),
        ]
        let different: [(DataStoreValue, DataStoreValue)] = [
            (.null, .null), (.double(.nan), .double(.nan)), (.string("a"), .string("A")),
            (.int(1), .string("1")), (.string(long + "1"), .string(long + "2")),
            (.int((1 << 53) + 1), .double(0x1p53)), (.int(.max), .double(0x1p63)),
            (.decimal(Decimal(string: "0.1") ?? 0), .double(0.1)), (.string(""), .null),
            (.array([.int(1)]), .array([.int(1)])),
        ]
        for (first, second) in same {
            try withStore(backend) { store in
                expectError(.uniqueViolation) {
                    try store.write { db in
                        try add(db, first)
                        try add(db, second)
                    }
                }
            }
        }
        for (first, second) in different {
            try withStore(backend) { store in
                try store.write { db in
                    try add(db, first)
                    try add(db, second)
                }
            }
        }
    }

    @Test(arguments: Backend.ofRecords)
    func severalAttributesAreUniqueTogether(_ backend: Backend) throws {
        try withStore(backend, unique: [["number", "year"]]) { store in
            try store.write { db in
                try add(db, .string("1"), year: 2024)
                try add(db, .string("1"), year: 2025)
                try add(db, .string("2"), year: 2024)
                // Null never collides.
                try add(db, .string("1"))
                try add(db, .string("1"))
            }
            expectError(.uniqueViolation) {
                try store.write { db in _ = try add(db, .string("1"), year: 2025) }
            }
            try expectCount(5, store)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func duplicatesThatWereThereAreReportedAndStay(_ backend: Backend) throws {
        let errors = ErrorLog()
        try withStore(backend, unique: [], errors: errors) { store in
            try store.write { db in
                for number in 0..<10 { try add(db, .int(Int64(number % 8))) }
            }
            try store.write { db in try db.declare(Self.schema(unique: [["number"]])) }
            #expect(errors.codes == [.uniqueViolation])
            try expectCount(10, store)
            // They can be changed otherwise, and no third joins them.
            try store.write { db in
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Permit"))
                for item in items { item["town"] = .string("here") }
            }
            expectError(.uniqueViolation) { try store.write { db in _ = try add(db, .int(0)) } }
        }
    }

    @Test func twoThreadsThatImportTheSameLeaveNoDuplicate() throws {
        for backend in Backend.ofRecords {
            try withStore(backend) { store in
                DispatchQueue.concurrentPerform(iterations: 2) { _ in
                    for number in 0..<200 {
                        try? store.write { db in _ = try add(db, .int(Int64(number))) }
                    }
                }
                try expectCount(200, store)
            }
        }
    }
}
