/// The progress of the verification, repair, backup or compaction of a store.
public struct MaintenanceProgress: Sendable, Hashable {
    /// One part of the work, whose progress is counted from 0.
    public enum Step: Sendable, Hashable {
        /// The engine checks the structure of its own files.
        case structure
        /// Items are read or copied.
        case items
        /// Entries of indexes are compared with the items, or written.
        case indexes
        /// References and links are compared with the items that they relate.
        case relationships
        /// Files are copied.
        case files
    }

    /// The present step.
    public internal(set) var step = Step.structure
    /// The type whose items are processed; `nil` if it is not a single type.
    public internal(set) var itemType: String?
    /// The number of items that this step has processed.
    public internal(set) var items = 0
    /// The number of items that it has to process; `nil` if unknown.
    public internal(set) var totalItems: Int?
    /// The number of bytes that this step has processed.
    public internal(set) var bytes = 0
    /// The number of bytes that it has to process; `nil` if unknown.
    public internal(set) var totalBytes: Int?

    /// The completed fraction of the step, from 0 to 1; `nil` if unknown.
    public var fraction: Double? {
        if let totalItems, totalItems > 0 { return min(1, Double(items) / Double(totalItems)) }
        if let totalBytes, totalBytes > 0 { return min(1, Double(bytes) / Double(totalBytes)) }
        return nil
    }
}

/// Counts the work of a ``MaintainableDataStore``, and reports it to the caller from time to time.
///
/// Use it on one thread. If the caller's closure throws, the work ends with that error; if the task of the call is
/// cancelled, it ends with `CancellationError`.
public final class MaintenanceMeter {
    private let handler: (MaintenanceProgress) throws -> Void
    private var progress = MaintenanceProgress()
    private var failure: (any Error)?
    private var unreported = (items: 0, bytes: 0)

    /// A meter that reports to a closure.
    public init(_ handler: @escaping (MaintenanceProgress) throws -> Void) {
        self.handler = handler
    }

    /// Begins a step, and reports it.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - itemType: The type whose items it concerns, if it is a single type.
    ///   - totalItems: The number of items to process, if known.
    ///   - totalBytes: The number of bytes to process, if known.
    public func begin(
        _ step: MaintenanceProgress.Step, itemType: String? = nil, totalItems: Int? = nil,
        totalBytes: Int? = nil
    ) throws {
        progress = MaintenanceProgress()
        progress.step = step
        progress.itemType = itemType
        progress.totalItems = totalItems
        progress.totalBytes = totalBytes
        report()
        try check()
    }

    /// Counts work, and returns whether to continue; if not, ``check()`` throws.
    ///
    /// Use it where only the store's own errors can be thrown.
    public func note(items: Int = 0, bytes: Int = 0) -> Bool {
        progress.items += items
        progress.bytes += bytes
        unreported.items += items
        unreported.bytes += bytes
        if unreported.items >= 512 || unreported.bytes >= 1 << 20 { report() }
        return failure == nil
    }

    /// Counts work, and throws the error of the caller's closure.
    public func advance(items: Int = 0, bytes: Int = 0) throws {
        _ = note(items: items, bytes: bytes)
        try check()
    }

    /// Throws the error of the caller's closure.
    public func check() throws {
        if let failure { throw failure }
    }

    private func report() {
        unreported = (0, 0)
        guard failure == nil else { return }
        do {
            try WorkLimit.throwingCancellation { try WorkLimit.check() }
            try handler(progress)
        } catch {
            failure = error
        }
    }
}
