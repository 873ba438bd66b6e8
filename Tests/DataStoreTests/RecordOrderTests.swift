import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Records that are missing, doubled or out of order below the store, as a damaged file gives them.
@Suite struct RecordOrderTests {
    typealias Entry = SortedArrayEngine.Entry

    /// A store of five restaurants and an owner, over an engine whose entries are then changed.
    private func withDamage(
        _ damage: (inout [Entry], _ firstRecord: Int) -> Void,
        _ body: (any DataStore, SortedArrayEngine) throws -> Void
    ) throws {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.fill(["a", "b", "c", "d", "e"])
        try store.write { db in try db.create(RestaurantOwner.self).name = "owner" }
        let first = try #require(
            engine.entries.firstIndex { $0.key.first == StoredBytes.recordTag })
        var entries = engine.entries
        damage(&entries, first)
        engine.entries = entries
        try body(store, engine)
    }

    /// Every query that passes over all records of a type.
    private func expectFullScansFail(_ store: any DataStore) throws {
        try store.read { db in try db.expectFullScansOfRestaurantsFail() }
        // The block's own changes are counted.
        try store.write { db in
            try db.create(Restaurant.self).name = "new"
            try db.expectFullScansOfRestaurantsFail()
            try db.delete(#require(try db.items(RestaurantOwner.self).first))
            try db.create(RestaurantOwner.self).name = "owner"
            try db.expectFullScansOfRestaurantsFail()
        }
        try #expect(!store.verify().problems.isEmpty)
    }

    @Test func missingRecordIsAnErrorOfAFullScan() throws {
        try withDamage { entries, first in
            entries.remove(at: first + 2)
        } _: { store, _ in
            try expectFullScansFail(store)
            try store.read { db in
                try #expect(db.items(Restaurant.self, limit: 2).map(\.name) == ["a", "b"])
            }
        }
    }

    @Test func doubledRecordIsAnErrorOfAFullScan() throws {
        try withDamage { entries, first in
            entries[first + 3] = entries[first + 2]
        } _: { store, _ in
            try expectFullScansFail(store)
        }
    }

    @Test func recordsOutOfOrderAreAnErrorOfAScan() throws {
        try withDamage { entries, first in
            entries.swapAt(first + 1, first + 2)
        } _: { store, _ in
            try expectFullScansFail(store)
            try store.read { db in
                try #expect(db.items(Restaurant.self, limit: 1).map(\.name) == ["a"])
                expectError(.corrupted) { _ = try db.items(Restaurant.self, limit: 3) }
            }
        }
    }

    @Test func recordOfAnotherTypeInAScanIsAnError() throws {
        try withDamage { entries, first in
            entries.swapAt(first + 1, first + 5)
        } _: { store, _ in
            expectError(.corrupted) {
                _ = try store.read { db in try db.items(Restaurant.self).count }
            }
            try #expect(!store.verify().problems.isEmpty)
        }
    }

    @Test func strangeKeysAmongTheRecordsAreProblemsOfVerify() throws {
        // A search that meets them goes astray.
        try withDamage { entries, first in
            entries.insert((key: [2, 0xFF], value: []), at: first)
            entries.insert((key: [9, 0xFF], value: []), at: first + 1)
            entries.append((key: [1, 0xFF], value: []))
        } _: { store, _ in
            try #expect(!store.verify().problems.isEmpty)
        }
    }

    /// As where a type's entry in the catalog is lost without a trace.
    @Test(
        arguments: [
            [2, 0xFF], [9, 0xFF], [1, 0xFF], [0, 1], [2, 0, 0, 0, 1, 0], [3, 0, 0, 0, 9],
        ] as [[UInt8]])
    func aKeyOfNoTypeIsAProblemOfVerify(_ key: [UInt8]) throws {
        try withDamage { entries, _ in
            let place = entries.firstIndex { key.lexicographicallyPrecedes($0.key) }
            entries.insert((key: key, value: [1]), at: place ?? entries.endIndex)
        } _: { store, _ in
            try #expect(!store.verify().problems.isEmpty)
        }
    }

    /// As where the pages on the way to a record are in each other's place: scans meet it all the same.
    @Test func recordThatItsIDDoesNotLeadToIsAProblemOfVerify() throws {
        let engine = InterceptedEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.fill(["a", "b", "c"])
        var keys: [[UInt8]] = []
        try engine.read { reader in
            try reader.scan(KeyRange(prefix: [StoredBytes.recordTag]), reversed: false) {
                (key, _) throws(DataStoreError) in
                keys.append([UInt8](copying: key))
                return .next
            }
        }
        try #require(keys.count == 3)
        engine.hide(keys[1])
        try #expect(store.names() == ["a", "b", "c"])
        let report = try store.verify()
        #expect(report.problems.map(\.code) == [.corrupted])
        engine.hide(nil)
        try expectSound(store)
    }

    @Test func itemsWithoutANumberOfItemsAreAnErrorOfCounting() throws {
        try withDamage { entries, _ in
            entries.removeAll { $0.key == [StoredBytes.counterTag, 0, 0, 0, 1] }
        } _: { store, _ in
            try store.read { db in
                expectError(.corrupted) { _ = try db.count(Restaurant.self) }
                expectError(.corrupted) { _ = try db.items(Restaurant.self) }
                try #expect(db.count(RestaurantOwner.self) == 1)
            }
        }
    }

    @Test func deletingATypeMakesAWrongNumberOfItemsRight() throws {
        try withDamage { entries, first in
            entries.remove(at: first)
        } _: { store, _ in
            try store.write { db in try db.deleteAll(Restaurant.self) }
            try #expect(store.names() == [])
            try #expect(store.read { db in try db.count(Restaurant.self) } == 0)
            try expectSound(store)
            try store.fill(["f"])
            try #expect(store.names() == ["f"])
            try expectSound(store)
        }
    }

    @Test func deletingATypeWhoseRecordsAreOutOfOrderChangesNothing() throws {
        try withDamage { entries, first in
            entries.swapAt(first + 1, first + 2)
        } _: { store, engine in
            let before = engine.entries.map(\.key)
            expectError(.couldNotDeleteItemsOfType) {
                try store.write { db in try db.deleteAll(Restaurant.self) }
            }
            #expect(engine.entries.map(\.key) == before)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func aRequestThatNothingCanMatchIsNoDamage(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b"])
            let request = DataStoreRequest(itemType: Restaurant.self)
            request.predicate = try DataStorePredicate("FALSEPREDICATE")
            try store.performRead { db in
                try db.forEach(request) { _ in Issue.record("an item matched") }
                try #expect(db.performFetch(request).isEmpty)
                try #expect(db.count(request) == 0)
            }
        }
    }

    @Test(arguments: Backend.ofRecords)
    func aBlockThatChangesWhatItIteratesOverIsNoDamage(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill((0..<600).map { "\($0)" })
            try store.write { db in
                var count = 0
                let request = DataStoreRequest(itemType: Restaurant.self)
                try db.forEach(request) { item in
                    count += 1
                    if count.isMultiple(of: 3) {
                        try db.delete(item)
                    } else if count.isMultiple(of: 100), count < 600 {
                        try db.create(Restaurant.self).name = "new \(count)"
                    }
                }
                #expect(count > 600)
            }
        }
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    fileprivate func expectFullScansOfRestaurantsFail() throws {
        let all = try DataStorePredicate("stars >= 0")
        expectError(.corrupted) { _ = try items(Restaurant.self) }
        expectError(.corrupted) { _ = try items(Restaurant.self, where: all) }
        expectError(.corrupted) { _ = try items(Restaurant.self, sortedBy: .descending("stars")) }
        expectError(.corrupted) { _ = try count(Restaurant.self, where: all) }
        expectError(.corrupted) {
            try forEach(DataStoreRequest(itemType: Restaurant.self)) { _ in }
        }
        try #expect(items(RestaurantOwner.self).map(\.name) == ["owner"])
    }
}
