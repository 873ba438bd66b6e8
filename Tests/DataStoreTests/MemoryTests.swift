import Foundation
import JustPersist
import JustPersistRecords
import Synchronization
import Testing

/// What a block holds on to.
@Suite struct MemoryTests {
    @Test func writeBlockLetsGoOfItemsThatNobodyHolds() throws {
        let store = RecordStore(engine: SortedArrayEngine())
        try store.open()
        let live = Created.count
        var most = 0
        try store.performWrite { db in
            var kept: [Created] = []
            for index in 0..<36_000 {
                let item = try db.create(Created.self)
                item.number = index
                if index % 10_000 == 0 { kept.append(item) }
                if index % 1000 == 0 { most = max(most, live.value) }
            }
            #expect(most < 25_000)
            // What is held stays one object, and what was let go is found again.
            let items = try db.items(
                Created.self, where: DataStorePredicate("number IN {0, 1, 10000}"))
            #expect(items.map(\.number) == [0, 1, 10_000])
            #expect(items[0] === kept[0])
            #expect(items[2] === kept[1])
            most = 0
            var seen = 0
            try db.forEach(DataStoreRequest(itemType: Created.self)) { item in
                guard let item = item as? Created else { return }
                #expect(item.number == seen)
                item.number += 1
                seen += 1
                if seen % 1000 == 0 { most = max(most, live.value) }
            }
            #expect(seen == 36_000)
            #expect(most < 25_000)
        }
        #expect(live.value == 0)
        let sum = try store.read { db in try db.items(Created.self).map(\.number).reduce(0, +) }
        #expect(sum == (1...36_000).reduce(0, +))
    }

    @Test func insertedItemsAreLetGoToo() throws {
        let store = RecordStore(engine: SortedArrayEngine())
        try store.open()
        let live = Inserted.count
        var most = 0
        try store.performWrite { db in
            for index in 0..<36_000 {
                let item = Inserted()
                item.number = index
                try #require(db.insert(item) == true)
                if index % 1000 == 0 {
                    _ = try db.count(Inserted.self)
                    most = max(most, live.value)
                }
            }
        }
        #expect(most < 25_000)
        #expect(live.value == 0)
        try #expect(store.read { db in try db.count(Inserted.self) } == 36_000)
    }
}

/// An item that counts how many of its type there are.
private protocol CountedItem: MutableDataStoreItem {}

extension CountedItem {
    fileprivate var number: Int {
        get { attribute(at: 0, default: 0) }
        set { setAttribute(newValue, at: 0) }
    }
}

private final class Created: CountedItem {
    static let schema = ItemSchema("Created", attributes: [AttributeSchema("number")])
    static let count = Count()

    let backing: any ItemBacking

    init(backing: any ItemBacking) {
        self.backing = backing
        Self.count.change(by: 1)
    }

    deinit { Self.count.change(by: -1) }
}

private final class Inserted: CountedItem {
    static let schema = ItemSchema("Inserted", attributes: [AttributeSchema("number")])
    static let count = Count()

    let backing: any ItemBacking

    init(backing: any ItemBacking) {
        self.backing = backing
        Self.count.change(by: 1)
    }

    deinit { Self.count.change(by: -1) }
}

/// A number that threads may change.
private final class Count: Sendable {
    private let number = Mutex(0)

    func change(by difference: Int) { number.withLock { $0 += difference } }

    var value: Int { number.withLock { $0 } }
}
