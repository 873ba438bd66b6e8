import Foundation
import JustPersist
import JustPersistRecords

@testable import JustPersistConformance

/// Engines with faults in parts of a transaction, ranges and requests for several keys.
enum PartFaults {
    static let all: [SabotagedEngineType] = [
        KeepsFailedParts.self, UndoesTheWholeTransaction.self, DeletesUpToAndWithTheEnd.self,
        MiscountsRanges.self, DeletesFourThousandKeys.self, ReversesNoKeys.self,
        LooksUpEachKeyOnce.self, FindsOnlyWhatIsCommitted.self,
    ]
}

/// Keeps what a part wrote that threw.
final class KeepsFailedParts: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/savepoints"] }

    override func undone(_ before: Entries, _ after: Entries) -> Entries { after }
}

/// Undoes with a part that threw what the transaction wrote before it.
final class UndoesTheWholeTransaction: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/savepoints"] }

    override func undone(_ before: Entries, _ after: Entries) -> Entries { begin() }
}

/// Deletes the first key after a range, too.
final class DeletesUpToAndWithTheEnd: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/range-deletes"] }

    override func deleteAll(
        in range: KeyRange, in transaction: Transaction
    ) throws(DataStoreError) -> Int {
        let count = try super.deleteAll(in: range, in: transaction)
        guard let upper = range.upper else { return count }
        return count + (delete(upper, in: transaction) ? 1 : 0)
    }
}

/// Says of a range that it had one key more.
final class MiscountsRanges: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/range-deletes"] }

    override func deleteAll(
        in range: KeyRange, in transaction: Transaction
    ) throws(DataStoreError) -> Int {
        try super.deleteAll(in: range, in: transaction) + 1
    }
}

/// Deletes the first 4,096 keys of a range.
final class DeletesFourThousandKeys: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/range-deletes"] }

    override func deleteAll(
        in range: KeyRange, in transaction: Transaction
    ) throws(DataStoreError) -> Int {
        let keys = try keys(range, reversed: false, in: transaction)
        for key in keys.prefix(4096) { _ = delete(key, in: transaction) }
        return keys.count
    }
}

/// Gives the keys of a reversed scan in ascending order.
final class ReversesNoKeys: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/keys-only"] }

    override func keys(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> [[UInt8]] {
        try super.keys(range, reversed: false, in: transaction)
    }
}

/// Gives a key that is asked for twice once.
final class LooksUpEachKeyOnce: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/many-look-ups"] }

    override func values(
        of keys: [[UInt8]], in transaction: Transaction
    ) -> [(place: Int, value: [UInt8])] {
        var seen: Set<[UInt8]> = []
        return super.values(of: keys, in: transaction).filter {
            seen.insert(keys[$0.place]).inserted
        }
    }
}

/// Looks several keys up in the committed state.
final class FindsOnlyWhatIsCommitted: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/many-look-ups"] }

    override func values(
        of keys: [[UInt8]], in transaction: Transaction
    ) -> [(place: Int, value: [UInt8])] {
        let committed = begin()
        return keys.enumerated().compactMap { (place, key) in
            committed.value(forKey: key.span).map { (place, $0) }
        }
    }
}
