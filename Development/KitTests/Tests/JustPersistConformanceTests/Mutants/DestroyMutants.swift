import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that are not destroyed, or verify wrongly.
enum DestroyMutants {
    static let all: [SabotagedType] = [
        DestroysOpenStoresOnly.self, DestroysAThousandItems.self, DestroysOnce.self,
        DestroysBesideReaders.self, MissesTypesWhenItVerifies.self, VerifiesInTwoBlocks.self,
    ]
}

/// Does nothing when it is destroyed while it is closed.
final class DestroysOpenStoresOnly: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/destroy-closed"] }

    override func destroy() throws {
        if memory.log.withLock({ $0 != nil }) { try super.destroy() }
    }
}

/// Deletes a thousand items when it is destroyed.
final class DestroysAThousandItems: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/destroy-many"] }

    override func destroy() throws {
        let rows = memory.committed.rows
        guard rows.count > 1_000 else { return try super.destroy() }
        var left = ReferenceState()
        for type in memory.committed.types { left.put(type) }
        for row in rows.dropFirst(1_000) { left.put(row) }
        try super.destroy()
        try CommitLog(in: directory).append(CommitRecord(ReferenceState(), left))
    }
}

/// Throws an error when it is destroyed where there is nothing.
final class DestroysOnce: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/destroy-twice"] }

    override func destroy() throws {
        guard FileManager.default.fileExists(atPath: directory.path) else {
            throw DataStoreError(.storeNotFound, in: "destroy", "There is no store.")
        }
        try super.destroy()
    }
}

/// Reports that it is destroyed while a block still reads.
final class DestroysBesideReaders: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/destroy-while-reader-open"] }

    override func destroy() throws {
        Thread.detachNewThread { [reference] in try? reference.destroy() }
    }
}

/// Verifies the first ten types.
final class MissesTypesWhenItVerifies: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/verify-counts"] }

    override func verify() throws -> VerificationReport {
        var report = try super.verify()
        for key in report.itemCounts.keys.sorted().dropFirst(10) { report.itemCounts[key] = nil }
        return report
    }
}

/// Counts the items in one block, and reads them in another.
final class VerifiesInTwoBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/verify-while-writing"] }

    override func verify() throws -> VerificationReport {
        let known = Set(memory.committed.rows.map(\.key))
        Thread.sleep(forTimeInterval: 0.002)
        var report = try super.verify()
        for row in memory.committed.rows where !known.contains(row.key) {
            report.problems.append(
                .wrongCount(known.count, found: known.count + 1, itemType: row.key.itemType))
        }
        return report
    }
}
