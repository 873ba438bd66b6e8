import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistRecords
import Testing

/// The log of changes that a store keeps.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangeLogTests {
    private static let tag: UInt8 = 5

    private func store(
        _ backend: Backend, _ directory: URL, _ length: ChangeLogLength?,
        isReadOnly: Bool = false, errors: ErrorLog = ErrorLog()
    ) throws -> any DataStore {
        let store = backend.make(
            at: directory,
            options: DataStoreOptions(isReadOnly: isReadOnly, changeLog: length), errors: errors)
        try store.open()
        return store
    }

    private func token(_ store: any DataStore) throws -> ChangeToken {
        try store.read { db in try db.changeToken }
    }

    /// The first changes after a token.
    private func changes(
        _ store: any DataStore, since token: ChangeToken
    ) async throws -> ItemChanges {
        var changes = store.changes(of: Restaurant.self, since: token).makeAsyncIterator()
        return try #require(await changes.next())
    }

    private func entries(_ backend: Backend, _ directory: URL) throws -> [[UInt8]] {
        try StoredBytes(backend, at: directory).entries(tag: Self.tag).map(\.value)
    }

    /// A stream with such a token started again without a report, so that the other tokens were not dropped.
    @Test(arguments: Backend.persistent)
    func aTokenThatIsLaterThanARestoredBackupIsReported(_ backend: Backend) async throws {
        try await withTemporaryDirectory { home in
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let (place, backup) = (home.appending(path: "store"), home.appending(path: "backup"))
            var store = try self.store(backend, place, ChangeLogLength(commits: 100))
            try store.fill(["a"])
            _ = try store.backUp(to: backup)
            let sound = try token(store)
            try store.fill(["b"])
            let late = try token(store)
            try store.close()
            let errors = ErrorLog()
            store = try self.store(backend, backup, nil, errors: errors)
            var change = try await changes(store, since: late)
            #expect(!change.isComplete)
            #expect(errors.all.first?.message.contains("restored from a backup") == true)
            try store.fill(["c"])
            change = try await changes(store, since: sound)
            #expect(change.isComplete && change.inserted.count == 1)
            #expect(errors.all.count == 1)
            try store.close()
        }
    }

    /// A consumer that saves its token after its state may have got an item that is gone by now.
    @Test(arguments: Backend.persistent, [false, true])
    func aConsumerWhoseStateIsLaterThanItsTokenGetsEveryDeletion(
        _ backend: Backend, isReopened: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            var store = try self.store(backend, directory, ChangeLogLength(commits: 100))
            try store.fill(["a"])
            let token = try token(store)
            let passing = try await store.write { db in
                try db.create(Restaurant.self).uniqueToken
            }
            try await store.write { db in
                try db.delete(try #require(try db.item(Restaurant.self, id: passing)))
            }
            if isReopened {
                try store.close()
                store = try self.store(backend, directory, nil)
            }
            try store.fill(["b"])
            let change = try await changes(store, since: token)
            #expect(change.isComplete && change.inserted.count == 1 && change.deleted.isEmpty)
            var ofType = store.changes(of: Restaurant.self, since: token, everyDeletion: true)
                .makeAsyncIterator()
            #expect(await ofType.next()?.deleted == [passing])
            var ofAll = store.changes(since: token, everyDeletion: true).makeAsyncIterator()
            let set = try #require(await ofAll.next())
            #expect(set.isComplete && set.types.flatMap(\.deleted) == [passing])
            // Also of what is committed later.
            let later = try await store.write { db in
                try db.create(Restaurant.self).uniqueToken
            }
            try await store.write { db in
                try db.delete(try #require(try db.item(Restaurant.self, id: later)))
            }
            #expect(await ofType.next()?.deleted == [later])
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func aStreamGoesOnWhereItEnded(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            var store = try self.store(backend, directory, ChangeLogLength(commits: 100))
            #expect(store.capabilities.changeStreams == .logged)
            try store.fill(["a", "b"])
            let token = try token(store)
            let ids = try await store.read { db in try db.items(Restaurant.self).map(\.uniqueToken)
            }
            try await store.write { db in
                try #require(try db.item(Restaurant.self, id: ids[0])).stars = 9
                try db.delete(try #require(try db.item(Restaurant.self, id: ids[1])))
            }
            try store.close()
            // The store remembers the length.
            store = try self.store(backend, directory, nil)
            try store.fill(["c"])
            let change = try await changes(store, since: token)
            #expect(change.isComplete && change.inserted.count == 1)
            #expect(change.updated.map(\.description) == ["\(ids[0]): stars"])
            #expect(change.deleted == [ids[1]])
            // Behind the last commit there is nothing, and then what comes.
            var next = store.changes(of: Restaurant.self, since: change.token).makeAsyncIterator()
            try store.fill(["d"])
            #expect(await next.next()?.inserted.count == 1)
            try await store.write { db in
                try db.declare(ItemSchema("Other", attributes: [AttributeSchema("a")]))
            }
            try expectSound(store)
            try store.close()
            try #expect(entries(backend, directory).count == 5)
        }
    }

    @Test(arguments: Backend.persistent)
    func aTokenThatTheLogHasOutrunBeginsAnew(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            var store = try self.store(backend, directory, ChangeLogLength(commits: 10))
            try store.fill(["a"])
            let old = try token(store)
            for number in 0..<50 { try store.fill(["\(number)"]) }
            let recent = try token(store)
            for number in 0..<8 { try store.fill(["\(number)"]) }
            try store.close()
            let count = try entries(backend, directory).count
            #expect(count >= 10 && count <= 20)
            store = try self.store(backend, directory, nil)
            #expect(try await changes(store, since: old).isComplete == false)
            #expect(try await changes(store, since: recent).inserted.count == 8)
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func theLogStaysWithinItsBytes(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            var store = try self.store(
                backend, directory, ChangeLogLength(commits: 1_000, bytes: 4_000))
            for _ in 0..<40 { try store.fill((0..<10).map { "\($0)" }) }
            let token = try token(store)
            // More than an entry may take.
            try store.fill((0..<500).map { "\($0)" })
            try await store.write { db in _ = try db.create(RestaurantOwner.self) }
            try store.close()
            let sizes = try entries(backend, directory).map(\.count)
            #expect(sizes.reduce(0, +) < 4_500 && (sizes.max() ?? 0) <= 1_000)
            // No more is dropped than has to be.
            #expect(sizes.count >= 15)
            store = try self.store(backend, directory, nil)
            #expect(try await changes(store, since: token).isComplete == false)
            var owners = store.changes(of: RestaurantOwner.self, since: token)
                .makeAsyncIterator()
            #expect(await owners.next()?.inserted.count == 1)
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func aLogThatIsTurnedOffIsGone(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            var store = try self.store(backend, directory, ChangeLogLength(commits: 10))
            try store.fill(["a"])
            let token = try token(store)
            try store.fill(["b"])
            try store.close()
            store = try self.store(backend, directory, .off)
            try store.fill(["c"])
            try expectSound(store)
            #expect(try await changes(store, since: token).isComplete == false)
            try store.close()
            try #expect(entries(backend, directory).isEmpty)
            // On again: from there on.
            store = try self.store(backend, directory, ChangeLogLength(commits: 10))
            let next = try self.token(store)
            try store.fill(["d"])
            try store.close()
            store = try self.store(backend, directory, nil)
            #expect(try await changes(store, since: token).isComplete == false)
            #expect(try await changes(store, since: next).inserted.count == 1)
            try store.close()
            // Without a log, a token is good as long as nothing was committed.
            store = try self.store(backend, directory, .off)
            let last = try self.token(store)
            try store.close()
            try store.open()
            var changes = store.changes(of: Restaurant.self, since: last).makeAsyncIterator()
            try store.fill(["e"])
            #expect(await changes.next()?.inserted.count == 1)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedEntriesAreReportedAndNotTold(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let errors = ErrorLog()
            var store = try self.store(backend, directory, ChangeLogLength(commits: 10))
            try store.fill(["a"])
            let token = try token(store)
            try store.fill(["b"])
            try store.fill(["c"])
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            var entry = try #require(try bytes.entries(tag: Self.tag).last)
            entry.value[20] ^= 1
            try bytes.put([entry])
            store = try self.store(backend, directory, nil, errors: errors)
            let change = try await changes(store, since: token)
            #expect(!change.isComplete && change.inserted.isEmpty)
            #expect(errors.codes == [.corrupted])
            #expect(try store.verify().problems.map(\.code) == [.corrupted])
            #expect(try await store.read { db in try db.count(Restaurant.self) } == 3)
            // Any entry but those of the commits is none of the log.
            try store.close()
            entry.value[20] ^= 1
            entry.key[1] = 1
            try bytes.put([entry])
            try store.open()
            #expect(try store.verify().problems.count == 2)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func aStoreThatIsReadOnlyReadsTheLog(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            var store = try self.store(backend, directory, ChangeLogLength(commits: 10))
            try store.fill(["a"])
            let token = try token(store)
            try store.fill(["b"])
            try store.close()
            store = try self.store(
                backend, directory, ChangeLogLength(commits: 5), isReadOnly: true)
            #expect(try await changes(store, since: token).inserted.count == 1)
            try store.close()
        }
    }

    @Test func rowsHaveNoRoomForALog() throws {
        let store = RecordStore(
            engine: TableEngine(), changeLog: ChangeLogLength(commits: 10))
        expectError(.unsupported) { try store.open() }
        let live = RecordStore(engine: TableEngine())
        try live.open()
        _ = try live.observeChanges(.everything, since: nil)
        try live.close()
    }

    /// The child is another process of this program.
    @Test(arguments: [true, false])
    func commitsOfOtherProcessesAreTold(_ hasLog: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            let store = try self.store(
                .lmdb, directory, hasLog ? ChangeLogLength(commits: 100) : .off)
            try store.fill(["a"])
            var changes = store.changes(of: Restaurant.self).makeAsyncIterator()
            #expect(await changes.next()?.isComplete == false)
            await #expect(processExitsWith: .success) { [path = path as String] in
                let other = try LMDBDataStore.open(at: URL(filePath: path))
                try other.fill(["b"])
                try other.close()
            }
            let change = try #require(await changes.next())
            #expect(change.isComplete == hasLog)
            #expect(change.inserted.count == (hasLog ? 1 : 0))
            // A commit of this process follows one of another process, and no change is reported twice.
            await #expect(processExitsWith: .success) { [path = path as String] in
                let other = try LMDBDataStore.open(at: URL(filePath: path))
                try other.fill(["c"])
                try other.close()
            }
            try store.fill(["d"])
            let ids = try await store.read { db in try db.items(Restaurant.self).map(\.uniqueToken)
            }
            var told: [ItemID] = []
            var isKnown = true
            while !told.contains(ids[3]), isKnown {
                let next = try #require(await changes.next())
                isKnown = next.isComplete
                told += next.inserted
            }
            #expect(isKnown == hasLog)
            if hasLog { #expect(told == [ids[2], ids[3]]) }
            try expectSound(store)
            try store.close()
        }
    }
}
