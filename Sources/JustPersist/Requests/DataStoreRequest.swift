/// A request for items: a type, a predicate, a sort order, an offset and a limit.
///
/// Without sort descriptors, items are sorted by creation. The result skips the first `offset` matching items and
/// contains at most `limit` items; counting follows the same rule. Stores never change a request. It can be used and
/// changed on any thread; a queued block uses the request as it is when the block runs.
public final class DataStoreRequest: @unchecked Sendable {
    // Sendable because every use of the contents holds a lock.

    /// The type of the items.
    public let type: ItemType
    // Not checked at run time: the lock already excludes overlapping access.
    @safe @exclusivity(unchecked) private var contents: Contents
    /// Shared by all requests, because creating a lock takes longer than a short query.
    // Locks of a number that nothing uses: the thread sanitizer takes an empty value for the field after it.
    private static let locks = (0..<16).map { _ in Locked(0, isProcessWide: true) }

    private struct Contents: Sendable {
        var predicate: DataStorePredicate?
        var sortDescriptors: [DataStoreSortDescriptor]?
        var offset: Int?
        var limit: Int?
        var deadline: Duration?
        /// The error of the last filter by an attribute, if it could not become a predicate.
        var filterFailure: DataStoreError?
    }

    /// The condition that the items fulfil; `nil` for all items.
    public var predicate: DataStorePredicate? {
        get { withContents { $0.predicate } }
        set {
            withContents {
                $0.predicate = newValue
                $0.filterFailure = nil
            }
        }
    }
    /// The sort order; the first descriptor is the primary one.
    public var sortDescriptors: [DataStoreSortDescriptor]? {
        get { withContents { $0.sortDescriptors } }
        set { withContents { $0.sortDescriptors = newValue } }
    }
    /// The number of items to skip.
    ///
    /// A negative offset is an error.
    public var offset: Int? {
        get { withContents { $0.offset } }
        set { withContents { $0.offset = newValue } }
    }
    /// The maximum number of items to return; `nil` and 0 mean no limit.
    ///
    /// A negative limit is an error.
    public var limit: Int? {
        get { withContents { $0.limit } }
        set { withContents { $0.limit = newValue } }
    }

    /// The time after which the request fails, from the start of its execution; `nil` for none.
    ///
    /// ```swift
    /// let request = DataStoreRequest(itemType: Order.self)
    /// request.predicate = try DataStorePredicate(textOfUser)
    /// request.deadline = .seconds(2)
    /// ```
    ///
    /// Set one where the predicate comes from outside the program: the work for one item is limited, but not the
    /// number of items. A request that contains MATCHES or SUBQUERY, in its predicate, a sort or an aggregate, fails
    /// after ``deadlineOfCostlyPredicates`` of work if it sets no deadline; set a longer one where it needs more.
    ///
    /// The call throws ``DataStoreError/Code/deadlineExceeded`` shortly after the deadline: the clock is read between
    /// records, and within costly comparisons. In a write block that changes nothing, and the block may continue. The
    /// time of a closure counts, such as that of ``DataStoreReadAccessor/forEach(_:_:)``, and so do the requests that
    /// it makes, except under the deadline of costly predicates. A deadline costs a request about as much as reading one
    /// record.
    public var deadline: Duration? {
        get { withContents { $0.deadline } }
        set { withContents { $0.deadline = newValue } }
    }

    /// The deadline that the request sets, and whether ``deadlineOfCostlyPredicates`` applies if it sets none.
    package var work: (deadline: Duration?, isCostly: Bool) {
        withContents { contents in
            let sortsByCostlyKey = contents.sortDescriptors?.contains { $0.key.isCostlyKey }
            return (
                contents.deadline, contents.predicate?.isCostly == true || sortsByCostlyKey == true
            )
        }
    }

    /// A request for all items of a type.
    public init(
        type: ItemType, predicate: DataStorePredicate? = nil,
        sortDescriptors: [DataStoreSortDescriptor]? = nil, offset: Int? = nil, limit: Int? = nil
    ) {
        self.type = type
        contents = Contents(
            predicate: predicate, sortDescriptors: sortDescriptors, offset: offset, limit: limit)
    }

    /// A request for all items of an item class.
    public convenience init(itemType: any DataStoreItem.Type) {
        self.init(type: ItemType(itemType))
    }

    /// A request for all items of a type known by its key; they are returned as ``DynamicItem``.
    public convenience init(itemTypeKey: String) {
        self.init(type: ItemType(dynamic: itemTypeKey))
    }

    /// A copy of a request with another limit.
    convenience init(copying request: DataStoreRequest, limit: Int) {
        var contents = request.withContents { $0 }
        contents.limit = limit
        self.init(copying: request, contents)
    }

    /// A copy that no other thread can change.
    package func copy() -> DataStoreRequest {
        DataStoreRequest(copying: self, withContents { $0 })
    }

    private init(copying request: DataStoreRequest, _ contents: Contents) {
        type = request.type
        self.contents = contents
    }

    private func withContents<Result>(_ body: (inout Contents) -> Result) -> Result {
        // Objects are allocated at multiples of 16.
        let place = Int(bitPattern: ObjectIdentifier(self)) >> 5 & (Self.locks.count - 1)
        return Self.locks[place].withLock { (_) in body(&contents) }
    }

    /// The class of the items.
    public var itemType: any DataStoreItem.Type { type.itemClass }

    /// Restricts the request to items whose attribute equals a value; `nil` finds those that have none.
    ///
    /// A value that cannot be stored makes the request fail when it is executed, with
    /// ``DataStoreError/Code/unsupportedValue``.
    public func setFilter(whereAttribute attribute: String, equalsValue value: Any?) {
        do throws(DataStoreError) {
            predicate = try DataStorePredicate(attribute: attribute, equals: value)
        } catch {
            withContents {
                $0.predicate = DataStorePredicate.constant(false)
                $0.filterFailure = error
            }
        }
    }

    /// Sorts by one key, which replaces the previous sort descriptors.
    public func setSort(byKey sortKey: String, ascending: Bool) {
        sortDescriptors = [DataStoreSortDescriptor(key: sortKey, ascending: ascending)]
    }

    /// The contents of a request, read under one lock because another thread may change them.
    package struct Parts {
        package let predicate: DataStorePredicate?
        package let sortDescriptors: [DataStoreSortDescriptor]
        package let slice: Slice
        /// Whether neither the offset nor the limit is negative.
        package let hasValidSlice: Bool
    }

    /// The current contents of the request.
    package var parts: Parts {
        withContents { contents in
            Parts(
                predicate: contents.predicate, sortDescriptors: contents.sortDescriptors ?? [],
                slice: Slice(contents.offset, contents.limit),
                hasValidSlice: contents.offset ?? 0 >= 0 && contents.limit ?? 0 >= 0)
        }
    }

    /// Throws for a negative offset or limit.
    private func validateSlice() throws(DataStoreError) {
        let (offset, limit) = withContents { ($0.offset, $0.limit) }
        try check(offset, "offset")
        try check(limit, "limit")
    }

    private func check(_ number: Int?, _ name: String) throws(DataStoreError) {
        guard let number, number < 0 else { return }
        throw DataStoreError(
            .invalidRequest, in: "fetch",
            "The \(name) of a request is \(number); it must be 0 or more.", itemType: type.key)
    }

    /// Throws if a store must refuse this request, so that all stores refuse the same requests.
    ///
    /// Stores call this once, before anything else. An operator that the store does not declare is refused
    /// anywhere in the predicate, even if the rest of the predicate determines the result.
    ///
    /// - Parameters:
    ///   - operators: The predicate operators that the store declares, if not all.
    ///   - textOrders: The text orders that the store declares, if not all.
    ///   - stored: The store's schema of the type, if it keeps schemas. A request may name attributes that the class
    ///     does not declare and the store knows. Without a class it may name any attribute, unless the store passes a
    ///     schema.
    /// - Throws: `.unknownAttribute` for an attribute that the type does not have, `.invalidRequest`,
    ///   `.invalidPredicate`, `.limitExceeded`, `.unsupported`, and the errors of ``ItemSchema/validate()`` for the
    ///   type.
    public func validate(
        operators: Set<DataStorePredicate.Operator>? = nil, textOrders: Set<TextOrder>? = nil,
        stored: ItemSchema? = nil
    ) throws(DataStoreError) {
        _ = try keys(
            operators: operators, textOrders: textOrders,
            of: type.attributeNames(stored: stored))
    }

    /// Throws as ``validate(operators:textOrders:stored:)`` does, and returns the sort keys, ready to be computed.
    package func keys(
        operators: Set<DataStorePredicate.Operator>? = nil, textOrders: Set<TextOrder>? = nil,
        of names: (any AttributeNames)?
    ) throws(DataStoreError) -> [RequestKey] {
        try validateParts(operators: operators, textOrders: textOrders)
        let contents = withContents { $0 }
        if let names, let predicate = contents.predicate {
            try OperandCheck(names: names, operation: "predicate").check(predicate)
        }
        var keys: [RequestKey] = []
        for descriptor in contents.sortDescriptors ?? [] {
            keys.append(try RequestKey(descriptor.key, of: names, in: "sort"))
        }
        return keys
    }

    /// Throws for faults of the request that do not depend on the attributes of the type.
    package func validateParts(
        operators: Set<DataStorePredicate.Operator>? = nil, textOrders: Set<TextOrder>? = nil
    ) throws(DataStoreError) {
        let contents = withContents { $0 }
        if let failure = contents.filterFailure { throw failure }
        try type.schema?.validate()
        try validateSlice()
        for descriptor in contents.sortDescriptors ?? [] where descriptor.key.isEmpty {
            throw DataStoreError(
                .invalidRequest, in: "fetch",
                "A sort descriptor has an empty key. Name the attribute to sort by.",
                itemType: type.key)
        }
        for descriptor in contents.sortDescriptors ?? [] {
            guard let textOrders, !textOrders.contains(descriptor.textOrder) else { continue }
            let known = textOrders.map { "“\($0)”" }.sorted().joined(separator: ", ")
            throw DataStoreError(
                .unsupported, in: "fetch",
                """
                The store has no order of texts “\(descriptor.textOrder)”, by which “\(descriptor.key)” is to be sorted. It \
                has \(known); or sort the items that it returns.
                """, itemType: type.key, attribute: descriptor.key)
        }
        try contents.predicate?.validate(operators: operators)
    }
}
