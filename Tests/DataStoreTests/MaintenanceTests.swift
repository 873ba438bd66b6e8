import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Backup, compaction and repair.
@Suite struct MaintenanceTests {
    /// Runs a test on a store with restaurants, and a directory beside it.
    private func withFilledStore(
        _ backend: Backend, _ body: (any DataStore, _ home: URL) throws -> Void
    ) throws {
        try withTemporaryDirectory { home in
            try FileManager.default.createDirectory(
                at: home, withIntermediateDirectories: true)
            let store = backend.make(at: home.appending(path: "store"))
            try store.open()
            for _ in 0..<5 { try store.fill((0..<200).map { "r\($0)" }) }
            try body(store, home)
            try store.open()
            try expectSound(store)
            try store.close()
        }
    }

    private func names(_ store: any DataStore) throws -> [String?] {
        try store.read { db in try db.items(Restaurant.self).map(\.name) }
    }

    @Test(arguments: Backend.persistent)
    func aBackupOpensAsAStoreOfItsOwn(_ backend: Backend) throws {
        try withFilledStore(backend) { store, home in
            let place = home.appending(path: "copy")
            let before = try names(store)
            let report = try store.backUp(to: place)
            #expect(report.bytes > 0)
            try store.write { db in try db.create(Restaurant.self).name = "later" }
            let copy = backend.make(at: place)
            try copy.open()
            try #expect(names(copy) == before)
            try expectSound(copy)
            try copy.close()
            expectError(.targetNotEmpty) { _ = try store.backUp(to: place) }
            try #expect(names(store).count == before.count + 1)
            let files = try FileManager.default.contentsOfDirectory(atPath: home.path)
            #expect(Set(files).isSubset(of: ["store", "copy"]))
        }
    }

    @Test(arguments: Backend.persistent)
    func aBackupThatTheCallerEndsLeavesNothing(_ backend: Backend) throws {
        struct Enough: Error {}
        try withFilledStore(backend) { store, home in
            #expect(throws: Enough.self) {
                _ = try store.backUp(to: home.appending(path: "copy")) { _ in throw Enough() }
            }
            try #expect(FileManager.default.contentsOfDirectory(atPath: home.path) == ["store"])
        }
    }

    @Test(arguments: Backend.persistent)
    func aBackupBesideWritersIsOneCommittedState(_ backend: Backend) throws {
        try withFilledStore(backend) { store, home in
            let isOver = Locked(false)
            let writer = Thread {
                var round = 0
                while !isOver.withLock({ $0 }) {
                    round += 1
                    // All of a block, or none of it.
                    try? store.write { [round] db in
                        for _ in 0..<10 { try db.create(Restaurant.self).name = "w\(round)" }
                    }
                }
            }
            writer.start()
            defer { isOver.withLock { $0 = true } }
            for number in 0..<5 {
                let place = home.appending(path: "copy\(number)")
                _ = try store.backUp(to: place)
                let copy = backend.make(at: place)
                try copy.open()
                try #expect(names(copy).count.isMultiple(of: 10))
                try expectSound(copy)
                try copy.close()
            }
        }
    }

    @Test func aBackupSharesTheTablesOfAnEarlierOne() throws {
        try withFilledStore(.levelDB) { store, home in
            _ = try store.compact()
            let first = home.appending(path: "first")
            _ = try store.backUp(to: first)
            let report = try store.backUp(to: home.appending(path: "second"), since: first)
            #expect(report.sharedBytes > 0 && report.sharedBytes < report.bytes)
            let copy = Backend.levelDB.make(at: home.appending(path: "second"))
            try copy.open()
            try #expect(names(copy) == names(store))
            try copy.close()
        }
    }

    @Test func anLMDBStoreSharesNothingWithAnEarlierBackup() throws {
        try withFilledStore(.lmdb) { store, home in
            expectError(.unsupported) {
                _ = try store.backUp(to: home.appending(path: "copy"), since: home)
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func aStoreIsSmallerWhenItWasCompactedAndTheSame(_ backend: Backend) throws {
        try withFilledStore(backend) { store, _ in
            try store.write { db in
                for item in try db.items(Restaurant.self) where item.name != "r7" {
                    try db.delete(item)
                }
            }
            let before = try names(store)
            let report = try store.compact()
            #expect(report.bytesAfter < report.bytesBefore)
            try #expect(names(store) == before)
            try store.write { db in try db.create(Restaurant.self).name = "new" }
            try #expect(names(store) == before + ["new"])
            try store.close()
            try store.open()
            try #expect(names(store) == before + ["new"])
        }
    }

    // MARK: Compaction beside blocks

    /// Where a block is in which a store is read while it is compacted.
    enum Place: String, CaseIterable {
        case read, write, child, queue, otherThread
    }

    /// A block that reads inside of itself waited for the compaction, which waited for the block.
    @Test(arguments: Backend.persistent, Place.allCases)
    func aBlockThatReadsInsideIsNotHeldUpByACompaction(
        _ backend: Backend, _ place: Place
    ) throws {
        try withFilledStore(backend) { store, _ in
            let isInside = DispatchSemaphore(value: 0)
            let child = try store.makeChild()
            try child.open()
            try child.write { db in try db.create(Restaurant.self).name = "pending" }
            @Sendable func inside() throws {
                isInside.signal()
                // By now the compaction waits.
                Thread.sleep(forTimeInterval: 0.02)
                for _ in 0..<3 {
                    let counts = try [store, child].map { store in
                        try store.read { db in try db.count(Restaurant.self) }
                    }
                    #expect(counts == [1000, 1001])
                    Thread.sleep(forTimeInterval: 0.005)
                }
            }
            let block = BackgroundBlock {
                switch place {
                case .read: try store.read { _ in try inside() }
                case .write: try store.write { _ in try inside() }
                case .child: try child.read { _ in try inside() }
                case .queue:
                    let hasEnded = DispatchSemaphore(value: 0)
                    store.enqueueWrite({ _ in try inside() }) { error in
                        #expect(error == nil)
                        hasEnded.signal()
                    }
                    hasEnded.wait()
                case .otherThread:
                    try store.read { _ in try BackgroundBlock { try inside() }.wait() }
                }
            }
            isInside.wait()
            _ = try store.compact()
            try block.wait()
            try child.close()
            #expect(try names(store).count == 1000)
        }
    }

    @Test(arguments: Backend.persistent)
    func aStoreIsCompactedUnderLoad(_ backend: Backend) throws {
        try withFilledStore(backend) { store, _ in
            let isOver = Locked(false)
            let blocks = (0..<4).map { number in
                BackgroundBlock {
                    var rounds = 0
                    while !isOver.withLock({ $0 }) || rounds == 0 {
                        func expectAll() throws {
                            let count = try store.read { db in try db.count(Restaurant.self) }
                            #expect(count >= 1000)
                        }
                        if number % 2 == 0 {
                            try store.write { db in
                                try db.create(Restaurant.self).stars = number
                                try expectAll()
                            }
                        } else {
                            try store.read { _ in try expectAll() }
                        }
                        rounds += 1
                    }
                }
            }
            defer { isOver.withLock { $0 = true } }
            for _ in 0..<4 { _ = try store.compact() }
            isOver.withLock { $0 = true }
            for block in blocks { try block.wait() }
        }
    }

    /// LMDB restarts its transaction numbers in a compacted file, so that two states have one number.
    @Test(arguments: Backend.persistent)
    func aChildSeesWhatIsCommittedBehindACompaction(_ backend: Backend) throws {
        for commits in 1...8 {
            try withFilledStore(backend) { store, _ in
                let child = try store.makeChild()
                try child.open()
                try child.write { db in try db.create(Restaurant.self).name = "pending" }
                let before = try names(child).count
                _ = try store.compact()
                #expect(try names(child).count == before)
                for _ in 0..<commits {
                    try store.write { db in try db.create(Restaurant.self).name = "later" }
                }
                #expect(try names(child).count == before + commits)
                #expect(try names(store).count == before - 1 + commits)
                try child.close()
            }
        }
    }

    @Test func aStoreInMemoryHasNothingToCompactAndNoFilesToCopy() throws {
        try withFilledStore(.memory) { store, home in
            try #expect(store.compact() == CompactionReport(bytesBefore: 0, bytesAfter: 0))
            expectError(.unsupported) { _ = try store.backUp(to: home.appending(path: "copy")) }
            #expect(!FileManager.default.fileExists(atPath: home.appending(path: "copy").path))
        }
    }

    @Test func anotherKindOfStoreRefuses() throws {
        try withFilledStore(.reference) { store, home in
            expectError(.unsupported) { _ = try store.compact() }
            expectError(.unsupported) { _ = try store.repair() }
            expectError(.unsupported) { _ = try store.backUp(to: home.appending(path: "copy")) }
        }
    }

    @Test(arguments: Backend.persistent)
    func insideABlockItIsRefused(_ backend: Backend) throws {
        try withFilledStore(backend) { store, home in
            try store.write { _ in
                expectError(.insideBlock) { _ = try store.compact() }
                expectError(.insideBlock) { _ = try store.repair() }
                expectError(.insideBlock) {
                    _ = try store.backUp(to: home.appending(path: "copy"))
                }
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func aDamagedNumberOfItemsIsCountedAnew(_ backend: Backend) throws {
        try withFilledStore(backend) { store, home in
            try store.close()
            let bytes = StoredBytes(backend, at: home.appending(path: "store"))
            var counters = try bytes.entries(tag: StoredBytes.counterTag)
            for place in counters.indices { counters[place].value[0] ^= 1 }
            try bytes.put(counters)
            try store.open()
            let report = try store.repair()
            #expect(!report.repaired.isEmpty && report.remaining.isEmpty)
            try #expect(store.read { db in try db.count(Restaurant.self) } == 1000)
            try #expect(store.repair().repaired.isEmpty)
        }
    }

    @Test(arguments: Backend.persistent)
    func aDamagedIndexIsWrittenAnew(_ backend: Backend) throws {
        try withFilledStore(backend) { store, home in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Indexed", attributes: [AttributeSchema("n")],
                        indexes: [IndexSchema(["n"])]))
                for n in 0..<50 {
                    _ = try db.performInsert(
                        DynamicItem("Indexed", id: ItemID(), values: ["n": .int(Int64(n))]))
                }
            }
            try store.close()
            let bytes = StoredBytes(backend, at: home.appending(path: "store"))
            let entries = try bytes.entries(tag: 4)
            #expect(!entries.isEmpty)
            var wrong = entries[1]
            wrong.key[wrong.key.count - 1] ^= 0x55
            try bytes.replace([entries[0]], with: [wrong])
            try store.open()
            try #expect(!store.verify().problems.isEmpty)
            let report = try store.repair()
            #expect(!report.repaired.isEmpty && report.remaining.isEmpty)
        }
    }
}
