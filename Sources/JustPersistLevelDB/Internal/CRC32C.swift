/// The checksum of LevelDB's files.
enum CRC32C {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0x82F6_3B78
        }
    }

    /// The checksum as LevelDB stores it: rotated, because a checksum of checksums is weak.
    static func masked(of bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum = Sum()
        for byte in bytes { sum.add(byte) }
        return sum.masked
    }

    /// The checksum of bytes that are added one by one.
    struct Sum {
        private let table = CRC32C.table
        private var inverse = ~UInt32(0)

        @inline(__always)
        mutating func add(_ byte: UInt8) {
            inverse = (inverse >> 8) ^ table[Int(UInt8(truncatingIfNeeded: inverse) ^ byte)]
        }

        /// The checksum of the bytes so far, as LevelDB stores it.
        @inline(__always)
        var masked: UInt32 {
            let sum = ~inverse
            return (sum >> 15 | sum << 17) &+ 0xA282_EAD8
        }
    }
}
