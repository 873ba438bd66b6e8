import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistRecords
import Testing

/// Stores whose files are moved, replaced or deleted while they are open.
@Suite struct MovedStoreTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    /// Expects that every block is refused.
    private func expectRefusals(
        _ engine: any KeyValueEngine, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let written = #expect(throws: DataStoreError.self, sourceLocation: sourceLocation) {
            try engine.put([2], [2])
        }
        #expect(written?.code == .storeDeleted, sourceLocation: sourceLocation)
        // Read blocks look now and then.
        usleep(30_000)
        let read = #expect(throws: DataStoreError.self, sourceLocation: sourceLocation) {
            _ = try engine.value([1])
        }
        #expect(read?.code == .storeDeleted, sourceLocation: sourceLocation)
    }

    @Test(arguments: EngineCase.persistent)
    func aDirectoryThatIsRenamedAndReplacedIsNoticedByReadersAndWriters(
        _ engineCase: EngineCase
    ) throws {
        let place = temporary.place("store")
        let engine = engineCase.engine(at: place)
        try engine.open()
        try engine.put([1], [1])
        try FileManager.default.moveItem(at: place, to: temporary.place("old"))
        // LevelDB itself takes a path under which it has a store open for that store.
        let other = engineCase.engine(at: temporary.place("old/../store"))
        try other.open()
        try other.put([1], [9])
        try expectRefusals(engine)
        engine.close()
        try #expect(other.pairs() == [Pair([1], [9])])
        other.close()
        // Closing the one that was moved has left nothing in the place of the other.
        try other.open()
        try #expect(other.pairs() == [Pair([1], [9])])
        other.close()
        let moved = engineCase.engine(at: temporary.place("old"))
        try moved.open()
        try #expect(moved.pairs() == [Pair([1], [1])])
        moved.close()
    }

    /// Another process could open the store then, and both would write.
    @Test(arguments: EngineCase.persistent)
    func aLockFileThatIsRemovedIsNoticedBeforeTheNextCommit(_ engineCase: EngineCase) throws {
        for replaces in [false, true] {
            let place = temporary.place("store \(replaces)")
            let engine = engineCase.engine(at: place)
            try engine.open()
            try engine.put([1], [1])
            let lock = place.appending(path: engineCase == .lmdb ? "lock.mdb" : "LOCK")
            try FileManager.default.removeItem(at: lock)
            if replaces { try Data().write(to: lock) }
            try expectRefusals(engine)
            engine.close()
            try engine.open()
            try #expect(engine.pairs() == [Pair([1], [1])])
            engine.close()
        }
    }
}
