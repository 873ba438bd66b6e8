import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Children that were made before their store dropped, renamed or converted something.
@Suite struct SchemaChildTests {
    final class Note: MutableDataStoreItem {
        static let schema = ItemSchema(
            "T",
            attributes: [
                AttributeSchema("a", kinds: [.int]), AttributeSchema("b", kinds: [.string]),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var a: Int? {
            get { optionalAttribute(at: 0) }
            set { setOptionalAttribute(newValue, at: 0) }
        }
        var b: String? {
            get { optionalAttribute(at: 1) }
            set { setOptionalAttribute(newValue, at: 1) }
        }
    }

    private static func rows(_ store: any DataStore) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).map { try $0.values() }
        }
    }

    /// A store with an item, and its child, which has changed that item and created another.
    private func withChild(
        _ body: (_ store: any DataStore, _ child: any DataStore) throws -> Void
    ) throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                let note = try db.create(Note.self)
                (note.a, note.b) = (1, "old")
            }
            let child = try store.makeChild()
            try child.open()
            try child.write { db in
                let note = try #require(try db.first(Note.self))
                (note.a, note.b) = (2, "changed")
                let new = try db.create(Note.self)
                (new.a, new.b) = (3, "new")
            }
            try body(store, child)
            try child.close()
        }
    }

    @Test(arguments: [MergePolicy.fail, .childWins, .parentWins])
    func whatTheParentDroppedIsReadNowhere(_ policy: MergePolicy) throws {
        try withChild { store, child in
            try store.write { db in try db.dropAttribute("b", of: "T", erasingValues: true) }
            try #expect(Self.rows(child) == [["a": .int(2)], ["a": .int(3)]])
            // The class declares the attribute again, as another one.
            try child.write { db in
                try db.create(Note.self).b = "newest"
                try #expect(db.items(Note.self).map(\.b) == [nil, nil, "newest"])
            }
            try #expect(store.merge(child, policy: policy).conflicts.isEmpty)
            let expected: [[String: DataStoreValue]] = [
                ["a": .int(2)], ["a": .int(3)], ["b": .string("newest")],
            ]
            try #expect(Self.rows(store) == expected)
            try #expect(Self.rows(child) == expected)
            try expectSound(store)
        }
    }

    @Test func aRunningBlockOfAChildLosesWhatTheParentDrops() throws {
        try withChild { store, child in
            try child.write { db in
                let note = try #require(try db.first(Note.self))
                note.b = "in the block"
                // A block of the parent must not run inside this one.
                try onThreads(1) { _ in
                    try store.write { db in try db.dropAttribute("b", of: "T") }
                }
                // Another class of the type, which declares something new.
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("c")]))
                try db.create(Note.self).b = "after"
            }
            _ = try store.merge(child, policy: .childWins)
            try #expect(
                Self.rows(store) == [["a": .int(2)], ["a": .int(3)], ["b": .string("after")]])
            try expectSound(store)
        }
    }

    @Test(arguments: [MergePolicy.childWins, .parentWins])
    func theItemsOfADroppedTypeAreConflicts(_ policy: MergePolicy) throws {
        try withChild { store, child in
            try store.write { db in try db.dropType("T") }
            try #expect(Self.rows(child).isEmpty)
            expectError(.mergeConflict) { _ = try store.merge(child, policy: .fail) }
            let report = try store.merge(child, policy: policy)
            #expect(report.conflicts.map(\.kind) == [.deletedInParent, .deletedInParent])
            try #expect(store.read { db in try db.schemas().isEmpty })
            try expectSound(store)
        }
    }

    @Test func aTypeThatIsDeclaredAgainTakesNoValuesOfTheDroppedOne() throws {
        try withChild { store, child in
            try store.write { db in
                try db.dropType("T")
                try db.declare(
                    ItemSchema(
                        "T", attributes: [AttributeSchema("x"), AttributeSchema("y")],
                        indexes: [IndexSchema(["x"])]))
                try db.create("T")["x"] = .int(10)
            }
            _ = try store.merge(child, policy: .childWins)
            // The child's new item has lost its values with their attributes.
            try #expect(
                Self.rows(store).sorted { $0.count < $1.count } == [[:], ["x": .int(10)]])
            try expectSound(store)
        }
    }

    @Test func renamedAttributesKeepTheChangesOfAChild() throws {
        try withChild { store, child in
            try store.write { db in
                try db.renameAttribute("b", to: "text", of: "T")
                try db.renameAttribute("a", to: "b", of: "T")
            }
            let expected: [[String: DataStoreValue]] = [
                ["b": .int(2), "text": .string("changed")], ["b": .int(3), "text": .string("new")],
            ]
            try #expect(Self.rows(child) == expected)
            try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
            try #expect(Self.rows(store) == expected)
        }
    }

    @Test func aFormerKeyOfADroppedTypeBeginsAnew() throws {
        for reopens in [false, true] {
            try Backend.lmdb.withStore { store in
                try store.write { db in
                    try db.create(Note.self).a = 1
                    try db.renameType("T", to: "U")
                    expectError(.invalidRequest) { try db.dropType("T") }
                    try db.dropType("U")
                }
                if reopens {
                    try store.close()
                    try store.open()
                }
                try store.write { db in
                    try db.create(Note.self).a = 2
                    try db.declare(ItemSchema("U", attributes: [AttributeSchema("u")]))
                    try db.create("U")["u"] = .int(3)
                }
                try #expect(Self.rows(store) == [["a": .int(2)]])
                try store.close()
                try store.open()
                try #expect(Self.rows(store) == [["a": .int(2)]])
                try store.read { db in
                    try #expect(Set(db.schemas().map(\.itemTypeKey)) == ["T", "U"])
                    try #expect(db.performCount(DataStoreRequest(itemTypeKey: "U")) == 1)
                }
                try expectSound(store)
            }
        }
    }

    // MARK: Values that do not fit

    @Test(arguments: Backend.memoryAndReference)
    func aMergedValueThatDoesNotFitTheClassOfTheParentIsRefused(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema("T", attributes: [AttributeSchema("a", kinds: [.double])]))
                try db.create("T")["a"] = .double(2)
            }
            let child = try store.makeChild()
            try child.open()
            try child.write { db in try db.create("T")["a"] = .double(2.5) }
            let use = { (store: any DataStore) throws in
                try store.write { db in try db.create(Note.self).a = 1 }
            }
            try use(store)
            expectError(.schemaMismatch) { try use(child) }
            _ = try store.merge(child, policy: .childWins)
            expectError(.schemaMismatch) { try use(store) }
            try store.write { db in
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
                where item["a"] == .double(2.5) { item["a"] = .int(3) }
            }
            try use(store)
            try use(child)
            try child.close()
        }
    }

    @Test(arguments: [false, true])
    func aChildReadsTheItemsOnceForTheKindsThatTheyHadBefore(_ isOfParent: Bool) throws {
        let engine = InterceptedEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("a")]))
            for _ in 0..<100 { try db.create("T")["a"] = .string("3") }
        }
        let child = try store.makeChild()
        try child.open()
        let convert = { (store: any DataStore) throws in
            try store.write { db in
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")) {
                    item["a"] = .int(3)
                }
            }
        }
        func rows() throws -> Int {
            engine.reset()
            try child.write { db in try db.create(Note.self).a = 4 }
            return engine.count(.row)
        }
        try convert(isOfParent ? store : child)
        try #expect(rows() >= 100)
        // A class that its store has declared meanwhile begins anew.
        if !isOfParent { try #expect(rows() >= 100) }
        for _ in 0..<3 { try #expect(rows() < 50) }
        try store.write { db in _ = try db.create("T") }
        if !isOfParent { try #expect(rows() >= 100) }
        for _ in 0..<3 { try #expect(rows() < 50) }
        let use = { try store.write { db in _ = try db.create(Note.self) } }
        if isOfParent { try use() } else { expectError(.schemaMismatch, use) }
        _ = try store.merge(child, policy: .childWins)
        try use()
        try expectSound(store)
        try store.close()
    }
}
