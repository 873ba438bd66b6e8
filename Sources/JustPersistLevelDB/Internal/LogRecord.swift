/// One sound record of a LevelDB log: checksum, length and kind, then the bytes.
///
/// Logs and manifests are rows of 32 KiB blocks of such records. What was written at once, a batch for
/// example, is one record, or several from a first one to a last one.
struct LogRecord {
    static let blockSize = 32 << 10
    static let headerSize = 7

    /// Where in the block its bytes are.
    let payload: Range<Int>
    let isFirst: Bool
    let isLast: Bool

    /// The record at `offset`; `nil` if none that is whole and sound begins there.
    init?(in block: [UInt8], at offset: Int) {
        guard block.count - offset >= Self.headerSize, 1...4 ~= block[offset + 6] else {
            return nil
        }
        let end = Self.end(in: block, at: offset)
        let checksum = block[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        guard end <= block.count, CRC32C.masked(of: block[(offset + 6)..<end]) == checksum else {
            return nil
        }
        payload = (offset + Self.headerSize)..<end
        // Whole, first, middle, last.
        isFirst = block[offset + 6] <= 2
        isLast = block[offset + 6] == 1 || block[offset + 6] == 4
    }

    /// Where the record at `offset` ends, if its length is true.
    static func end(in block: [UInt8], at offset: Int) -> Int {
        offset + headerSize + (Int(block[offset + 4]) | Int(block[offset + 5]) << 8)
    }
}
