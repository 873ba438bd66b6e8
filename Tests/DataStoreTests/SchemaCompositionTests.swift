import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistMigration
import JustPersistRecords
import Testing

/// Schema plans beside relationships, copies, damage and change streams.
@Suite struct SchemaCompositionTests {
    struct Killed: Error {}

    private static func fill(_ store: any DataStore, _ numbers: Range<Int>) throws {
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("n", kinds: [.int])]))
            for number in numbers { try db.create("T")["n"] = .int(Int64(number)) }
        }
    }

    private static func memoryStore() throws -> InMemoryDataStore {
        let store = InMemoryDataStore()
        try store.open()
        return store
    }

    private static func plan(_ names: String...) -> SchemaPlan {
        SchemaPlan("app") { for name in names { SchemaStep(name) { _ in } } }
    }

    @Test(arguments: Backend.allCases)
    func rulesOfADroppedRelationshipAreNotJudged(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Author", attributes: [AttributeSchema("name")],
                        relationships: [
                            .init(
                                "books", to: "Book", isToMany: true, isOrdered: true,
                                inverse: "authors", minimum: 1)
                        ]))
                try db.declare(
                    ItemSchema(
                        "Book", attributes: [AttributeSchema("title")],
                        relationships: [
                            .init(
                                "authors", to: "Author", isToMany: true, deleteRule: .deny,
                                inverse: "books", maximum: 1)
                        ]))
                for _ in 0..<3 {
                    let author = try db.create("Author")
                    author.related(toMany: "books", as: DynamicItem.self)
                        .insert(try db.create("Book"))
                }
            }
            try store.apply(
                SchemaPlan("app") {
                    SchemaStep("fewer books") { db in
                        let books = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book"))
                        try db.delete(books[0])
                        for author in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")) {
                            let others = author.related(toMany: "books", as: DynamicItem.self)
                            for book in Array(others) { others.remove(book) }
                        }
                    }
                    SchemaStep("no books") { db in try db.dropAttribute("books", of: "Author") }
                })
            let author = try store.read { db in
                try db.schemas().first { $0.itemTypeKey == "Author" }
            }
            #expect(author?.relationships.isEmpty == true)
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func linksAreChangedByTheirRelationshipOnly(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Author", attributes: [AttributeSchema("name")],
                        relationships: [.init("books", to: "Book", isToMany: true)]))
                try db.declare(ItemSchema("Book", attributes: [AttributeSchema("title")]))
                let author = try db.create("Author")
                author.related(toMany: "books", as: DynamicItem.self).insert(try db.create("Book"))
            }
            let types = try store.read { db in Set(try db.schemas().map(\.itemTypeKey)) }
            let links = try #require(types.subtracting(["Author", "Book"]).first)
            expectError(.unsupported) { try store.write { db in try db.dropType(links) } }
            expectError(.unsupported) {
                try store.write { db in try db.renameType(links, to: "L") }
            }
            expectError(.invalidRequest) {
                try store.write { db in try db.renameType("Book", to: "JustPersist.SchemaStep") }
            }
            try #expect(store.read { db in Set(try db.schemas().map(\.itemTypeKey)) } == types)
        }
    }

    /// The type has an attribute that predicates find under the name of the ids.
    @Test(arguments: Backend.memoryAndReference)
    func anAttributeNamedAsTheIDsIsNoObstacle(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T", attributes: [AttributeSchema("uniqueToken"), AttributeSchema("n")]))
                for number in 0..<2500 {
                    let item = try db.create("T")
                    item["uniqueToken"] = .string("\(number)")
                    item["n"] = .string("\(number)")
                }
            }
            try store.apply(
                SchemaPlan("app") {
                    SchemaStep("n") { db in try db.convert("n", of: "T", to: .int) }
                    SchemaStep.batched("next", of: "T", batchSize: 999) { item in
                        guard case .int(let number) = item["n"] else { return }
                        item["n"] = .int(number + 1)
                    }
                })
            let numbers = try store.read { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).map { $0["n"] }
            }
            #expect(numbers == (1...2500).map { .int($0) })
        }
    }

    // MARK: Copies

    @Test(arguments: Backend.memoryAndReference)
    func itemsAreNotCopiedPastStepsThatTheyNeed(_ backend: Backend) throws {
        for (ofSource, ofTarget, code): ([String], [String], DataStoreError.Code?) in [
            (["a"], ["a"], nil), ([], [], nil), (["a", "b"], ["a"], .olderSchema),
            (["a"], ["a", "b"], .newerSchema), ([], ["a"], .newerSchema), (["a"], [], .olderSchema),
        ] {
            try backend.withStore { source in
                try backend.withStore { target in
                    try Self.fill(source, 0..<3)
                    try Self.fill(target, 3..<5)
                    for (store, names) in [(source, ofSource), (target, ofTarget)] {
                        for place in names.indices {
                            try store.apply(
                                SchemaPlan("app") {
                                    for name in names[...place] { SchemaStep(name) { _ in } }
                                })
                        }
                    }
                    let migration = Migration(from: source, to: target, policy: .updateByID)
                    let count = {
                        try target.read { db in try db.count(DataStoreRequest(itemTypeKey: "T")) }
                    }
                    if let code {
                        expectError(code) { try migration.run() }
                        try #expect(count() == 2)
                    } else {
                        try migration.run()
                        try #expect(count() == 5)
                    }
                    try #expect(target.schemaHistory().map(\.name) == ofTarget)
                }
            }
        }
    }

    @Test func anEmptyStoreTakesOverTheSteps() throws {
        let (source, target) = (try Self.memoryStore(), try Self.memoryStore())
        try Self.fill(source, 0..<3)
        try source.apply(Self.plan("a", "b"))
        for _ in 0..<2 {
            try Migration(from: source, to: target, policy: .updateByID).run()
            try #expect(target.schemaHistory().map(\.name) == ["a", "b"])
        }
        let other = try Self.memoryStore()
        try other.apply(Self.plan("a"))
        let error = expectError(.targetNotEmpty) { try Migration(from: source, to: other).run() }
        #expect(error?.message.contains("no plan was applied") == true)
    }

    @Test func storesThatHaveAppliedTheStepsThemselvesAreEqual() throws {
        let (first, second) = (try Self.memoryStore(), try Self.memoryStore())
        for store in [first, second] { try store.apply(Self.plan("a")) }
        try #expect(StoreComparison(first, second).run().isSame)
        let named = StoreComparison(first, second, types: ["JustPersist.SchemaStep"])
        try #expect(!named.run().isSame)
        try second.apply(Self.plan("a", "b"))
        try #expect(!StoreComparison(first, second).run().isSame)
    }

    // MARK: Stores that apply no steps

    @Test func aStoreIsOpenedWithAPlanWhileItIsMigrated() throws {
        try withTemporaryDirectory { directory in
            let old = LMDBDataStore(at: directory.appending(path: "old"))
            try old.open()
            try Self.fill(old, 0..<3)
            try old.apply(Self.plan("a"))
            try old.close()
            let store = MigratingDataStore(
                from: old, to: LevelDBDataStore(at: directory.appending(path: "new")),
                recordedIn: directory.appending(path: "migration.json"))
            try #expect(store.open(plan: Self.plan("a")).steps.isEmpty)
            try store.waitUntilInStep()
            expectError(.unsupported) { try store.apply(Self.plan("a", "b")) }
            expectError(.newerSchema) { try store.apply(Self.plan()) }
            try store.close()
        }
    }

    /// The damage hides the type, or its attributes, which nothing has dropped.
    @Test(arguments: [true, false])
    func damageOfTheCatalogDropsNothingInTheReplica(hidesType: Bool) throws {
        try withTemporaryDirectory { directory in
            let (old, new) = (
                LMDBDataStore(at: directory.appending(path: "old")),
                LevelDBDataStore(at: directory.appending(path: "new"))
            )
            let record = directory.appending(path: "migration.json")
            do {
                let store = MigratingDataStore(from: old, to: new, recordedIn: record)
                try store.open()
                try Self.fill(store, 0..<3)
                try store.waitUntilInStep()
                try store.close()
            }
            let bytes = StoredBytes(.lmdb, at: directory.appending(path: "old"))
            let before = try bytes.entries(tag: StoredBytes.catalogTag)
            var after = before
            if hidesType {
                after.removeFirst()
            } else {
                after[0].value[after[0].value.count - 1] ^= 1
            }
            try bytes.replace(before, with: after)
            let store = MigratingDataStore(from: old, to: new, recordedIn: record)
            try? store.open()
            try? store.write { db in
                try db.declare(ItemSchema("U", attributes: [AttributeSchema("a")]))
                _ = try db.create("U")
            }
            try? store.close()
            try new.open()
            let found = try new.read { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).map { $0["n"] }
            }
            #expect(found == (0..<3).map { .int($0) })
            try new.close()
        }
    }

    // MARK: Change streams

    /// Opens a store, and leaves it with an unfinished step; the token is that of the state before the last insertion.
    private static func interruptStep(in store: any DataStore) throws -> ChangeToken {
        try store.open()
        try fill(store, 0..<5)
        let token = try store.read { db in try db.changeToken }
        try store.write { db in try db.create("T")["n"] = .int(5) }
        let plan = SchemaPlan("app") {
            SchemaStep.batched("next", of: "T", batchSize: 2) { $0["n"] = .int(7) }
        }
        #expect(throws: Killed.self) {
            try store.apply(plan) { if $0.items == 2 { throw Killed() } }
        }
        return token
    }

    @Test(arguments: Backend.persistent)
    func aLoggedStreamIsWholeBesideAnUnfinishedStep(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(
                at: directory,
                options: DataStoreOptions(changeLog: ChangeLogLength(commits: 1000)))
            let token = try Self.interruptStep(in: store)
            for await change in store.changes(ofType: "T", since: token) {
                #expect(change.isComplete)
                #expect(change.inserted.count == 1)
                break
            }
            try store.close()
        }
    }
}
