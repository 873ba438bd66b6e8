import JustPersistRecords

@testable import JustPersist
@testable import JustPersistConformance

/// Engines that go wrong with bytes and in scans.
enum EngineMutants {
    static let all: [SabotagedEngineType] =
        [
            ChangesItsTraits.self, DropsEmptyValues.self, TakesEmptyForMissing.self,
            CutsLongKeys.self, OrdersSignedBytes.self, CutsKeysAtZero.self, CutsLargeValues.self,
            KeepsThePlaceOfValues.self, KeepsTailsOfValues.self, ExcludesLowerBounds.self,
            IncludesUpperBounds.self, FindsNothingInReverse.self, TakesPrefixesForKeys.self,
            DoesNotStop.self, HasOneCursor.self, SwallowsErrorsOfScans.self,
            RollsBackForErrorsOfScans.self, FailsWhenEmpty.self, SaysItDeleted.self,
        ] + TransactionFaults.all + PartFaults.all
}

/// Reports its longest key only once it is open.
final class ChangesItsTraits: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/traits"] }

    override var traits: KeyValueEngineTraits {
        var traits = super.traits
        if committed.withLock({ $0 == nil }) { traits.maximumKeyLength = 480 }
        return traits
    }
}

// MARK: Bytes

/// Keeps no key whose value is empty.
final class DropsEmptyValues: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/empty-values", "engine/overwrites"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        if value.isEmpty {
            _ = delete(key, in: transaction)
        } else {
            super.put(value, forKey: key, in: transaction)
        }
    }
}

/// Takes an empty value for none when it looks a key up.
final class TakesEmptyForMissing: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/empty-values"] }

    override func value(of key: [UInt8], in transaction: Transaction) -> [UInt8]? {
        let value = super.value(of: key, in: transaction)
        return value?.isEmpty == true ? nil : value
    }
}

/// Keeps the first 255 bytes of a key.
final class CutsLongKeys: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/key-lengths"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        super.put(value, forKey: Array(key.prefix(255)), in: transaction)
    }
}

/// Takes a byte from 128 on for a negative number.
final class OrdersSignedBytes: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/key-order"] }

    override func scanned(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> [Entry] {
        let found = try super.scanned(range, reversed: false, in: transaction).sorted {
            $0.key.map { Int8(bitPattern: $0) }.lexicographicallyPrecedes(
                $1.key.map { Int8(bitPattern: $0) })
        }
        return reversed ? found.reversed() : found
    }
}

/// Takes a zero for the end of a key.
final class CutsKeysAtZero: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/key-order"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        super.put(
            value, forKey: key.split(separator: 0).first.map { Array($0) } ?? [0], in: transaction)
    }
}

/// Keeps the first 64 KiB of a value.
final class CutsLargeValues: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/large-values"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        super.put(Array(value.prefix(1 << 16)), forKey: key, in: transaction)
    }
}

/// Records the place of a value, where the next value of its size is then written.
final class KeepsThePlaceOfValues: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/copies-what-is-put"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        for entry in (try? scanned(.all, reversed: false, in: transaction)) ?? []
        where entry.value.count == value.count {
            super.put(value, forKey: entry.key, in: transaction)
        }
        super.put(value, forKey: key, in: transaction)
    }
}

/// Writes a value over the beginning of a longer one, and leaves the rest.
final class KeepsTailsOfValues: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/overwrites"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        let tail = super.value(of: key, in: transaction)?.dropFirst(value.count) ?? []
        super.put(value + tail, forKey: key, in: transaction)
    }
}

// MARK: Scans

/// An engine that gives something else of what a scan finds.
class ScanMutant: SabotagedEngine, @unchecked Sendable {
    func given(
        _ found: [Entry], _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) -> [Entry] { found }

    override func scanned(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> [Entry] {
        given(
            try super.scanned(range, reversed: reversed, in: transaction), range,
            reversed: reversed, in: transaction)
    }
}

/// Leaves the lower bound out.
final class ExcludesLowerBounds: ScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/ranges", "engine/prefixes"] }

    override func given(
        _ found: [Entry], _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) -> [Entry] { found.filter { $0.key != range.lower } }
}

/// Begins a reversed scan with the upper bound.
final class IncludesUpperBounds: ScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/ranges"] }

    override func given(
        _ found: [Entry], _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) -> [Entry] {
        guard reversed, let upper = range.upper, let value = value(of: upper, in: transaction)
        else { return found }
        return [Entry(key: upper, value: value)] + found
    }
}

/// Finds nothing in a reversed scan without an upper bound.
final class FindsNothingInReverse: ScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["engine/ranges", "engine/prefixes", "engine/early-stop"]
    }

    override func given(
        _ found: [Entry], _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) -> [Entry] { reversed && range.upper == nil ? [] : found }
}

/// Deletes the keys that begin with one that is deleted, too.
final class TakesPrefixesForKeys: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/prefixes", "engine/key-lengths"] }

    override func delete(_ key: [UInt8], in transaction: Transaction) -> Bool {
        let found = (try? scanned(KeyRange(prefix: key), reversed: false, in: transaction)) ?? []
        for entry in found { _ = super.delete(entry.key, in: transaction) }
        return found.first?.key == key
    }
}

/// Goes on with a scan that is to stop.
final class DoesNotStop: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/early-stop"] }

    override func walk(
        _ entries: [Entry], in transaction: Transaction,
        _ body: (Entry) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        for entry in entries { _ = try body(entry) }
    }
}

/// Ends a scan inside which there was another.
final class HasOneCursor: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/scan-inside-scan"] }

    override func walk(
        _ entries: [Entry], in transaction: Transaction,
        _ body: (Entry) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        for entry in entries {
            if try body(entry) == .stop || count.withLock({ $0 }) != number { return }
        }
    }
}

/// Ends a scan whose body throws, as if it were over.
final class SwallowsErrorsOfScans: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/errors-in-scans"] }

    override func walk(
        _ entries: [Entry], in transaction: Transaction,
        _ body: (Entry) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try? super.walk(entries, in: transaction, body)
    }
}

/// Rolls a transaction back in which the body of a scan threw.
final class RollsBackForErrorsOfScans: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/errors-in-scans"] }

    override func walk(
        _ entries: [Entry], in transaction: Transaction,
        _ body: (Entry) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        do throws(DataStoreError) {
            try super.walk(entries, in: transaction, body)
        } catch {
            transaction.entries = begin()
            throw error
        }
    }
}

/// Takes an engine without keys for one that is damaged.
final class FailsWhenEmpty: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/empty"] }

    override func scanned(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> [Entry] {
        if transaction.entries.isEmpty {
            throw DataStoreError(.corrupted, in: "scan", "There is no first key.")
        }
        return try super.scanned(range, reversed: reversed, in: transaction)
    }
}

/// Says of every key that it was there when it is deleted.
final class SaysItDeleted: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/empty", "engine/own-writes"] }

    override func delete(_ key: [UInt8], in transaction: Transaction) -> Bool {
        _ = super.delete(key, in: transaction)
        return true
    }
}
