public import Foundation

/// A step that a store has applied.
public struct AppliedSchemaStep: Sendable, Hashable {
    /// The name of the step's plan.
    public var plan: String
    /// The name of the step.
    public var name: String
    /// The time at which it was applied, or its first batch was.
    public var date: Date
    /// The release of the program that applied it, if its plan names one.
    public var release: String?
    /// Whether programs without this step may use the store; also true for steps that another one has replaced and done.
    public var isCompatible: Bool
    /// Whether a step in batches is not complete.
    public var isUnfinished = false
    /// The number of items that a step in batches has changed.
    public var items = 0

    /// The key of the type in which a store keeps its applied steps.
    package static var itemTypeKey: String { StepRecord.schema.itemTypeKey }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The steps that the store has applied, in the order in which it did.
    public func schemaHistory() throws(DataStoreError) -> [AppliedSchemaStep] {
        try items(StepRecord.self).map(\.applied)
    }
}

extension DataStore {
    /// The steps that the store has applied, in the order in which it did.
    public func schemaHistory() throws -> [AppliedSchemaStep] {
        try readSync { db in try db.schemaHistory() }
    }
}

/// An applied step as an item of the store, so that it is committed, copied and verified as all items are.
final class StepRecord: MutableDataStoreItem {
    static let schema = ItemSchema(
        "JustPersist.SchemaStep",
        attributes: [
            AttributeSchema("plan", kinds: [.string]), AttributeSchema("step", kinds: [.string]),
            AttributeSchema("date", kinds: [.date]), AttributeSchema("release", kinds: [.string]),
            AttributeSchema("isCompatible", kinds: [.bool]),
            AttributeSchema("isUnfinished", kinds: [.bool]),
            AttributeSchema("items", kinds: [.int]), AttributeSchema("last", kinds: [.uuid]),
            AttributeSchema("end", kinds: [.uuid]),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var applied: AppliedSchemaStep {
        get {
            AppliedSchemaStep(
                plan: attribute(at: 0, default: ""), name: attribute(at: 1, default: ""),
                date: attribute(at: 2, default: .distantPast), release: optionalAttribute(at: 3),
                isCompatible: attribute(at: 4, default: false),
                isUnfinished: attribute(at: 5, default: false),
                items: attribute(at: 6, default: 0))
        }
        set {
            setAttribute(newValue.plan, at: 0)
            setAttribute(newValue.name, at: 1)
            setAttribute(newValue.date, at: 2)
            setOptionalAttribute(newValue.release, at: 3)
            setAttribute(newValue.isCompatible, at: 4)
            setAttribute(newValue.isUnfinished, at: 5)
            setAttribute(newValue.items, at: 6)
        }
    }

    /// The id of the last item that a step in batches has changed.
    var last: ItemID? {
        get { (optionalAttribute(at: 7) as UUID?).map { ItemID($0) } }
        set { setOptionalAttribute(newValue?.uuid, at: 7) }
    }

    /// The id of the last item that a step in batches changes: the greatest at its beginning.
    var end: ItemID? {
        get { (optionalAttribute(at: 8) as UUID?).map { ItemID($0) } }
        set { setOptionalAttribute(newValue?.uuid, at: 8) }
    }
}
