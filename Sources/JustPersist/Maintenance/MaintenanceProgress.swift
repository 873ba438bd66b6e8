/// How far the verification, repair, backup or compaction of a store has come.
public struct MaintenanceProgress: Sendable, Hashable {
    /// One part of the work, which is counted from 0.
    public enum Step: Sendable, Hashable {
        /// The engine checks the structure of its own files.
        case structure
        /// Items are read or copied.
        case items
        /// Entries of indexes are compared with the items, or written.
        case indexes
        /// Files are copied.
        case files
    }

    /// What is being done.
    public internal(set) var step = Step.structure
    /// The type whose items are looked at; `nil` where no single type is.
    public internal(set) var itemType: String?
    /// The items that this step is done with.
    public internal(set) var items = 0
    /// The items that it has to do; `nil` if that is not known.
    public internal(set) var totalItems: Int?
    /// The bytes that this step is done with.
    public internal(set) var bytes = 0
    /// The bytes that it has to do; `nil` if that is not known.
    public internal(set) var totalBytes: Int?

    /// The part of the step that is done, from 0 to 1; `nil` if that is not known.
    public var fraction: Double? {
        if let totalItems, totalItems > 0 { return min(1, Double(items) / Double(totalItems)) }
        if let totalBytes, totalBytes > 0 { return min(1, Double(bytes) / Double(totalBytes)) }
        return nil
    }
}

/// Counts the work of a ``MaintainableDataStore``, and tells the caller of it now and then.
///
/// Used by one thread. If the caller's closure throws, the work ends with that error; if the task is cancelled in which the
/// call runs, with `CancellationError`.
public final class MaintenanceMeter {
    private let handler: (MaintenanceProgress) throws -> Void
    private var progress = MaintenanceProgress()
    private var failure: (any Error)?
    private var untold = (items: 0, bytes: 0)

    /// A meter that tells a closure.
    public init(_ handler: @escaping (MaintenanceProgress) throws -> Void) {
        self.handler = handler
    }

    /// Begins a step, and tells the caller.
    ///
    /// - Parameters:
    ///   - step: What is done from now on.
    ///   - itemType: The type whose items it concerns, if it is one.
    ///   - totalItems: The items to do, if that is known.
    ///   - totalBytes: The bytes to do, if that is known.
    public func begin(
        _ step: MaintenanceProgress.Step, itemType: String? = nil, totalItems: Int? = nil,
        totalBytes: Int? = nil
    ) throws {
        progress = MaintenanceProgress()
        progress.step = step
        progress.itemType = itemType
        progress.totalItems = totalItems
        progress.totalBytes = totalBytes
        tell()
        try check()
    }

    /// Counts work, and tells whether to go on; if not, ``check()`` throws.
    ///
    /// For places where no error but the store's own can be thrown.
    public func note(items: Int = 0, bytes: Int = 0) -> Bool {
        progress.items += items
        progress.bytes += bytes
        untold.items += items
        untold.bytes += bytes
        if untold.items >= 512 || untold.bytes >= 1 << 20 { tell() }
        return failure == nil
    }

    /// Counts work, and throws what the caller has thrown.
    public func advance(items: Int = 0, bytes: Int = 0) throws {
        _ = note(items: items, bytes: bytes)
        try check()
    }

    /// Throws what the caller has thrown.
    public func check() throws {
        if let failure { throw failure }
    }

    private func tell() {
        untold = (0, 0)
        guard failure == nil else { return }
        do {
            try WorkLimit.throwingCancellation { try WorkLimit.check() }
            try handler(progress)
        } catch {
            failure = error
        }
    }
}
