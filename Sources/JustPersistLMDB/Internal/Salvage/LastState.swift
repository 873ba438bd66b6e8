import JustPersistRecords

/// The root of the last commit's tree in a file whose two meta pages are damaged.
///
/// Only these two pages refer to the root. But the first entry of every tree is the header of the store, which has the
/// number of its commit and a checksum; so the tree whose header has the greatest number is the last one.
struct LastState {
    /// The root of the tree; `nil` if none is found.
    private(set) var root: UInt64?
    /// The readable contents of a meta page that refers to that root.
    private(set) var meta: MetaPage?
    /// Whether a page belongs to a later commit, of which no complete tree is left.
    private(set) var isOutdated = false

    /// The first child of each branch page, and the commit of each leaf page that begins with a header.
    private struct Starts {
        var children: [UInt64: UInt64] = [:]
        var commits: [UInt64: UInt64] = [:]

        /// The commit of a tree, and its height.
        func commit(ofRoot root: UInt64) -> (number: UInt64, height: Int)? {
            var page = root
            for height in 0..<32 {
                if let commit = commits[page] { return (commit, height) }
                guard let child = children[page] else { return nil }
                page = child
            }
            return nil
        }
    }

    init(searching file: PageFile) {
        var starts = Starts()
        var metas: [MetaPage] = []
        for place in 0..<file.count {
            guard let bytes = file.page(at: place) else { continue }
            if let meta = MetaPage.any(bytes) { metas.append(meta) }
            guard let number = file.number(ofPageAt: place),
                let page = try? TreePage(bytes, number), !page.nodes.isEmpty
            else { continue }
            if page.isBranch {
                starts.children[number] = try? page.child(at: 0)
            } else if let keys = try? page.keys(isFreeList: false), keys[0] == [0],
                case .inside(let value)? = try? page.value(at: 0),
                let header = value.slice(at: 0, value.count),
                let commit = SalvagedEntries.commit(inHeader: header)
            {
                starts.commits[number] = commit
            }
        }
        choose(starts, metas)
    }

    private mutating func choose(_ starts: Starts, _ metas: [MetaPage]) {
        let named = Set(metas.map(\.main.root))
        let pages = Set(starts.children.keys).union(starts.commits.keys).sorted()
        let trees = pages.compactMap { page in
            starts.commit(ofRoot: page).map { (root: page, commit: $0.number, height: $0.height) }
        }
        // Every page on the path to a header begins with it: a lower tree is part of one whose root is lost.
        let height = trees.map(\.height).max()
        let whole = trees.filter { $0.height == height || named.contains($0.root) }
        let best = whole.max { one, other in
            one.commit == other.commit
                ? !named.contains(one.root) && named.contains(other.root)
                : one.commit < other.commit
        }
        guard let best else {
            // Without any header, the contents of a meta page are better than nothing.
            meta = metas.max { $0.transaction < $1.transaction }
            root = meta?.main.root
            isOutdated = true
            return
        }
        root = best.root
        meta = metas.first { $0.main.root == best.root }
        isOutdated = starts.commits.values.contains { $0 > best.commit }
    }
}
