import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// Numbers in stored bytes, with checksums that suit them: whatever they are, nothing that is computed of them traps.
@Suite struct GreatNumberTests {
    private static let numbers: [UInt64] = [
        .max, .max - 1, 1 << 63, 1 << 62, (1 << 62) - 1, 1 << 48, 1 << 32, (1 << 31) - 1, 0,
    ]

    /// A store with an index and a change log.
    private func makeStore() throws -> (SortedArrayEngine, RecordStore<SortedArrayEngine>) {
        let engine = SortedArrayEngine()
        let store = RecordStore(
            engine: engine, changeLog: ChangeLogLength(commits: 100, bytes: 1 << 20),
            errorHandler: { _ in })
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Restaurant", attributes: Restaurant.schema.attributes,
                    indexes: [IndexSchema(["stars"]), IndexSchema(["name", "stars"])]))
        }
        try store.fill(["a", "b", "c"])
        try store.close()
        return (engine, store)
    }

    /// Uses the store in each way; errors are answers.
    private func use(_ store: any DataStore) {
        guard (try? store.open()) != nil else { return }
        _ = try? store.verify()
        let token = try? store.read { db in try db.changeToken }
        for number in 0..<3 {
            try? store.write { db in
                try db.create(Restaurant.self).name = "new \(number)"
                _ = try db.count(Restaurant.self, where: DataStorePredicate("stars >= 1"))
                _ = try db.items(Restaurant.self).map(\.name)
            }
        }
        _ = try? store.repair()
        let beginnings = [token, token.map { ChangeToken(origin: $0.origin, position: .max) }]
        for token in beginnings {
            if let observation = try? store.observeChanges(.everything, since: token) {
                _ = observation.poll()
            }
        }
        try? store.write { db in try db.deleteAll(Restaurant.self) }
        try? store.close()
    }

    @Test func aHeaderWhoseNumbersAreGreatNeverTraps() throws {
        let (engine, store) = try makeStore()
        let original = engine.entries
        let length = original[0].value.count
        for place in 8...(length - 16) {
            for number in Self.numbers {
                var entries = original
                for byte in 0..<8 {
                    entries[0].value[place + byte] =
                        UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
                }
                Checksum.correct(&entries[0])
                engine.entries = entries
                use(store)
            }
        }
    }

    @Test func aLogThatClaimsMoreBytesThanCanBeCountedIsDamage() throws {
        let (engine, store) = try makeStore()
        var entries = engine.entries
        let end = entries[0].value.count - 8
        for byte in (end - 8)..<end { entries[0].value[byte] = 0xFF }
        Checksum.correct(&entries[0])
        engine.entries = entries
        expectError(.corrupted) {
            try store.open()
            try store.write { db in try db.create(Restaurant.self).name = "new" }
        }
    }

    @Test func greatNumbersInAnyEntryNeverTrap() throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        let (engine, store) = try makeStore()
        let original = engine.entries
        for _ in 0..<400 {
            var entries = original
            let index = random.int(1..<entries.count)
            let width = [1, 2, 4, 8][random.int(0..<4)]
            guard entries[index].value.count > width else { continue }
            let place = random.int(0..<(entries[index].value.count - width))
            let number = Self.numbers[random.int(0..<Self.numbers.count)]
            for byte in 0..<width {
                entries[index].value[place + byte] =
                    UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
            }
            Checksum.correct(&entries[index])
            engine.entries = entries
            use(store)
        }
    }

    /// Keys of all kinds whose numbers are great, beside those of the store.
    @Test func greatNumbersInKeysNeverTrap() throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        let (engine, store) = try makeStore()
        let original = engine.entries
        for _ in 0..<300 {
            var entries = original
            var entry = entries[random.int(1..<entries.count)]
            let place = random.int(1..<entry.key.count)
            let width = min([1, 2, 4, 8][random.int(0..<4)], entry.key.count - place)
            let number = Self.numbers[random.int(0..<Self.numbers.count)]
            for byte in 0..<width {
                entry.key[place + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
            }
            Checksum.correct(&entry)
            entries.removeAll { $0.key == entry.key }
            entries.append(entry)
            entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
            engine.entries = entries
            use(store)
        }
    }

    @Test func salvageOfMutatedEntriesWithRightChecksumsNeverTraps() throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        try withTemporaryDirectory { home in
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let (engine, _) = try makeStore()
            let original = engine.entries
            for round in 0..<25 {
                var entries = original
                for _ in 0..<3 {
                    let index = random.int(0..<entries.count)
                    let isKey = random.bool()
                    let count = isKey ? entries[index].key.count : entries[index].value.count
                    guard count > 1 else { continue }
                    let place = random.int((isKey ? 1 : 0)..<count)
                    let byte = UInt8([0, 1, 0x7F, 0x80, 0xFF][random.int(0..<5)])
                    if isKey {
                        entries[index].key[place] = byte
                    } else {
                        entries[index].value[place] = byte
                    }
                    Checksum.correct(&entries[index])
                }
                let place = home.appending(path: "store \(round)")
                try StoredBytes(LMDBEngine(at: place)).put(entries)
                let report = try? LMDBDataStore(at: place).salvage(
                    into: home.appending(path: "new \(round)"))
                // One line for what exists, however far its number is from the others.
                if let report { #expect(report.damages.count + report.types.count < 60) }
            }
        }
    }
}
