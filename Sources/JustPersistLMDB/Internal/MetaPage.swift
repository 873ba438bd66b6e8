import Foundation

/// One of the two pages at the start of an LMDB file, each of which is the start of a snapshot.
///
/// It is read with plain reads, because LMDB trusts these bytes: a wrong page size ends the process.
struct MetaPage {
    let pageSize: UInt64
    /// The tree of free pages.
    let free: Tree
    /// The tree of keys and values.
    let main: Tree
    let lastPage: UInt64
    let transaction: UInt64

    /// The data of a meta page about one of the two trees.
    struct Tree {
        let depth: UInt16
        let branchPages: UInt64
        let leafPages: UInt64
        let overflowPages: UInt64
        let entries: UInt64
        let root: UInt64

        fileprivate init?(_ bytes: PageBytes, at offset: Int) {
            guard let depth = bytes.uint16(at: offset + 6),
                let branchPages = bytes.uint64(at: offset + 8),
                let leafPages = bytes.uint64(at: offset + 16),
                let overflowPages = bytes.uint64(at: offset + 24),
                max(branchPages, leafPages, overflowPages) < MetaPage.mostPages,
                let entries = bytes.uint64(at: offset + 32),
                let root = bytes.uint64(at: offset + 40)
            else { return nil }
            self.depth = depth
            self.branchPages = branchPages
            self.leafPages = leafPages
            self.overflowPages = overflowPages
            self.entries = entries
            self.root = root
        }
    }

    /// The possible contents at the start of an LMDB file.
    enum Finding {
        case empty
        case foreign
        case damaged
        case metaPages([MetaPage])
    }

    /// Reads the two meta pages.
    static func read(from file: FileHandle) throws -> Finding {
        var pages = try bytes(from: file)
        while true {
            let finding = try finding(in: pages, of: file)
            guard case .damaged = finding else { return finding }
            // Another process may have committed meanwhile.
            let now = try bytes(from: file)
            if now == pages { return finding }
            pages = now
        }
    }

    private static func bytes(from file: FileHandle) throws -> [PageBytes] {
        let first = try PageBytes(file, at: 0, count: length)
        guard let page = MetaPage(first) else { return [first] }
        return [first, try PageBytes(file, at: page.pageSize, count: length)]
    }

    private static func finding(in pages: [PageBytes], of file: FileHandle) throws -> Finding {
        let first = pages[0]
        guard !first.isEmpty else { return .empty }
        guard first.uint32(at: 16) == 0xBEEF_C0DE, first.uint32(at: 20) == 1 else {
            return .foreign
        }
        guard let one = MetaPage(first), let second = pages.last,
            second.uint32(at: 16) == 0xBEEF_C0DE, let two = MetaPage(second),
            one.pageSize == two.pageSize
        else { return .damaged }
        // If they were swapped, the store would lose its last commit without any other sign.
        guard first.uint64(at: 0) == 0, second.uint64(at: 0) == 1 else { return .damaged }
        guard try areSuccessive(one, two, in: file) else { return .damaged }
        return .metaPages([one, two])
    }

    /// Whether the two pages can have the numbers of the last two commits.
    ///
    /// If one number is wrong, LMDB may return to the commit before the last one. LMDB writes the two pages in turn,
    /// the first for even numbers, and skips no number. A commit lists the pages that it replaces under its own number,
    /// including the root of the tree; only a commit that begins with an empty tree may list none. The older page may
    /// refer to anything: LMDB leaves the roots of a failed commit there, and without the second sync of a commit its
    /// tree may be overwritten.
    private static func areSuccessive(
        _ even: MetaPage, _ odd: MetaPage, in file: FileHandle
    ) throws -> Bool {
        let numbers = (even: even.transaction, odd: odd.transaction)
        // A new file has two pages with number 0.
        if numbers == (0, 0) { return true }
        guard numbers.even & 1 == 0,
            numbers.odd == numbers.even &+ 1 || numbers.even == numbers.odd &+ 1
        else { return false }
        let (older, newer) = numbers.even < numbers.odd ? (even, odd) : (odd, even)
        if newer.transaction == 1 || older.main.root == PageWalk.noPage { return true }
        // The check of all pages reports any damage of the pages on the way.
        guard let last = try PageWalk.newestCommit(inFreeListOf: newer, of: file)
        else { return true }
        return last >= newer.transaction - 1
    }

    /// The meta page in some bytes, found at any place; `nil` if they are not a meta page.
    static func any(_ bytes: PageBytes) -> MetaPage? {
        guard bytes.uint32(at: 16) == 0xBEEF_C0DE, bytes.uint32(at: 20) == 1 else { return nil }
        return MetaPage(bytes)
    }

    private static let length = 152
    /// More pages than a file can have.
    ///
    /// Arithmetic with smaller numbers does not overflow, here or in LMDB.
    private static let mostPages: UInt64 = 1 << 46
    private static let mostCommits: UInt64 = 1 << 62
    /// The offsets of the root of ``main`` and of ``transaction`` in the page.
    static let rootOffset = 88 + 40
    static let transactionOffset = 144

    private init?(_ bytes: PageBytes) {
        guard let flags = bytes.uint16(at: 10), flags & PageBytes.metaFlag != 0,
            let pageSize = bytes.uint32(at: 40), (256...32768).contains(pageSize),
            pageSize.nonzeroBitCount == 1,
            let free = Tree(bytes, at: 40), let main = Tree(bytes, at: 88),
            let lastPage = bytes.uint64(at: 136), lastPage < Self.mostPages,
            let transaction = bytes.uint64(at: 144), transaction < Self.mostCommits
        else { return nil }
        self.pageSize = UInt64(pageSize)
        self.free = free
        self.main = main
        self.lastPage = lastPage
        self.transaction = transaction
    }
}
