import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

@Suite struct OrderedKeyMapTests {
    /// 50,000 random changes in all, against a dictionary; copies taken on the way must not move.
    @Test(arguments: 0..<5) func behavesLikeADictionary(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("OrderedKeyMap model, seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var map = OrderedKeyMap<[UInt8]>()
        var model = KeyValueModel()
        var snapshots: [(OrderedKeyMap<[UInt8]>, KeyValueModel)] = []

        for step in 0..<10_000 {
            let key = generator.key()
            // Phases of growth and of removal, so that chunks split and merge.
            if Int.random(in: 0..<10, using: &generator) < (step / 2_000 % 2 == 0 ? 8 : 2) {
                let value = generator.bytes(upTo: 20)
                map.setValue(value, forKey: key.span)
                model.entries[key] = value
            } else {
                let removed = map.removeValue(forKey: key.span)
                #expect(removed == model.entries.removeValue(forKey: key), "seed \(seed)")
            }
            let other = generator.key()
            #expect(map.value(forKey: other.span) == model.entries[other], "seed \(seed)")
            if step % 1_000 == 999 {
                snapshots.append((map, model))
                try expect(map, matches: model, in: .all, "seed \(seed)")
                try expect(map, matches: model, in: generator.range(), "seed \(seed)")
            }
        }
        for (map, model) in snapshots {
            try expect(map, matches: model, in: .all, "snapshot, seed \(seed)")
        }
    }

    @Test func keepsManyAscendingKeysAndLosesThemAgain() throws {
        var map = OrderedKeyMap<Int>()
        for number in 0..<20_000 { map.setValue(number, forKey: bigEndian(number).span) }
        #expect(map.count == 20_000)
        var expected = 0
        try map.scan(.all) { (_, value) throws(DataStoreError) in
            #expect(value == expected)
            expected += 1
            return .next
        }
        #expect(expected == 20_000)
        for number in 0..<20_000 {
            #expect(map.removeValue(forKey: bigEndian(number).span) == number)
        }
        #expect(map.isEmpty)
        #expect(map.value(forKey: bigEndian(0).span) == nil)
    }

    @Test func whatTheBodyThrowsEndsTheScan() {
        var map = OrderedKeyMap<Int>()
        for number in 0..<10 { map.setValue(number, forKey: bigEndian(number).span) }
        var seen = 0
        let error = #expect(throws: DataStoreError.self) {
            try map.scan(.all) { (_, value) throws(DataStoreError) in
                seen += 1
                if value == 3 { throw DataStoreError(.corrupted, in: "read", "Damaged.") }
                return .next
            }
        }
        #expect(error?.code == .corrupted)
        #expect(seen == 4)
    }

    private func expect(
        _ map: OrderedKeyMap<[UInt8]>, matches model: KeyValueModel, in range: KeyRange,
        _ comment: Comment
    ) throws {
        for reversed in [false, true] {
            var entries: [Pair] = []
            try map.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
                entries.append(Pair([UInt8](copying: key), value))
                return .next
            }
            #expect(entries == model.pairs(range, reversed: reversed), comment)
        }
        if range == .all { #expect(map.count == model.entries.count, comment) }
    }

    private func bigEndian(_ number: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
