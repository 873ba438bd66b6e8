import Foundation
import JustPersist
import JustPersistImportExport

/// The items of a type, by pages.
extension StoreView {
    struct Rows: Encodable {
        struct Row: Encodable {
            let id: String
            let cells: [Cell]
        }

        /// The time of the snapshot.
        let time: Date
        let columns: [String]
        let rows: [Row]
    }

    struct Count: Encodable {
        let time: Date
        let count: Int
        /// The access path, and what was examined.
        let plan: String
        let entries: Int
        let records: Int
        let milliseconds: Double

        init(_ plan: QueryPlan, since start: ContinuousClock.Instant, _ time: Date) {
            self.time = time
            count = plan.matched
            self.plan = plan.description
            entries = plan.entriesExamined
            records = plan.recordsExamined
            milliseconds = (.now - start) / .milliseconds(1)
        }
    }

    struct Facets: Encodable {
        struct Value: Encodable {
            let cell: Cell
            let count: Int
            /// The predicate that finds the items with the value; `nil` if it would be too long.
            let predicate: String?
        }

        let time: Date
        let values: [Value]
        /// Whether there are more values.
        let hasMore: Bool
    }

    func rows(_ parameters: Parameters) async throws -> Rows {
        try await read { db in
            let time = Date()
            let (request, schema) = try request(parameters, db)
            let type = schema.itemTypeKey
            let columns = schema.attributes.map(\.name)
            var rows: [Rows.Row] = []
            try db.forEach(request) { item in
                rows.append(
                    Rows.Row(
                        id: item.uniqueToken.description,
                        cells: try columns.map {
                            try cell($0, of: item, type: type, limit: Self.cellBytes)
                        }))
            }
            return Rows(time: time, columns: columns, rows: rows)
        }
    }

    /// The number of items, and how they were counted.
    func count(_ parameters: Parameters) async throws -> Count {
        try await read { db in
            let (time, start) = (Date(), ContinuousClock.now)
            let (request, _) = try request(parameters, db)
            (request.offset, request.limit, request.sortDescriptors) = (nil, nil, nil)
            return Count(try db.explain(.count, request), since: start, time)
        }
    }

    /// How the items of a page are found.
    func explain(_ parameters: Parameters) async throws -> Count {
        try await read { db in
            let (time, start) = (Date(), ContinuousClock.now)
            return Count(
                try db.explain(try request(parameters, db).request), since: start, time)
        }
    }

    /// The most frequent values of an attribute.
    func facets(_ parameters: Parameters) async throws -> Facets {
        let most = 20
        return try await read { db in
            let time = Date()
            let (request, schema) = try request(parameters, db)
            let name = try parameters.required("attribute")
            let type = schema.itemTypeKey
            guard let index = schema.index(ofAttribute: name) else {
                throw DataStoreError(
                    .unknownAttribute, in: "inspect", "“\(type)” has no attribute “\(name)”.",
                    itemType: type, attribute: name)
            }
            if redaction.hides(name, of: type) { throw redaction.refusal(name, of: type) }
            let attribute = schema.attributes[index]
            if !attribute.storedKinds.isDisjoint(with: Self.kindsWithoutFacets) {
                throw Self.noFacets(of: attribute.name, type)
            }
            (request.sortDescriptors, request.offset, request.limit) = (nil, nil, nil)
            var counts: [DataStoreValue: Int] = [:]
            var bytes = 0
            try db.forEach(request) { item in
                let value = try item.backing.value(forAttribute: attribute.name)
                counts[value, default: 0] += 1
                if counts[value] != 1 { return }
                if Self.kindsWithoutFacets.contains(value.kind) {
                    throw Self.noFacets(of: attribute.name, type)
                }
                bytes += value.storedSize(limit: Self.mostFacetBytes) ?? 0
                guard counts.count > Self.mostFacets || bytes > Self.mostFacetBytes else { return }
                throw DataStoreError(
                    .limitExceeded, in: "inspect",
                    "“\(attribute.name)” has too many different values to count them. Filter the items first.",
                    itemType: type, attribute: attribute.name)
            }
            let sorted = counts.map { (value: $0.key, count: $0.value, text: $0.key.jsonText) }
                .sorted { ($1.count, $0.text) < ($0.count, $1.text) }
            return Facets(
                time: time,
                values: sorted.prefix(most).map { value, count, text in
                    .init(
                        cell: Cell(value, limit: Self.cellBytes), count: count,
                        // It becomes part of an address.
                        predicate: text.utf8.count > Self.cellBytes
                            ? nil : Self.predicate(attribute.name, equals: value))
                }, hasMore: sorted.count > most)
        }
    }

    /// The most different values that are counted, and their bytes.
    private static let (mostFacets, mostFacetBytes) = (10_000, 8 << 20)
    private static let kindsWithoutFacets: Set<DataStoreValue.Kind> = [.data, .array, .dictionary]

    private static func noFacets(of attribute: String, _ type: String) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "inspect",
            "Values of “\(attribute)” are not counted: data, arrays and dictionaries are too large.",
            itemType: type, attribute: attribute)
    }

    /// The text of a predicate that finds the items with a value.
    static func predicate(_ attribute: String, equals value: DataStoreValue) -> String {
        let path = DataStorePredicate.Expression.path(.init([attribute]))
        return DataStorePredicate.comparison(.init(path, .equal, .value(value))).description
    }
}
