import Foundation

/// Checks every page that a snapshot of an LMDB file refers to, with plain reads.
///
/// LMDB trusts its pages: it does not detect a page in a wrong place, and accessing one after the end of the file ends
/// the process. The bytes read may have any contents: the amount of data read and kept is limited by the file's size,
/// and every offset is checked.
struct PageWalk {
    private let file: FileHandle
    private let meta: MetaPage
    /// The number of complete pages in the file.
    private let pagesInFile: UInt64
    /// The pages found so far, a bit for each: every page is either used once or free once.
    private var seen: [UInt64: UInt64] = [:]
    private var freePagesBehindEnd: UInt64 = 0
    private var goesOn: (_ bytes: Int) -> Bool = { _ in true }

    static let noPage = UInt64.max
    /// The height of the highest tree that LMDB's cursors climb.
    private static let maximumDepth = 32

    /// The damage of a page.
    struct Damage: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// Whether all pages in use by the snapshot that begins at `meta` are in `file`.
    ///
    /// LMDB may leave the last pages of its file unwritten if they are free, so a file may be shorter than its meta
    /// page states without being cut off.
    static func isComplete(_ meta: MetaPage, in file: FileHandle) throws -> Bool {
        var walk = try PageWalk(meta, in: file)
        guard meta.lastPage >= walk.pagesInFile else { return true }
        do {
            try walk.visit(meta.free, isFreeList: true)
            // Usually the free list has every missing page, and the data need not be read.
            if walk.freePagesBehindEnd == meta.lastPage + 1 - walk.pagesInFile { return true }
            try walk.visit(meta.main, isFreeList: false)
            return true
        } catch is Damage {
            return false
        }
    }

    /// Throws the first ``Damage`` in the snapshot that begins at `meta`, or any error once `goesOn` returns false.
    static func check(
        _ meta: MetaPage, in file: FileHandle, _ goesOn: (_ bytes: Int) -> Bool = { _ in true }
    ) throws {
        try withoutActuallyEscaping(goesOn) { goesOn in
            var walk = try PageWalk(meta, in: file)
            walk.goesOn = goesOn
            try walk.visit(meta.free, isFreeList: true)
            try walk.visit(meta.main, isFreeList: false)
        }
    }

    /// The page with the first entries of the tree; 0 if there is none.
    ///
    /// Follows the pages as LMDB does, without checking the pages on the way.
    static func firstLeaf(of meta: MetaPage, in file: FileHandle) throws -> UInt64 {
        var number = meta.main.root
        guard number <= meta.lastPage else { return 0 }
        for _ in 0..<maximumDepth {
            let page = try PageBytes(file, at: number * meta.pageSize, count: Int(meta.pageSize))
            guard let flags = page.uint16(at: 10), flags & PageBytes.branchFlag != 0,
                let node = page.uint16(at: 16).map(Int.init), let low = page.uint32(at: node),
                let high = page.uint16(at: node + 4)
            else { break }
            number = UInt64(low) | UInt64(high) << 32
            guard number <= meta.lastPage else { break }
        }
        return number
    }

    /// The highest number of a commit in the free list of a snapshot; 0 if the list is empty, `nil` if it is damaged.
    static func newestCommit(
        inFreeListOf meta: MetaPage, of file: FileHandle
    ) throws -> UInt64? {
        var number = meta.free.root
        guard number != noPage else { return 0 }
        for _ in 0..<maximumDepth {
            guard number <= meta.lastPage else { return nil }
            let bytes = try PageBytes(file, at: number * meta.pageSize, count: Int(meta.pageSize))
            do throws(Damage) {
                let page = try TreePage(bytes, number)
                guard let last = page.nodes.indices.last else { return nil }
                guard page.isBranch else { return bytes.uint64(at: page.nodes[last] + 8) }
                number = try page.child(at: last)
            } catch {
                return nil
            }
        }
        return nil
    }

    private init(_ meta: MetaPage, in file: FileHandle) throws {
        self.file = file
        self.meta = meta
        pagesInFile = try file.seekToEnd() / meta.pageSize
    }

    // MARK: Trees

    /// The numbers counted in a tree, to be compared with those in the meta page.
    private struct Count {
        var depth = 0
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
    }

    /// The permitted keys of a page: those from `lower` up to `upper`.
    private struct Bounds {
        var lower: [UInt8]?
        var upper: [UInt8]?

        func contains(_ key: [UInt8]) -> Bool {
            !(lower.map { key.lexicographicallyPrecedes($0) } ?? false)
                && (upper.map { key.lexicographicallyPrecedes($0) } ?? true)
        }
    }

    private mutating func visit(_ tree: MetaPage.Tree, isFreeList: Bool) throws {
        var count = Count()
        if tree.root != Self.noPage {
            try visit(tree.root, depth: 1, Bounds(), isFreeList, &count)
        }
        guard count.depth == Int(tree.depth), count.branchPages == tree.branchPages,
            count.leafPages == tree.leafPages, count.overflowPages == tree.overflowPages,
            count.entries == tree.entries
        else { throw Damage("the pages and entries are not as many as the meta page says") }
    }

    private mutating func visit(
        _ number: UInt64, depth: Int, _ bounds: Bounds, _ isFreeList: Bool, _ count: inout Count
    ) throws {
        try claim(number)
        guard number < pagesInFile else {
            throw Damage("page \(number) is in use and lies after the end of the file")
        }
        guard depth <= Self.maximumDepth else { throw Damage("the tree is too high") }
        guard goesOn(Int(meta.pageSize)) else { throw Damage("the check was given up") }
        let page = try TreePage(
            PageBytes(file, at: number * meta.pageSize, count: Int(meta.pageSize)), number)
        let keys = try page.keys(isFreeList: isFreeList)
        guard keys.allSatisfy(bounds.contains),
            zip(keys, keys.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) })
        else { throw Damage("the keys of page \(number) are out of order, or another page's") }
        if page.isBranch {
            count.branchPages += 1
            guard page.nodes.count >= (isFreeList ? 1 : 2) else {
                throw Damage("page \(number) leads to too few others")
            }
            for index in page.nodes.indices {
                // The first key of a branch page stands for all keys less than the second one.
                let inner = Bounds(
                    lower: index == 0 ? bounds.lower : keys[index - 1],
                    upper: index < keys.count ? keys[index] : bounds.upper)
                try visit(page.child(at: index), depth: depth + 1, inner, isFreeList, &count)
            }
        } else {
            guard count.depth == 0 || count.depth == depth else {
                throw Damage("page \(number) is not as deep in the tree as others of its kind")
            }
            count.depth = depth
            count.leafPages += 1
            count.entries += UInt64(page.nodes.count)
            for index in page.nodes.indices {
                try visit(page.value(at: index), isFreeList, &count)
            }
        }
    }

    // MARK: Values

    private mutating func visit(
        _ value: TreePage.Value, _ isFreeList: Bool, _ count: inout Count
    ) throws {
        switch value {
        case .inside(let bytes):
            if isFreeList {
                try noteFreePages { offset, count in try bytes.words(at: offset, count) }
            }
        case .overflow(let first, let size):
            guard first < pagesInFile else {
                throw Damage("page \(first) is in use and lies after the end of the file")
            }
            let header = try PageBytes(file, at: first * meta.pageSize, count: 16)
            // A value that was replaced by a shorter one keeps its pages.
            guard header.uint64(at: 0) == first, header.uint16(at: 10) == PageBytes.overflowFlag,
                let pages = header.uint32(at: 12).map(UInt64.init),
                pages >= (size + 15) / meta.pageSize + 1
            else { throw Damage("page \(first) does not hold the value that it should") }
            guard pages <= pagesInFile - first else {
                throw Damage("the value at page \(first) extends past the end of the file")
            }
            for number in first..<first + pages { try claim(number) }
            count.overflowPages += pages
            if isFreeList {
                let start = first * meta.pageSize + 16
                let (file, size) = (file, Int(size))
                try noteFreePages { offset, count in
                    guard offset + 8 * count <= size else {
                        throw Damage("a record of the free list is cut off")
                    }
                    return try PageBytes(file, at: start + UInt64(offset), count: 8 * count)
                        .words(at: 0, count)
                }
            }
        }
    }

    /// Claims the pages in a record of the free list: their number, followed by the pages in descending order.
    private mutating func noteFreePages(
        _ words: (_ offset: Int, _ count: Int) throws -> [UInt64]
    ) throws {
        guard let total = try words(0, 1).first, total <= meta.lastPage else {
            throw Damage("a record of the free list is damaged")
        }
        var previous = UInt64.max
        var index = 0
        while index < Int(total) {
            let part = try words(8 + 8 * index, min(Int(total) - index, 8192))
            for number in part {
                guard number < previous else { throw Damage("the free list is out of order") }
                try claim(number)
                previous = number
                if number >= pagesInFile { freePagesBehindEnd += 1 }
            }
            index += part.count
        }
    }

    private mutating func claim(_ number: UInt64) throws {
        guard number >= 2, number <= meta.lastPage else {
            throw Damage("page \(number) is in use, and there is no such page")
        }
        let bit = UInt64(1) << (number % 64)
        let word = seen[number / 64, default: 0]
        guard word & bit == 0 else { throw Damage("page \(number) is in use twice, or free too") }
        seen[number / 64] = word | bit
    }
}
