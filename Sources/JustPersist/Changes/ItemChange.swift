/// The change of one item in a commit, or in several successive commits.
public struct ItemChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: Sendable, Hashable {
        /// The item exists now, and did not before.
        case inserted
        /// The item existed before, and these attributes were set, or these relationships to many changed.
        case updated(Set<String>)
        /// The item existed before, and does not now.
        case deleted
        /// The item may have been created, changed or deleted: read it again.
        case unknown
    }

    /// The item.
    public let item: ItemReference
    /// The kind of the change.
    public let kind: Kind
    /// The place after this change.
    public let token: ChangeToken

    /// A change of an item.
    public init(item: ItemReference, kind: Kind, token: ChangeToken) {
        self.item = item
        self.kind = kind
        self.token = token
    }
}

extension ItemChange {
    /// The change of an item in a set; `nil` if the set does not concern it.
    init?(of item: ItemReference, in set: ChangeSet) {
        let kinds = set.types.compactMap { changes -> Kind? in
            if !changes.isComplete { return .unknown }
            if changes.inserted.contains(item.id) { return .inserted }
            if let update = changes.updated.first(where: { $0.id == item.id }) {
                return .updated(update.attributes)
            }
            return changes.deleted.contains(item.id) ? .deleted : nil
        }
        guard let kind = set.isComplete ? kinds.first : .unknown else { return nil }
        self.init(item: item, kind: kind, token: set.token)
    }
}
