public import JustPersist
import JustPersistRecords

/// Copies the contents of one store into another, of any backend, and verifies the copy.
///
/// ```swift
/// let report = try Migration(from: old, to: new).run()
/// ```
///
/// or, in an async function, with its progress:
///
/// ```swift
/// for try await progress in Migration(from: old, to: new).updates() {
///     print(progress.items, "of", progress.totalItems, progress.timeLeft ?? "")
/// }
/// ```
///
/// Types, attributes with their defaults and former names, declared indexes, items, ids and values are copied from one
/// snapshot of the source, which is not changed. Both stores must be open, and nothing else should write to the target
/// meanwhile. Any store can be the source or the target. Between two stores of this package's engines, records are
/// copied unchanged, with their checksums, which is several times as fast.
///
/// Run an interrupted migration again to complete it, even after a kill: a target that holds nothing but a part of the
/// source is accepted, even if types or attributes were renamed in the source meanwhile.
///
/// Items of the source may violate a unique index if they are older than its declaration. They are copied as records,
/// and reported to the target's error handler; nothing is copied to a target that would refuse them.
public struct Migration: Sendable {
    /// The treatment of a target that holds items already.
    public enum Policy: Sendable {
        /// Throw `.targetNotEmpty`, unless all items of the target are in the source with the same values.
        case intoEmpty
        /// Update by id: overwrite target items that have the id of a source item, and add the missing ones.
        ///
        /// An overwritten item has exactly the values of the source item. All other items of the target stay unchanged.
        ///
        /// Items that pass unique values on to each other are written first, in one block. Throws `.uniqueViolation`,
        /// before anything is written, if an item that only the target has holds such a value. If the target enforces
        /// uniqueness, this costs a lookup for each item that is new or has another unique value.
        ///
        /// Throws `.olderSchema` or `.newerSchema` before anything is written, if the target has items, and the stores have
        /// not applied the same steps of schema plans.
        case updateByID
    }

    /// The result of a migration.
    public struct Report: Sendable {
        /// The digest of each type, the same on both sides.
        public let types: [String: TypeDigest]
        /// The number of items of each type in the target, including earlier ones.
        public let targetCounts: [String: Int]
    }

    let source: any DataStore
    let target: any DataStore
    let policy: Policy
    let batchSize: Int

    /// A migration between two open stores.
    ///
    /// - Parameters:
    ///   - source: The store that is copied.
    ///   - target: The store that receives the copies.
    ///   - policy: The treatment of a target that holds items already.
    ///   - batchSize: The maximum number of items in one write block of the target; a block also ends after 4 MiB.
    public init(
        from source: any DataStore, to target: any DataStore, policy: Policy = .intoEmpty,
        batchSize: Int = 20_000
    ) {
        self.source = source
        self.target = target
        self.policy = policy
        self.batchSize = max(1, batchSize)
    }

    /// The size in bytes after which a batch ends.
    var batchBytes: Int { min(4 << 20, target.capabilities.limits.writeBlockBytes / 2) }

    /// Copies, and compares both sides by count and digest.
    ///
    /// If it is called in a task that is cancelled, it throws `CancellationError`; run it again to continue.
    ///
    /// All values that the target cannot hold are listed in an error before anything is written. If copies differ in
    /// the end, throws `.verificationFailed`, which names some of the items that differ.
    ///
    /// - Parameter progress: Called on this thread after each batch. An error that it throws ends the migration; the
    ///   items copied before stay, and are not copied again if the migration is run again.
    @discardableResult
    public func run(progress: (MigrationProgress) throws -> Void = { _ in }) throws -> Report {
        if source === target {
            throw DataStoreError(
                .invalidRequest, in: "migrate",
                "The source and the target are the same store. Name another target.")
        }
        if target.capabilities.isReadOnly { throw DataStoreError.readOnly(in: "migrate") }
        try checkCopying()
        return try WorkLimit.throwingCancellation {
            if let report = try RecordCopy(self)?.run(progress) { return report }
            guard let target = recordTarget else { return try ItemCopy(self).run(progress) }
            try target.writeRecords { try $0.count() }
            return try target.whileLoading { try ItemCopy(self).run(progress) }
        }
    }

    /// The target, if it has records of its own, and so may hold a part of an interrupted copy of records.
    var recordTarget: (any RecordCopying)? {
        guard let target = target as? any RecordCopying, target.ownsRecords else { return nil }
        return target
    }

    /// Ends an interrupted copy of records, which was completed item by item.
    func endLoad() throws { try recordTarget?.writeRecords { try $0.end() } }

    /// Throws `.newerFormat` if the source has data of a later release that would be lost.
    func checkCopying() throws {
        guard let source = source as? any RecordCopying else { return }
        try source.readRecords { try $0.checkCopying() }
    }

    /// Runs the migration on a thread of its own, and returns its progress.
    ///
    /// The last element has the ``MigrationProgress/report``. A slow loop misses elements, and delays nothing. The
    /// sequence throws the errors of ``run(progress:)``. If the loop ends or its task is cancelled, the migration ends
    /// after the batch that is being written.
    public func updates() -> AsyncThrowingStream<MigrationProgress, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let cancellation = Cancellation()
            continuation.onTermination = { _ in cancellation.request() }
            WaitingThreads.run {
                do {
                    try WorkLimit.withCancellation(cancellation) {
                        _ = try self.run { progress in
                            if cancellation.isRequested { throw CancellationError() }
                            continuation.yield(progress)
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
    }

    /// Throws if the target's stored number of items differs from the number of copies, which are correct.
    ///
    /// - Parameter found: The number of copies; a minimum if there may be other items.
    func checkCount(
        _ itemType: String, found: Int, _ count: () throws(DataStoreError) -> Int
    ) throws -> Int {
        let number: String
        do throws(DataStoreError) {
            let counted = try count()
            if counted == found || policy == .updateByID && counted > found { return counted }
            number = "is \(counted)"
        } catch {
            guard error.code == .corrupted else { throw error }
            number = "is damaged"
        }
        throw DataStoreError(
            .verificationFailed, in: "migrate",
            """
            All \(found) items of “\(itemType)” are in the target with the source's values, but the number of them that \
            the target has stored \(number). To correct the number, repair the target.
            """, itemType: itemType)
    }

    /// Throws an error that names copies of a type that differ at the end.
    func verificationFailed(
        _ itemType: String, expected: TypeDigest, found: TypeDigest
    ) -> DataStoreError {
        var named: [String] = []
        func compare() {
            _ = try? StoreComparison(source, target, types: [itemType]).run { difference in
                named.append("\(difference)")
                if named.count == 5 { throw CancellationError() }
            }
        }
        if let target = recordTarget { target.whileLoading(compare) } else { compare() }
        return DataStoreError(
            .verificationFailed, in: "migrate",
            """
            The copies of “\(itemType)” differ: \(expected.count.counted("item")) in the source, \(found.count) in the target\
            \(named.isEmpty ? "" : ": \(named.joined(separator: "; "))").
            """, advice: "Let no other program write to the target, and run again, updating by id.",
            itemType: itemType)
    }

    /// The error for a target that holds more than a part of the source.
    func targetNotEmpty(_ itemType: String, _ id: ItemID) -> DataStoreError {
        DataStoreError(
            .targetNotEmpty, in: "migrate",
            """
            The target already holds items that the source does not have, or has with other values, such as the \
            “\(itemType)” \(id).
            """,
            advice: itemType == AppliedSchemaStep.itemTypeKey
                ? "They record the steps of a plan: choose a target that no plan was applied to, or update by id."
                : "Choose an empty target, or update by id.", itemType: itemType)
    }
}
