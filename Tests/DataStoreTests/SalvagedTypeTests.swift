import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// Which types a salvaged store has, and which of them have lost anything.
@Suite struct SalvagedTypeTests {
    private func withStore(
        _ backend: Backend, _ body: (_ store: URL, _ new: URL) throws -> Void
    ) throws {
        try withTemporaryDirectory { home in
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let place = home.appending(path: "store")
            let store = backend.make(at: place)
            try store.open()
            try store.fill(["a", "b", "c"])
            try store.write { db in
                try db.declare(ItemSchema("Empty", attributes: [AttributeSchema("a")]))
            }
            try store.close()
            try body(place, home.appending(path: "new"))
        }
    }

    @Test(arguments: Backend.persistent)
    func aDeclaredTypeWithoutItemsIsNoLoss(_ backend: Backend) throws {
        try withStore(backend) { place, new in
            let report = try backend.make(at: place).salvage(into: new)
            #expect(report.types.map(\.itemType) == ["Restaurant", "Empty"])
            #expect(report.types.map(\.lost) == [0, 0])
            #expect(report.isComplete, "\(report)")
        }
    }

    /// A key whose type is 2^18 or 2^31 off, under which everything else is in order.
    @Test(
        arguments: Backend.persistent,
        [StoredBytes.catalogTag, StoredBytes.counterTag, StoredBytes.recordTag])
    func aTypeNumberFarFromTheOthersCostsNoMoreThanAnother(
        _ backend: Backend, _ tag: UInt8
    ) throws {
        for place in [2, 1] {
            try withStore(backend) { store, new in
                let bytes = StoredBytes(backend, at: store)
                var entry = try #require(bytes.entries(tag: tag).first)
                entry.key[place] ^= place == 1 ? 0x80 : 0x04
                Checksum.correct(&entry)
                try bytes.put([entry])

                let damaged = backend.make(at: store)
                try damaged.open()
                let problems = try damaged.verify().problems
                #expect(problems.count < 5, "\(problems)")
                try damaged.close()

                let report = try backend.make(at: store).salvage(into: new)
                #expect(report.types.count <= 3 && report.damages.count < 5, "\(report)")
                #expect(report.types.contains { $0.itemType == "Restaurant" && $0.saved == 3 })
                let saved = backend.make(at: new)
                try saved.open()
                try #expect(saved.read { db in try db.count(Restaurant.self) } == 3)
                try expectSound(saved)
                try saved.close()
            }
        }
    }
}
