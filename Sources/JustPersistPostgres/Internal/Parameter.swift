import JustPersist
import JustPersistRecords

/// Values in the binary form in which PostgreSQL receives them.
enum Parameter {
    /// A whole number of 8 bytes.
    static func number(_ number: Int) -> [UInt8] {
        unsafe withUnsafeBytes(of: Int64(number).bigEndian) { unsafe [UInt8]($0) }
    }

    /// The end of a range: for a range without an end, a text of bytes that is greater than all keys.
    static func end(of range: KeyRange) -> [UInt8] {
        range.upper ?? [UInt8](repeating: 0xFF, count: PostgresEngine.longestKey + 1)
    }

    /// An array of `bytea`.
    struct List {
        /// The value of the parameter.
        private(set) var bytes: [UInt8]
        private(set) var count = 0

        /// The header of an array, in which the number of elements is at place 12.
        private static let header: [UInt8] = [
            0, 0, 0, 1,  // dimensions
            0, 0, 0, 0,  // no NULL
            0, 0, 0, 17,  // the type bytea
            0, 0, 0, 0, 0, 0, 0, 1,  // the number of elements, and the first index
        ]

        init() { bytes = Self.header }

        init(_ elements: [[UInt8]]) {
            self.init()
            bytes.reserveCapacity(
                elements.reduce(Self.header.count) { $0 + $1.count + 4 })
            for element in elements { append(element.span) }
        }

        mutating func append(_ element: Span<UInt8>) {
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: element.count))
            // SAFETY: the buffer is read inside the closure only.
            unsafe element.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            count += 1
            for place in 0..<4 {
                bytes[12 + place] = UInt8(truncatingIfNeeded: count >> (24 - 8 * place))
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: UInt32) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
