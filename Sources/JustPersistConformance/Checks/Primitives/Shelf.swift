import JustPersist

/// The expected contents of a store: the items of the types that the checks of primitives use.
struct Shelf: Sendable {
    /// An item, and its value, which is a number.
    struct Entry: Sendable, Equatable, CustomStringConvertible {
        let id: ItemID
        var number: Int

        var description: String { "{number: \(number == .min ? "nil" : "\(number)")}" }
    }

    /// The type of the items; the keys of further types begin with it.
    static let key = "PrimitiveItem"
    static var type: ItemType { ItemType(dynamic: key) }
    static var all: DataStoreRequest { DataStoreRequest(type: type) }
    /// An aggregation that counts the items with each number.
    static let counts = DataStoreAggregation(groupedBy: ["number"], [.count])

    /// The items, in the order of their creation.
    private(set) var items: [Entry] = []
    /// The ids of deleted items.
    private(set) var deleted: [ItemID] = []
    /// The types that have or had items, each with the attributes that had values.
    private(set) var types: [String: Set<String>] = [:]

    /// Notes an item, and replaces the item with its id.
    mutating func put(_ id: ItemID, number: Int) {
        note(["number"], of: Self.key)
        let place = place(of: id)
        if contains(id) {
            items[place].number = number
        } else {
            items.insert(Entry(id: id, number: number), at: place)
        }
    }

    /// Whether there is an item with an id.
    func contains(_ id: ItemID) -> Bool {
        let place = place(of: id)
        return place < items.count && items[place].id == id
    }

    /// Notes that an item was deleted.
    mutating func remove(_ id: ItemID) {
        if contains(id) { items.remove(at: place(of: id)) }
        deleted.append(id)
    }

    private func place(of id: ItemID) -> Int {
        items.place(of: ReferenceKey(Self.key, id)) { ReferenceKey(Self.key, $0.id) }
    }

    /// Notes that all items were deleted.
    mutating func removeAll() {
        deleted += items.map(\.id)
        items = []
    }

    /// Notes that attributes of a type have values.
    mutating func note(_ attributes: Set<String>, of key: String) {
        types[key, default: []].formUnion(attributes)
    }
}

extension Shelf.Entry {
    /// The state of an item of a store.
    init(_ item: any DataStoreItem) throws(DataStoreError) {
        id = item.uniqueToken
        if case .int(let number) = try item.backing.value(forAttribute: "number") {
            self.number = Int(number)
        } else {
            number = .min
        }
    }
}
