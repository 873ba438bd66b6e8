public import Foundation

/// The identity of an item: 128 bits, made by the client, ordered by the time of creation.
///
/// An id is a UUID of version 7 (RFC 9562): a millisecond timestamp followed by a counter and random bits. Ids made by
/// one process ascend strictly, so that the order of ids is the order of creation. An item keeps its id permanently,
/// through updates, reopening, merging and migration.
public struct ItemID: Hashable, Comparable, Sendable {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// An id with the given bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The id with the bits of a UUID of any version.
    public init(_ uuid: UUID) {
        let b = uuid.uuid
        high = [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7].reduce(0) { $0 << 8 | UInt64($1) }
        low = [b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The id written as a UUID's 36 characters, in either case; `nil` for any other text.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.init(uuid)
    }

    /// The bits as a UUID.
    public var uuid: UUID {
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
        }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }

    /// Combines both halves in one step, because ids are keys of dictionaries on hot paths.
    public func hash(into hasher: inout Hasher) { hasher.combine(high ^ low) }

    /// Orders ids by their bytes, which is the order of creation.
    public static func < (lhs: ItemID, rhs: ItemID) -> Bool {
        lhs.high == rhs.high ? lhs.low < rhs.low : lhs.high < rhs.high
    }
}

extension ItemID: CustomStringConvertible {
    /// The id as a UUID's 36 lower-case characters.
    public var description: String { uuid.uuidString.lowercased() }
}

extension ItemID: Codable {
    /// Reads the 36 characters of ``description``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ItemID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is not an item id")
        }
        self = id
    }

    /// Writes the 36 characters of ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
