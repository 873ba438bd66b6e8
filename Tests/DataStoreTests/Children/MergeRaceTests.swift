import Foundation
import JustPersist
import JustPersistMemory
import JustPersistRecords
import Testing

/// What a child commits while its earlier changes are being merged is left for the next merge, and nothing else is.
@Suite struct MergeRaceTests {
    /// An engine in memory that stops around a commit, or in front of a snapshot.
    private final class PausingEngine: KeyValueEngine {
        private let engine = InMemoryEngine()
        private let beforeCommit = Locked<(@Sendable () -> Void)?>(nil)
        private let afterCommit = Locked<(@Sendable () -> Void)?>(nil)
        private let beforeSnapshot = Locked<(@Sendable () -> Void)?>(nil)

        var traits: KeyValueEngineTraits {
            KeyValueEngineTraits(
                name: "Pausing", isPersistent: false, durability: .relaxed,
                maximumKeyLength: engine.traits.maximumKeyLength, isPassedBetweenThreads: true)
        }

        /// Calls `body` after the next commit, when it is visible and the caller does not know yet.
        func afterNextCommit(_ body: @escaping @Sendable () -> Void) {
            afterCommit.withLock { $0 = body }
        }

        /// Calls `body` before the next block that reads takes its snapshot.
        func beforeNextSnapshot(_ body: @escaping @Sendable () -> Void) {
            beforeSnapshot.withLock { $0 = body }
        }

        /// Calls `body` before the next commit, when all of its changes are written.
        func beforeNextCommit(_ body: @escaping @Sendable () -> Void) {
            beforeCommit.withLock { $0 = body }
        }

        func open() throws(DataStoreError) { try engine.open() }
        func close() { engine.close() }
        func destroy() throws(DataStoreError) { try engine.destroy() }

        func read(_ body: (any KeyValueReader) throws -> Void) throws {
            beforeSnapshot.withLock { $0.take() }?()
            try engine.read(body)
        }

        func write(_ body: (any KeyValueWriter) throws -> Void) throws {
            try engine.write { writer in
                try body(writer)
                beforeCommit.withLock { $0.take() }?()
            }
            afterCommit.withLock { $0.take() }?()
        }
    }

    /// Merges the changes of `before` to items 0 to 3 while `during` is committed, and then merges the changes of
    /// `during`.
    ///
    /// Returns the labels of the items in the child before the second merge, and in the parent after it.
    private func labels(
        before: @escaping @Sendable (borrowing DataStoreWriter, [ItemID]) throws -> Void,
        during: @escaping @Sendable (borrowing DataStoreWriter, [ItemID]) throws -> Void
    ) throws -> [String] {
        let engine = PausingEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        let ids = try store.write { db in
            try (0..<4).map { number in
                let shelf = try db.create(Shelf.self)
                shelf.label = "\(number)"
                return shelf.uniqueToken
            }
        }
        let child = try store.makeChild()
        try child.open()
        try child.write { db in try before(db, ids) }
        engine.beforeNextCommit {
            do {
                try BackgroundBlock { try child.write { db in try during(db, ids) } }.wait()
            } catch {
                Issue.record(error)
            }
        }
        #expect(try store.merge(child, policy: .fail).conflicts.isEmpty)
        let inChild = try summary(child)
        try expectSound(child)
        #expect(try store.merge(child, policy: .fail).conflicts.isEmpty)
        let inParent = try summary(store)
        #expect(inParent == inChild)
        #expect(try summary(child) == inChild)
        try expectSound(store)
        #expect(try store.merge(child, policy: .fail).conflicts.isEmpty)
        try store.close()
        return inParent
    }

    /// A store with one item, and a child that has labelled it “child”.
    private func withChild(
        _ body: (PausingEngine, any DataStore, any DataStore, ItemID) throws -> Void
    ) throws {
        let engine = PausingEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        let id = try store.write { db in try db.create(Shelf.self).uniqueToken }
        let child = try store.makeChild()
        try child.open()
        try label(child, id, "child")
        try body(engine, store, child, id)
        try store.close()
    }

    private func label(_ store: any DataStore, _ id: ItemID, _ label: String) throws {
        try store.write { db in try db.item(Shelf.self, id: id)?.label = label }
    }

    @Test(arguments: [false, true])
    func aMergedValueIsNotShownOverANewerOne(isRead: Bool) throws {
        try withChild { engine, store, child, id in
            // Between the child's changes and the state over which they are laid.
            engine.beforeNextSnapshot {
                do {
                    try store.merge(child, policy: .fail)
                    try label(store, id, "newer")
                } catch {
                    Issue.record(error)
                }
            }
            if isRead {
                #expect(try summary(child) == ["newer 0"])
            } else {
                try child.write { db in
                    try #expect(db.item(Shelf.self, id: id)?.label == "newer")
                }
            }
            #expect(try summary(store) == ["newer 0"])
        }
    }

    @Test func aMergedValueIsNotShownOverANewerOneOfItsTransaction() throws {
        try withChild { engine, store, child, id in
            // Others are waited for in proportion to the last commit.
            engine.afterNextCommit { Thread.sleep(forTimeInterval: 0.2) }
            try store.write { _ in }
            let isBegun = DispatchSemaphore(value: 0)
            let goesOn = DispatchSemaphore(value: 0)
            let leader = BackgroundBlock {
                try store.write { _ in
                    isBegun.signal()
                    goesOn.wait()
                }
            }
            isBegun.wait()
            // They wait for the leader, which takes them into its transaction.
            let merge = BackgroundBlock { try store.merge(child, policy: .fail) }
            Thread.sleep(forTimeInterval: 0.05)
            let writer = BackgroundBlock { try label(store, id, "newer") }
            Thread.sleep(forTimeInterval: 0.05)
            let found = SharedList<[String]>()
            let reader = Locked<BackgroundBlock?>(nil)
            engine.afterNextCommit {
                let block = BackgroundBlock { found.append(try summary(child)) }
                reader.withLock { $0 = block }
                // It reads now, or waits for the end of the merge.
                Thread.sleep(forTimeInterval: 0.1)
            }
            goesOn.signal()
            for block in [leader, merge, writer] { try block.wait() }
            try #require(reader.withLock { $0 }).wait()
            #expect(found.all == [["newer 0"]])
        }
    }

    private func summary(_ store: any DataStore) throws -> [String] {
        try store.read { db in
            try db.items(Shelf.self).map { "\($0.label ?? "nil") \($0.row)" }
        }
    }

    @Test func anotherChangeOfAnAttribute() throws {
        let found = try labels { db, ids in
            try db.item(Shelf.self, id: ids[0])?.label = "x"
            try db.item(Shelf.self, id: ids[1])?.label = "x"
        } during: { db, ids in
            try db.item(Shelf.self, id: ids[0])?.label = "y"
            try db.item(Shelf.self, id: ids[2])?.label = "y"
        }
        #expect(found == ["y 0", "x 0", "y 0", "3 0"])
    }

    @Test func aChangeOfAnotherAttribute() throws {
        let found = try labels { db, ids in
            try db.item(Shelf.self, id: ids[0])?.label = "x"
        } during: { db, ids in
            try db.item(Shelf.self, id: ids[0])?.row = 5
        }
        #expect(found == ["x 5", "1 0", "2 0", "3 0"])
    }

    @Test func aChangeAndADeletionOfWhatWasMade() throws {
        let found = try labels { db, _ in
            for label in ["new", "short-lived"] { try db.create(Shelf.self).label = label }
        } during: { db, _ in
            for shelf in try db.items(Shelf.self) {
                if shelf.label == "new" { shelf.row = 9 }
                if shelf.label == "short-lived" { try db.delete(shelf) }
            }
        }
        #expect(found == ["0 0", "1 0", "2 0", "3 0", "new 9"])
    }

    @Test func aDeletionOfWhatWasChanged() throws {
        let found = try labels { db, ids in
            try db.item(Shelf.self, id: ids[0])?.label = "x"
        } during: { db, ids in
            _ = try db.delete(Shelf.self, id: ids[0])
            _ = try db.delete(Shelf.self, id: ids[1])
        }
        #expect(found == ["2 0", "3 0"])
    }

    @Test func anInsertionOfWhatWasDeleted() throws {
        let found = try labels { db, ids in
            _ = try db.delete(Shelf.self, id: ids[0])
            _ = try db.delete(Shelf.self, id: ids[1])
        } during: { db, ids in
            let shelf = Shelf(
                backing: DictionaryBacking(itemTypeKey: "Shelf", schema: Shelf.schema, id: ids[0]))
            shelf.row = 3
            let isNew = try db.performInsert(shelf)
            #expect(isNew)
        }
        #expect(found == ["nil 3", "2 0", "3 0"])
    }
}
