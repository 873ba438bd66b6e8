import JustPersistRecords

/// A page of a tree with damaged bytes, and the nodes that can still be read.
struct DamagedPage {
    struct Node {
        let key: [UInt8]
        let value: TreePage.Value
    }

    private let bytes: PageBytes
    /// Whether it is a branch page, which refers to other pages.
    let isBranch: Bool
    /// Whether the start of the nodes is known.
    ///
    /// There may be deleted nodes before it.
    let hasBounds: Bool
    private let start: Int

    init(_ bytes: PageBytes) {
        self.bytes = bytes
        let flags = bytes.uint16(at: 10)
        isBranch = flags == PageBytes.branchFlag
        if let lower = bytes.uint16(at: 12), let upper = bytes.uint16(at: 14), lower >= 16,
            lower <= upper, Int(upper) < bytes.count, lower % 2 == 0, upper % 2 == 0,
            flags == PageBytes.leafFlag
        {
            hasBounds = true
            start = Int(upper)
        } else {
            hasBounds = false
            start = 0
        }
    }

    /// The pages to which a branch page refers.
    var children: [UInt64] {
        guard let lower = bytes.uint16(at: 12), lower >= 16, Int(lower) <= bytes.count else {
            return []
        }
        return (0..<Int(lower - 16) / 2).compactMap { index in
            guard let node = bytes.uint16(at: 16 + 2 * index).map(Int.init),
                let low = bytes.uint32(at: node), let high = bytes.uint16(at: node + 4)
            else { return nil }
            return UInt64(low) | UInt64(high) << 32
        }
    }

    /// All possible entries of a leaf page that would be salvaged; a checksum decides whether they are intact.
    var nodes: [Node] {
        var nodes: [Node] = []
        for offset in stride(from: start, to: bytes.count - 8, by: 2) {
            if let node = node(at: offset) { nodes.append(node) }
        }
        return nodes
    }

    private func node(at offset: Int) -> Node? {
        guard let keySize = bytes.uint16(at: offset + 6),
            let tag = bytes.uint16(at: offset + 8).map({ UInt8($0 & 0xFF) }),
            SalvagedEntries.isWanted(tag: tag, length: Int(keySize)),
            let flags = bytes.uint16(at: offset + 4), flags <= 1,
            let size = bytes.uint32(at: offset),
            let key = bytes.slice(at: offset + 8, Int(keySize))
        else { return nil }
        let value = offset + 8 + Int(keySize)
        if flags == 1 {
            return bytes.uint64(at: value).map {
                Node(key: key, value: .overflow(first: $0, size: UInt64(size)))
            }
        }
        return bytes.slice(at: value, Int(size)).map {
            Node(key: key, value: .inside(PageBytes($0)))
        }
    }
}
