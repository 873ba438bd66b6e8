import JustPersist

/// How a query reaches the records that can match.
enum AccessPath {
    /// Nothing is read, because nothing can match.
    case none
    /// The store keeps the number that is asked for.
    case counter
    /// Scan all records of the type.
    case scan
    /// Look these ids up, in order; there may be no items with some of them.
    case ids([ItemID])
    /// Look up the records of ids that were found in these parts of indexes.
    case entries(FoundIDs, [IndexRanges])
    /// Read little by little, by turns the records of the type and the entries of these parts of indexes, until one of
    /// the two ways has come to the end.
    case race([IndexRanges])
    /// Walk an index in the order that is asked for, and look up no more than so many records.
    case ordered(IndexOrder, mostLookups: Int)
    /// The entries of these parts of indexes are all that is read.
    case entriesAlone([IndexRanges])
}

/// The ids of the records to look up.
struct FoundIDs {
    /// In the order of the ids, or in the opposite one.
    let source: any IDSource
    /// Whether all records of these ids match, so that the predicate need not be evaluated.
    let areMatches: Bool
    /// How many may be looked up before a scan is the better way to the rest.
    var mostLookups = Int.max
}

/// What an explained request has done.
final class PlanNote {
    /// The way that led to the result.
    var taken = AccessPath.none
    /// The one that was given up.
    var abandoned: IndexRanges?
}

extension DataStoreError {
    /// An entry of an index that leads nowhere.
    static func entryWithoutRecord(_ id: ItemID, ofType itemType: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            An index of “\(itemType)” has an entry for the item \(id), which is not there: an item or its entry is \
            damaged. Verify the store, and restore it from a backup.
            """, itemType: itemType)
    }
}
