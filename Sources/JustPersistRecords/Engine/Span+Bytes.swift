extension Span<UInt8> {
    /// Whether these bytes come before `other` in the order of keys: as unsigned bytes, and a shorter
    /// run before the longer one it begins.
    public func isOrdered(before other: Span<UInt8>) -> Bool { order(against: other) == .before }

    func order(against other: Span<UInt8>) -> KeyOrder {
        for index in 0..<Swift.min(count, other.count) {
            let byte = self[index]
            let otherByte = other[index]
            if byte != otherByte { return byte < otherByte ? .before : .after }
        }
        return count < other.count ? .before : count == other.count ? .same : .after
    }
}

/// Where a key stands, seen from another.
enum KeyOrder {
    case before, same, after
}

extension [UInt8] {
    /// A copy of the bytes.
    public init(copying bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { $0.append(copying: bytes) }
    }
}

extension OutputSpan<UInt8> {
    mutating func append(copying bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}
