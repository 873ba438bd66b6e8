public import Foundation

/// The outcome of applying a plan, or of its trial.
public struct SchemaReport: Sendable {
    /// A step that was applied.
    public struct Step: Sendable, Hashable {
        /// The name of the step.
        public var name: String
        /// Whether the store had applied a later step of the plan before.
        public var isLate = false
        /// The changes that the step made with the calls of ``DataStoreReadWriteAccessor`` for that, such as `convert`.
        public var changes: [SchemaChange] = []
    }

    /// The steps that were applied, in their order.
    public var steps: [Step] = []
    /// The place of the backup; `nil` if none was written.
    public var backup: URL?
    /// The name of the step that failed in a trial; `nil` if none did, or if a class does not fit the values.
    public var failedStep: String?
    /// The error of the step that failed in a trial, or of the class that does not fit; `nil` if all would work.
    public var failure: (any Error)?
}

/// A change of a type or of an attribute by a step.
public struct SchemaChange: Sendable, Hashable, CustomStringConvertible {
    /// The change as a text: “stars” of “Hotel” converted to int.
    public var description: String
    /// The type concerned.
    public var itemType: String
    /// The attribute concerned; `nil` if it is the whole type.
    public var attribute: String?
    /// The number of items whose values were changed or deleted.
    public var items: Int
    /// The items whose values could not be converted.
    public var failed: [ItemID] = []

    init(
        _ description: String, ofType itemType: String, attribute: String? = nil, items: Int = 0,
        failed: [ItemID] = []
    ) {
        self.description = description
        self.itemType = itemType
        self.attribute = attribute
        self.items = items
        self.failed = failed
    }
}

/// The changes of the running step, which the calls that make them note.
final class SchemaNotes: Sendable {
    @TaskLocal static var current: SchemaNotes?

    private let noted = Locked<[SchemaChange]>([])

    var changes: [SchemaChange] { noted.withLock { $0 } }

    static func note(_ change: @autoclosure () -> SchemaChange) {
        if let current { current.add(change()) }
    }

    private func add(_ change: SchemaChange) { noted.withLock { $0.append(change) } }
}

/// The progress of applying a plan.
public struct SchemaProgress: Sendable, Hashable {
    /// The name of the step that runs.
    public var step: String
    /// The number of pending steps that were completed before it.
    public var completedSteps: Int
    /// The number of steps that were pending.
    public var totalSteps: Int
    /// The number of items that a step in batches has changed, by an earlier program too.
    public var items = 0
    /// The number of items that a step in batches has to change; `nil` for a step that runs as a whole.
    public var totalItems: Int?
}
