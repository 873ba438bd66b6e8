import Foundation

/// A look at every page that one snapshot of an LMDB file refers to, with plain reads.
///
/// LMDB may leave the last pages of its file unwritten, if they are free; so a file shorter than its
/// meta page says is not always cut off. It is if a page in use lies behind its end, and touching that
/// page through LMDB would kill the process. The bytes read may be anything.
struct PageWalk {
    private let file: FileHandle
    private let meta: MetaPage
    private let pageSize: Int
    /// The number of whole pages in the file.
    private let pagesInFile: UInt64
    private var seen: Set<UInt64> = []
    private var freePagesBehindEnd: Set<UInt64> = []

    private static let noPage = UInt64.max
    private static let bigDataFlag: UInt16 = 0x01

    /// A damaged or missing page was met.
    private struct Damage: Error {}

    /// Whether all pages in use by the snapshot that begins at `meta` are in `file`.
    static func isComplete(_ meta: MetaPage, in file: FileHandle) throws -> Bool {
        let size = try file.seekToEnd()
        let pagesInFile = size / meta.pageSize
        guard meta.lastPage >= pagesInFile else { return true }
        var walk = PageWalk(
            file: file, meta: meta, pageSize: Int(meta.pageSize), pagesInFile: pagesInFile)
        do {
            try walk.visit(tree: meta.freeRoot, isFreeList: true)
            // Usually the free list names every missing page, and the data need not be read.
            if UInt64(walk.freePagesBehindEnd.count) == meta.lastPage + 1 - pagesInFile {
                return true
            }
            try walk.visit(tree: meta.mainRoot, isFreeList: false)
            return true
        } catch is Damage {
            return false
        }
    }

    private init(file: FileHandle, meta: MetaPage, pageSize: Int, pagesInFile: UInt64) {
        self.file = file
        self.meta = meta
        self.pageSize = pageSize
        self.pagesInFile = pagesInFile
    }

    private mutating func visit(tree root: UInt64, isFreeList: Bool) throws {
        guard root != Self.noPage else { return }
        var pending = [root]
        while let number = pending.popLast() {
            // A page that is met twice is part of a ring, and no tree of LMDB's.
            guard number >= 2, number < pagesInFile, seen.insert(number).inserted else {
                throw Damage()
            }
            let page = try PageBytes(file, at: number * meta.pageSize, count: pageSize)
            guard page.uint64(at: 0) == number, let flags = page.uint16(at: 10),
                let lower = page.uint16(at: 12), lower >= 16
            else { throw Damage() }
            for index in 0..<Int(lower - 16) / 2 {
                guard let node = page.uint16(at: 16 + 2 * index).map(Int.init) else {
                    throw Damage()
                }
                if flags & PageBytes.branchFlag != 0 {
                    pending.append(try child(at: node, of: page))
                } else if flags & PageBytes.leafFlag != 0 {
                    try visit(leafNode: node, of: page, isFreeList: isFreeList)
                } else {
                    throw Damage()
                }
            }
        }
    }

    private func child(at node: Int, of page: PageBytes) throws -> UInt64 {
        guard let low = page.uint32(at: node), let high = page.uint16(at: node + 4) else {
            throw Damage()
        }
        return UInt64(low) | UInt64(high) << 32
    }

    private mutating func visit(leafNode node: Int, of page: PageBytes, isFreeList: Bool) throws {
        guard let size = page.uint32(at: node), let flags = page.uint16(at: node + 4),
            let keySize = page.uint16(at: node + 6)
        else { throw Damage() }
        let start = node + 8 + Int(keySize)
        guard flags & Self.bigDataFlag != 0 else {
            if isFreeList { try note(freePagesIn: page, at: start) }
            return
        }
        guard let first = page.uint64(at: start) else { throw Damage() }
        let pages = (UInt64(size) + 15) / meta.pageSize + 1
        guard first >= 2, first < pagesInFile, pages <= pagesInFile - first else { throw Damage() }
        if isFreeList {
            let list = try PageBytes(file, at: first * meta.pageSize + 16, count: Int(size))
            try note(freePagesIn: list, at: 0)
        }
    }

    /// Notes those free pages behind the file's end that a record of the free list names.
    private mutating func note(freePagesIn bytes: PageBytes, at start: Int) throws {
        guard let count = bytes.uint64(at: start), count <= UInt64(bytes.count) / 8 else {
            throw Damage()
        }
        for index in 0..<Int(count) {
            guard let number = bytes.uint64(at: start + 8 + 8 * index) else { throw Damage() }
            if number >= pagesInFile, number <= meta.lastPage { freePagesBehindEnd.insert(number) }
        }
    }
}
