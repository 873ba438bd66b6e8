import JustPersist
import JustPersistConformance
import JustPersistMemory
import JustPersistRecords
import Testing

@Suite struct KeyValueOverlayTests {
    @Test(arguments: 0..<20) func readsAsIfItsChangesWereCommitted(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("KeyValueOverlay model, seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let engine = InMemoryEngine()
        try engine.open()
        var committed = KeyValueModel()
        try engine.write { writer in
            for _ in 0..<Int.random(in: 0...300, using: &generator) {
                let entry = Pair(generator.key(upTo: 3), generator.bytes(upTo: 5))
                try writer.put(entry.key, entry.value)
                committed.entries[entry.key] = entry.value
            }
        }
        try engine.read { base in
            let overlay = KeyValueOverlay(over: base)
            var model = committed
            for step in 0..<500 {
                let key = generator.key(upTo: 3)
                if Bool.random(using: &generator) {
                    let value = generator.bytes(upTo: 5)
                    try overlay.put(key, value)
                    model.entries[key] = value
                } else {
                    let wasThere = try overlay.delete(key)
                    #expect(
                        wasThere == (model.entries.removeValue(forKey: key) != nil), "seed \(seed)")
                }
                let other = generator.key(upTo: 3)
                #expect(try overlay.value(other) == model.entries[other], "seed \(seed)")
                guard step % 10 == 0 else { continue }
                let range = generator.range(upTo: 3)
                for reversed in [false, true] {
                    let expected = model.pairs(range, reversed: reversed)
                    #expect(
                        try overlay.pairs(range, reversed: reversed) == expected,
                        "seed \(seed)")
                    let limit = Int.random(in: 1...20, using: &generator)
                    #expect(
                        try overlay.pairs(range, reversed: reversed, limit: limit)
                            == Array(expected.prefix(limit)), "seed \(seed)")
                }
            }
            #expect(try base.pairs() == committed.pairs())
        }
    }

    @Test func startsWithTheChangesOfAnother() throws {
        let engine = InMemoryEngine()
        try engine.open()
        try engine.write { try $0.put([1], [1]) }
        try engine.read { base in
            let first = KeyValueOverlay(over: base)
            try first.put([2], [2])
            #expect(try first.delete([1]))
            let second = KeyValueOverlay(over: base, changes: first.changes)
            #expect(try second.pairs() == [Pair([2], [2])])
        }
    }

    /// A child store keeps its changes, so those would grow with each value that it replaces.
    @Test func whatOnlyTheChangesHadLeavesNothing() throws {
        let engine = InMemoryEngine()
        try engine.open()
        try engine.write { try $0.put([1], [1]) }
        try engine.read { base in
            let overlay = KeyValueOverlay(over: base)
            for key in [[1], [2]] as [[UInt8]] {
                try overlay.put(key, [2])
                try overlay.remove(key.span)
            }
            #expect(overlay.changes.count == 1)
            #expect(try overlay.pairs().isEmpty)
        }
    }
}
