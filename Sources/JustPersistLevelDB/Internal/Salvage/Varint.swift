/// Numbers with seven bits in each byte, the lowest first.
enum Varint {
    /// The number at `offset`, which is moved past it; `nil` if no number of 32 bits ends before `end`.
    @inline(__always)
    static func read(_ bytes: [UInt8], _ offset: inout Int, _ end: Int) -> Int? {
        var number = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard offset < end else { return nil }
            let byte = bytes[offset]
            offset += 1
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number < 1 << 32 ? number : nil }
        }
        return nil
    }
}
