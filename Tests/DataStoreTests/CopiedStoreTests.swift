import Foundation
import JustPersist
import Testing

/// Clause 8: an item belongs to the store that it came from, and a copy of its files is another store.
@Suite struct CopiedStoreTests {
    @Test(arguments: Backend.persistent)
    func itemOfAStoreIsForeignToACopyOfIt(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let (place, copy) = (directory.appending(path: "a"), directory.appending(path: "b"))
            let errors = ErrorLog()
            let first = backend.make(at: place, errors: errors)
            try first.open()
            try first.fill(["a", "b"])
            try first.close()
            try FileManager.default.copyItem(at: place, to: copy)
            let second = backend.make(at: copy, errors: errors)
            try first.open()
            try second.open()
            var items: [Restaurant] = []
            try first.performRead { db in items = try db.items(Restaurant.self) }
            try second.write { db in
                #expect(db.delete(item: items[0]) == false)
                expectError(.foreignItem) { _ = try db.performDelete(items[0]) }
                expectError(.foreignItem) { _ = try db.performMutableVersion(of: items[0]) }
                expectError(.foreignItem) { _ = try db.performInsert(items[0]) }
            }
            try #expect(second.names() == ["a", "b"])
            try first.write { db in try db.delete(items[0]) }
            try #expect(first.names() == ["b"])
            try #expect(second.names() == ["a", "b"])
            #expect(errors.codes == [.foreignItem])
            try first.close()
            try second.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func itemOfAnEarlierOpeningStandsForItsOwn(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let place = directory.appending(path: "a")
            let store = backend.make(at: place)
            try store.open()
            try store.fill(["a", "b", "c"])
            var items: [Restaurant] = []
            try store.performRead { db in items = try db.items(Restaurant.self) }
            try store.close()
            try store.open()
            try store.write { db in
                let live: Restaurant = try db.mutableVersion(ofItem: items[0])
                live.name = "changed"
            }
            try store.close()
            // The same directory under another name.
            let moved = directory.appending(path: "moved")
            try FileManager.default.moveItem(at: place, to: moved)
            let other = backend.make(at: moved)
            try other.open()
            try other.write { db in try db.delete(items[1]) }
            try #expect(other.names() == ["changed", "c"])
            try other.close()
        }
    }
}
