import JustPersist
import JustPersistRecords

/// Reads the tree of a damaged file leniently: every record with a correct checksum is taken.
///
/// If a part of the tree cannot be read, the records of its keys are searched for in all pages that are neither reached
/// otherwise nor free. A page in a wrong place is identified by its number.
struct PageSalvage {
    private let file: PageFile
    private let entries: SalvagedEntries
    private let meter: MaintenanceMeter
    /// The pages of the tree that were read, by number, and by place.
    private var reached = PageSet()
    private var used = PageSet()
    /// The pages that the last commit does not use; `nil` if they are unknown.
    private var free: FreePages?
    /// The ranges of keys that might not have been found completely.
    private var lost: [KeyRange] = []
    private var catalogKeys: Set<[UInt8]> = []

    private static let maximumDepth = 32
    /// The maximum size of an entry: an item's record is written by one block.
    private static let mostBytes = UInt64(DataStoreLimits.contract.writeBlockBytes)

    init(_ file: PageFile, into entries: SalvagedEntries, _ meter: MaintenanceMeter) {
        self.file = file
        self.entries = entries
        self.meter = meter
    }

    mutating func run() throws {
        try meter.begin(.structure, totalBytes: Int(clamping: file.length))
        guard let (root, meta) = findRoot() else { return }
        free = meta.flatMap { FreePages(of: $0, in: file) }
        if let root { try walk(root, .all, depth: 1) } else { lose(.all, "no tree is found") }
        guard !lost.isEmpty else { return }
        for range in lost { entries.lose(range) }
        if free == nil {
            entries.note("the free pages cannot be determined", at: file.path)
        }
        for place in 2..<max(2, file.count) { try takeOrphan(at: place) }
        if lost.contains(where: Self.holdsCatalog) {
            for place in 2..<max(2, file.count) { try takeOldCatalog(at: place) }
        }
    }

    /// The root page of the last commit's tree; `nil` if it is empty.
    private func findRoot() -> (root: UInt64?, meta: MetaPage?)? {
        if let newest = file.metaPages?.max(by: { $0.transaction < $1.transaction }) {
            return newest.main.root == PageWalk.noPage ? nil : (newest.main.root, newest)
        }
        let state = LastState(searching: file)
        entries.note(
            "its first pages are damaged; the last commit was searched for in all others",
            at: file.path)
        if state.isOutdated { entries.mayLackChanges = true }
        return (state.root, state.meta)
    }

    private mutating func lose(_ range: KeyRange, _ reason: String) {
        entries.note(reason, at: file.path)
        if let last = lost.last, last.upper != nil, last.upper == range.lower {
            lost[lost.count - 1] = KeyRange(from: last.lower, upTo: range.upper)
        } else {
            lost.append(range)
        }
    }

    private func isLost(_ key: [UInt8]) -> Bool { lost.contains { $0.contains(key) } }

    /// Whether keys of the catalog, which begin with 1, are in a range.
    private static func holdsCatalog(_ range: KeyRange) -> Bool {
        range.lower.lexicographicallyPrecedes([2])
            && (range.upper.map { [1].lexicographicallyPrecedes($0) } ?? true)
    }

    // MARK: The tree

    /// Reads a page of the tree and all pages below it.
    ///
    /// - Parameter isGuessed: Whether the page that refers to this one is damaged, so that the reference may be wrong.
    private mutating func walk(
        _ number: UInt64, _ bounds: KeyRange, depth: Int, isGuessed: Bool = false
    ) throws {
        if isGuessed, reached.contains(number) || free?.contains(number) ?? false { return }
        guard depth <= Self.maximumDepth, number >= 2, !reached.contains(number) else {
            return lose(bounds, "page \(number) is led to twice")
        }
        guard let place = file.places(ofPage: number).first, let bytes = file.page(at: place) else {
            return lose(bounds, "page \(number) cannot be read, or another stands in its place")
        }
        try meter.advance(bytes: Int(file.pageSize))
        if place != number {
            entries.note("page \(number) stands in the place of page \(place)", at: file.path)
        }
        let isDoubtful = isGuessed && free == nil
        guard let page = try? TreePage(bytes, number), let keys = try? page.keys(isFreeList: false),
            zip(keys, keys.dropFirst()).allSatisfy({ $0.span.isOrdered(before: $1.span) })
        else {
            reached.insert(number)
            used.insert(place)
            lose(bounds, "page \(number) is damaged")
            return try takeDamaged(bytes, bounds, depth: depth, isDoubtful)
        }
        guard keys.allSatisfy(bounds.contains) else {
            return lose(bounds, "page \(number) has keys that are not in its place")
        }
        reached.insert(number)
        used.insert(place)
        if page.isBranch {
            for index in page.nodes.indices {
                let inner = KeyRange(
                    from: index == 0 ? bounds.lower : keys[index - 1],
                    upTo: index < keys.count ? keys[index] : bounds.upper)
                guard let child = try? page.child(at: index) else { continue }
                try walk(child, inner, depth: depth + 1, isGuessed: isGuessed)
            }
        } else {
            try takeAll(of: page, keys, bounds, isDoubtful)
        }
    }

    /// Takes the entries of an intact leaf page; its values may be damaged.
    private mutating func takeAll(
        of page: TreePage, _ keys: [[UInt8]], _ bounds: KeyRange?, _ isDoubtful: Bool
    ) throws {
        for (index, key) in keys.enumerated() where SalvagedEntries.isWanted(key) {
            if bounds == nil, !isLost(key) { continue }
            guard let value = try? page.value(at: index) else {
                try entries.lose(key, [])
                continue
            }
            if try !take(key, value, isDoubtful) {
                lose(KeyRange(from: key, upTo: key + [0]), "the value of an entry is damaged")
                try entries.lose(key, bytes(of: value))
            }
        }
    }

    /// Takes all readable entries of a page whose header or nodes are damaged.
    private mutating func takeDamaged(
        _ bytes: PageBytes, _ bounds: KeyRange, depth: Int, _ isDoubtful: Bool
    ) throws {
        let page = DamagedPage(bytes)
        if page.isBranch {
            for child in page.children where child < file.count {
                try walk(child, bounds, depth: depth + 1, isGuessed: true)
            }
            return
        }
        for node in page.nodes where bounds.contains(node.key) {
            _ = try take(node.key, node.value, isDoubtful || !page.hasBounds)
        }
    }

    // MARK: Pages outside of the tree

    /// Takes the entries of lost keys from a page that is not in the tree.
    private mutating func takeOrphan(at place: UInt64) throws {
        guard !used.contains(place), let bytes = file.page(at: place) else { return }
        let label = file.number(ofPageAt: place) ?? place
        // A page with the number of a page that is in its own place: its header is damaged, or it is a copy.
        let isDoubtful = label != place && file.number(ofPageAt: label) == label
        let number = isDoubtful ? place : label
        guard !reached.contains(number), !(free?.contains(number) ?? false) else { return }
        try meter.advance(bytes: Int(file.pageSize))
        if let page = try? TreePage(bytes, label), let keys = try? page.keys(isFreeList: false) {
            guard !page.isBranch else { return }
            return try takeAll(of: page, keys, nil, isDoubtful || free == nil)
        }
        for node in DamagedPage(bytes).nodes where isLost(node.key) {
            _ = try take(node.key, node.value, true)
        }
    }

    /// Takes old entries of the catalog from unused pages if the latest ones are lost: types keep their attributes.
    private mutating func takeOldCatalog(at place: UInt64) throws {
        guard let bytes = file.page(at: place) else { return }
        for node in DamagedPage(bytes).nodes
        where node.key.first == 1 && !catalogKeys.contains(node.key) {
            guard case .inside(let value) = node.value,
                let entry = value.slice(at: 0, value.count)
            else { continue }
            // Of two entries, the one with more attributes and names is taken.
            try entries.take(
                node.key, entry,
                .init(version: UInt64(entry.count), isDoubtful: true))
        }
    }

    // MARK: Values

    private mutating func take(
        _ key: [UInt8], _ value: TreePage.Value, _ isDoubtful: Bool
    ) throws -> Bool {
        let trust = SalvagedEntries.Trust(isDoubtful: isDoubtful)
        switch value {
        case .inside(let bytes):
            guard let found = bytes.slice(at: 0, bytes.count),
                try entries.take(key, found, trust)
            else { return false }
        case .overflow(let first, let size):
            // The value's own checksum decides whether it is intact, so the header of its first page is not checked.
            var isTaken = try takeOverflow(key, at: first, size, trust)
            if !isTaken {
                for place in file.misplaced[first] ?? [] where !isTaken {
                    isTaken = try takeOverflow(key, at: place, size, trust)
                }
            }
            if !isTaken { return false }
        }
        if key.first == 1 { catalogKeys.insert(key) }
        return true
    }

    private mutating func takeOverflow(
        _ key: [UInt8], at place: UInt64, _ size: UInt64, _ trust: SalvagedEntries.Trust
    ) throws -> Bool {
        guard let found = overflow(at: place, size), try entries.take(key, found, trust) else {
            return false
        }
        for page in place..<place + (size + 15) / file.pageSize + 1 { used.insert(page) }
        return true
    }

    private func bytes(of value: TreePage.Value) -> [UInt8] {
        switch value {
        case .inside(let bytes): bytes.slice(at: 0, bytes.count) ?? []
        case .overflow(let first, let size): overflow(at: first, size) ?? []
        }
    }

    private func overflow(at place: UInt64, _ size: UInt64) -> [UInt8]? {
        let start = place.multipliedReportingOverflow(by: file.pageSize)
        guard !start.overflow, start.partialValue < file.length,
            size <= file.length - start.partialValue, size <= Self.mostBytes,
            let found = file.bytes(at: start.partialValue + 16, count: Int(size)),
            found.count == Int(size)
        else { return nil }
        return found
    }
}
