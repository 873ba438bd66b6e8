import JustPersistRecords

@testable import JustPersist
@testable import JustPersistConformance

/// Engines with faults in the entries of indexes alone: the store above them works except for its indexes.
///
/// The key of an entry begins with 04, the type (4 bytes) and the index (2), and ends with the item's id (16).
enum IndexFaults {
    static let all: [SabotagedEngineType] = [
        KeepsEntriesOfChangedItems.self, KeepsEntriesOfDeletedItems.self,
        KeepsEntriesOfDeletedTypes.self, KeepsEntriesOfFailedBlocks.self, LosesAnEntry.self,
        LosesEntriesOfReopenedStores.self, BuildsNoEntries.self, IndexesOneElement.self,
        CutsEntries.self, EndsScansOfEntriesEarly.self, BeginsScansOfEntriesLate.self,
        ReversesNoEntries.self,
    ]
}

/// An engine that treats the entries of indexes differently.
class EntryMutant: SabotagedEngine, @unchecked Sendable {
    static func isEntry(_ key: [UInt8]) -> Bool { key.first == 0x04 }

    /// The key of the record of which a key is an entry.
    static func record(of entry: [UInt8]) -> [UInt8] {
        [0x03] + entry[1..<5] + entry.suffix(16)
    }
}

// MARK: Entries that stay

/// Leaves the entry of the value that an item had before.
final class KeepsEntriesOfChangedItems: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["idx/after-update", "idx/same-answers", "idx/unique-update", "idx/unique-exchange"]
    }

    override func delete(_ key: [UInt8], in transaction: Transaction) -> Bool {
        if Self.isEntry(key), value(of: Self.record(of: key), in: transaction) != nil {
            return true
        }
        return super.delete(key, in: transaction)
    }
}

/// Leaves the entries of an item that is deleted.
final class KeepsEntriesOfDeletedItems: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["idx/after-delete", "idx/same-answers", "idx/unique-update"]
    }

    override func delete(_ key: [UInt8], in transaction: Transaction) -> Bool {
        if Self.isEntry(key), value(of: Self.record(of: key), in: transaction) == nil {
            return true
        }
        return super.delete(key, in: transaction)
    }
}

/// Leaves the entries of a type of which all items are deleted.
final class KeepsEntriesOfDeletedTypes: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["idx/after-delete-all", "idx/same-answers", "idx/unique-update"]
    }

    override func deleteAll(
        in range: KeyRange, in transaction: Transaction
    ) throws(DataStoreError) -> Int {
        if Self.isEntry(range.lower) { return 0 }
        return try super.deleteAll(in: range, in: transaction)
    }
}

/// Keeps the entries that a transaction wrote which threw.
final class KeepsEntriesOfFailedBlocks: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["idx/after-rollback", "idx/same-answers", "idx/unique-after-rollback"]
    }

    override func failed(_ before: Entries, _ after: Entries) -> Entries {
        var kept = before
        try? after.scan(KeyRange(prefix: [0x04])) { (key, value) throws(DataStoreError) in
            kept.setValue(value, forKey: key)
            return .next
        }
        return kept
    }
}

// MARK: Entries that are missing

/// Forgets every 30th entry.
final class LosesAnEntry: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "idx/same-answers", "idx/residual", "idx/after-update", "idx/range-ends", "idx/order",
        ]
    }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        let isLost =
            Self.isEntry(key)
            && count.withLock { count in
                count += 1
                return count.isMultiple(of: 30)
            }
        if !isLost { super.put(value, forKey: key, in: transaction) }
    }
}

/// Opens without the entries.
final class LosesEntriesOfReopenedStores: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/same-answers", "idx/after-rollback"] }

    override func open() throws(DataStoreError) {
        var kept = Entries()
        try stored?.scan(.all) { (key, value) throws(DataStoreError) in
            let key = [UInt8](copying: key)
            if !Self.isEntry(key) { kept.setValue(value, forKey: key.span) }
            return .next
        }
        stored = kept
        try super.open()
    }
}

/// Writes entries beside the records that they are of, and so none for an index that is declared later.
final class BuildsNoEntries: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/declared-later"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        if key.first == 0x03 { transaction.isMarked = true }
        if Self.isEntry(key), !transaction.isMarked { return }
        super.put(value, forKey: key, in: transaction)
    }
}

/// Has an entry for one element of an array, beside that for the array itself.
final class IndexesOneElement: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/collections"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        let array: UInt8 = 0x90
        let head = Array(key.prefix(7))
        if Self.isEntry(key), key[7] != array,
            self.value(of: head + [array] + key.suffix(16), in: transaction) != nil
        {
            let others = try? keys(KeyRange(prefix: head), reversed: false, in: transaction)
            if others?.contains(where: { $0[7] != array && $0.suffix(16) == key.suffix(16) })
                ?? false
            {
                return
            }
        }
        super.put(value, forKey: key, in: transaction)
    }
}

/// Keeps the first 200 bytes of an entry, and the item's id.
final class CutsEntries: EntryMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/long-texts", "idx/unique-neighbours"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        let isCut = Self.isEntry(key) && key.count > 216
        super.put(
            value, forKey: isCut ? key.prefix(200) + key.suffix(16) : key, in: transaction)
    }
}

// MARK: Scans of entries

/// An engine that gives something else of what a scan finds of an index.
class EntryScanMutant: EntryMutant, @unchecked Sendable {
    typealias Found = [Entry]

    func given(_ found: Found, reversed: Bool) -> Found { found }

    override func scanned(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> Found {
        let found = try super.scanned(range, reversed: reversed, in: transaction)
        return Self.isEntry(range.lower) ? given(found, reversed: reversed) : found
    }
}

/// Ends a scan of several entries before the last one.
final class EndsScansOfEntriesEarly: EntryScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/range-ends", "idx/order", "idx/long-texts"] }

    override func given(_ found: Found, reversed: Bool) -> Found {
        found.count > 1 ? found.dropLast() : found
    }
}

/// Begins a scan of several entries after the first one.
final class BeginsScansOfEntriesLate: EntryScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/range-ends", "idx/order", "idx/residual"] }

    override func given(_ found: Found, reversed: Bool) -> Found {
        found.count > 1 ? Array(found.dropFirst()) : found
    }
}

/// Gives the entries in ascending order, whichever is asked for.
final class ReversesNoEntries: EntryScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/order", "idx/same-answers"] }

    override func given(_ found: Found, reversed: Bool) -> Found {
        reversed ? found.reversed() : found
    }
}
