/// A contiguous range of keys, from ``lower`` (inclusive) to ``upper`` (exclusive).
public struct KeyRange: Hashable, Sendable {
    /// The first key that may be in the range.
    public let lower: [UInt8]
    /// The first key after the range; `nil` if it has no end.
    public let upper: [UInt8]?

    /// The keys from `lower` up to, but not including, `upper`.
    public init(from lower: [UInt8], upTo upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// The keys that begin with `prefix`.
    public init(prefix: [UInt8]) {
        lower = prefix
        var end = prefix
        while end.last == 0xFF { end.removeLast() }
        if end.isEmpty {
            upper = nil
        } else {
            end[end.count - 1] += 1
            upper = end
        }
    }

    /// Whether a key lies in the range.
    package func contains(_ key: [UInt8]) -> Bool {
        !key.span.isOrdered(before: lower.span)
            && (upper.map { key.span.isOrdered(before: $0.span) } ?? true)
    }

    /// The keys that both ranges contain.
    func intersection(_ other: KeyRange) -> KeyRange {
        let lower = lower.span.isOrdered(before: other.lower.span) ? other.lower : lower
        guard let upper, let otherUpper = other.upper else {
            return KeyRange(from: lower, upTo: upper ?? other.upper)
        }
        return KeyRange(
            from: lower, upTo: upper.span.isOrdered(before: otherUpper.span) ? upper : otherUpper)
    }

    /// Every key.
    public static let all = KeyRange(from: [], upTo: nil)
}
