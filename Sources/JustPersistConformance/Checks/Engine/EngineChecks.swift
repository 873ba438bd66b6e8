import JustPersist
import JustPersistRecords

/// Checks of the engine below a store: ordered bytes, snapshots and transactions, without any items.
enum EngineChecks {
    typealias Entry = EngineModel.Entry

    static let all: [CheckDefinition] = bytes + scans + transactions + parts + life

    static func check(
        _ name: String, clause: [Int], _ summary: String,
        run: @escaping @Sendable (CheckContext) throws -> Void
    ) -> CheckDefinition {
        CheckDefinition("engine/\(name)", clause: clause, gate: .engine, summary, run: run)
    }

    /// The entry with a number: a key of two bytes, and a short value.
    static func entry(_ number: Int) -> Entry {
        Entry(key: key(number), value: Array("value \(number)".utf8))
    }

    static func key(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    /// Checks of keys and values.
    private static let bytes: [CheckDefinition] = [
        check(
            "traits", clause: [19], "An engine has the same traits before and after it is opened."
        ) { check in
            let engine = try check.makeEngine(named: "engine")
            func text() -> String { "\(engine.traits)" }
            let before = text()
            check.expect(!engine.traits.name.isEmpty, "The engine's traits have no name")
            check.expect(
                engine.traits.maximumKeyLength >= 480,
                """
                The engine takes keys of \(engine.traits.maximumKeyLength) bytes at most; the record \
                layer needs 480
                """)
            try engine.open()
            check.expectEqual(text(), before, "the traits of an open engine")
        },
        check("empty-values", clause: [9], "An empty value is a value.") { check in
            var engine = try ExaminedEngine(check)
            try engine.put([Entry(key: [1], value: []), Entry(key: [2], value: [7])])
            try engine.expect("with an empty value")
            try engine.put([Entry(key: [1], value: [8]), Entry(key: [2], value: [])])
            try engine.expect("where an empty value took the place of another and was replaced")
            check.expect(
                try engine.engine.removed([2]), "delete of a key with an empty value gave false")
        },
        check(
            "key-lengths", clause: [16], "Keys of all lengths are distinct."
        ) {
            check in
            var engine = try ExaminedEngine(check)
            let lengths =
                Array(1...64) + Array(stride(from: 71, to: 480, by: 11))
                + [255, 256, 479, 480, engine.engine.traits.maximumKeyLength]
            try engine.put(
                Set(lengths).map { length in
                    Entry(
                        key: Array(repeating: 0x61, count: length),
                        value: Array("\(length)".utf8))
                })
            try engine.expect("with keys that differ in their length")
            for length in [1, 255, 479, 480] {
                let key = Array(repeating: UInt8(0x61), count: length)
                check.expect(try engine.engine.removed(key), "delete of a key gave false")
                engine.model.delete(key)
            }
            try engine.expect("with keys that differ in their length, after some were deleted")
        },
        check("key-order", clause: [12], "Keys are in the order of their unsigned bytes.") {
            check in
            let bytes: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]
            let pairs = bytes.flatMap { first in bytes.map { [first, $0] } }
            // The engine may store its own keys, which begin with 0xFF and a text.
            let keys =
                bytes.map { [$0] } + pairs + pairs.flatMap { pair in bytes.map { pair + [$0] } }
            var random = check.generator()
            var engine = try ExaminedEngine(check)
            try engine.put(random.shuffled(keys).map { Entry(key: $0, value: $0) })
            try engine.expect("with keys of the bytes 0, 1, 127, 128, 254 and 255")
            for key in random.shuffled(keys).prefix(100) {
                check.expect(
                    try engine.engine.removed(key), "delete of a key that is there gave false")
                engine.model.delete(key)
            }
            try engine.expect("after 100 of them were deleted")
        },
        check("large-values", clause: [16], "Values of megabytes and small ones are stored intact.")
        {
            check in
            var engine = try ExaminedEngine(check)
            for size in [1 << 10, 4_096, 65_537, (1 << 20) + 1] {
                var value = [UInt8](repeating: 0xA5, count: size)
                for (number, place) in stride(from: 0, to: size, by: 251).enumerated() {
                    value[place] = UInt8(truncatingIfNeeded: number)
                }
                try engine.put([
                    Entry(key: [1], value: [1]), Entry(key: [2], value: value),
                    Entry(key: [3], value: [3]),
                ])
                check.tick()
                try engine.expect("with a value of \(size) bytes")
            }
            try engine.put([Entry(key: [2], value: [2])])
            try engine.expect("where a small value took the place of a large one")
        },
        check(
            "copies-what-is-put", clause: [9],
            "An engine stores a copy of the bytes, not the buffer."
        ) { check in
            var engine = try ExaminedEngine(check)
            try engine.engine.write { writer in
                var key: [UInt8] = [0, 0]
                var value: [UInt8] = Array(repeating: 0, count: 100)
                for number in 0..<200 {
                    key[1] = UInt8(number)
                    value[number % 100] = UInt8(number)
                    try writer.put(value.span, forKey: key.span)
                    engine.model.put(value, forKey: key)
                }
                value = []
                try engine.expect(engine.model, "in the transaction", writer)
            }
            try engine.expect("put from one buffer")
        },
        check("overwrites", clause: [8], "A key has one value, the last that was put.") { check in
            var engine = try ExaminedEngine(check, (0..<20).map(entry))
            for size in [1, 3_000, 0, 200, 1] {
                let values = (0..<20).filter { $0 % 3 > 0 }.map {
                    Entry(key: key($0), value: Array(repeating: UInt8($0), count: size))
                }
                try engine.put(values + values)
                try engine.expect("overwritten with \(size) bytes, twice in a transaction")
            }
        },
    ]
}

extension KeyValueEngine {
    /// Deletes a key in a separate transaction.
    func removed(_ key: [UInt8]) throws -> Bool {
        var wasThere = false
        try write { writer in wasThere = try writer.delete(key) }
        return wasThere
    }
}
