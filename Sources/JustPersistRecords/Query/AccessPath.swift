import JustPersist

/// How a query reaches the records that can match.
enum AccessPath {
    /// Nothing is read, because nothing can match.
    case none
    /// The store keeps the number that is asked for.
    case counter
    /// Scan all records of the type.
    case scan
    /// Look up these ids, in order; some of them may have no item.
    case ids([ItemID])
    /// Look up the records of ids that were found in these parts of indexes.
    case entries(FoundIDs, [IndexRanges])
    /// Alternate between scanning the records of the type and reading the entries of these parts of indexes, in growing
    /// steps, until one of the two is complete.
    case race([IndexRanges])
    /// Walk an index in the requested order, and look up at most this many records.
    case ordered(IndexOrder, mostLookups: Int)
    /// Read only the entries of these parts of indexes, and no records.
    case entriesAlone([IndexRanges])
}

/// The ids of the records to look up.
struct FoundIDs {
    /// The ids, ascending or descending.
    let source: any IDSource
    /// Whether all records of these ids match, so that the predicate need not be evaluated.
    let areMatches: Bool
    /// The number of lookups after which a scan is faster for the rest.
    var mostLookups = Int.max
}

/// Records how an explained request was executed.
final class PlanNote {
    /// The access path that produced the result.
    var taken = AccessPath.none
    /// The access path that was given up.
    var abandoned: IndexRanges?
}

extension DataStoreError {
    /// An index entry whose item does not exist.
    static func entryWithoutRecord(_ id: ItemID, ofType itemType: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            An index of “\(itemType)” has an entry for the item \(id), which is not there: an item or its entry is \
            damaged. Verify the store, and restore it from a backup.
            """, itemType: itemType)
    }
}
