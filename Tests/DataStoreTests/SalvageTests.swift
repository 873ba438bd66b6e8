import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistRecords
import Testing

/// What can be read of a damaged store is saved into a new one.
@Suite struct SalvageTests {
    private static let names = (0..<300).map { "r\($0)" }

    /// Runs a test on a closed store with restaurants and a few large values, and a place for a new one.
    private func withClosedStore(
        _ backend: Backend, _ body: (_ store: URL, _ new: URL) throws -> Void
    ) throws {
        try withTemporaryDirectory { home in
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let place = home.appending(path: "store")
            let store = backend.make(at: place)
            try store.open()
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Restaurant", attributes: Restaurant.schema.attributes,
                        indexes: [IndexSchema(["stars"])]))
            }
            try store.fill(Self.names)
            try store.write { db in
                for size in [5_000, 70_000, 150_000] {
                    try db.create(Restaurant.self).value = .data(Data(repeating: 7, count: size))
                }
                for item in try db.items(Restaurant.self, where: DataStorePredicate("stars < 10")) {
                    try db.delete(item)
                }
            }
            try store.close()
            try body(place, home.appending(path: "new"))
        }
    }

    /// The values of all restaurants of a store, by their ids.
    private func values(_ backend: Backend, at place: URL) throws -> [ItemID: [DataStoreValue]] {
        let store = backend.make(at: place)
        try store.open()
        defer { try? store.close() }
        try expectSound(store)
        return try store.read { db in
            var values: [ItemID: [DataStoreValue]] = [:]
            for item in try db.items(Restaurant.self) {
                values[item.uniqueToken] = [
                    try item.backing.value(at: 0), try item.backing.value(at: 2),
                    try item.backing.value(at: 4),
                ]
            }
            return values
        }
    }

    private func contents(of directory: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            contents[name] = try Data(contentsOf: directory.appending(path: name))
        }
        return contents
    }

    /// Changes bytes of a file of the store.
    private func change(_ file: URL, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: file))
        body(&bytes)
        try Data(bytes).write(to: file)
    }

    @Test(arguments: Backend.persistent)
    func aSoundStoreIsSavedWholeAndLeftAsItIs(_ backend: Backend) throws {
        try withClosedStore(backend) { place, new in
            let before = try values(backend, at: place)
            let files = try contents(of: place)
            let report = try backend.make(at: place).salvage(into: new)
            try #expect(contents(of: place) == files)
            #expect(report.isComplete && report.damages.isEmpty)
            #expect(report.types.map(\.itemType) == ["Restaurant"])
            #expect(report.types.first?.saved == before.count && report.types.first?.lost == 0)
            try #expect(values(backend, at: new) == before)
            let store = backend.make(at: new)
            try store.open()
            defer { try? store.close() }
            let count = try store.read { db in
                try db.count(Restaurant.self, where: DataStorePredicate("stars >= 290"))
            }
            #expect(count == 10)
            try store.write { db in try db.create(Restaurant.self).name = "new" }
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedRecordsAreListedAndAllOthersAreSaved(_ backend: Backend) throws {
        try withClosedStore(backend) { place, new in
            var before = try values(backend, at: place)
            let stored = StoredBytes(backend, at: place)
            var damaged = try stored.entries(tag: StoredBytes.recordTag).prefix(3)
            for index in damaged.indices {
                damaged[index].value[damaged[index].value.count - 1] ^= 1
            }
            try stored.put(Array(damaged))
            let report = try backend.make(at: place).salvage(into: new)
            let type = try #require(report.types.first)
            #expect(!report.isComplete)
            // LevelDB still has the entries that it wrote before: the same values, which are not certain.
            #expect(Set(type.lostIDs + type.uncertainIDs).count == 3, "\(type)")
            #expect(type.lost == type.lostIDs.count)
            if backend == .lmdb { #expect(type.lost == 3) }
            for id in type.lostIDs { #expect(before.removeValue(forKey: id) != nil) }
            try #expect(values(backend, at: new) == before)
        }
    }

    @Test(arguments: Backend.persistent)
    func theHeaderAndTheNumbersOfItemsAreMadeAnew(_ backend: Backend) throws {
        try withClosedStore(backend) { place, new in
            let before = try values(backend, at: place)
            let stored = StoredBytes(backend, at: place)
            var damaged = try stored.entries(tag: StoredBytes.headerTag)
            damaged += try stored.entries(tag: StoredBytes.counterTag)
            for index in damaged.indices { damaged[index].value[12] ^= 1 }
            try stored.put(damaged)
            expectError(.corrupted) { try backend.make(at: place).open() }
            let report = try backend.make(at: place).salvage(into: new)
            // LevelDB still has the entries that it has written before.
            if backend == .lmdb { #expect(report.types.first?.lost == nil, "\(report)") }
            #expect(report.damages.count >= 1, "\(report)")
            try #expect(values(backend, at: new) == before)
        }
    }

    @Test(arguments: Backend.persistent)
    func itemsOfATypeThatIsLostAreSavedWithoutItsNames(_ backend: Backend) throws {
        try withClosedStore(backend) { place, new in
            let before = try values(backend, at: place)
            let stored = StoredBytes(backend, at: place)
            var entries = try stored.entries(tag: StoredBytes.catalogTag)
            // Damages the end of the entry, after the key, which has its own checksum.
            for index in entries.indices {
                entries[index].value[entries[index].value.count - 1] ^= 1
            }
            let sound = try stored.entries(tag: StoredBytes.catalogTag)
            try stored.replace(sound, with: entries)
            // So that no older state of the entry is left.
            let engine = stored.engine
            try engine.open()
            _ = try engine.compact(MaintenanceMeter { _ in })
            engine.close()
            let report = try backend.make(at: place).salvage(into: new)
            #expect(report.types.map(\.itemType) == ["Recovered Restaurant"])
            #expect(!report.isComplete && !report.isCatalogComplete)
            #expect(report.types.first?.saved == before.count && report.remaining.isEmpty)
            let store = backend.make(at: new)
            try store.open()
            defer { try? store.close() }
            let found = try store.read { db in
                try db.dynamicItems(
                    DataStoreRequest(
                        type: ItemType(dynamic: "Recovered Restaurant"),
                        predicate: DataStorePredicate("attribute0 == \"r77\""))
                ).count
            }
            #expect(found == 1)
        }
    }

    @Test(arguments: Backend.persistent)
    func aFileThatIsCutOffKeepsWhatIsBeforeTheCut(_ backend: Backend) throws {
        try withClosedStore(backend) { place, new in
            let before = try values(backend, at: place)
            if backend == .levelDB {
                let engine = LevelDBEngine(at: place)
                try engine.open()
                _ = try engine.compact(MaintenanceMeter { _ in })
                engine.close()
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: place.path)
            let name = try #require(files.first { $0.hasSuffix(".ldb") || $0 == "data.mdb" })
            try change(place.appending(path: name)) { $0.removeLast($0.count / 3) }
            #expect(throws: DataStoreError.self) {
                let store = backend.make(at: place)
                try store.open()
                defer { try? store.close() }
                if let problem = try store.verify().problems.first { throw problem }
            }
            let report = try backend.make(at: place).salvage(into: new)
            #expect(!report.damages.isEmpty && report.remaining.isEmpty)
            let after = try values(backend, at: new)
            #expect(after.count > 0)
            // Pages that are no longer in use may bring deleted items back, which are reported.
            let uncertain = Set(report.types.flatMap(\.uncertainIDs))
            for (id, values) in after where !uncertain.contains(id) {
                #expect(before[id] == values)
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func whatIsNoDamagedStoreIsRefused(_ backend: Backend) throws {
        try withClosedStore(backend) { place, new in
            let store = backend.make(at: place)
            expectError(.targetNotEmpty) { _ = try store.salvage(into: place) }
            try store.open()
            expectError(.alreadyOpen) { _ = try store.salvage(into: new) }
            expectError(.alreadyOpen) { _ = try backend.make(at: place).salvage(into: new) }
            try store.close()
            expectError(.storeNotFound) {
                _ = try backend.make(at: place.appending(path: "none")).salvage(into: new)
            }
            #expect(!FileManager.default.fileExists(atPath: new.path))
        }
        try Backend.memory.withStore { store in
            expectError(.unsupported) {
                _ = try store.salvage(into: URL(filePath: "/tmp/none"))
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func aSalvageThatTheCallerEndsLeavesNothing(_ backend: Backend) throws {
        struct Enough: Error {}
        try withClosedStore(backend) { place, new in
            for step in [MaintenanceProgress.Step.structure, .items, .indexes] {
                #expect(throws: Enough.self) {
                    _ = try backend.make(at: place).salvage(into: new) { progress in
                        if progress.step == step { throw Enough() }
                    }
                }
            }
            let home = new.deletingLastPathComponent().path
            try #expect(FileManager.default.contentsOfDirectory(atPath: home) == ["store"])
        }
    }

    @Test(arguments: ["root", "first pages", "swapped pages", "free list"])
    func anLMDBFileWithoutItsTreeIsReadPageByPage(_ damage: String) throws {
        try withClosedStore(.lmdb) { place, new in
            let before = try values(.lmdb, at: place)
            let file = place.appending(path: "data.mdb")
            try change(file) { bytes in
                func number(_ offset: Int) -> Int {
                    (0..<8).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
                }
                let meta = number(144) > number(4096 + 144) ? 0 : 4096
                let (free, root) = (number(meta + 80), number(meta + 128))
                switch damage {
                case "root":
                    bytes.replaceSubrange(
                        root * 4096..<(root + 1) * 4096, with: repeatElement(0, count: 4096))
                case "first pages":
                    bytes.replaceSubrange(0..<8192, with: repeatElement(0, count: 8192))
                case "free list":
                    bytes.replaceSubrange(
                        free * 4096..<(free + 1) * 4096, with: repeatElement(0, count: 4096))
                default:
                    for offset in 0..<4096 { bytes.swapAt(root * 4096 + offset, 2 * 4096 + offset) }
                }
            }
            let report = try LMDBDataStore(at: place).salvage(into: new)
            #expect(!report.mayLackChanges && report.types.first?.uncertain == 0)
            try #expect(values(.lmdb, at: new) == before)
        }
    }

    @Test(arguments: [LevelDBConfiguration.Compression.none, .snappy])
    func aLevelDBTableWithoutItsIndexIsReadBlockByBlock(
        _ compression: LevelDBConfiguration.Compression
    ) throws {
        try withClosedStore(.levelDB) { place, new in
            let before = try values(.levelDB, at: place)
            let engine = LevelDBEngine(
                at: place, configuration: LevelDBConfiguration(compression: compression))
            try engine.open()
            _ = try engine.compact(MaintenanceMeter { _ in })
            engine.close()
            for name in try FileManager.default.contentsOfDirectory(atPath: place.path)
            where name.hasSuffix(".ldb") {
                try change(place.appending(path: name)) { $0[$0.count - 60..<$0.count] = [1] }
            }
            let report = try LevelDBDataStore(at: place).salvage(into: new)
            #expect(!report.damages.isEmpty)
            try #expect(values(.levelDB, at: new) == before)
        }
    }

    @Test(arguments: ["CURRENT", "MANIFEST", "LOCK"])
    func aLevelDBStoreIsSavedWithoutItsListOfFiles(_ missing: String) throws {
        try withClosedStore(.levelDB) { place, new in
            let before = try values(.levelDB, at: place)
            for name in try FileManager.default.contentsOfDirectory(atPath: place.path)
            where name.hasPrefix(missing) {
                try FileManager.default.removeItem(at: place.appending(path: name))
            }
            let report = try LevelDBDataStore(at: place).salvage(into: new)
            #expect(report.mayLackChanges == (missing == "MANIFEST"))
            try #expect(values(.levelDB, at: new) == before)
        }
    }

    /// Numbers of pages that no file has, as damage leaves them.
    @Test func anLMDBPageThatLeadsOutOfTheFileIsNoEnd() throws {
        try withClosedStore(.lmdb) { place, new in
            let before = try values(.lmdb, at: place)
            try change(place.appending(path: "data.mdb")) { bytes in
                for meta in [0, 4096] { bytes[meta + 128 + 7] = 0xff }
                // A page that bears a number like that, and otherwise looks like a leaf.
                var page = [UInt8](repeating: 0, count: 4096)
                for place in 0..<8 { page[place] = 0xff }
                page[10] = 2
                bytes += page
            }
            let report = try LMDBDataStore(at: place).salvage(into: new)
            #expect(!report.damages.isEmpty)
            try #expect(values(.lmdb, at: new) == before)
        }
    }

    /// A byte too many, so that no record of a log begins where the one before it ends.
    @Test func aShiftedLogOfLevelDBIsReadOn() throws {
        try withClosedStore(.levelDB) { place, new in
            // Opening a store moves what its log has into a table.
            let copy = place.appendingPathExtension("copy")
            try FileManager.default.copyItem(at: place, to: copy)
            let before = try values(.levelDB, at: copy)
            for shift in 1...8 {
                let shifted = place.appendingPathExtension("\(shift)")
                try FileManager.default.copyItem(at: place, to: shifted)
                for (name, bytes) in try contents(of: shifted) where name.hasSuffix(".log") {
                    try #require(bytes.count > 100_000)
                    try change(shifted.appending(path: name)) {
                        $0.insert(contentsOf: repeatElement(0, count: shift), at: 0)
                    }
                }
                let saved = new.appendingPathExtension("\(shift)")
                let report = try LevelDBDataStore(at: shifted).salvage(into: saved)
                #expect(report.mayLackChanges && !report.isComplete)
                let after = try values(.levelDB, at: saved)
                #expect(after.count > before.count / 2, "\(shift)")
                // Deletions may be lost, and what was not deleted is as it was.
                for (id, values) in before { #expect(after[id] == nil || after[id] == values) }
            }
        }
    }

    /// The items in tables without permission were counted as lost.
    @Test(.enabled(if: geteuid() != 0, "root may read every file"), arguments: Backend.persistent)
    func whatMayNotBeReadIsNotTakenForLost(_ backend: Backend) throws {
        try withClosedStore(backend) { place, new in
            let files = FileManager.default
            let name = try #require(
                files.contentsOfDirectory(atPath: place.path).first {
                    $0 == "data.mdb" || $0.hasSuffix(".log")
                })
            let file = place.appending(path: name).path
            try files.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
            expectError(.accessDenied) { _ = try backend.make(at: place).salvage(into: new) }
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            #expect(!files.fileExists(atPath: new.path))
        }
    }
}
