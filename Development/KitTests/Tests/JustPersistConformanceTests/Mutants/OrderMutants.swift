import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that return the right items in a wrong order, or a wrong slice of them.
enum OrderMutants {
    static let all: [SabotagedType] = [
        SortsTiesByChance.self, SortsNilLast.self, SortsByFirstKeyOnly.self,
        IgnoresDirection.self, SortsOnlyWithoutPredicate.self, UnsortedComesByHash.self,
        LimitsBeforeItFilters.self, IgnoresLimit.self, IgnoresOffsetWithoutLimit.self,
        DropsPagesThatAreNotFull.self, TakesLimitZeroForNone.self, CountIgnoresPredicate.self,
        CountIgnoresSlice.self, FirstIgnoresPredicate.self, ChangesRequests.self,
        RemembersRequests.self, SortsNothingInWriteBlocks.self, SortsTextsByScalars.self,
        SortsAllKeysByOneTextOrder.self,
    ]
}

// MARK: Order

/// Ignores the requested order of texts.
final class SortsTextsByScalars: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["sort/text-orders", "sort/text-order-of-each-key"]
    }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let sort = request.sortDescriptors?.map {
            DataStoreSortDescriptor(key: $0.key, ascending: $0.ascending)
        }
        return super.sorted(
            rows, DataStoreRequest(type: request.type, sortDescriptors: sort), state)
    }
}

/// Uses the first key's order of texts for all keys.
final class SortsAllKeysByOneTextOrder: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["sort/text-order-of-each-key"] }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let descriptors = request.sortDescriptors ?? []
        let sort = descriptors.map {
            DataStoreSortDescriptor(
                key: $0.key, ascending: $0.ascending, textOrder: descriptors[0].textOrder)
        }
        return super.sorted(
            rows, DataStoreRequest(type: request.type, sortDescriptors: sort), state)
    }
}

/// Sorts equal items in another order each time.
final class SortsTiesByChance: QueryMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 17 }
    override class var caughtBy: [String] {
        ["sort/ties-are-stable", "twin/fetch"]
    }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        if request.sortDescriptors?.isEmpty != false { return rows }
        // Equal rows are ordered by their ids, so they get others.
        let ids = rows.indices.shuffled().map { ItemID(high: 0, low: UInt64($0)) }
        let shuffled = zip(rows, ids).map { row, id in
            ReferenceRow(ReferenceKey(row.key.itemType, id), values: row.values)
        }
        let places = Dictionary(uniqueKeysWithValues: zip(ids, rows.indices))
        return super.sorted(shuffled, request, state).compactMap { row in
            places[row.key.id].map { rows[$0] }
        }
    }
}

/// Sorts nil at the other end.
final class SortsNilLast: QueryMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 18 }
    override class var caughtBy: [String] { ["twin/fetch"] }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let sorted = super.sorted(rows, request, state)
        guard let first = request.sortDescriptors?.first else { return sorted }
        let (without, with) = (
            sorted.filter { $0[first.key].isNull }, sorted.filter { !$0[first.key].isNull }
        )
        return first.ascending ? with + without : without + with
    }
}

/// Sorts by the first of several keys.
final class SortsByFirstKeyOnly: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["twin/fetch"] }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let first = Array((request.sortDescriptors ?? []).prefix(1))
        return super.sorted(
            rows, DataStoreRequest(type: request.type, sortDescriptors: first), state)
    }
}

/// Sorts everything ascending.
final class IgnoresDirection: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["sort/single-key", "twin/forEach"]
    }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let ascending = (request.sortDescriptors ?? []).map {
            DataStoreSortDescriptor(key: $0.key, ascending: true)
        }
        return super.sorted(
            rows, DataStoreRequest(type: request.type, sortDescriptors: ascending), state)
    }
}

/// Does not sort the matches of a predicate.
final class SortsOnlyWithoutPredicate: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["twin/fetch"] }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        request.predicate == nil ? super.sorted(rows, request, state) : rows
    }
}

/// Returns items in the order of a hash table if the request has no sort.
final class UnsortedComesByHash: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["twin/fetch"] }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        if request.sortDescriptors?.isEmpty == false {
            return super.sorted(rows, request, state)
        }
        return rows.sorted { $0.key.hashValue < $1.key.hashValue }
    }
}

// MARK: Slices

/// Applies the slice before the predicate.
final class LimitsBeforeItFilters: QueryMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 15 }
    override class var caughtBy: [String] { ["page/slices", "twin/fetch"] }

    override class func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        try validate(request, state)
        let all = state.rows.filter { $0.key.itemType == request.type.key }
        let slice = sliced(
            sorted(all, request, state), offset: request.offset ?? 0, limit: request.limit ?? 0)
        return filtered(slice, request, state)
    }
}

/// Returns all items after the offset.
final class IgnoresLimit: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["page/slices"] }

    override class func sliced(_ rows: [ReferenceRow], offset: Int, limit: Int) -> [ReferenceRow] {
        super.sliced(rows, offset: offset, limit: 0)
    }
}

/// Applies an offset only if there is a limit too, as SQL does.
final class IgnoresOffsetWithoutLimit: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["page/slices"]
    }

    override class func sliced(_ rows: [ReferenceRow], offset: Int, limit: Int) -> [ReferenceRow] {
        super.sliced(rows, offset: limit == 0 ? 0 : offset, limit: limit)
    }
}

/// Returns nothing if there are fewer items than the limit allows.
final class DropsPagesThatAreNotFull: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["page/slices"] }

    override class func sliced(_ rows: [ReferenceRow], offset: Int, limit: Int) -> [ReferenceRow] {
        let end = offset.addingReportingOverflow(limit)
        if end.overflow || end.partialValue > rows.count { return [] }
        return super.sliced(rows, offset: offset, limit: limit)
    }
}

/// Gives nothing for a limit of 0.
final class TakesLimitZeroForNone: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["page/slices"] }

    override class func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        request.limit == 0 ? [] : try super.rows(request, in: state)
    }
}

/// Counts all items, and ignores the predicate.
final class CountIgnoresPredicate: QueryMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 16 }
    override class var caughtBy: [String] {
        ["twin/count"]
    }

    override class func count(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> Int {
        try super.count(
            DataStoreRequest(type: request.type, offset: request.offset, limit: request.limit),
            in: state)
    }
}

/// Counts all matches, and ignores the slice.
final class CountIgnoresSlice: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["twin/count"]
    }

    override class func count(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> Int {
        try super.count(
            DataStoreRequest(type: request.type, predicate: request.predicate), in: state)
    }
}

/// Returns the first item of the type when one item is requested.
final class FirstIgnoresPredicate: QueryMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 16 }
    override class var caughtBy: [String] { ["req/first-is-head-of-items"] }

    override class func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        request.limit == 1 ? rows : super.filtered(rows, request, state)
    }
}

// MARK: Requests

/// Writes its defaults into the request.
final class ChangesRequests: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["req/request-is-not-modified"] }

    override class func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        request.offset = request.offset ?? 0
        return try super.rows(request, in: state)
    }
}

/// Repeats its first answer to a request object with a predicate.
final class RemembersRequests: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["req/request-reused"] }
    private static let found = Locked<[ObjectIdentifier: [ReferenceRow]]>([:])

    override class func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        let id = ObjectIdentifier(request)
        if let rows = found.withLock({ $0[id] }) { return rows }
        let rows = try super.rows(request, in: state)
        found.withLock { $0[id] = rows }
        return rows
    }
}

/// Leaves the items unsorted in write blocks.
final class SortsNothingInWriteBlocks: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["req/mutable-items-same-set", "twin/fetch"]
    }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        guard block.isWriting else { return try super.fetch(request, in: block, memory) }
        return try super.fetch(
            DataStoreRequest(
                type: request.type, predicate: request.predicate, offset: request.offset,
                limit: request.limit), in: block, memory)
    }
}
