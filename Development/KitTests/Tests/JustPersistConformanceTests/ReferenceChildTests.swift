import JustPersistConformance
import Testing

@testable import JustPersist

/// Clause 15: a child's view of its parent, and the changes that a merge carries.
@Suite struct ReferenceChildTests {
    private func makeStore() throws -> ReferenceDataStore {
        let store = ReferenceDataStore()
        try store.open()
        try store.add("a", "b", "c")
        return store
    }

    @Test func aChildIsAStoreOfItsOwn() throws {
        let store = try makeStore()
        let child = try store.makeChild()
        #expect(child.parent === store)
        #expect(store.parent == nil)
        #expect(child.capabilities == store.capabilities)
        #expect(child.capabilities.childStores == .nested)
        expectError(.notSetUp) { _ = try child.dishes() }
        expectError(.notSetUp) { try child.add("d") }
        expectError(.notSetUp) { try store.merge(child, policy: .childWins) }
        try child.open()
        try child.open()
        try #expect(child.dishes() == ["a 0", "b 1", "c 2"])
        try child.add("d")
        try #expect(child.verify().problems.isEmpty)
        try child.close()
        expectError(.notSetUp) { try store.merge(child, policy: .childWins) }
        try child.open()
        try #expect(child.dishes() == ["a 0", "b 1", "c 2"])
    }

    @Test func changesStayInTheChildUntilTheMerge() throws {
        let store = try makeStore()
        let child = try store.openChild()
        let sibling = try store.openChild()
        try child.change("a") { $0.price = 10 }
        try child.delete("b")
        let added = try child.add("d")
        let expected = ["a 10", "c 2", "d 0"]
        try #expect(child.dishes() == expected)
        try #expect(store.dishes() == ["a 0", "b 1", "c 2"])
        try #expect(sibling.dishes() == ["a 0", "b 1", "c 2"])
        try child.read { db in
            try #expect(db.count(Dish.self) == 3)
            try #expect(db.count(Dish.self, where: \.price > 1) == 2)
            try #expect(
                db.items(Dish.self, sortedBy: .descending("price"), offset: 1, limit: 1)
                    .map(\.name) == ["c"])
        }
        try #expect(store.merge(child, policy: .fail) == MergeReport())
        for store in [store, child, sibling] as [any DataStore] {
            try #expect(store.dishes() == expected)
        }
        let ids = try store.read { db in try db.items(Dish.self).map(\.uniqueToken) }
        #expect(ids.last == added.first)
    }

    @Test func mergesCarryOnlyWhatIsNew() throws {
        let store = try makeStore()
        let child = try store.openChild()
        try child.change("a") { $0.price = 10 }
        try store.merge(child, policy: .childWins)
        try store.change("a") { $0.price = 20 }
        try #expect(child.dishes()[0] == "a 20")
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        try #expect(store.dishes()[0] == "a 20")
        try child.change("a") { $0.price = 30 }
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        try #expect(store.dishes()[0] == "a 30")
    }

    @Test func theParentsChangesShowUnderTheChilds() throws {
        let store = try makeStore()
        let child = try store.openChild()
        try child.change("a") { $0.name = "child" }
        try store.write { db in
            for dish in try db.items(Dish.self) { dish.price = 9 }
            try db.create(Dish.self).name = "new"
        }
        try #expect(child.dishes() == ["child 9", "b 9", "c 9", "new -"])
        // A block's view does not move.
        try child.read { db in
            try store.add("later")
            try #expect(db.count(Dish.self) == 4)
        }
        // Different attributes of one item are no conflict.
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        try #expect(store.dishes() == ["child 9", "b 9", "c 9", "new -", "later 0"])
    }

    @Test func aValueSetBackStaysTheChilds() throws {
        let store = try makeStore()
        let child = try store.openChild()
        try child.change("a") { $0.price = 5 }
        try store.change("a") { $0.price = 7 }
        try child.change("a") { $0.price = 0 }
        try #expect(child.dishes()[0] == "a 0")
        try #expect(store.merge(child, policy: .childWins).conflicts.count == 1)
        try #expect(store.dishes()[0] == "a 0")
    }

    // MARK: Conflicts

    @Test(arguments: MergePolicy.allCases)
    func oneAttributeChangedInBoth(_ policy: MergePolicy) throws {
        let store = try makeStore()
        let ids = try store.read { db in try db.items(Dish.self).map(\.uniqueToken) }
        let child = try store.openChild()
        try child.write { db in
            let dish = try #require(try db.item(Dish.self, id: ids[0]))
            dish.name = "child"
            dish.price = 1
        }
        try child.change("c") { $0.price = 50 }
        try store.change("a") { $0.price = 2 }
        // Equal changes in both are no conflict.
        try store.change("c") { $0.price = 50 }
        let conflict = MergeConflict(
            kind: .bothChanged, itemType: "Dish", id: ids[0], attribute: "price",
            base: .int(0), child: .int(1), parent: .int(2))
        let outcome = try merge(child, into: store, policy, expecting: [conflict])
        #expect(outcome == (policy == .childWins ? "child 1" : "child 2"))
    }

    @Test(arguments: MergePolicy.allCases)
    func deletedInTheParentAndChangedInTheChild(_ policy: MergePolicy) throws {
        let store = try makeStore()
        let id = try store.read { db in try #require(try db.first(Dish.self)).uniqueToken }
        let child = try store.openChild()
        try child.change("a") { $0.price = 1 }
        try store.delete("a")
        try #expect(child.dishes() == ["b 1", "c 2"])
        let conflict = MergeConflict(kind: .deletedInParent, itemType: "Dish", id: id)
        let outcome = try merge(child, into: store, policy, expecting: [conflict])
        #expect(outcome == "b 1")
    }

    @Test(arguments: MergePolicy.allCases)
    func deletedInTheChildAndChangedInTheParent(_ policy: MergePolicy) throws {
        let store = try makeStore()
        let id = try store.read { db in try #require(try db.first(Dish.self)).uniqueToken }
        let child = try store.openChild()
        try child.delete("a")
        try child.delete("c")
        try store.change("a") { $0.price = 1 }
        let conflict = MergeConflict(kind: .deletedInChild, itemType: "Dish", id: id)
        let outcome = try merge(child, into: store, policy, expecting: [conflict])
        #expect(outcome == (policy == .childWins ? "b 1" : "a 1"))
        try #expect(!store.dishes().contains("c 2"))
    }

    @Test(arguments: MergePolicy.allCases)
    func insertedInBothUnderOneID(_ policy: MergePolicy) throws {
        let store = ReferenceDataStore()
        try store.open()
        let child = try store.openChild()
        let id = ItemID()
        func insert(_ name: String, price: Int64, into store: any DataStore) throws {
            _ = try store.write { db in
                db.insert(
                    Dish(
                        backing: DictionaryBacking(
                            itemTypeKey: "Dish", schema: Dish.schema, id: id,
                            values: ["name": .string(name), "price": .int(price)])))
            }
        }
        try insert("child", price: 3, into: child)
        try insert("parent", price: 3, into: store)
        let conflict = MergeConflict(
            kind: .bothChanged, itemType: "Dish", id: id, attribute: "name", base: .null,
            child: .string("child"), parent: .string("parent"))
        let outcome = try merge(child, into: store, policy, expecting: [conflict])
        #expect(outcome == (policy == .childWins ? "child 3" : "parent 3"))
    }

    /// Merges, and gives the first dish of the parent afterwards; a refused merge is made again with the
    /// parent's policy.
    private func merge(
        _ child: any DataStore, into store: any DataStore, _ policy: MergePolicy,
        expecting conflicts: [MergeConflict]
    ) throws -> String? {
        if policy == .fail {
            let (before, mine) = (try store.dishes(), try child.dishes())
            let error = expectError(.mergeConflict) { try store.merge(child, policy: .fail) }
            #expect(error?.conflicts == conflicts)
            #expect(error?.message.contains("\(conflicts[0])") == true)
            try #expect(store.dishes() == before)
            try #expect(child.dishes() == mine)
        }
        let retry = policy == .fail ? MergePolicy.parentWins : policy
        try #expect(store.merge(child, policy: retry).conflicts == conflicts)
        try #expect(child.dishes() == store.dishes())
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        return try store.dishes().first
    }

    // MARK: Families

    @Test func grandchildrenMergeIntoTheirParentOnly() throws {
        let store = try makeStore()
        let child = try store.openChild()
        let grandchild = try child.openChild()
        try child.change("a") { $0.price = 10 }
        try grandchild.change("b") { $0.price = 11 }
        try grandchild.add("d")
        try #expect(grandchild.dishes() == ["a 10", "b 11", "c 2", "d 0"])
        expectError(.incompatibleChildDataStore) {
            try store.merge(grandchild, policy: .childWins)
        }
        try child.merge(grandchild, policy: .fail)
        try #expect(child.dishes() == grandchild.dishes())
        try #expect(store.dishes() == ["a 0", "b 1", "c 2"])
        try store.merge(child, policy: .fail)
        for member in [store, child, grandchild] as [any DataStore] {
            try #expect(member.dishes() == ["a 10", "b 11", "c 2", "d 0"])
        }
    }

    @Test func conflictsOfAGrandchildAreThoseWithTheRoot() throws {
        let store = try makeStore()
        let child = try store.openChild()
        let grandchild = try child.openChild()
        try grandchild.change("a") { $0.price = 1 }
        try store.change("a") { $0.price = 2 }
        try #expect(child.merge(grandchild, policy: .childWins).conflicts.count == 1)
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        try #expect(store.dishes()[0] == "a 1")
    }

    @Test func closingAStoreClosesItsChildren() throws {
        let store = try makeStore()
        let child = try store.openChild()
        let grandchild = try child.openChild()
        try grandchild.add("d")
        try grandchild.read { _ in
            expectError(.insideBlock) { try store.close() }
            try #expect(store.dishes().count == 3)
        }
        try store.close()
        expectError(.notSetUp) { _ = try child.dishes() }
        expectError(.notSetUp) { try grandchild.add("e") }
        expectError(.notSetUp) { try child.open() }
        expectError(.notSetUp) { _ = try store.makeChild() }
        try store.open()
        try child.open()
        try grandchild.open()
        try #expect(grandchild.dishes() == [])
    }

    @Test func foreignStoresAreRefused() throws {
        let store = try makeStore()
        let other = try makeStore()
        let foreign = try other.openChild()
        try foreign.add("d")
        for stranger in [other, store, foreign] as [any DataStore] {
            expectError(.incompatibleChildDataStore) {
                try store.merge(stranger, policy: .childWins)
            }
        }
        try #expect(store.dishes() == ["a 0", "b 1", "c 2"])
        try #expect(foreign.dishes().count == 4)
    }

    @Test func theOriginalCallsReport() throws {
        let errors = Locked<[DataStoreError.Code]>([])
        let store = ReferenceDataStore { error in errors.withLock { $0.append(error.code) } }
        _ = store.makeChildDataStore()
        #expect(errors.withLock { $0 } == [.notSetUp])
        store.setup()
        let child = store.makeChildDataStore()
        child.setup()
        try child.add("a")
        store.merge(child)
        try #expect(store.dishes() == ["a 0"])
        child.tearDown()
        store.merge(child)
        #expect(errors.withLock { $0 } == [.notSetUp, .notSetUp])
    }

    @Test func mergeInsideAWriteBlockOfTheParentIsRefused() throws {
        let store = try makeStore()
        let child = try store.openChild()
        try child.add("d")
        try store.write { db in
            expectError(.nestedWrite) { try store.merge(child, policy: .childWins) }
            try #expect(db.count(Dish.self) == 3)
        }
        try store.read { db in
            try store.merge(child, policy: .childWins)
            try #expect(db.count(Dish.self) == 3)
        }
        try #expect(store.dishes().count == 4)
    }

    @Test func aBlockThatRunsAcrossAMergeKeepsItsChanges() throws {
        let store = try makeStore()
        let child = try store.openChild()
        try child.change("a") { $0.price = 10 }
        try child.write { db in
            try #require(try db.first(Dish.self, where: \.name == "b")).price = 20
            try store.merge(child, policy: .fail)
        }
        try #expect(store.dishes() == ["a 10", "b 1", "c 2"])
        try #expect(child.dishes() == ["a 10", "b 20", "c 2"])
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        try #expect(store.dishes() == ["a 10", "b 20", "c 2"])
    }

    @Test func itemsOfAFamilyStandForEachOther() throws {
        let store = try makeStore()
        let child = try store.openChild()
        try store.read { db in
            let dish = try #require(try db.first(Dish.self))
            try child.write { db in
                let live: Dish = try db.mutableVersion(ofItem: dish)
                live.price = 10
                #expect(db.insert(dish) == true)
            }
            #expect(dish.price == 0)
        }
        try #expect(child.dishes() == ["a 10", "b 1", "c 2"])
    }

    @Test func renamedAttributesMerge() throws {
        let store = ReferenceDataStore()
        try store.open()
        let request = DataStoreRequest(itemTypeKey: "T")
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("old")]))
            try db.create("T")["old"] = .int(1)
        }
        let child = try store.openChild()
        try child.write { db in
            try #require(try db.dynamicItems(request).first)["old"] = .int(2)
        }
        try child.write { db in
            try db.declare(
                ItemSchema("T", attributes: [AttributeSchema("new", originalName: "old")]))
        }
        try store.write { db in try db.create("T")["old"] = .int(3) }
        func values(_ store: any DataStore, _ name: String) throws -> [DataStoreValue] {
            try store.read { db in try db.dynamicItems(request).map { $0[name] } }
        }
        try #expect(values(child, "new") == [.int(2), .int(3)])
        try #expect(values(store, "old") == [.int(1), .int(3)])
        try store.merge(child, policy: .fail)
        try #expect(values(store, "new") == [.int(2), .int(3)])
        try #expect(store.read { db in try db.schemas()[0].attributes.map(\.name) } == ["new"])
    }

    @Test func aDroppedChildLeavesNothing() throws {
        let store = try makeStore()
        do { try store.openChild().add("d") }
        try #expect(store.dishes() == ["a 0", "b 1", "c 2"])
        try store.close()
    }

    @Test func deletedAndInsertedAgainInAChild() throws {
        let store = try makeStore()
        let child = try store.openChild()
        let id = try store.read { db in try #require(try db.first(Dish.self)).uniqueToken }
        try child.delete("a")
        _ = try child.write { db in
            db.insert(
                Dish(
                    backing: DictionaryBacking(
                        itemTypeKey: "Dish", schema: Dish.schema, id: id,
                        values: ["name": .string("again")])))
        }
        try #expect(child.dishes() == ["again -", "b 1", "c 2"])
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        try #expect(store.dishes() == ["again -", "b 1", "c 2"])
        // An item created and deleted in the child leaves no trace.
        try child.add("e")
        try child.delete("e")
        try #expect(store.merge(child, policy: .fail).conflicts.isEmpty)
        try #expect(store.dishes().count == 3)
    }
}

/// Expects an error with a code, and gives it.
@discardableResult
private func expectError(
    _ code: DataStoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> DataStoreError? {
    let error = #expect(throws: DataStoreError.self, sourceLocation: sourceLocation) {
        try body()
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return error
}
