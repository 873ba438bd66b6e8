import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Stores that know a type under its key and under a former one, as after a release that forgot the former key.
@Suite struct TypeConflictTests {
    fileprivate static func schema(_ key: String, formerly keys: String...) -> ItemSchema {
        ItemSchema(
            key, formerTypeKeys: keys,
            attributes: [AttributeSchema("name", kinds: [.string]), AttributeSchema("other")])
    }

    private final class Meal: MutableDataStoreItem {
        static let schema = TypeConflictTests.schema("Meal")
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    /// The release that forgot the former key.
    private final class ForgetfulDish: MutableDataStoreItem {
        static let schema = TypeConflictTests.schema("Dish")
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private final class Dish: MutableDataStoreItem {
        static let schema = TypeConflictTests.schema("Dish", formerly: "Meal")
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private func names(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ type: any DataStoreItem.Type
    ) throws -> [String?] {
        try names(db, DataStoreRequest(itemType: type))
    }

    private func names(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ request: DataStoreRequest
    ) throws -> [String?] {
        try db.performFetch(request).map { $0.value(forKeyPath: "name") as? String }
    }

    /// Makes a type known, and an item of it that lives or not.
    private func use(
        _ type: any MutableDataStoreItem.Type, _ name: String?, in store: any DataStore
    ) throws {
        try store.write { db in
            let item = try db.performCreate(ItemType(type))
            guard let name else { return try db.delete(item) }
            try item.setStoredValue(name, forKeyPath: "name")
        }
    }

    /// A note that refers to an item by a key.
    private func refer(to reference: ItemReference, in store: any DataStore) throws {
        try store.write { db in
            try db.declare(ItemSchema("Note", attributes: [AttributeSchema("about")]))
            try db.create("Note")["about"] = .reference(reference)
        }
    }

    private func reopened(
        _ backend: Backend, _ store: any DataStore, _ directory: URL
    ) throws -> any DataStore {
        if !backend.isPersistent { return store }
        try store.close()
        let store = backend.make(at: directory)
        try store.open()
        return store
    }

    @Test(arguments: [Backend.lmdb, .reference], [false, true])
    func theKeyThatHasItemsCounts(_ backend: Backend, isOldKeyInUse: Bool) throws {
        try withTemporaryDirectory { directory in
            var store: any DataStore = backend.make(at: directory)
            try store.open()
            try use(Meal.self, isOldKeyInUse ? "soup" : nil, in: store)
            try use(ForgetfulDish.self, isOldKeyInUse ? nil : "soup", in: store)
            let old = ItemType(isOldKeyInUse ? Meal.self : ForgetfulDish.self)
            let target = try store.read { db in
                try #require(try db.performFetch(DataStoreRequest(type: old)).first).reference
            }
            try refer(to: target, in: store)
            // By the key that has no items, as the class has written it.
            let other = isOldKeyInUse ? "Dish" : "Meal"
            try refer(to: ItemReference(itemTypeKey: other, id: target.id), in: store)
            store = try reopened(backend, store, directory)
            try store.read { db in
                try #expect(names(db, Dish.self) == ["soup"])
                try #expect(db.count(Dish.self) == 1)
                try #expect(db.item(Dish.self, target) != nil)
                let predicate = try DataStorePredicate("name == 'soup'")
                try #expect(db.count(Dish.self, where: predicate) == 1)
                try #expect(db.schemas().map(\.itemTypeKey) == ["Dish", "Meal", "Note"])
            }
            try store.write { db in
                try db.create(Dish.self).setStoredValue("salad", forKeyPath: "name")
                try #expect(names(db, Dish.self) == ["soup", "salad"])
                for key in ["Meal", "Dish"] {
                    let request = DataStoreRequest(itemTypeKey: key)
                    try #expect(db.performCount(request) == 2, "\(key)")
                }
            }
            for _ in 0..<2 {
                try store.read { db in
                    for type in [Meal.self, ForgetfulDish.self, Dish.self]
                        as [any DataStoreItem.Type]
                    {
                        try #expect(names(db, type) == ["soup", "salad"], "\(type)")
                    }
                    let schemas = try db.schemas().filter { $0.itemTypeKey != "Note" }
                    #expect(schemas.map(\.itemTypeKey) == ["Dish"])
                    #expect(schemas.map(\.formerTypeKeys) == [["Meal"]])
                    let notes = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Note"))
                    for note in notes {
                        #expect(
                            note["about"]
                                == .reference(ItemReference(itemTypeKey: "Dish", id: target.id)))
                        try #expect(note.storedValue(forKeyPath: "about.name") == .string("soup"))
                    }
                    let request = DataStoreRequest(itemTypeKey: "Note")
                    request.predicate = try DataStorePredicate("about.name == 'soup'")
                    try #expect(db.performCount(request) == 2)
                }
                try #expect(store.verify().problems.isEmpty)
                try #expect(store.verify().itemCounts == ["Dish": 2, "Note": 2])
                store = try reopened(backend, store, directory)
            }
            try store.close()
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func withoutItemsUnderEitherKeyTheTypesAreMerged(_ backend: Backend) throws {
        try backend.withStore { store in
            try use(Meal.self, nil, in: store)
            try use(ForgetfulDish.self, nil, in: store)
            try store.read { db in try #expect(names(db, Dish.self).isEmpty) }
            try use(Dish.self, "soup", in: store)
            try store.read { db in
                try #expect(names(db, Meal.self) == ["soup"])
                try #expect(db.schemas().map(\.itemTypeKey) == ["Dish"])
            }
        }
    }

    @Test(arguments: [Backend.lmdb, .reference])
    func itemsUnderBothKeysAreAnError(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            var store: any DataStore = backend.make(at: directory)
            try store.open()
            try use(Meal.self, "old", in: store)
            try use(ForgetfulDish.self, "new", in: store)
            let calls: [(any DataStore) throws -> Void] = [
                { try $0.read { db in _ = try db.items(Dish.self) } },
                { try $0.read { db in _ = try db.count(Dish.self) } },
                { try $0.read { db in _ = try db.item(Dish.self, id: ItemID()) } },
                { try $0.write { db in _ = try db.items(Dish.self) } },
                { try $0.write { db in _ = try db.create(Dish.self) } },
                { try $0.write { db in _ = try db.performInsert(Dish()) } },
                { try $0.write { db in try db.performDeleteAll([ItemType(Dish.self)]) } },
                { try $0.write { db in try db.declare(Dish.schema) } },
            ]
            for _ in 0..<2 {
                for call in calls {
                    let error = expectError(.conflictingTypes) { try call(store) }
                    #expect(error?.message.contains("“Dish”") == true)
                    #expect(error?.message.contains("“Meal”") == true)
                    #expect(error?.itemType == "Dish")
                }
                store = try reopened(backend, store, directory)
            }
            try #expect(store.verify().itemCounts == ["Dish": 1, "Meal": 1])
            // The way out is what the message says.
            try store.write { db in
                for old in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Meal")) {
                    try db.create("Dish")["name"] = old["name"]
                    try db.delete(old)
                }
            }
            try store.write { db in
                try #expect(names(db, Dish.self) == ["new", "old"])
                try db.create(Dish.self).setStoredValue("newer", forKeyPath: "name")
            }
            try store.read { db in
                for type in [Meal.self, Dish.self] as [any DataStoreItem.Type] {
                    try #expect(names(db, type) == ["new", "old", "newer"])
                }
                try #expect(db.schemas().map(\.itemTypeKey) == ["Dish"])
            }
            try expectSound(store)
            try store.close()
        }
    }

    /// What a block has made so far decides, also if it is not written yet.
    @Test(arguments: Backend.memoryAndReference)
    func itemsOfTheBlockItselfCount(_ backend: Backend) throws {
        try backend.withStore { store in
            try use(Meal.self, nil, in: store)
            try use(ForgetfulDish.self, "old", in: store)
            try store.write { db in
                let meal = try db.create(Meal.self)
                expectError(.conflictingTypes) { _ = try db.count(Dish.self) }
                try db.delete(meal)
                let dynamic = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Meal"))
                #expect(dynamic.isEmpty)
                try #expect(names(db, Dish.self) == ["old"])
                try db.declare(Dish.schema)
                // The class of the other key is the same type from now on.
                try db.create(Meal.self).setStoredValue("new", forKeyPath: "name")
                try #expect(db.count(Meal.self) == 2)
                try #expect(db.count(Dish.self, where: DataStorePredicate("name == 'new'")) == 1)
            }
            try store.read { db in try #expect(names(db, Dish.self) == ["old", "new"]) }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aMergeThatIsRolledBackChangesNothing(_ backend: Backend) throws {
        struct Upset: Error {}
        try backend.withStore { store in
            try use(Meal.self, "soup", in: store)
            try use(ForgetfulDish.self, nil, in: store)
            #expect(throws: Upset.self) {
                try store.write { db in
                    _ = try db.create(Dish.self)
                    throw Upset()
                }
            }
            try store.read { db in
                try #expect(db.schemas().map(\.itemTypeKey) == ["Dish", "Meal"])
                try #expect(names(db, Meal.self) == ["soup"])
                try #expect(names(db, ForgetfulDish.self).isEmpty)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aTypeThatGivesWayHandsItsFormerKeysOn(_ backend: Backend) throws {
        try backend.withStore { store in
            for schema in [
                Self.schema("Food"), Self.schema("Meal", formerly: "Food"), Self.schema("Dish"),
            ] {
                try store.write { db in try db.declare(schema) }
            }
            try store.write { db in try db.create("Dish")["name"] = .string("soup") }
            try store.write { db in try db.declare(Dish.schema) }
            try store.read { db in
                for key in ["Food", "Meal", "Dish"] {
                    try #expect(names(db, DataStoreRequest(itemTypeKey: key)) == ["soup"], "\(key)")
                }
                try #expect(db.schemas().map(\.itemTypeKey) == ["Dish"])
                try #expect(db.schemas().first?.formerTypeKeys.sorted() == ["Food", "Meal"])
            }
        }
    }

    /// The store need not have seen a former key for an earlier release to find the items.
    @Test(arguments: Backend.memoryAndReference)
    func aFormerKeyIsRememberedThatHadNoItems(_ backend: Backend) throws {
        try backend.withStore { store in
            try use(Dish.self, "soup", in: store)
            try use(Meal.self, "stew", in: store)
            try store.read { db in
                try #expect(names(db, Dish.self) == ["soup", "stew"])
                try #expect(names(db, Meal.self) == ["soup", "stew"])
                try #expect(db.schemas().map(\.itemTypeKey) == ["Dish"])
            }
        }
    }

    /// The same for a type that the store knew before its class had a former key.
    @Test(arguments: Backend.memoryAndReference)
    func aFormerKeyThatIsDeclaredLaterIsRemembered(_ backend: Backend) throws {
        try backend.withStore { store in
            try use(ForgetfulDish.self, "soup", in: store)
            try use(Dish.self, "salad", in: store)
            try store.read { db in
                try #expect(names(db, Meal.self) == ["soup", "salad"])
                try #expect(db.schemas().map(\.formerTypeKeys) == [["Meal"]])
            }
        }
    }

    @Test(arguments: ["", String(repeating: "k", count: 256)])
    func aFormerKeyThatCanBeNoneIsRefused(_ key: String) throws {
        try Backend.memory.withStore { store in
            #expect(throws: DataStoreError.self) {
                try store.write { db in try db.declare(Self.schema("Dish", formerly: key)) }
            }
            try store.read { db in try #expect(db.schemas().isEmpty) }
        }
    }

    /// It cannot be determined whether the former key has items.
    @Test(arguments: Backend.persistent, [false, true])
    func damageOfTheFormerTypeIsDamageOfTheType(
        _ backend: Backend, isNewKeyKnown: Bool
    ) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try use(Meal.self, "soup", in: store)
            if isNewKeyKnown { try use(ForgetfulDish.self, nil, in: store) }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let before = try bytes.entries(tag: StoredBytes.catalogTag)
            var after = before
            after[0].value[after[0].value.count - 1] ^= 1
            try bytes.replace(before, with: after)
            try store.open()
            store.read { db in
                expectError(.corrupted) { _ = try db.items(Dish.self) }
                return
            }
            expectError(.corrupted) { try store.write { db in _ = try db.create(Dish.self) } }
            expectError(.corrupted) { try store.write { db in try db.declare(Dish.schema) } }
            try #expect(bytesAreSame(after, store, bytes))
        }
    }

    private func bytesAreSame(
        _ entries: [(key: [UInt8], value: [UInt8])], _ store: any DataStore, _ bytes: StoredBytes
    ) throws -> Bool {
        try store.close()
        return try bytes.entries(tag: StoredBytes.catalogTag).map(\.value) == entries.map(\.value)
    }

    /// A later release may forbid to make two types one.
    @Test func aTypeThatMustNotBeWrittenIsNotMerged() throws {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try use(Meal.self, "soup", in: store)
        try use(ForgetfulDish.self, nil, in: store)
        try store.close()
        var entries = engine.entries
        let last = try #require(entries.lastIndex { $0.key[0] == StoredBytes.catalogTag })
        entries[last].value += [0x7F, 0]
        Checksum.correct(&entries[last])
        engine.entries = entries
        try store.open()
        try store.read { db in try #expect(names(db, Dish.self) == ["soup"]) }
        expectError(.newerFormat) { try store.write { db in _ = try db.create(Dish.self) } }
        #expect(engine.entries.map(\.value) == entries.map(\.value))
        try store.close()
    }
}
