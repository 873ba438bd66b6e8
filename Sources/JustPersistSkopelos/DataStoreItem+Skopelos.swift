// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Skopelos's calls on item classes, under their original names. Each takes the context explicitly, and none throws.
///
/// A context is the accessor that the block received. After a failure, which is passed to the error handler of the
/// store, the result is empty.
extension DataStoreItem {
    /// All items of the class, in the order of their creation.
    public static func SK_all(
        _ context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> [Self] {
        reporting(to: context, or: []) { (context) throws(DataStoreError) in
            try all(in: context)
        }
    }

    /// The items of the class that match.
    public static func SK_all(
        _ predicate: DataStorePredicate,
        context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> [Self] {
        reporting(to: context, or: []) { (context) throws(DataStoreError) in
            try all(in: context, where: predicate)
        }
    }

    /// The items of the class that match, sorted.
    ///
    /// - Parameters:
    ///   - context: The accessor of the block.
    ///   - predicate: The condition that the items must fulfil.
    ///   - sortTerm: The names of one or several attributes, as in `SK_all(_:isEqualTo:sortTerms:ascending:context:)`.
    ///   - ascending: The direction of terms without a direction of their own.
    public static func SK_all(
        _ context: borrowing some DataStoreReadAccessor & ~Copyable,
        predicate: DataStorePredicate, sortTerm: String, ascending: Bool
    ) -> [Self] {
        reporting(to: context, or: []) { (context) throws(DataStoreError) in
            try all(
                in: context, where: predicate, sortedBy: order(sortTerm, ascending: ascending))
        }
    }

    /// The items of the class that have a value for an attribute.
    public static func SK_all(
        _ attribute: String, isEqualTo value: Any?,
        context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> [Self] {
        reporting(to: context, or: []) { (context) throws(DataStoreError) in
            try all(in: context, where: DataStorePredicate(attribute: attribute, equals: value))
        }
    }

    /// The items of the class that have a value for an attribute, sorted.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute.
    ///   - value: Its value.
    ///   - sortTerms: The names of attributes, separated by commas, the primary one first. Each may have its own
    ///     direction after a colon: `"lastname:NO,firstname"`.
    ///   - ascending: The direction of terms without a direction of their own.
    ///   - context: The accessor of the block.
    public static func SK_all(
        _ attribute: String, isEqualTo value: Any?, sortTerms: String, ascending: Bool,
        context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> [Self] {
        reporting(to: context, or: []) { (context) throws(DataStoreError) in
            try all(
                in: context, where: DataStorePredicate(attribute: attribute, equals: value),
                sortedBy: order(sortTerms, ascending: ascending))
        }
    }

    /// The item of the class that was created first; `nil` if there is none.
    public static func SK_first(
        _ context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> Self? {
        reporting(to: context, or: nil) { (context) throws(DataStoreError) in
            try first(in: context)
        }
    }

    /// The first item of the class that has a value for an attribute.
    public static func SK_first(
        _ attribute: String, isEqualTo value: Any?,
        context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> Self? {
        reporting(to: context, or: nil) { (context) throws(DataStoreError) in
            try first(in: context, where: DataStorePredicate(attribute: attribute, equals: value))
        }
    }

    /// The first item of the class that matches, in an order.
    ///
    /// The terms are as in `SK_all(_:isEqualTo:sortTerms:ascending:context:)`.
    public static func SK_first(
        _ predicate: DataStorePredicate, sortTerms: String, ascending: Bool,
        context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> Self? {
        reporting(to: context, or: nil) { (context) throws(DataStoreError) in
            try first(
                in: context, where: predicate, sortedBy: order(sortTerms, ascending: ascending))
        }
    }

    /// The number of items of the class.
    public static func SK_numberOfEntities(
        _ context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> Int {
        reporting(to: context, or: 0) { (context) throws(DataStoreError) in
            try count(in: context)
        }
    }

    /// The number of items of the class that match.
    public static func SK_numberOfEntities(
        _ predicate: DataStorePredicate,
        context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> Int {
        reporting(to: context, or: 0) { (context) throws(DataStoreError) in
            try count(in: context, where: predicate)
        }
    }

    /// This item in another block; `nil` if it was deleted.
    ///
    /// The item is live in a write block, as `context` is.
    public func SK_inContext(
        _ context: borrowing some DataStoreReadAccessor & ~Copyable
    ) -> Self? {
        Self.reporting(to: context, or: nil) { (context) throws(DataStoreError) in
            try current(in: context)
        }
    }

    private static func order(_ terms: String, ascending: Bool) -> ItemSort<Self> {
        ItemSort(SortTerms(terms, ascending: ascending).descriptors)
    }

    /// Runs a throwing call on an accessor; on failure, reports the error and returns a fallback value.
    fileprivate static func reporting<Accessor: DataStoreReadAccessor & ~Copyable, Answer>(
        to context: borrowing Accessor, or fallback: Answer,
        _ body: (borrowing Accessor) throws(DataStoreError) -> Answer
    ) -> Answer {
        do throws(DataStoreError) {
            return try body(context)
        } catch {
            context.report(error)
            return fallback
        }
    }
}

/// Skopelos's calls that change the store.
extension MutableDataStoreItem {
    /// Creates an item, with the default values that the class declares.
    ///
    /// If this fails, the returned item is in no store.
    @discardableResult
    public static func SK_create(
        _ context: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) -> Self {
        reporting(to: context, or: nil) { (context) throws(DataStoreError) in
            try context.create(Self.self)
        } ?? Self()
    }

    /// Deletes the item; does nothing if it was deleted before.
    public func SK_remove(_ context: borrowing some DataStoreReadWriteAccessor & ~Copyable) {
        Self.reporting(to: context, or: ()) { (context) throws(DataStoreError) in
            try remove(in: context)
        }
    }

    /// Deletes all items of the class.
    public static func SK_removeAll(
        _ context: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) {
        reporting(to: context, or: ()) { (context) throws(DataStoreError) in
            try removeAll(in: context)
        }
    }
}
