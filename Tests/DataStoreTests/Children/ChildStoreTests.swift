import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import Testing

/// Clause 15: child stores as programs use them, with classes, indexes and items that go from one store to another.
@Suite struct ChildStoreTests {
    @Test(arguments: Backend.allCases)
    func aChildFindsByIndexesWhatItWouldFindWhenMerged(_ backend: Backend) throws {
        try backend.withStore { store in
            let ids = try fill(store, 60)
            try withChild(of: store) { child in
                try child.write { db in
                    for id in ids.prefix(20) { try db.item(Shelf.self, id: id)?.row = 7 }
                    for id in ids[20..<30] { _ = try db.delete(Shelf.self, id: id) }
                    for number in 0..<10 {
                        let shelf = try db.create(Shelf.self)
                        shelf.row = 7
                        shelf.label = "new \(number)"
                    }
                }
                // The parent goes on: other attributes of the same items, and other items.
                try store.write { db in
                    for id in ids.prefix(5) { try db.item(Shelf.self, id: id)?.label = "parent’s" }
                    for id in ids[50..<55] { try db.item(Shelf.self, id: id)?.row = 7 }
                }
                let inChild = try answers(child)
                try expectSound(child)
                #expect(try answers(store) != inChild)
                #expect(try store.merge(child, policy: .fail).conflicts.isEmpty)
                #expect(try answers(store) == inChild)
                #expect(try answers(child) == inChild)
                try expectSound(child)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aGrandchildIsOneOfItsParentsStores(_ backend: Backend) throws {
        try backend.withStore { store in
            let ids = try fill(store, 10)
            try withChild(of: store) { child in
                try child.write { db in try db.item(Shelf.self, id: ids[0])?.label = "child’s" }
                try withChild(of: child) { grandchild in
                    try grandchild.write { db in
                        try db.item(Shelf.self, id: ids[0])?.row = 77
                        try db.item(Shelf.self, id: ids[1])?.label = "grandchild’s"
                    }
                    try store.write { db in try db.item(Shelf.self, id: ids[2])?.row = 77 }
                    #expect(
                        try grandchild.read { db in
                            try db.items(Shelf.self, where: \.row == 77).map(\.label)
                        } == ["child’s", "label 2"])
                    try expectSound(grandchild)
                    try child.merge(grandchild, policy: .fail)
                    try store.merge(child, policy: .fail)
                }
                #expect(
                    try store.read { db in
                        try db.items(Shelf.self, where: \.row == 77).map(\.label)
                    } == ["child’s", "label 2"])
            }
        }
    }

    /// Two children must not give one number to two types.
    @Test(arguments: Backend.allCases)
    func typesThatTwoChildrenMeetFirstStayApart(_ backend: Backend) throws {
        try backend.withStore { store in
            try withChild(of: store) { one in
                try withChild(of: store) { other in
                    try one.write { db in
                        try db.create(Shelf.self).label = "one"
                        let sample = try db.create(Sample.self)
                        sample[0] = .reference(ItemReference(itemTypeKey: "Unseen", id: ItemID()))
                    }
                    try other.write { db in
                        try db.create(Restaurant.self).name = "other"
                        let sample = try db.create(Sample.self)
                        sample[0] = .reference(
                            ItemReference(itemTypeKey: "Elsewhere", id: ItemID()))
                    }
                    #expect(try one.read { db in try db.count(Restaurant.self) } == 0)
                    try store.merge(one, policy: .fail)
                    try store.merge(other, policy: .fail)
                    #expect(
                        try other.read { db in try db.items(Shelf.self).map(\.label) } == ["one"])
                    #expect(try one.names() == ["other"])
                }
            }
            #expect(try store.names() == ["other"])
            let types = try store.read { db in
                try db.items(Sample.self).map { sample in
                    guard case .reference(let reference) = sample[0] else { return "" }
                    return reference.itemTypeKey
                }
            }
            #expect(types == ["Unseen", "Elsewhere"])
        }
    }

    /// A child that is the first to declare an index finds by it at once, in the same block too.
    @Test(arguments: Backend.allCases)
    func anIndexThatAChildDeclaresHoldsInItsBlock(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Shelf", attributes: [AttributeSchema("label"), AttributeSchema("row")]))
                for number in 0..<5 {
                    let item = try db.create("Shelf")
                    item["row"] = .int(Int64(number))
                }
            }
            try withChild(of: store) { child in
                try child.write { db in
                    let shelf = try db.create(Shelf.self)
                    shelf.row = 3
                    #expect(try db.items(Shelf.self, where: \.row == 3).count == 2)
                    shelf.code = "same"
                    try db.create(Shelf.self).code = "same"
                    do {
                        _ = try db.items(Shelf.self, where: \.row == 3)
                        Issue.record("Two items have one code")
                    } catch let error as DataStoreError {
                        #expect(error.code == .uniqueViolation)
                    }
                    throw Rollback()
                }
            } expecting: {
                $0 is Rollback
            }
            try withChild(of: store) { child in
                try child.write { db in try db.create(Shelf.self).row = 3 }
                #expect(try child.read { try $0.items(Shelf.self, where: \.row == 3).count } == 2)
                try expectSound(child)
                try store.merge(child, policy: .fail)
            }
            #expect(try store.read { try $0.items(Shelf.self, where: \.row == 3).count } == 2)
        }
    }

    @Test(arguments: Backend.allCases)
    func itemsGoFromAStoreToItsChildAndBack(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b"])
            try withChild(of: store) { child in
                let a = try #require(try first(store))
                try child.write { db in
                    let mine: Restaurant = try db.mutableVersion(ofItem: a)
                    mine.name = "changed"
                    let isTaken = db.insert(a)
                    #expect(isTaken)
                }
                #expect(a.name == "a")
                let changed = try #require(try first(child))
                #expect(changed.name == "changed" && changed.uniqueToken == a.uniqueToken)
                try store.write { db in
                    let theirs: Restaurant = try db.mutableVersion(ofItem: changed)
                    theirs.stars = 4
                }
                #expect(try child.read { try $0.items(Restaurant.self).map(\.stars) } == [4, 1])
            }
            #expect(try store.names() == ["a", "b"])
        }
    }

    @Test(arguments: Backend.allCases)
    func closingAParentClosesItsChildrenAndDropsTheirChanges(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            let child = try store.makeChild()
            try child.open()
            try child.fill(["b"])
            let grandchild = try child.makeChild()
            try grandchild.open()
            try store.close()
            expectError(.notSetUp) { _ = try child.names() }
            expectError(.notSetUp) { _ = try grandchild.names() }
            expectError(.notSetUp) { try child.open() }
            try store.open()
            expectError(.notSetUp) { _ = try child.names() }
            try child.open()
            #expect(try child.names() == (backend.isPersistent ? ["a"] : []))
            expectError(.notSetUp) { _ = try grandchild.names() }
        }
    }

    @Test(arguments: Backend.allCases)
    func misuseEndsInItsNamedError(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            let child = try store.makeChild()
            expectError(.notSetUp) { try store.merge(child, policy: .childWins) }
            try child.open()
            let grandchild = try child.makeChild()
            try grandchild.open()
            expectError(.incompatibleChildDataStore) {
                try store.merge(grandchild, policy: .childWins)
            }
            expectError(.incompatibleChildDataStore) { try child.merge(store, policy: .childWins) }
            expectError(.incompatibleChildDataStore) { try store.merge(store, policy: .childWins) }
            try store.write { _ in
                expectError(.nestedWrite) { try store.merge(child, policy: .childWins) }
            }
            try child.write { _ in
                expectError(.nestedWrite) { try child.write { _ in } }
                expectError(.nestedWrite) { try child.merge(grandchild, policy: .childWins) }
                expectError(.insideBlock) { try child.close() }
                expectError(.insideBlock) { try store.close() }
                expectError(.insideBlock) { try store.destroy() }
            }
            grandchild.read { _ in
                expectError(.insideBlock) { try child.close() }
                expectError(.insideBlock) { try store.close() }
            }
            #expect(try child.names() == ["a"])
            try child.close()
            expectError(.notSetUp) { try store.merge(child, policy: .childWins) }
            expectError(.notSetUp) { _ = try child.makeChild() }
            expectError(.notSetUp) { try grandchild.open() }
        }
    }

    /// What a child has committed is merged though one of its blocks is open, whose changes are left for later.
    @Test(arguments: Backend.allCases)
    func aMergeInsideABlockOfTheChildCarriesWhatWasCommitted(_ backend: Backend) throws {
        try backend.withStore { store in
            let ids = try fill(store, 3)
            try withChild(of: store) { child in
                try child.write { db in
                    try db.item(Shelf.self, id: ids[0])?.label = "first"
                    try db.item(Shelf.self, id: ids[1])?.label = "first"
                }
                try child.write { db in
                    try db.item(Shelf.self, id: ids[0])?.label = "second"
                    try db.item(Shelf.self, id: ids[2])?.label = "second"
                    try store.merge(child, policy: .fail)
                    #expect(try labels(store) == ["first", "first", "label 2"])
                }
                #expect(try labels(child) == ["second", "first", "second"])
                #expect(try labels(store) == ["first", "first", "label 2"])
                #expect(try store.merge(child, policy: .fail).conflicts.isEmpty)
                #expect(try labels(store) == ["second", "first", "second"])
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func aChildOfAReadOnlyStoreTakesChangesThatCannotBeMerged(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a"])
            try store.close()
            let frozen = backend.make(at: directory, options: DataStoreOptions(isReadOnly: true))
            try frozen.open()
            try withChild(of: frozen) { child in
                try child.fill(["b"])
                #expect(try child.names() == ["a", "b"])
                expectError(.readOnly) { try frozen.merge(child, policy: .childWins) }
                expectError(.readOnly) {
                    try child.write { db in try db.create(Shelf.self).row = 1 }
                }
                #expect(try child.names() == ["a", "b"])
            }
            try frozen.close()
        }
    }

    /// A block of the child may wait for the root, to declare a type, and so must not be waited for inside of it.
    @Test(arguments: Backend.ofRecords)
    func aChildIsNotWrittenToNorClosedInsideAWriteBlockAboveIt(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try withChild(of: store) { child in
                try withChild(of: child) { grandchild in
                    try store.write { _ in
                        let names = try child.names()
                        #expect(names == ["a"])
                        expectError(.nestedWrite) { try child.fill(["b"]) }
                        expectError(.nestedWrite) { try grandchild.fill(["b"]) }
                        expectError(.nestedWrite) {
                            try child.merge(grandchild, policy: .childWins)
                        }
                        expectError(.insideBlock) { try grandchild.close() }
                        expectError(.insideBlock) { try child.close() }
                        expectError(.insideBlock) { try child.destroy() }
                    }
                    try grandchild.fill(["c"])
                }
                #expect(try child.names() == ["a"])
            }
        }
    }

    /// Two views of a child with different types in them must not have one version of the catalog.
    @Test(arguments: Backend.allCases)
    func aKindOfValueThatOnlyTheChildHasIsFound(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Note", attributes: [AttributeSchema("title"), AttributeSchema("color")],
                        indexes: [IndexSchema(["title"])]))
            }
            let ids = try store.write { db in
                [try db.create("Note").uniqueToken, try db.create("Note").uniqueToken]
            }
            func set(_ attribute: String, _ id: ItemID, in store: any DataStore) throws {
                try store.write { db in
                    let item = try db.performFetchItem(ItemType(dynamic: "Note"), id: id)
                    try item?.backing.setValue(.string("Groceries"), forAttribute: attribute)
                }
            }
            try withChild(of: store) { child in
                try set("color", ids[0], in: child)
                try store.write { db in
                    if let item = try db.performFetchItem(ItemType(dynamic: "Note"), id: ids[0]) {
                        try db.delete(item)
                    }
                }
                try set("title", ids[1], in: child)
                let predicate = try DataStorePredicate("title CONTAINS 'cer'")
                let found = try child.read { db in
                    try db.dynamicItems(
                        DataStoreRequest(type: ItemType(dynamic: "Note"), predicate: predicate)
                    ).map(\.uniqueToken)
                }
                #expect(found == [ids[1]])
            }
        }
    }

    /// An item that both have made is one item, whose attributes are changed and deleted like those of others.
    @Test(arguments: Backend.allCases)
    func anItemThatParentAndChildHaveMadeStaysReadable(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try db.create(Shelf.self).label = "other" }
            let id = ItemID()
            func insert(_ body: (Shelf) -> Void, into store: any DataStore) throws {
                try store.write { db in
                    let shelf = Shelf(
                        backing: DictionaryBacking(
                            itemTypeKey: "Shelf", schema: Shelf.schema, id: id))
                    body(shelf)
                    _ = try db.performInsert(shelf)
                }
            }
            func values(in store: any DataStore) throws -> [String] {
                try store.read { db in
                    try db.items(Shelf.self).filter { $0.uniqueToken == id }
                        .map { "\($0.label ?? "-") \($0.row) \($0.code ?? "-")" }
                }
            }
            try withChild(of: store) { child in
                try insert({ $0.label = "child’s" }, into: child)
                try insert({ $0.row = 5 }, into: store)
                #expect(try values(in: child) == ["child’s 5 -"])
                // The child has seen the parent's value, and replaces it knowingly.
                try child.write { db in try db.item(Shelf.self, id: id)?.row = 6 }
                #expect(try values(in: child) == ["child’s 6 -"])
                try child.write { db in
                    _ = try db.delete(Shelf.self, id: id)
                    let shelf = Shelf(
                        backing: DictionaryBacking(
                            itemTypeKey: "Shelf", schema: Shelf.schema, id: id))
                    shelf.code = "anew"
                    _ = try db.performInsert(shelf)
                }
                #expect(try values(in: child) == ["- 0 anew"])
                try store.write { db in _ = try db.delete(Shelf.self, id: id) }
                _ = try values(in: child)
                try expectSound(child)
                try store.merge(child, policy: .childWins)
                _ = try values(in: store)
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func anItemOfAChildDoesNotKeepTheStoreOpen(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            var kept: Restaurant?
            do {
                let store = backend.make(at: directory)
                try store.open()
                try store.fill(["a"])
                let child = try store.makeChild()
                try child.open()
                kept = try first(child)
            }
            let store = backend.make(at: directory)
            try store.open()
            #expect(kept?.name == "a")
            try store.close()
        }
    }

    @Test(arguments: Backend.allCases)
    func writersAndReadersOfAFamilyDoNotDisturbEachOther(_ backend: Backend) throws {
        try backend.withStore { store in
            let ids = try fill(store, 8)
            try withChild(of: store) { child in
                try onThreads(6) { thread in
                    for round in 0..<25 {
                        switch thread {
                        case 0:
                            try store.write { db in
                                try db.item(Shelf.self, id: ids[round % 4])?.row = round
                            }
                        case 1, 2:
                            try child.write { db in
                                try db.item(Shelf.self, id: ids[4 + round % 4])?.row = round
                                let shelf = try db.create(Shelf.self)
                                shelf.label = "\(thread) \(round)"
                                shelf.row = round
                            }
                        case 3: try store.merge(child, policy: .childWins)
                        default:
                            let (count, found) = try child.read { db in
                                let found = try db.items(Shelf.self, where: \.row >= 0).count
                                return (try db.count(Shelf.self), found)
                            }
                            #expect(count == found && count >= 8)
                        }
                    }
                }
                try store.merge(child, policy: .childWins)
                try expectSound(child)
                #expect(try child.read { try $0.count(Shelf.self) } == 58)
            }
            #expect(try store.read { try $0.count(Shelf.self) } == 58)
            let labels = try labels(store).compactMap { $0 }
            #expect(Set(labels).count == labels.count)
        }
    }

    // MARK: Support

    private struct Rollback: Error {}

    private func fill(_ store: any DataStore, _ count: Int) throws -> [ItemID] {
        try store.write { db in
            try (0..<count).map { number in
                let shelf = try db.create(Shelf.self)
                shelf.label = "label \(number)"
                shelf.row = number % 10
                return shelf.uniqueToken
            }
        }
    }

    private func labels(_ store: any DataStore) throws -> [String?] {
        try store.read { db in try db.items(Shelf.self).map(\.label) }
    }

    /// What queries find by the indexes and without.
    private func answers(_ store: any DataStore) throws -> [String] {
        try store.read { db in
            var answers = ["\(try db.count(Shelf.self))"]
            for row in 0..<10 {
                answers.append("\(try db.items(Shelf.self, where: \.row == row).map(\.label))")
            }
            let sorted = try db.items(Shelf.self, sortedBy: .descending("row"), limit: 25)
            answers.append("\(sorted.map(\.label))")
            let named = try db.items(
                Shelf.self, where: #Predicate { $0.label?.contains("e") == true })
            answers.append("\(named.map(\.uniqueToken))")
            return answers
        }
    }

    private func first(_ store: any DataStore) throws -> Restaurant? {
        var item: Restaurant?
        try store.performRead { db in item = try db.first(Restaurant.self) }
        return item
    }
}

/// An item with indexes.
final class Shelf: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Shelf",
        attributes: [
            AttributeSchema("label", kinds: [.string], keyPath: \Shelf.label),
            AttributeSchema("row", kinds: [.int], keyPath: \Shelf.row),
            AttributeSchema("code", kinds: [.string], keyPath: \Shelf.code),
        ], indexes: [IndexSchema(["row"]), IndexSchema(["code"], isUnique: true)])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var label: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var row: Int {
        get { attribute(at: 1, default: 0) }
        set { setAttribute(newValue, at: 1) }
    }
    var code: String? {
        get { optionalAttribute(at: 2) }
        set { setOptionalAttribute(newValue, at: 2) }
    }
}

/// Runs a test with an open child of a store, which is closed afterwards.
func withChild(
    of store: any DataStore, _ body: (any DataStore) throws -> Void,
    expecting isExpected: (any Error) -> Bool = { _ in false }
) throws {
    let child = try store.makeChild()
    try child.open()
    do { try body(child) } catch { if !isExpected(error) { throw error } }
    try child.close()
}
