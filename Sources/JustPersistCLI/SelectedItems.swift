import ArgumentParser
import JustPersist

/// The items that a command reads, and their order.
struct SelectedItems: ParsableArguments {
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: .init(
            "A predicate, such as 'stars > 3 AND name CONTAINS[cd] \"cafe\"'; see justpersist help predicates.",
            valueName: "predicate"))
    var predicate: String?
    @Option(
        name: .customLong("sort"), parsing: .unconditionalSingleValue,
        help:
            "A key to sort by, ascending, or KEY:desc. Texts in another order: KEY:caseInsensitive, KEY:numeric, KEY:localizedStandard. Repeatable."
    )
    var sortKeys: [SortKey] = []
    @Option(parsing: .unconditional, help: "The most items; 0 for all.") var limit: Int?
    @Option(parsing: .unconditional, help: "The number of items to skip at the beginning.")
    var offset: Int?
    @Option(
        parsing: .unconditional,
        help:
            "After how many seconds of work to give up. Where MATCHES or SUBQUERY occurs, it is 30 unless you say otherwise."
    )
    var deadline: Double?

    func validate() throws {
        if let deadline, !(deadline > 0 && deadline <= 1e9) {
            throw ValidationError("--deadline must be more than 0, and at most a billion seconds.")
        }
        if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more.") }
        if let offset, offset < 0 { throw ValidationError("--offset must be 0 or more.") }
    }

    /// The request for the items of a type, without an order.
    func unsorted(_ type: String) throws -> DataStoreRequest {
        let request = DataStoreRequest(itemTypeKey: type)
        request.predicate = try predicate.map { text in try DataStorePredicate(text, arguments: [])
        }
        request.limit = limit
        request.offset = offset
        request.deadline = deadline.map { .seconds($0) }
        return request
    }

    /// Sorts a request for items by the keys, which must be known.
    func sort(_ request: DataStoreRequest, _ known: KnownAttributes) throws {
        for key in sortKeys { try known.key(key.path, in: "--sort") }
        request.sortDescriptors = sortKeys.map { $0.descriptor() }
    }
}
