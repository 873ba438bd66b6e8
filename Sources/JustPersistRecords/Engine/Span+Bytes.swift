extension Span<UInt8> {
    /// Whether these bytes come before `other` in the order of keys: as unsigned bytes, with a prefix
    /// before the longer sequence.
    public func isOrdered(before other: Span<UInt8>) -> Bool { order(against: other) == .before }

    func order(against other: Span<UInt8>) -> KeyOrder {
        let sign = compare(0..<count, other)
        return sign < 0 ? .before : sign == 0 ? .same : .after
    }
}

/// The order of a key relative to another.
enum KeyOrder {
    case before, same, after
}

extension [UInt8] {
    /// A copy of the bytes.
    public init(copying bytes: Span<UInt8>) {
        self = bytes.copied()
    }
}

extension OutputSpan<UInt8> {
    mutating func append(copying bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}
