import Foundation

/// One of the two pages at the start of an LMDB file, where a snapshot begins.
///
/// Read with plain reads, because LMDB trusts these bytes: a wrong page size stops the process.
struct MetaPage {
    let pageSize: UInt64
    let freeRoot: UInt64
    let mainRoot: UInt64
    let lastPage: UInt64
    let transaction: UInt64

    /// What an LMDB file can have at its start.
    enum Finding {
        case empty
        case foreign
        case damaged
        case metaPages([MetaPage])
    }

    /// Reads the two meta pages.
    static func read(from file: FileHandle) throws -> Finding {
        let first = try PageBytes(file, at: 0, count: length)
        guard !first.isEmpty else { return .empty }
        guard first.uint32(at: 16) == 0xBEEF_C0DE, first.uint32(at: 20) == 1 else {
            return .foreign
        }
        guard let one = MetaPage(first) else { return .damaged }
        let second = try PageBytes(file, at: one.pageSize, count: length)
        guard second.uint32(at: 16) == 0xBEEF_C0DE, let two = MetaPage(second),
            one.pageSize == two.pageSize
        else { return .damaged }
        return .metaPages([one, two])
    }

    private static let length = 152

    private init?(_ bytes: PageBytes) {
        guard let flags = bytes.uint16(at: 10), flags & PageBytes.metaFlag != 0,
            let pageSize = bytes.uint32(at: 40), (256...32768).contains(pageSize),
            pageSize.nonzeroBitCount == 1,
            let freeRoot = bytes.uint64(at: 80), let mainRoot = bytes.uint64(at: 128),
            let lastPage = bytes.uint64(at: 136), lastPage < UInt64.max / 65536,
            let transaction = bytes.uint64(at: 144)
        else { return nil }
        self.pageSize = UInt64(pageSize)
        self.freeRoot = freeRoot
        self.mainRoot = mainRoot
        self.lastPage = lastPage
        self.transaction = transaction
    }
}

/// Bytes of an LMDB file, which may be anything; what lies outside reads as `nil`.
struct PageBytes {
    static let branchFlag: UInt16 = 0x01
    static let leafFlag: UInt16 = 0x02
    static let metaFlag: UInt16 = 0x08

    private let bytes: [UInt8]

    /// Reads up to `count` bytes; fewer at the end of the file.
    init(_ file: FileHandle, at offset: UInt64, count: Int) throws {
        try file.seek(toOffset: offset)
        bytes = [UInt8](try file.read(upToCount: count) ?? Data())
    }

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }

    // LMDB writes numbers in the order of the machine, which is this one.
    func uint16(at offset: Int) -> UInt16? { number(at: offset) }
    func uint32(at offset: Int) -> UInt32? { number(at: offset) }
    func uint64(at offset: Int) -> UInt64? { number(at: offset) }

    private func number<N: FixedWidthInteger>(at offset: Int) -> N? {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<N>.size else { return nil }
        var number: N = 0
        for byte in bytes[offset..<offset + MemoryLayout<N>.size].reversed() {
            number = number << 8 | N(byte)
        }
        return N(littleEndian: N(littleEndian: number))
    }
}
