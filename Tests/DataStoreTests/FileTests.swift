import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// Clause 17: files, and what is damaged in them.
@Suite struct FileTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    @Test(arguments: Backend.persistent)
    func filesBelongToTheirOwnerAloneAndLieInTheDirectory(_ backend: Backend) throws {
        try withTemporaryDirectory { parent in
            let directory = parent.appending(path: "deep/store")
            let store = backend.make(at: directory)
            try store.open()
            try store.fill((0..<500).map { "\($0)" })
            try store.close()
            try store.open()
            try #expect(mode(directory.path) == 0o700)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(!files.isEmpty)
            for file in files {
                try #expect(mode(directory.appending(path: file).path) == 0o600, "\(file)")
            }
            try #expect(
                FileManager.default.contentsOfDirectory(atPath: parent.path) == ["deep"])
            try #expect(
                FileManager.default.contentsOfDirectory(
                    atPath: parent.appending(path: "deep").path) == ["store"])
            try store.close()
        }
    }

    @Test func memoryStoresLeaveNoFiles() throws {
        try withTemporaryDirectory { directory in
            let store = Backend.memory.make(at: directory)
            try store.open()
            try store.fill(["a"])
            #expect(!FileManager.default.fileExists(atPath: directory.path))
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func whatIsNoStoreIsRefusedUntouched(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "thesis.txt")
            try Data("important".utf8).write(to: file)
            let modeBefore = try mode(directory.path)
            let store = backend.make(at: directory)
            expectError(.notAStore) { try store.open() }
            expectError(.notAStore) { try store.destroy() }
            try #expect(Data(contentsOf: file) == Data("important".utf8))
            try #expect(
                FileManager.default.contentsOfDirectory(atPath: directory.path) == ["thesis.txt"])
            try #expect(mode(directory.path) == modeBefore)
        }
    }

    @Test(arguments: Backend.persistent)
    func keysOfAnotherProgramAreRefusedUntouched(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let bytes = StoredBytes(backend, at: directory)
            try bytes.put([([5, 5], [1, 2, 3])])
            let store = backend.make(at: directory)
            expectError(.notAStore) { try store.open() }
            try #expect(bytes.entries(tag: 5).map(\.value) == [[1, 2, 3]])
            try #expect(bytes.entries(tag: 0).isEmpty)
            try bytes.put([([0], Array(repeating: 7, count: 48))])
            expectError(.notAStore) { try store.open() }
        }
    }

    @Test(arguments: Backend.persistent)
    func newerFormatIsRefusedUntouched(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a"])
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            var header = try #require(try bytes.entries(tag: StoredBytes.headerTag).first)
            let original = header
            header.value[8] = 3
            try bytes.put([header])
            let error = #expect(throws: DataStoreError.self) { try store.open() }
            #expect(error?.code == .newerFormat)
            #expect(error?.message.contains("format 3") == true)
            try #expect(bytes.entries(tag: StoredBytes.headerTag).first?.value == header.value)
            try bytes.put([original])
            try store.open()
            try #expect(store.names() == ["a"])
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func secondOpeningInOneProcessIsRefused(_ backend: Backend) throws {
        try withTemporaryDirectory { parent in
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            let directory = parent.appending(path: "store")
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a"])
            let link = parent.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory)
            for path in [directory, link, parent.appending(path: "x/../store")] {
                expectError(.alreadyOpen) { try backend.make(at: path).open() }
            }
            try store.fill(["b"])
            try #expect(store.names() == ["a", "b"])
            try store.close()
            let second = backend.make(at: link)
            try second.open()
            try #expect(second.names() == ["a", "b"])
            try second.close()
        }
    }

    @Test func lmdbStoresAreSharedBetweenProcesses() async throws {
        try await withTemporaryDirectory { directory in
            let store = Backend.lmdb.make(at: directory)
            try store.open()
            try store.fill(["a"])
            await #expect(processExitsWith: .success) { [directory = directory as URL] in
                let store = Backend.lmdb.make(at: directory)
                try store.open()
                try #expect(store.names() == ["a"])
                try store.fill(["b"])
                try await store.write { db in
                    try db.declare(ItemSchema("New", attributes: [AttributeSchema("n")]))
                    try db.create("New")["n"] = .int(1)
                }
                try store.close()
            }
            try #expect(store.names() == ["a", "b"])
            try await store.read { db in
                try #expect(db.schemas().map(\.itemTypeKey) == ["New", "Restaurant"])
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "New"))
                #expect(items.map { $0["n"] } == [.int(1)])
            }
            try await store.write { db in try db.create("New")["n"] = .int(2) }
            try expectSound(store)
            try store.close()
        }
    }

    // MARK: Damage

    /// A store with three restaurants, the second of which is damaged, and an owner.
    private func withDamage(
        _ backend: Backend, to tag: UInt8 = StoredBytes.recordTag,
        _ body: (any DataStore, _ ids: [ItemID]) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a", "b", "c"])
            try store.write { db in try db.create(RestaurantOwner.self).name = "owner" }
            let ids = try store.read { db in try db.items(Restaurant.self).map(\.uniqueToken) }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            var entry = try bytes.entries(tag: tag)[tag == StoredBytes.recordTag ? 1 : 0]
            entry.value[entry.value.count - 1] ^= 1
            try bytes.put([entry])
            try store.open()
            try body(store, ids)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedRecordIsNamedAndTheRestIsReadable(_ backend: Backend) throws {
        try withDamage(backend) { store, ids in
            for _ in 0..<2 {
                try store.read { db in
                    let error = expectError(.corrupted) { _ = try db.items(Restaurant.self) }
                    #expect(error?.itemType == "Restaurant")
                    #expect(error?.message.contains(ids[1].description) == true)
                    expectError(.corrupted) {
                        _ = try db.item(Restaurant.self, id: ids[1])
                    }
                    expectError(.corrupted) {
                        _ = try db.count(Restaurant.self, where: DataStorePredicate("stars > 5"))
                    }
                    try #expect(db.item(Restaurant.self, id: ids[0])?.name == "a")
                    try #expect(db.item(Restaurant.self, id: ids[2])?.name == "c")
                    try #expect(db.items(Restaurant.self, limit: 1).map(\.name) == ["a"])
                    try #expect(db.count(Restaurant.self) == 3)
                    try #expect(db.items(RestaurantOwner.self).map(\.name) == ["owner"])
                }
            }
            let report = try store.verify()
            #expect(report.problems.map(\.code) == [.corrupted])
            #expect(report.problems.first?.message.contains(ids[1].description) == true)
            #expect(report.itemCounts == ["Restaurant": 2, "RestaurantOwner": 1])
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedItemCanBeDeletedAndTheRestChanged(_ backend: Backend) throws {
        try withDamage(backend) { store, ids in
            try store.write { db in
                // The failure of the query is no failure of the storage.
                expectError(.corrupted) { _ = try db.items(Restaurant.self) }
                try #require(try db.item(Restaurant.self, id: ids[0])).name = "changed"
            }
            try store.write { db in
                #expect(db.delete(item: DynamicItem("Restaurant", id: ids[1])) == true)
            }
            try #expect(store.names() == ["changed", "c"])
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedItemsGoWithTheirType(_ backend: Backend) throws {
        try withDamage(backend) { store, _ in
            try store.write { db in try db.deleteAll(Restaurant.self) }
            try #expect(store.names() == [])
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedCounterLeavesTheItemsReadable(_ backend: Backend) throws {
        try withDamage(backend, to: StoredBytes.counterTag) { store, _ in
            try #expect(store.names() == ["a", "b", "c"])
            expectError(.corrupted) {
                _ = try store.read { db in try db.count(Restaurant.self) }
            }
            try #expect(store.verify().problems.map(\.code) == [.corrupted])
            try #expect(store.verify().itemCounts == ["Restaurant": 3, "RestaurantOwner": 1])
            // The next write that creates or deletes an item counts the items again.
            try store.fill(["d"])
            try #expect(store.read { db in try db.count(Restaurant.self) } == 4)
            try expectSound(store)
        }
    }

    /// The error said that it belongs to another program.
    @Test(arguments: Backend.persistent)
    func aStoreWithoutItsHeaderIsSaidToBePerhapsDamaged(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory.appending(path: "store"))
            try store.open()
            try store.fill(["a", "b"])
            try store.close()
            let bytes = StoredBytes(backend, at: directory.appending(path: "store"))
            try bytes.put([([StoredBytes.headerTag], Array(repeating: 0, count: 64))])
            let error = #expect(throws: DataStoreError.self) { try store.open() }
            #expect(error?.code == .notAStore)
            for words in ["damaged, or", "another program", "a backup", "repair STORE --into"] {
                #expect(error?.message.contains(words) == true, "\(words)")
            }
            let new = backend.make(at: directory.appending(path: "new"))
            _ = try store.salvage(into: directory.appending(path: "new"))
            try new.open()
            try #expect(new.names() == ["a", "b"])
            try new.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedHeaderIsAnErrorOfOpening(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a"])
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let original = try #require(try bytes.entries(tag: StoredBytes.headerTag).first)
            var entry = original
            entry.value[entry.value.count - 1] ^= 1
            try bytes.put([entry])
            expectError(.corrupted) { try store.open() }
            try bytes.put([original])
            try store.open()
            try #expect(store.names() == ["a"])
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func swappedRecordsAreNoticed(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a", "b"])
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let entries = try bytes.entries(tag: StoredBytes.recordTag)
            try bytes.put([
                (entries[0].key, entries[1].value), (entries[1].key, entries[0].value),
            ])
            try store.open()
            #expect(try store.verify().problems.map(\.code) == [.corrupted, .corrupted])
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func damageBehindAReferenceIsAnErrorOfTheQueryThatFollowsIt(_ backend: Backend) throws {
        try withDamage(backend) { store, ids in
            try store.write { db in
                for id in [ids[0], ids[1]] {
                    try db.create(Sample.self)[0] = .reference(
                        ItemReference(itemTypeKey: "Restaurant", id: id))
                }
            }
            try store.read { db in
                expectError(.corrupted) {
                    _ = try db.items(Sample.self, sortedBy: .ascending("a.name"))
                }
                expectError(.corrupted) {
                    _ = try db.count(Sample.self, where: DataStorePredicate("a.name == 'a'"))
                }
                // And of none after it.
                try #expect(db.count(Sample.self, where: DataStorePredicate("b == nil")) == 2)
                try #expect(db.items(Sample.self, sortedBy: .ascending("b")).count == 2)
            }
        }
    }
}
