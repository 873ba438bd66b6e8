import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Stored bytes that are damaged or were made to harm: every answer is right or an error, and nothing traps.
@Suite struct HostileBytesTests {
    /// A store of two types with values of every kind, over an engine whose bytes can be reached; with an item of a
    /// wide table, if that is asked for.
    private func makeStore(
        _ random: inout RandomPredicates, isWide: Bool = true
    ) throws -> (engine: SortedArrayEngine, store: RecordStore<SortedArrayEngine>) {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.write { db in
            for _ in 0..<12 {
                let item = try db.create(Sample.self)
                for index in 0..<5 { item[index] = random.attributeValue() }
            }
            try db.create(Restaurant.self).name = "a"
            if isWide {
                try db.create(Sample.self)[0] = .string(String(repeating: "wide", count: 20_000))
            }
        }
        try store.close()
        return (engine, store)
    }

    /// Asks everything there is to ask; each answer may be an error, but has to come.
    private func exercise(_ store: any DataStore, _ random: inout RandomPredicates) {
        do { try store.open() } catch { return }
        _ = try? store.verify()
        var errors: [any Error] = []
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch { errors.append(error) }
        }
        let predicates = (0..<4).map { _ in random.predicate() }
        attempt {
            try store.performRead { db in
                for schema in try db.schemas() {
                    let request = DataStoreRequest(itemTypeKey: schema.itemTypeKey)
                    attempt { for item in try db.dynamicItems(request) { _ = try item.values() } }
                    attempt { _ = try db.count(request) }
                    request.setSort(byKey: "a", ascending: true)
                    attempt { _ = try db.performFetch(request) }
                }
                for predicate in predicates {
                    attempt { _ = try db.count(DataStoreRequest(samplesWhere: predicate)) }
                }
                attempt {
                    for item in try db.items(Sample.self) { for index in 0..<5 { _ = item[index] } }
                }
            }
        }
        attempt {
            try store.performWrite { db in
                attempt {
                    for item in try db.items(Sample.self) { item[1] = random.attributeValue() }
                }
                attempt { try db.create(Sample.self)[0] = .int(1) }
                attempt { _ = try db.count(Sample.self) }
            }
        }
        attempt { try store.performWrite { db in try db.deleteAll(Sample.self) } }
        try? store.close()
        for error in errors { #expect(error is DataStoreError, "\(error)") }
    }

    @Test func mutatedEntriesNeverTrap() throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        let (engine, store) = try makeStore(&random)
        let original = engine.entries
        for _ in 0..<400 {
            var entries = original
            for _ in 0..<random.int(1..<4) {
                let index = random.int(0..<entries.count)
                entries[index].value = mutated(entries[index].value, &random)
            }
            engine.entries = entries
            exercise(store, &random)
        }
    }

    @Test func mutatedEntriesWithRightChecksumsNeverTrap() throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        let (engine, store) = try makeStore(&random, isWide: false)
        let originals = [engine.entries, try makeStore(&random).engine.entries]
        for round in 0..<1500 {
            // The long text takes much of the time, and is hit seldom.
            var entries = originals[round % 10 == 0 ? 1 : 0]
            for _ in 0..<random.int(1..<4) {
                let index = random.int(0..<entries.count)
                var value = entries[index].value
                let isWhole = random.int(0..<10) == 0
                value =
                    isWhole ? randomBytes(random.int(0..<200), &random) : mutated(value, &random)
                entries[index].value = value
                Checksum.correct(&entries[index])
            }
            engine.entries = entries
            exercise(store, &random)
        }
    }

    @Test func strangeKeysNeverTrap() throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        let (engine, store) = try makeStore(&random)
        let original = engine.entries
        for _ in 0..<200 {
            var entries = original
            for _ in 0..<3 {
                let tag = UInt8(random.int(0..<5))
                let prefix: [UInt8] = random.bool() ? [0, 0, 0, UInt8(random.int(0..<4))] : []
                let entry = (
                    key: [tag] + prefix + randomBytes(random.int(0..<24), &random),
                    value: randomBytes(random.int(0..<60), &random)
                )
                if !entries.contains(where: { $0.key == entry.key }) { entries.append(entry) }
            }
            entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
            engine.entries = entries
            exercise(store, &random)
        }
    }

    private func randomBytes(_ count: Int, _ random: inout RandomPredicates) -> [UInt8] {
        (0..<count).map { _ in UInt8(random.int(0..<256)) }
    }

    private func mutated(_ bytes: [UInt8], _ random: inout RandomPredicates) -> [UInt8] {
        var bytes = bytes
        // Most of what matters stands near the beginning.
        let place = bytes.isEmpty ? 0 : min(random.int(0..<bytes.count), random.int(8..<400))
        switch random.int(0..<6) {
        case 0: bytes = Array(bytes.prefix(place))
        case 1:
            bytes.insert(
                contentsOf: randomBytes(random.int(1..<9), &random), at: min(place, bytes.count))
        case 2: if place < bytes.count { bytes[place] ^= 1 << UInt8(random.int(0..<8)) }
        case 3:
            for index in place..<min(place + random.int(1..<9), bytes.count) where index >= 0 {
                bytes[index] = [0, 0x7F, 0x80, 0xFF][random.int(0..<4)]
            }
        case 4: if place < bytes.count { bytes[place] = UInt8(random.int(0..<256)) }
        default:
            if place < bytes.count { bytes.removeSubrange(place..<min(place + 5, bytes.count)) }
        }
        return bytes
    }
}

/// That the checksums of ``Checksum`` are those of the format, without which the tests would test little.
@Suite struct ChecksumTests {
    @Test func correctedEntriesAreSound() throws {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.fill(["a", String(repeating: "long", count: 50), "é"])
        try store.close()
        let entries = engine.entries
        #expect(entries.count == 6)
        for index in entries.indices {
            var entry = entries[index]
            let offset =
                [StoredBytes.headerTag: entry.value.count - 8, StoredBytes.counterTag: 8][
                    entry.key[0]] ?? 0
            for byte in offset..<(offset + 8) { entry.value[byte] = 0 }
            Checksum.correct(&entry)
            #expect(entry.value == entries[index].value)
        }
    }
}
