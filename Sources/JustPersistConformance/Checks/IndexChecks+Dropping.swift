import JustPersist

/// Indexes that a class does not declare any more.
extension IndexChecks {
    static let dropping: [CheckDefinition] = [
        CheckDefinition(
            "idx/unique-dropped", clause: [9, 20], gate: .requires(.uniqueness),
            "What a class does not declare unique any more is kept twice, and what it declares instead is not."
        ) { check in
            let store = try check.openStore()
            try store.write { db in
                for number in 0..<5 {
                    try db.create(FirstRelease.self).backing
                        .setValue(.int(Int64(number)), forAttribute: key)
                }
            }
            check.expectError(.uniqueViolation, what: "a second item of the first release") {
                try store.write { db in
                    try db.create(FirstRelease.self).backing.setValue(.int(3), forAttribute: key)
                }
            }
            func add(_ number: Int64, _ name: String) throws {
                try store.write { db in
                    let item = try db.create(SecondRelease.self)
                    try item.backing.setValue(.int(number), forAttribute: key)
                    try item.backing.setValue(.string(name), forAttribute: text)
                }
            }
            try add(3, "a")
            try add(3, "b")
            check.expectError(.uniqueViolation, what: "a second item of the second release") {
                try add(9, "a")
            }
            try store.read { db in
                check.expectEqual(
                    try db.performCount(
                        DataStoreRequest(
                            type: ItemType(SecondRelease.self),
                            predicate: .compare(key, .equal, .int(3)))), 3,
                    "the number of items with what was unique once")
                check.expectEqual(
                    try db.schemas().filter { $0.itemTypeKey == "ConformanceRelease" }
                        .flatMap(\.indexes), [IndexSchema([text], isUnique: true)],
                    "the indexes that the store knows of")
            }
        }
    ]

    private final class FirstRelease: MutableDataStoreItem {
        static let schema = ItemSchema(
            "ConformanceRelease",
            attributes: [AttributeSchema(key, isUnique: true), AttributeSchema(text)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private final class SecondRelease: MutableDataStoreItem {
        static let schema = ItemSchema(
            "ConformanceRelease",
            attributes: [AttributeSchema(key), AttributeSchema(text, isUnique: true)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }
}
