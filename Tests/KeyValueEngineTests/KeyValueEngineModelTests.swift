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
        let lower = self.key(&random)
        let upper = Bool.random(using: &random) ? self.key(&random) : nil
        let range = KeyRange(from: lower, upTo: upper)
        let expected = sorted(model).filter { pair in
            !pair.key.lexicographicallyPrecedes(lower)
                && upper.map { pair.key.lexicographicallyPrecedes($0) } != false
        }
        let forward = try reader.pairs(range)
        #expect(forward == expected, place)
        let backward = try reader.pairs(range, reversed: true)
        #expect(backward == expected.reversed(), place)
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
