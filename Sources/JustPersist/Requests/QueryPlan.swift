/// How a store executed a request: its access path, and the cost.
///
/// ```swift
/// let request = DataStoreRequest(itemType: Restaurant.self)
/// request.predicate = try DataStorePredicate("borough == %@", "Queens")
/// print(try store.read { db in try db.explain(request) })
/// // index on borough: 1203 entries and 1203 records examined, 1203 items found
/// ```
public struct QueryPlan: Sendable, Hashable {
    /// The kind of result that is requested.
    public enum Operation: Sendable, Hashable {
        /// The items themselves.
        case fetch
        /// The number of items.
        case count
        /// Whether there are any items.
        case exists
        /// An aggregation of the items.
        case aggregate(DataStoreAggregation)
    }

    /// The access path to the items.
    public enum Access: Sendable, Hashable {
        /// The store does not report it.
        case unknown
        /// No item was examined, because none can match.
        case none
        /// The store keeps the number of its items, and examined none of them.
        case counter
        /// All items of the type were read.
        case scan
        /// The items with the ids that the predicate names were looked up.
        case ids
        /// The items were found in indexes, each over some attributes.
        ///
        /// If ``QueryPlan/recordsExamined`` is 0, the entries of the indexes alone gave the result.
        case indexes([IndexUse])
    }

    /// An index that was used.
    public struct IndexUse: Sendable, Hashable {
        /// The attributes of the index; the first is the leading one.
        public let attributes: [String]
        /// The number of leading attributes that the predicate restricts.
        public let restricted: Int
        /// Whether the index returns the items in the requested order, so that they need not be sorted.
        public let givesOrder: Bool
        /// Whether the index ignores case.
        public let ignoresCase: Bool

        /// An index that was used.
        public init(
            attributes: [String], restricted: Int, givesOrder: Bool, ignoresCase: Bool = false
        ) {
            self.attributes = attributes
            self.ignoresCase = ignoresCase
            self.restricted = restricted
            self.givesOrder = givesOrder
        }
    }

    /// The access path to the items.
    public let access: Access
    /// An index that was abandoned because too few of its items matched.
    public let abandoned: IndexUse?
    /// The number of index entries that were examined, including those of abandoned indexes.
    public let entriesExamined: Int
    /// The number of records that were examined.
    ///
    /// Records that an offset skips by their keys alone are not counted.
    public let recordsExamined: Int
    /// The number of items that the request returns, or of rows of an aggregation.
    public let matched: Int
    /// The number of parts of the predicate that Foundation, or other Swift code, evaluates on each item that the
    /// other parts leave.
    ///
    /// A store evaluates all other parts itself: see ``DataStorePredicate/evaluated(_:)``.
    public let evaluatedByFoundation: Int

    /// A plan.
    public init(
        access: Access, abandoned: IndexUse? = nil, entriesExamined: Int = 0,
        recordsExamined: Int = 0, matched: Int, evaluatedByFoundation: Int = 0
    ) {
        self.access = access
        self.abandoned = abandoned
        self.entriesExamined = entriesExamined
        self.recordsExamined = recordsExamined
        self.matched = matched
        self.evaluatedByFoundation = evaluatedByFoundation
    }
}

extension QueryPlan: CustomStringConvertible {
    /// The plan in one line.
    public var description: String {
        let way: String
        switch access {
        case .unknown: way = "a way that the store does not report"
        case .none: way = "no item looked at"
        case .counter: way = "the number that the store keeps"
        case .scan: way = "all items read"
        case .ids: way = "items looked up by id"
        case .indexes(let uses):
            way = uses.map { use in
                let names = use.attributes.joined(separator: ", ")
                return "index on \(names)" + (use.ignoresCase ? " ignoring case" : "")
                    + (use.givesOrder ? " in its order" : "")
            }.joined(separator: " and ")
        }
        let other = abandoned.map {
            ", after the index on \($0.attributes.joined(separator: ", ")) was given up"
        }
        func count(_ number: Int, _ one: String, _ many: String) -> String {
            "\(number) \(number == 1 ? one : many)"
        }
        let evaluated =
            evaluatedByFoundation == 0
            ? ""
            : ", \(count(evaluatedByFoundation, "part", "parts")) evaluated by Foundation on each item"
        return """
            \(way)\(other ?? ""): \(count(entriesExamined, "entry", "entries")) and \
            \(count(recordsExamined, "record", "records")) examined, \
            \(count(matched, "item", "items")) found\(evaluated)
            """
    }
}
