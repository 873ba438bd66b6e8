/// The pages that a snapshot does not use, from its own list.
///
/// The contents of such a page are older than the snapshot, or belong to a commit that was never completed.
struct FreePages {
    private var pages = PageSet()
    private let file: PageFile
    private let lastPage: UInt64

    /// `nil` if the list cannot be read completely.
    init?(of meta: MetaPage, in file: PageFile) {
        self.file = file
        lastPage = meta.lastPage
        guard meta.free.root != PageWalk.noPage else { return }
        do throws(PageWalk.Damage) {
            try visit(meta.free.root, depth: 1)
        } catch {
            return nil
        }
    }

    func contains(_ number: UInt64) -> Bool { number > lastPage || pages.contains(number) }

    private mutating func visit(_ number: UInt64, depth: Int) throws(PageWalk.Damage) {
        guard depth <= 32, number <= lastPage, let place = file.places(ofPage: number).first,
            let bytes = file.page(at: place)
        else { throw PageWalk.Damage("page \(number) of the free list cannot be read") }
        let page = try TreePage(bytes, number)
        let keys = try page.keys(isFreeList: true)
        guard zip(keys, keys.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) }) else {
            throw PageWalk.Damage("the free list is out of order")
        }
        for index in page.nodes.indices {
            if page.isBranch {
                try visit(page.child(at: index), depth: depth + 1)
            } else {
                try note(page.value(at: index))
            }
        }
    }

    private mutating func note(_ value: TreePage.Value) throws(PageWalk.Damage) {
        let list: PageBytes
        switch value {
        case .inside(let bytes): list = bytes
        case .overflow(let first, let size):
            // The list has a number for each page, and their count.
            guard size <= (file.count + 2) * 8, let place = file.places(ofPage: first).first,
                let bytes = file.bytes(at: place * file.pageSize + 16, count: Int(size)),
                bytes.count == Int(size)
            else { throw PageWalk.Damage("a record of the free list cannot be read") }
            list = PageBytes(bytes)
        }
        guard let count = list.uint64(at: 0), count < UInt64(list.count / 8) else {
            throw PageWalk.Damage("a record of the free list is damaged")
        }
        var previous = UInt64.max
        for number in try list.words(at: 8, Int(count)) {
            guard number < previous, number >= 2, number <= lastPage else {
                throw PageWalk.Damage("the free list is out of order")
            }
            previous = number
            pages.insert(number)
        }
    }
}
