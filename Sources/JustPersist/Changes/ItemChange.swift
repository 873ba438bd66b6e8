/// What became of one item in a commit, or in several one behind the other.
public struct ItemChange: Sendable, Hashable {
    /// What happened to an item.
    public enum Kind: Sendable, Hashable {
        /// It is there now, and was not before.
        case inserted
        /// It was there before, and these attributes were set.
        case updated(Set<String>)
        /// It was there before, and is not now.
        case deleted
        /// It may have been created, changed or deleted: read it anew.
        case unknown
    }

    /// The item.
    public let item: ItemReference
    /// What happened to it.
    public let kind: Kind
    /// The place behind this change.
    public let token: ChangeToken

    /// A change of an item.
    public init(item: ItemReference, kind: Kind, token: ChangeToken) {
        self.item = item
        self.kind = kind
        self.token = token
    }
}

extension ItemChange {
    /// What a set of changes says of an item; `nil` if it is not concerned.
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
