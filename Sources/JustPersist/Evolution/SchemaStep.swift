/// A named change of the contents of stores, which is applied once to each.
///
/// A step works with names and items without a class, so it stays as it is when classes change later. Never change or
/// rename a step that has been released: stores that have applied it do not apply it again.
public struct SchemaStep: Sendable {
    /// The name of the step, which identifies it in its plan.
    public let name: String
    /// Whether programs without this step may still use a store to which it was applied.
    public let isCompatible: Bool
    /// The earlier steps that this one replaces; see ``SchemaPlan``.
    public let replaced: [String]
    /// The batches of the step; `nil` if it runs as a whole.
    let batches: Batches?
    private let body: @Sendable (borrowing DataStoreWriter) throws -> Void

    /// The work of a step that is committed in batches.
    struct Batches: Sendable {
        let itemTypeKey: String
        let size: Int
        let change: @Sendable (DynamicItem) throws -> Void
    }

    /// A step that runs in one write block, together with the other pending steps.
    ///
    /// - Parameters:
    ///   - name: The name of the step, such as `2026-03 one name`.
    ///   - isCompatible: Whether programs without this step may still use the store.
    ///   - replaced: The steps that this one replaces. A store that has applied all of them does not apply this one.
    ///   - body: The change. If it throws, nothing has changed, and the error reaches the caller.
    public init(
        _ name: String, isCompatible: Bool = false, replacing replaced: [String] = [],
        _ body: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void
    ) {
        self.name = name
        self.isCompatible = isCompatible
        self.replaced = replaced
        batches = nil
        self.body = body
    }

    /// A step that changes each item of a type, and commits in batches, for types with too many items for one block.
    ///
    /// A batch and the note of its end are one commit. If the process ends between two batches, the step continues after the
    /// last one when the plan is next applied, so each item is changed once. Items that `change` itself creates are not
    /// changed. Until the step is complete, the store refuses all other blocks, also those of other processes, with
    /// ``DataStoreError/Code/migrationRunning``; it can still be verified, repaired and salvaged. If `change` throws, its
    /// batch is rolled back, and earlier batches stay. Give the corrected step the same name. A step that was begun in
    /// batches cannot be replaced, or run as a whole, before it is complete.
    ///
    /// - Parameters:
    ///   - name: The name of the step.
    ///   - itemTypeKey: The key of the type; a type that the store does not have has no items.
    ///   - attributes: Attributes to declare before the first item is changed.
    ///   - batchSize: The number of items in a batch.
    ///   - isCompatible: Whether programs without this step may still use the store.
    ///   - change: The change of one item, which is made from the item alone.
    public static func batched(
        _ name: String, of itemTypeKey: String, adding attributes: [AttributeSchema] = [],
        batchSize: Int = 1000, isCompatible: Bool = false,
        _ change: @escaping @Sendable (DynamicItem) throws -> Void
    ) -> SchemaStep {
        SchemaStep(
            name: name, isCompatible: isCompatible,
            batches: Batches(
                itemTypeKey: itemTypeKey, size: Swift.max(1, batchSize), change: change)
        ) { db in
            let types = try db.schemas()
            guard let type = types.schema(ofType: itemTypeKey), !attributes.isEmpty else { return }
            try db.declare(ItemSchema(type.itemTypeKey, attributes: attributes))
        }
    }

    private init(
        name: String, isCompatible: Bool, batches: Batches,
        _ body: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void
    ) {
        self.name = name
        self.isCompatible = isCompatible
        replaced = []
        self.batches = batches
        self.body = body
    }

    /// Makes the change as a whole, for a step that replaces this one.
    public func run(_ db: borrowing DataStoreWriter) throws {
        try prepare(db)
        guard let batches else { return }
        for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: batches.itemTypeKey)) {
            try batches.change(item)
        }
    }

    /// Makes the change, or the part that precedes the first batch.
    func prepare(_ db: borrowing DataStoreWriter) throws { try body(db) }
}

/// Makes the list of steps of a ``SchemaPlan``.
@resultBuilder public enum SchemaStepsBuilder {
    /// A step.
    public static func buildExpression(_ step: SchemaStep) -> [SchemaStep] { [step] }
    /// Steps from elsewhere, such as another module.
    public static func buildExpression(_ steps: [SchemaStep]) -> [SchemaStep] { steps }
    /// The steps one after the other.
    public static func buildBlock(_ parts: [SchemaStep]...) -> [SchemaStep] { parts.flatMap { $0 } }
    /// Steps under a condition.
    public static func buildOptional(_ steps: [SchemaStep]?) -> [SchemaStep] { steps ?? [] }
    /// Steps of the first branch.
    public static func buildEither(first steps: [SchemaStep]) -> [SchemaStep] { steps }
    /// Steps of the second branch.
    public static func buildEither(second steps: [SchemaStep]) -> [SchemaStep] { steps }
    /// Steps of a loop.
    public static func buildArray(_ parts: [[SchemaStep]]) -> [SchemaStep] { parts.flatMap { $0 } }
}
