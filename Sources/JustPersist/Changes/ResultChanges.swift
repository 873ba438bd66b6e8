/// The changes of a request's results: the new list, and its differences from the list before.
///
/// The differences follow the conventions of table views and of `CollectionDifference`. ``deletions`` and the origins
/// of ``moves`` are places in the list before, counted before anything is removed. ``insertions`` and the destinations
/// of ``moves`` are places in the list after. To transform the list, remove the deleted and moved places from the last
/// to the first, then insert the new and moved items from the first to the last, as ``apply(to:_:)`` does.
public struct ResultChanges: Sendable, Hashable {
    /// An item that is in both lists, and whose place among the other items of both lists has changed.
    public struct Move: Sendable, Hashable {
        /// The item.
        public let id: ItemID
        /// Its place in the list before.
        public let from: Int
        /// Its place in the list after.
        public let to: Int
        /// Whether it was changed too; read its attributes again in that case.
        public let isUpdated: Bool
    }

    /// An item that is in both lists, has not moved, and was changed.
    public struct Update: Sendable, Hashable {
        /// The item.
        public let id: ItemID
        /// Its place in the list before.
        public let before: Int
        /// Its place in the list after.
        public let after: Int
        /// The names of the attributes that were set; `nil` if they are not known.
        public let attributes: Set<String>?
    }

    /// The ids of the present results, in the order that the request asks for.
    public let ids: [ItemID]
    /// The places in the list before of the items that have left it, ascending.
    public let deletions: [Int]
    /// The places in the list after of the items that are new in it, ascending.
    public let insertions: [Int]
    /// The items whose place among those that stayed has changed, in the order of their new places.
    ///
    /// The list has as few moves as possible.
    public let moves: [Move]
    /// The items that stayed and were changed, in the order of their places.
    public let updates: [Update]
    /// The place in the store's history after these changes.
    ///
    /// The results may already include later commits.
    public let token: ChangeToken

    /// Whether nothing is different.
    public var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    /// Transforms the list before, with an element for each item, into the list after.
    ///
    /// - Parameters:
    ///   - list: The list before, and then the list after.
    ///   - element: Makes the element of an item that is new in the list or was changed.
    public func apply<Element>(
        to list: inout [Element], _ element: (ItemID) throws -> Element
    ) rethrows {
        var changed = list
        for update in updates { changed[update.before] = try element(update.id) }
        var moved: [Int: Element] = [:]
        for move in moves {
            moved[move.to] = move.isUpdated ? try element(move.id) : changed[move.from]
        }
        for place in (deletions + moves.map(\.from)).sorted().reversed() {
            changed.remove(at: place)
        }
        for place in (insertions + moves.map(\.to)).sorted() {
            if let element = moved[place] {
                changed.insert(element, at: place)
            } else {
                changed.insert(try element(ids[place]), at: place)
            }
        }
        list = changed
    }
}

extension ResultChanges {
    /// The differences between two lists.
    ///
    /// - Parameter updated: The items that were changed, with the attributes; `nil` if any may have been changed.
    init(
        from old: [ItemID], to new: [ItemID], updated: [ItemID: Set<String>]?, token: ChangeToken
    ) {
        ids = new
        self.token = token
        let newPlaces = Dictionary(
            new.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var deletions: [Int] = []
        // The items that stayed, with their places before and after.
        var stayed: [(id: ItemID, before: Int, after: Int)] = []
        for (place, id) in old.enumerated() {
            if let after = newPlaces[id] {
                stayed.append((id, place, after))
            } else {
                deletions.append(place)
            }
        }
        self.deletions = deletions
        var isNew = [Bool](repeating: true, count: new.count)
        for item in stayed { isNew[item.after] = false }
        insertions = isNew.indices.filter { isNew[$0] }
        let isInPlace = Self.longestAscending(stayed.map(\.after))
        var moves: [Move] = []
        var updates: [Update] = []
        for (index, item) in stayed.enumerated() {
            // If it is unknown which items were changed, any may have been.
            let isUpdated = updated?.keys.contains(item.id) ?? true
            if !isInPlace[index] {
                moves.append(
                    Move(id: item.id, from: item.before, to: item.after, isUpdated: isUpdated))
            } else if isUpdated {
                updates.append(
                    Update(
                        id: item.id, before: item.before, after: item.after,
                        attributes: updated?[item.id]))
            }
        }
        self.moves = moves.sorted { $0.to < $1.to }
        self.updates = updates
    }

    /// Marks the numbers that belong to a longest ascending subsequence.
    ///
    /// No two numbers are equal.
    private static func longestAscending(_ numbers: [Int]) -> [Bool] {
        var isIncluded = [Bool](repeating: false, count: numbers.count)
        // The index of the least number that ends a run of each length, and for each number the one before it.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var low = 0
            var high = ends.count
            // Most numbers are greater than all before them.
            if let last = ends.last, numbers[last] < number { low = high }
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var index = ends.last ?? -1
        while index >= 0 {
            isIncluded[index] = true
            index = previous[index]
        }
        return isIncluded
    }
}
