/// The progress of writing an index that was declared on existing items.
public struct IndexProgress: Sendable, Hashable {
    /// The key of the type.
    public let itemTypeKey: String
    /// The attributes of the index.
    public let attributes: [String]
    /// The number of items whose entries this call has written.
    public let done: Int
    /// The number of all items.
    public let total: Int

    /// Progress with an index.
    public init(itemTypeKey: String, attributes: [String], done: Int, total: Int) {
        self.itemTypeKey = itemTypeKey
        self.attributes = attributes
        self.done = done
        self.total = total
    }
}
