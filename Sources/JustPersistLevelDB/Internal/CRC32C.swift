/// The checksum of LevelDB's files.
enum CRC32C {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0x82F6_3B78
        }
    }

    /// The checksum as LevelDB stores it: turned, for a checksum of checksums is weak.
    static func masked(of bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        let inverse = bytes.reduce(~UInt32(0)) { sum, byte in
            (sum >> 8) ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
        }
        let sum = ~inverse
        return (sum >> 15 | sum << 17) &+ 0xA282_EAD8
    }
}
