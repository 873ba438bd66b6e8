/// A place in the history of a store, after one of its commits.
///
/// Take one from a read block with ``DataStoreReadAccessor/changeToken``, or from the changes that a stream returns.
/// Keep it as long as you like, and begin a stream with it: see <doc:ObservingChanges>. A token is valid only for the
/// store that it came from. Programs need not look at its content.
public struct ChangeToken: Hashable, Sendable {
    /// Identifies the store's history.
    public let origin: ItemID
    /// Grows with each commit of the store.
    public let position: UInt64

    /// A place in a history, for authors of stores.
    public init(origin: ItemID, position: UInt64) {
        self.origin = origin
        self.position = position
    }
}

extension ChangeToken: LosslessStringConvertible {
    /// The token as a short text.
    public var description: String { "\(origin)@\(position)" }

    /// The token of a text that ``description`` made; `nil` for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let origin = ItemID(String(parts[0])),
            let position = UInt64(parts[1])
        else { return nil }
        self.init(origin: origin, position: position)
    }
}

extension ChangeToken: Codable {
    /// Reads the text of ``description``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let token = ChangeToken(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is not a token of changes")
        }
        self = token
    }

    /// Writes the text of ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
