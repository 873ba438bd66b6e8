import Foundation

/// Bytes of an LMDB file, with any contents; offsets outside them read as `nil`.
struct PageBytes: Equatable {
    static let branchFlag: UInt16 = 0x01
    static let leafFlag: UInt16 = 0x02
    static let overflowFlag: UInt16 = 0x04
    static let metaFlag: UInt16 = 0x08

    private let bytes: [UInt8]

    /// Reads up to `count` bytes; fewer at the end of the file.
    init(_ file: FileHandle, at offset: UInt64, count: Int) throws {
        try file.seek(toOffset: offset)
        bytes = [UInt8](try file.read(upToCount: count) ?? Data())
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }

    // LMDB writes numbers in the byte order of the machine.
    func uint16(at offset: Int) -> UInt16? { number(at: offset) }
    func uint32(at offset: Int) -> UInt32? { number(at: offset) }
    func uint64(at offset: Int) -> UInt64? { number(at: offset) }

    /// The bytes from `offset` on; `nil` if there are fewer than `size`.
    func slice(at offset: Int, _ size: Int) -> [UInt8]? {
        guard offset >= 0, size >= 0, offset <= bytes.count - size else { return nil }
        return Array(bytes[offset..<offset + size])
    }

    /// Several 64-bit numbers.
    func words(at offset: Int, _ count: Int) throws(PageWalk.Damage) -> [UInt64] {
        var words: [UInt64] = []
        for index in 0..<count {
            guard let word = uint64(at: offset + 8 * index) else {
                throw PageWalk.Damage("a record of the free list is cut off")
            }
            words.append(word)
        }
        return words
    }

    private func number<N: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> N? {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<N>.size else { return nil }
        return unsafe bytes.withUnsafeBytes { bytes in
            // SAFETY: the bytes exist, and any bytes are a number.
            unsafe bytes.loadUnaligned(fromByteOffset: offset, as: N.self)
        }
    }
}
