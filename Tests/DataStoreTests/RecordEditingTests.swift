import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Attributes set in any order, with values of any size, over and over: nothing but the one that was set changes.
@Suite struct RecordEditingTests {
    /// More attributes than a new record has entries for from the start.
    private final class Wide: MutableDataStoreItem {
        static let names = (0..<70).map { "a\($0)" }
        static let schema = ItemSchema("Wide", attributes: names.map { AttributeSchema($0) })
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        subscript(index: Int) -> DataStoreValue {
            get { attribute(at: index, default: .null) }
            set { setAttribute(newValue, at: index) }
        }
    }

    @Test(arguments: ["Sample", "Wide"])
    func settingOneAttributeLeavesTheOthers(_ type: String) throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(generator.seed)")
        try Backend.memory.withStore { store in
            for _ in 0..<60 {
                var model: [Int: DataStoreValue] = [:]
                let id = try store.write { db in
                    let item = try make(type, db)
                    for _ in 0..<Int.random(in: 0..<40, using: &generator) {
                        try change(item, &model, &generator)
                    }
                    return item.uniqueToken
                }
                for _ in 0..<3 {
                    try store.write { db in
                        let item = try #require(try find(type, id, db))
                        check(item, model)
                        for _ in 0..<Int.random(in: 0..<10, using: &generator) {
                            try change(item, &model, &generator)
                            // Written, and changed on.
                            if Int.random(in: 0..<8, using: &generator) == 0 {
                                _ = try db.count(
                                    Sample.self, where: DataStorePredicate("uniqueToken == %@", id))
                            }
                        }
                        check(item, model)
                    }
                }
                try store.read { db in check(try #require(try find(type, id, db)), model) }
            }
        }
    }

    private func make(
        _ type: String, _ db: borrowing DataStoreWriter
    ) throws -> any MutableDataStoreItem {
        if type == "Wide" { return try db.create(Wide.self) }
        return try db.create(Sample.self)
    }

    private func find(
        _ type: String, _ id: ItemID, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws -> (any DataStoreItem)? {
        if type == "Wide" { return try db.item(Wide.self, id: id) }
        return try db.item(Sample.self, id: id)
    }

    private func change(
        _ item: any DataStoreItem, _ model: inout [Int: DataStoreValue],
        _ generator: inout SeededGenerator
    ) throws {
        let attributes = type(of: item).schema.attributes.count
        let index = Int.random(in: 0..<attributes, using: &generator)
        let value: DataStoreValue
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: value = .null
        case 1: value = .bool(.random(using: &generator))
        case 2: value = .int(.random(in: .min ... .max, using: &generator))
        case 3: value = .double(.random(in: -1...1, using: &generator))
        case 4: value = .string("")
        case 5: value = .array([.int(1), .string("x")])
        case 6 where Int.random(in: 0..<6, using: &generator) == 0:
            // About the length from which on a table has wide entries.
            let length = 65_535 + Int.random(in: -300...300, using: &generator)
            value = .data(Data(repeating: 7, count: length))
        default:
            let length = Int.random(in: 1..<40, using: &generator)
            value = .string(String(repeating: "é", count: length))
        }
        try item.backing.setValue(value, at: index)
        model[index] = value
        // Read at once, before anything is written.
        #expect(try item.backing.value(at: index) == value)
    }

    private func check(_ item: any DataStoreItem, _ model: [Int: DataStoreValue]) {
        for index in type(of: item).schema.attributes.indices {
            #expect((try? item.backing.value(at: index)) == model[index] ?? .null)
        }
    }
}
