import JustPersist
import JustPersistRecords

/// A migration between two stores that store records in the same form: the records are copied unchanged.
///
/// The checksum of each record is verified when it is read, and again in the target. The sums of the checksums show
/// whether both stores have the same records.
struct RecordCopy {
    private let migration: Migration
    private let source: any RecordCopying
    private let target: any RecordCopying

    private typealias StoredType = StoredRecords.StoredType

    /// `nil` if one of the stores has no records of its own, or the limits of the target are lower than those of the
    /// source.
    init?(_ migration: Migration) {
        guard migration.policy == .intoEmpty,
            let source = migration.source as? any RecordCopying, source.ownsRecords,
            let target = migration.recordTarget,
            target.capabilities.limits.holdsAll(of: source.capabilities.limits)
        else { return nil }
        self.migration = migration
        self.source = source
        self.target = target
    }

    /// Copies and verifies; returns `nil` without any change if the target numbers its types differently, or has
    /// records that the source does not have.
    func run(
        _ report: (MigrationProgress) throws -> Void
    ) throws -> Migration.Report? {
        var result: Migration.Report?
        try source.readRecords { records in
            let types = records.types
            var progress = MigrationProgress(
                totalItems: try types.reduce(0) { try $0 + records.expectedCount($1) })
            var isSuited = false
            try target.readRecords { there in
                isSuited =
                    try there.suits(records) && isPart(there, of: records, &progress, report)
            }
            guard isSuited else { return }
            try target.writeRecords { try $0.adoptTypes(of: records) }
            progress.begin(.copying)
            var digests: [String: TypeDigest] = [:]
            for type in types { digests[type.key] = try copy(type, records, &progress, report) }
            progress.begin(.verifying)
            result = try verify(types, digests, &progress, report)
        }
        return result
    }

    /// Whether all records of the target are in the source, byte by byte.
    ///
    /// If not, their items may be the same nevertheless: a value that was set to null, or is of a kind declared
    /// earlier, has several forms.
    private func isPart(
        _ there: StoredRecords, of records: StoredRecords, _ progress: inout MigrationProgress,
        _ report: (MigrationProgress) throws -> Void
    ) throws -> Bool {
        struct Difference: Error {}
        do {
            for type in there.types {
                try forEachBatch(of: type, in: there) { batch in
                    if try records.firstMissing(batch) != nil { throw Difference() }
                    progress.advance(type.key, items: batch.count, bytes: batch.size)
                    try report(progress)
                }
            }
        } catch is Difference {
            return false
        }
        return true
    }

    private func forEachBatch(
        of type: StoredType, in records: StoredRecords, _ body: (RecordBatch) throws -> Void
    ) throws {
        var last: ItemID?
        while true {
            let batch = try records.next(
                type, after: last, items: migration.batchSize, bytes: migration.batchBytes)
            guard let end = batch.ids.last else { return }
            try body(batch)
            last = end
        }
    }

    private func copy(
        _ type: StoredType, _ records: StoredRecords, _ progress: inout MigrationProgress,
        _ report: (MigrationProgress) throws -> Void
    ) throws -> TypeDigest {
        var digest = TypeDigest()
        let writer = BatchWriter(for: target)
        defer { writer.end() }
        try forEachBatch(of: type, in: records) { batch in
            batch.forEachChecksum { digest.add(checksum: $0) }
            try writer.write(
                type.key, items: batch.count, bytes: batch.size, &progress, report
            ) { [target] in
                try target.writeRecords { try $0.put(batch) }
            }
        }
        try writer.finish(&progress, report)
        return digest
    }

    private func verify(
        _ types: [StoredType], _ expected: [String: TypeDigest],
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws -> Migration.Report {
        try target.readRecords { there in
            for type in types {
                var found = TypeDigest()
                try forEachBatch(of: type, in: there) { batch in
                    batch.forEachChecksum { found.add(checksum: $0) }
                    progress.advance(type.key, items: batch.count, bytes: batch.size)
                    try report(progress)
                }
                let digest = expected[type.key] ?? TypeDigest()
                if found != digest {
                    throw migration.verificationFailed(type.key, expected: digest, found: found)
                }
            }
        }
        try target.writeRecords { try $0.end() }
        var counts: [String: Int] = [:]
        try target.readRecords { there in
            for type in types {
                counts[type.key] = try migration.checkCount(
                    type.key, found: expected[type.key]?.count ?? 0
                ) { () throws(DataStoreError) in try there.count(type) }
            }
        }
        let result = Migration.Report(types: expected, targetCounts: counts)
        progress.finish(result)
        try report(progress)
        return result
    }
}

extension DataStoreLimits {
    /// Whether everything that another store's limits allow is allowed here.
    fileprivate func holdsAll(of other: DataStoreLimits) -> Bool {
        nameBytes >= other.nameBytes && valueBytes >= other.valueBytes
            && writeBlockBytes >= other.writeBlockBytes
    }
}
