/// What a store holds once certain blocks of a workload are in it.
public struct ModelState: Sendable, Equatable {
    /// By kind and key, the block that gave the item its values.
    public private(set) var blocks: [Workload.Kind: [Int: Int]] = [:]
    /// The parcel of each note, and the notes of each parcel.
    private var parcels: [Int: Int] = [:]
    private var contents: [Int: Set<Int>] = [:]
    /// The list of each parcel, and the parcels on whose lists each note is.
    private var lists: [Int: [Int]] = [:]
    private var listed: [Int: Set<Int>] = [:]
    /// All links that there were at any time.
    public private(set) var everLinked: Set<Workload.Link> = []

    /// The state after the blocks, in ascending order.
    public init(of workload: Workload, after blocks: some Sequence<Int>) {
        for number in blocks.sorted() {
            for operation in workload.block(number) { apply(operation, of: number) }
        }
    }

    private mutating func apply(_ operation: Workload.Operation, of number: Int) {
        switch operation {
        case .create(let kind, let key): blocks[kind, default: [:]][key] = number
        case .update(let kind, let key):
            if blocks[kind]?[key] != nil { blocks[kind]?[key] = number }
        case .delete(let kind, let key): delete(kind, key)
        case .deleteAll(let kind): for key in keys(kind) { delete(kind, key) }
        case .place(let note, let parcel):
            guard exists(.note, note), parcel.map({ exists(.parcel, $0) }) ?? true else { return }
            if let former = parcels[note] { contents[former]?.remove(note) }
            parcels[note] = parcel
            guard let parcel else { return }
            contents[parcel, default: []].insert(note)
            everLinked.insert(Workload.Link(.content, note: note, parcel: parcel))
        case .list(let note, let parcel, let place):
            guard exists(.note, note), exists(.parcel, parcel) else { return }
            var list = lists[parcel] ?? []
            if place == nil, list.contains(note) { return }
            list.removeAll { $0 == note }
            list.insert(note, at: min(place ?? .max, list.count))
            lists[parcel] = list
            listed[note, default: []].insert(parcel)
            everLinked.insert(Workload.Link(.listing, note: note, parcel: parcel))
        case .unlist(let note, let parcel):
            lists[parcel]?.removeAll { $0 == note }
            listed[note]?.remove(parcel)
        }
    }

    /// Deletes an item by the rules of its relationships.
    private mutating func delete(_ kind: Workload.Kind, _ key: Int) {
        blocks[kind]?[key] = nil
        switch kind {
        case .note:
            if let parcel = parcels.removeValue(forKey: key) { contents[parcel]?.remove(key) }
            for parcel in listed.removeValue(forKey: key) ?? [] {
                lists[parcel]?.removeAll { $0 == key }
            }
        case .parcel:
            for note in lists.removeValue(forKey: key) ?? [] { listed[note]?.remove(key) }
            for note in contents.removeValue(forKey: key) ?? [] { delete(.note, note) }
        }
    }

    private func exists(_ kind: Workload.Kind, _ key: Int) -> Bool { block(kind, key: key) != nil }

    /// The notes that are related to a parcel, in their order.
    public func notes(_ relation: Workload.Relation, of parcel: Int) -> [Int] {
        switch relation {
        case .content: (contents[parcel] ?? []).sorted()
        case .listing: lists[parcel] ?? []
        }
    }

    /// The parcels that are related to a note, in their order.
    public func parcels(_ relation: Workload.Relation, of note: Int) -> [Int] {
        switch relation {
        case .content: parcels[note].map { [$0] } ?? []
        case .listing: (listed[note] ?? []).sorted()
        }
    }

    /// The keys of the items of a kind, in the order of their making.
    public func keys(_ kind: Workload.Kind) -> [Int] { (blocks[kind] ?? [:]).keys.sorted() }

    /// The block that gave an item its values; `nil` if there is no such item.
    public func block(_ kind: Workload.Kind, key: Int) -> Int? { blocks[kind]?[key] }
}
