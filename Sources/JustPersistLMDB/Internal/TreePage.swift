/// A page of one of LMDB's two trees, which may contain any bytes.
struct TreePage {
    let isBranch: Bool
    /// The starts of the nodes, in the order of their keys.
    let nodes: [Int]

    private let bytes: PageBytes
    private let number: UInt64

    private static let bigDataFlag: UInt16 = 0x01

    /// The place of a node's value.
    enum Value {
        case inside(PageBytes)
        case overflow(first: UInt64, size: UInt64)
    }

    /// Checks that the bytes are a page of a tree with that number.
    init(_ bytes: PageBytes, _ number: UInt64) throws(PageWalk.Damage) {
        self.bytes = bytes
        self.number = number
        guard bytes.uint64(at: 0) == number else {
            throw PageWalk.Damage("another page stands in the place of page \(number)")
        }
        guard let flags = bytes.uint16(at: 10),
            flags == PageBytes.branchFlag || flags == PageBytes.leafFlag,
            let lower = bytes.uint16(at: 12), let upper = bytes.uint16(at: 14),
            lower >= 16, lower <= upper, Int(upper) <= bytes.count, lower % 2 == 0
        else { throw PageWalk.Damage("page \(number) is no page of a tree") }
        isBranch = flags == PageBytes.branchFlag
        nodes = (0..<Int(lower - 16) / 2).map { Int(bytes.uint16(at: 16 + 2 * $0) ?? 0) }
        guard nodes.allSatisfy({ $0 >= Int(upper) && $0 <= bytes.count - 8 }) else { throw damage }
    }

    private var damage: PageWalk.Damage { .init("a node of page \(number) is damaged") }

    /// The keys, comparable as bytes; without the first key of a branch page, which has no meaning.
    func keys(isFreeList: Bool) throws(PageWalk.Damage) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for node in isBranch ? nodes.dropFirst() : nodes[...] {
            let size = Int(bytes.uint16(at: node + 6) ?? 0)
            guard size > 0, let key = bytes.slice(at: node + 8, size) else { throw damage }
            guard isFreeList else {
                keys.append(key)
                continue
            }
            guard size == 8, let number = bytes.uint64(at: node + 8) else { throw damage }
            // With the highest byte first, numbers compare as bytes do.
            keys.append((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
        }
        return keys
    }

    /// The page to which a node of a branch page refers.
    func child(at index: Int) throws(PageWalk.Damage) -> UInt64 {
        guard let low = bytes.uint32(at: nodes[index]),
            let high = bytes.uint16(at: nodes[index] + 4)
        else { throw damage }
        return UInt64(low) | UInt64(high) << 32
    }

    /// The value of a node of a leaf page.
    func value(at index: Int) throws(PageWalk.Damage) -> Value {
        let node = nodes[index]
        guard let size = bytes.uint32(at: node), let flags = bytes.uint16(at: node + 4),
            let keySize = bytes.uint16(at: node + 6), flags == 0 || flags == Self.bigDataFlag
        else { throw damage }
        let start = node + 8 + Int(keySize)
        if flags == Self.bigDataFlag {
            guard let first = bytes.uint64(at: start) else { throw damage }
            return .overflow(first: first, size: UInt64(size))
        }
        guard let value = bytes.slice(at: start, Int(size)) else { throw damage }
        return .inside(PageBytes(value))
    }
}
