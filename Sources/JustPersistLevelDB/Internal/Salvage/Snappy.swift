/// Decompresses LevelDB's blocks, which may contain any bytes.
///
/// LevelDB's interface does not expose its blocks. Only the required part of the format is implemented.
enum Snappy {
    /// More than any block of LevelDB: values have at most 1 GiB.
    private static let mostBytes = 1 << 30

    /// The decompressed bytes of a range; `nil` if it is not valid.
    static func decompressed(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8]? {
        var offset = range.lowerBound
        let end = range.upperBound
        guard let size = Varint.read(bytes, &offset, end), size <= mostBytes,
            // Three bytes give at most 64.
            size <= 22 * range.count + 64
        else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(size)
        while offset < end {
            let tag = bytes[offset]
            offset += 1
            // Either new bytes follow, or the distance to earlier ones.
            guard
                let length = tag & 3 == 0
                    ? literalLength(tag, bytes, &offset, end) : copyLength(tag)
            else { return nil }
            if tag & 3 == 0 {
                guard length <= end - offset else { return nil }
                output += bytes[offset..<offset + length]
                offset += length
            } else {
                guard let distance = distance(tag, bytes, &offset, end), distance > 0,
                    distance <= output.count
                else { return nil }
                // The copied range may overlap with its destination.
                for _ in 0..<length { output.append(output[output.count - distance]) }
            }
            guard output.count <= size else { return nil }
        }
        return output.count == size ? output : nil
    }

    private static func literalLength(
        _ tag: UInt8, _ bytes: [UInt8], _ offset: inout Int, _ end: Int
    ) -> Int? {
        let code = Int(tag >> 2)
        if code < 60 { return code + 1 }
        return number(bytes, &offset, end, code - 59).map { $0 + 1 }
    }

    private static func copyLength(_ tag: UInt8) -> Int {
        tag & 3 == 1 ? Int(tag >> 2 & 7) + 4 : Int(tag >> 2) + 1
    }

    private static func distance(
        _ tag: UInt8, _ bytes: [UInt8], _ offset: inout Int, _ end: Int
    ) -> Int? {
        switch tag & 3 {
        case 1: number(bytes, &offset, end, 1).map { Int(tag >> 5) << 8 | $0 }
        case 2: number(bytes, &offset, end, 2)
        default: number(bytes, &offset, end, 4)
        }
    }

    private static func number(
        _ bytes: [UInt8], _ offset: inout Int, _ end: Int, _ count: Int
    ) -> Int? {
        guard count <= end - offset else { return nil }
        defer { offset += count }
        return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
