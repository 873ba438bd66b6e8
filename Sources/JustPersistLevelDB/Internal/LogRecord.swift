/// An intact record of a LevelDB log: checksum, length and kind, then the bytes.
///
/// Logs and manifests are sequences of 32 KiB blocks of such records. Data written together, such as a batch, is one
/// record, or several from a first one to a last one.
struct LogRecord {
    static let blockSize = 32 << 10
    static let headerSize = 7

    /// The place of its bytes in the block.
    let payload: Range<Int>
    let isFirst: Bool
    let isLast: Bool

    /// The record at `offset`; `nil` if no complete, intact record begins there.
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
        // Complete, first, middle, last.
        isFirst = block[offset + 6] <= 2
        isLast = block[offset + 6] == 1 || block[offset + 6] == 4
    }

    /// The end of the record at `offset`, if its length is correct.
    static func end(in block: [UInt8], at offset: Int) -> Int {
        offset + headerSize + (Int(block[offset + 4]) | Int(block[offset + 5]) << 8)
    }
}
