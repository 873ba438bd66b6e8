import JustPersist

/// A set of value tags as the catalog stores it: a bit for each, in as many bytes as the greatest tag needs.
struct TagSet: Equatable, Sendable {
    /// The tags below 16, a bit for each.
    var known: UInt16 = 0
    /// The bytes of tags from 16 on, which later releases add, without trailing zeros; they are kept unchanged.
    private(set) var later: [UInt8] = []

    init(_ known: UInt16 = 0) { self.known = known }

    /// The set that is stored in any number of bytes.
    init(_ bytes: [UInt8]) {
        known = UInt16(bytes.first ?? 0) | UInt16(bytes.dropFirst().first ?? 0) << 8
        later = Self.trimmed(Array(bytes.dropFirst(2)))
    }

    /// The stored bytes.
    var bytes: [UInt8] {
        Self.trimmed([UInt8(known & 0xFF), UInt8(known >> 8)] + later)
    }

    var isEmpty: Bool { known == 0 && later.isEmpty }

    /// Whether the set has tags that only a later release knows.
    var hasLater: Bool { !later.isEmpty }

    /// The tags that only a later release knows.
    var laterOnly: TagSet {
        var set = self
        set.known = 0
        return set
    }

    func contains(_ tag: UInt8) -> Bool {
        if tag < 16 { return known & 1 << UInt16(tag) != 0 }
        let place = Int(tag) / 8 - 2
        return place < later.count && later[place] & 1 << (tag % 8) != 0
    }

    mutating func insert(_ tag: UInt8) {
        if tag < 16 { return known |= 1 << UInt16(tag) }
        let place = Int(tag) / 8 - 2
        if place >= later.count { later += [UInt8](repeating: 0, count: place + 1 - later.count) }
        later[place] |= 1 << (tag % 8)
    }

    /// Removes tags below 16.
    mutating func subtract(_ other: UInt16) { known &= ~other }

    mutating func formUnion(_ other: TagSet) {
        known |= other.known
        if later.count < other.later.count {
            later += [UInt8](repeating: 0, count: other.later.count - later.count)
        }
        for place in other.later.indices { later[place] |= other.later[place] }
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)])
    }
}
