import JustPersist

/// Checks of indexes that a class no longer declares.
extension IndexChecks {
    static let dropping: [CheckDefinition] = [
        CheckDefinition(
            "idx/built", clause: [20],
            "buildIndexes waits for the declared indexes, changes no answer, and rethrows the error of its progress."
        ) { check in
            let count = PrimitiveChecks.many(check)
            try check.requireBlocks(of: count)
            let corpus = try Corpus(
                (0..<count).map { [key: .int(Int64($0 % 700)), text: .string("\($0)")] },
                as: "ConformanceBuilt", in: check.openStore())
            let wanted = try Answers(
                to: [
                    Query(predicate: .compare(key, .equal, .int(7))),
                    Query(sort: [.descending(key)], offset: 3, limit: 40),
                    Query(predicate: .compare(text, .greater, .string("9"))), Query(limit: 5),
                ], of: corpus, check)
            for index in [
                IndexSchema([key]), IndexSchema([key, text]), IndexSchema([text], isUnique: true),
            ] {
                try corpus.store.write { db in
                    try db.declare(
                        ItemSchema(
                            corpus.type, attributes: [key, text].map { AttributeSchema($0) },
                            indexes: [index]))
                }
                var calls = 0
                do {
                    try corpus.store.buildIndexes { _ in
                        calls += 1
                        throw Upset(number: 3)
                    }
                    check.expectEqual(calls, 0, "calls of a progress that throws, unnoticed")
                } catch let error as Upset {
                    check.expectEqual(error, Upset(number: 3), "the error of buildIndexes")
                }
                try wanted.expect("after a building that was given up")
                for _ in 1...2 { try corpus.store.buildIndexes() }
                try wanted.expect("with the index on \(index.attributes)")
            }
            if check.reopeningKeepsData {
                let again = try check.reopened(corpus.store)
                try again.buildIndexes()
                try wanted.expect("reopened", in: again)
            }
        },
        CheckDefinition(
            "idx/unique-dropped", clause: [9, 20], gate: .requires(.uniqueness),
            "A class that declares other attributes unique has only these enforced."
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
        },
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
