import Foundation
import JustPersistRecords

@testable import JustPersist
@testable import JustPersistConformance

/// Engines with faults in transactions, and in opening and closing.
enum TransactionFaults {
    static let all: [SabotagedEngineType] = [
        HidesItsDeletes.self, HidesItsPutsInReverse.self, KeepsFailedTransactions.self,
        WrapsErrorsOfTransactions.self, ReadsLiveData.self, TakesLateSnapshots.self,
        ShowsOpenTransactions.self, ScansTenThousandKeys.self, CommitsHalves.self,
        ForgetsAPut.self, ForgetsAtASecondClose.self, ForgetsAtASecondOpen.self,
        ReopensAThousandKeys.self, DestroysNothingThatIsClosed.self, DestroysOnceOnly.self,
    ]
}

/// Gives in the scans of a transaction what it has deleted.
final class HidesItsDeletes: ScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/own-writes"] }

    override func given(
        _ found: [Entry], _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) -> [Entry] {
        var all = found
        try? begin().scan(range) { (key, value) throws(DataStoreError) in
            let key = [UInt8](copying: key)
            if self.value(of: key, in: transaction) == nil {
                all.append(Entry(key: key, value: value))
            }
            return .next
        }
        let sorted = all.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return reversed ? sorted.reversed() : sorted
    }
}

/// Leaves out of the reversed scans of a transaction what it has put.
final class HidesItsPutsInReverse: ScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/own-writes"] }

    override func given(
        _ found: [Entry], _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) -> [Entry] {
        let committed = begin()
        return reversed ? found.filter { committed.value(forKey: $0.key.span) != nil } : found
    }
}

/// Commits a transaction that throws.
final class KeepsFailedTransactions: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/rollback"] }

    override func failed(_ before: Entries, _ after: Entries) -> Entries { after }
}

/// Throws an error of its own where a transaction throws one.
final class WrapsErrorsOfTransactions: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/rollback"] }

    override func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        do { try super.write(body) } catch {
            throw DataStoreError(.storageFailure, in: "write", "The transaction failed.")
        }
    }
}

/// Reads what is committed by then.
final class ReadsLiveData: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/snapshot"] }

    override func value(of key: [UInt8], in transaction: Transaction) -> [UInt8]? {
        transaction.isMarked
            ? begin().value(forKey: key.span) : super.value(of: key, in: transaction)
    }

    override func read(_ body: (any KeyValueReader) throws -> Void) throws {
        let reader = Transaction(of: self, begin())
        reader.isMarked = true
        try body(reader)
    }
}

/// Takes a snapshot when it is looked at first.
final class TakesLateSnapshots: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/snapshot"] }

    override func read(_ body: (any KeyValueReader) throws -> Void) throws {
        let reader = Transaction(of: self, begin())
        reader.isMarked = true
        try body(reader)
    }

    override func scanned(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> [Entry] {
        if transaction.isMarked {
            transaction.isMarked = false
            transaction.entries = begin()
        }
        return try super.scanned(range, reversed: reversed, in: transaction)
    }
}

/// Shows readers what an open transaction has done so far.
final class ShowsOpenTransactions: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/read-beside-write"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        super.put(value, forKey: key, in: transaction)
        publish(transaction.entries)
    }
}

/// Gives ten thousand keys in a scan at most.
final class ScansTenThousandKeys: ScanMutant, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/many-keys"] }

    override func given(
        _ found: [Entry], _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) -> [Entry] { Array(found.prefix(10_000)) }
}

/// Makes one half of a transaction visible, and the other a moment later.
final class CommitsHalves: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/readers-beside-writer"] }

    override func publish(_ entries: Entries) {
        var half = begin()
        var number = 0
        try? entries.scan(.all) { (key, value) throws(DataStoreError) in
            number += 1
            if number.isMultiple(of: 2) { half.setValue(value, forKey: key) }
            return .next
        }
        super.publish(half)
        Thread.sleep(forTimeInterval: 0.005)
        super.publish(entries)
    }
}

/// Forgets every 50th put.
final class ForgetsAPut: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/random", "engine/many-keys"] }

    override func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number % 50 > 0 { super.put(value, forKey: key, in: transaction) }
    }
}

// MARK: Life

/// Forgets everything when it is closed twice, and does not open any more.
final class ForgetsAtASecondClose: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/close-twice"] }

    override func close() {
        if committed.withLock({ $0 == nil }) { count.withLock { $0 = 1 } }
        super.close()
    }

    override func open() throws(DataStoreError) {
        if count.withLock({ $0 > 0 }) {
            throw DataStoreError(.storageFailure, in: "open", "There is nothing to open.")
        }
        try super.open()
    }
}

/// Starts empty when it is opened while it is open.
final class ForgetsAtASecondOpen: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/open-twice"] }

    override func open() throws(DataStoreError) {
        if committed.withLock({ $0 != nil }) { publish(Entries()) }
        try super.open()
    }
}

/// Opens with the first thousand keys.
final class ReopensAThousandKeys: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/reopen"] }

    override func open() throws(DataStoreError) {
        var kept = Entries()
        try stored?.scan(.all) { (key, value) throws(DataStoreError) in
            kept.setValue(value, forKey: key)
            return kept.count < 1_000 ? .next : .stop
        }
        stored = kept
        try super.open()
    }
}

/// Does nothing when it is to be destroyed, for it is closed.
final class DestroysNothingThatIsClosed: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/destroy"] }

    override func destroy() {}
}

/// Takes it for an error to be destroyed where there is nothing.
final class DestroysOnceOnly: SabotagedEngine, EngineFault, @unchecked Sendable {
    override class var caughtBy: [String] { ["engine/destroy"] }

    override func destroy() throws(DataStoreError) {
        if stored == nil {
            throw DataStoreError(.storeNotFound, in: "destroy", "There is no store.")
        }
        try super.destroy()
    }
}
