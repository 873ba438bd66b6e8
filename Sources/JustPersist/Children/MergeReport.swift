/// The result of merging a child store into its parent.
public struct MergeReport: Sendable, Hashable {
    /// The conflicting changes, by type, item and attribute; empty if there are none.
    ///
    /// The ``MergePolicy`` has decided each of them.
    public var conflicts: [MergeConflict]

    /// A report.
    public init(conflicts: [MergeConflict] = []) { self.conflicts = conflicts }
}

/// A conflict: a change that a child store and its parent both made since the child first made it.
public struct MergeConflict: Sendable, Hashable {
    /// The kind of a conflict.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// Both changed one attribute, to different values.
        ///
        /// An item that both inserted under one id counts as changed in all its attributes.
        case bothChanged
        /// The parent deleted an item that the child changed.
        case deletedInParent
        /// The child deleted an item that the parent changed.
        case deletedInChild
    }

    /// The kind of the conflict.
    public let kind: Kind
    /// The ``DataStoreItem/itemTypeKey`` of the item's type.
    public let itemType: String
    /// The item.
    public let id: ItemID
    /// The attribute that both changed; `nil` if one store deleted the item.
    public let attribute: String?
    /// The parent's value when the child first changed the attribute; `nil` if one store deleted the item.
    public let base: DataStoreValue?
    /// The value that the child has set; `nil` if one store deleted the item.
    public let child: DataStoreValue?
    /// The parent's value before the merge; `nil` if one store deleted the item.
    public let parent: DataStoreValue?

    /// A conflict over an item, or over one of its attributes.
    public init(
        kind: Kind, itemType: String, id: ItemID, attribute: String? = nil,
        base: DataStoreValue? = nil, child: DataStoreValue? = nil, parent: DataStoreValue? = nil
    ) {
        self.kind = kind
        self.itemType = itemType
        self.id = id
        self.attribute = attribute
        self.base = base
        self.child = child
        self.parent = parent
    }
}

extension MergeConflict: CustomStringConvertible {
    /// The item, the attribute, and the change of each store.
    public var description: String {
        let item = "“\(itemType)” \(id)"
        return switch kind {
        case .bothChanged:
            attribute.map { "“\($0)” of \(item) changed in both" } ?? "\(item) changed in both"
        case .deletedInParent: "\(item) deleted in the parent and changed in the child"
        case .deletedInChild: "\(item) deleted in the child and changed in the parent"
        }
    }
}
