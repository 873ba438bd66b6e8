import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// Random operations on an engine, compared with a dictionary that is sorted when asked.
@Suite struct KeyValueEngineModelTests {
    private struct Rollback: Error {}

    @Test(arguments: EngineCase.allCases)
    func behavesLikeASortedDictionary(_ engineCase: EngineCase) throws {
        let seed = UInt64.random(in: .min ... .max)
        let temporary = try TemporaryDirectory()
        let engine = engineCase.engine(at: temporary.place("store"))
        try engine.open()
        defer { engine.close() }
        var random = SeededGenerator(seed: seed)
        var model: [[UInt8]: [UInt8]] = [:]

        for round in 0..<80 {
            var draft = model
            let isKept = Int.random(in: 0..<5, using: &random) > 0
            do {
                try engine.write { writer in
                    for _ in 0..<Int.random(in: 0..<60, using: &random) {
                        try step(writer, &draft, &random)
                    }
                    try savepoint(writer, &draft, depth: 0, &random)
                    try compare(writer, draft, &random, "seed \(seed), round \(round), open")
                    if !isKept { throw Rollback() }
                }
                model = draft
            } catch is Rollback {}
            try engine.read {
                try compare($0, model, &random, "seed \(seed), round \(round), committed")
            }
            if round % 20 == 19, engine.traits.isPersistent {
                engine.close()
                try engine.open()
            }
        }
        let all = try engine.pairs()
        #expect(all == sorted(model), "seed \(seed)")
    }

    /// Changes that are kept or undone as a part, with more of them inside.
    private func savepoint(
        _ writer: any KeyValueWriter, _ model: inout [[UInt8]: [UInt8]], depth: Int,
        _ random: inout SeededGenerator
    ) throws {
        var draft = model
        let isKept = Bool.random(using: &random)
        do {
            try writer.withSavepoint { inner in
                for _ in 0..<Int.random(in: 0..<20, using: &random) {
                    try step(inner, &draft, &random)
                }
                if depth < 3, Bool.random(using: &random) {
                    try savepoint(inner, &draft, depth: depth + 1, &random)
                }
                try compare(inner, draft, &random, "savepoint \(depth)")
                if !isKept { throw Rollback() }
            }
            #expect(isKept)
            model = draft
        } catch is Rollback {
            #expect(!isKept)
        }
        try compare(writer, model, &random, "behind savepoint \(depth)")
    }

    private func step(
        _ writer: any KeyValueWriter, _ model: inout [[UInt8]: [UInt8]],
        _ random: inout SeededGenerator
    ) throws {
        let known = model.isEmpty ? nil : model.keys.min { _, _ in Bool.random(using: &random) }
        let key =
            Int.random(in: 0..<3, using: &random) == 0
            ? known ?? self.key(&random) : self.key(&random)
        if Int.random(in: 0..<5, using: &random) < 3 {
            let sizes = [0, 1, 8, 100, 1000, 2000, 5000, 20000]
            let size = sizes.randomElement(using: &random) ?? 0
            let value = [UInt8](repeating: .random(in: 0...255, using: &random), count: size)
            try writer.put(key, value)
            model[key] = value
        } else if Int.random(in: 0..<10, using: &random) == 0 {
            let range = range(&random)
            let gone = sorted(model, in: range)
            try #expect(writer.deleteAll(in: range) == gone.count)
            for pair in gone { model[pair.key] = nil }
        } else {
            let existed = try writer.delete(key)
            #expect(existed == (model.removeValue(forKey: key) != nil))
        }
    }

    private func compare(
        _ reader: any KeyValueReader, _ model: [[UInt8]: [UInt8]],
        _ random: inout SeededGenerator, _ place: Comment
    ) throws {
        let key = key(&random)
        #expect(try reader.value(key) == model[key], place)
        let range = range(&random)
        let expected = sorted(model, in: range)
        let forward = try reader.pairs(range)
        #expect(forward == expected, place)
        let backward = try reader.pairs(range, reversed: true)
        #expect(backward == expected.reversed(), place)
        let isReversed = Bool.random(using: &random)
        var keys: [[UInt8]] = []
        try reader.scanKeys(range, reversed: isReversed) { key in
            keys.append([UInt8](key))
            return .next
        }
        #expect(keys == (isReversed ? backward : forward).map(\.key), place)
        let wanted = (0..<8).map { _ in self.key(&random) } + keys.prefix(3)
        var found: [Int: [UInt8]] = [:]
        var order: [Int] = []
        try reader.withValues(forKeys: wanted) { index, value in
            found[index] = [UInt8](value)
            order.append(index)
            return .next
        }
        #expect(order == order.sorted(), place)
        for (index, key) in wanted.enumerated() { #expect(found[index] == model[key], place) }
    }

    private func range(_ random: inout SeededGenerator) -> KeyRange {
        let lower = Int.random(in: 0..<4, using: &random) == 0 ? [] : key(&random)
        return KeyRange(from: lower, upTo: Bool.random(using: &random) ? key(&random) : nil)
    }

    private func sorted(_ model: [[UInt8]: [UInt8]], in range: KeyRange) -> [Pair] {
        sorted(model).filter { pair in
            !pair.key.lexicographicallyPrecedes(range.lower)
                && range.upper.map { pair.key.lexicographicallyPrecedes($0) } != false
        }
    }

    private func sorted(_ model: [[UInt8]: [UInt8]]) -> [Pair] {
        model.map { Pair($0.key, $0.value) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    // Few short keys, so that they meet again; some long ones, so that pages of all fillings arise.
    private func key(_ random: inout SeededGenerator) -> [UInt8] {
        let bytes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
        let length = Int.random(in: 1...4, using: &random)
        var key = (0..<length).map { _ in bytes.randomElement(using: &random) ?? 0 }
        if Int.random(in: 0..<4, using: &random) == 0 {
            key += [UInt8](repeating: key[0], count: Int.random(in: 100...470, using: &random))
        }
        return key
    }
}
