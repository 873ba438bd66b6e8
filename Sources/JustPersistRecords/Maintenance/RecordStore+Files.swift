public import Foundation
public import JustPersist

/// Backups and compaction, which the engine implements.
extension RecordStore: MaintainableDataStore {
    /// Lets the engine write a copy to a temporary place, and moves the copy to its final place when it is complete.
    public func performBackup(
        to directory: URL, since previous: URL?, _ meter: MaintenanceMeter
    ) throws -> BackupReport {
        try gate.refuseInside("backUp")
        var report = BackupReport(bytes: 0)
        try gate.readHere {
            let draft = try BackupDraft(for: directory)
            report = try engine.backUp(
                to: draft.url, since: previous,
                pausingWrites: { body in
                    // A read-only store refuses write blocks, and has none that could run meanwhile.
                    if engine.traits.isReadOnly { try body() } else { try gate.writeHere(body) }
                }, meter)
            if let failure = try draft.finish() { throw failure }
        }
        return report
    }

    /// Lets the engine free disk space.
    public func performCompaction(_ meter: MaintenanceMeter) throws -> CompactionReport {
        try gate.refuseInside("compact")
        if engine.traits.isReadOnly { throw DataStoreError.readOnly(in: "compact") }
        var report = CompactionReport(bytesBefore: 0, bytesAfter: 0)
        try gate.readHere {
            report = try engine.compact(meter)
        }
        return report
    }
}
