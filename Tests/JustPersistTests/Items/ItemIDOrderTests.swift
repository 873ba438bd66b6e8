import Foundation
import JustPersist
import Testing

@Suite struct ItemIDOrderTests {
    @Test func idsOfOneThreadAscendStrictly() {
        var last = ItemID()
        var failures = 0
        for _ in 0..<100_000 {
            let id = ItemID()
            if id <= last { failures += 1 }
            last = id
        }
        #expect(failures == 0)
    }

    @Test func idsOfManyThreadsAscendInEachAndDifferInAll() async {
        let batches = await withTaskGroup(of: [ItemID].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<12_500).map { _ in ItemID() } }
            }
            return await group.reduce(into: [[ItemID]]()) { $0.append($1) }
        }
        for batch in batches {
            #expect(zip(batch, batch.dropFirst()).allSatisfy { $0 < $1 })
        }
        #expect(Set(batches.joined()).count == 100_000)
    }

    @Test func idIsAUUIDOfVersion7WithTheTime() {
        let before = UInt64(Date().timeIntervalSince1970 * 1000)
        let id = ItemID()
        #expect(id.high >> 12 & 0xf == 7)
        #expect(id.low >> 62 == 0b10)
        #expect(id.high >> 16 >= before)
    }

    @Test func orderIsThatOfTheBytes() {
        let ids = (0..<1000).map { _ in ItemID() }
        let texts = ids.map(\.description)
        #expect(texts == texts.sorted())
        #expect(ids.map(\.uuid.uuidString) == ids.map(\.uuid.uuidString).sorted())
    }
}
