import Foundation
import JustPersist

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
    }

    struct Facets: Encodable {
        struct Value: Encodable {
            let cell: Cell
            let count: Int
            /// The predicate that finds the items with the value.
            let predicate: String
        }

        let time: Date
        let values: [Value]
        /// Whether there are more values.
        let hasMore: Bool
    }

    func rows(_ parameters: Parameters) async throws -> Rows {
        try await store.read { db in
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
        try await store.read { db in
            let (time, start) = (Date(), ContinuousClock.now)
            let (request, _) = try request(parameters, db)
            (request.offset, request.limit, request.sortDescriptors) = (nil, nil, nil)
            let plan = try db.explain(.count, request)
            return Count(
                time: time, count: plan.matched, plan: plan.description,
                entries: plan.entriesExamined, records: plan.recordsExamined,
                milliseconds: (ContinuousClock.now - start) / .milliseconds(1))
        }
    }

    /// How the items of a page are found.
    func explain(_ parameters: Parameters) async throws -> Count {
        try await store.read { db in
            let (time, start) = (Date(), ContinuousClock.now)
            let plan = try db.explain(try request(parameters, db).request)
            return Count(
                time: time, count: plan.matched, plan: plan.description,
                entries: plan.entriesExamined, records: plan.recordsExamined,
                milliseconds: (ContinuousClock.now - start) / .milliseconds(1))
        }
    }

    /// The most frequent values of an attribute.
    func facets(_ parameters: Parameters) async throws -> Facets {
        let most = 20
        return try await store.read { db in
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
            let attribute = schema.attributes[index].name
            // No attribute has this name.
            let count = DataStoreAggregate.count.named("$count")
            request.sortDescriptors = [DataStoreSortDescriptor.descending(count.name)]
            (request.offset, request.limit) = (nil, most + 1)
            let rows = try db.aggregate(
                request,
                DataStoreAggregation(groupedBy: [attribute], [count]))
            return Facets(
                time: time,
                values: rows.prefix(most).map { row in
                    var number: Int64 = 0
                    if case .int(let value) = row.values[1] { number = value }
                    return .init(
                        cell: Cell(row.values[0], limit: Self.cellBytes), count: Int(number),
                        predicate: Self.predicate(attribute, equals: row.values[0]))
                }, hasMore: rows.count > most)
        }
    }

    /// The text of a predicate that finds the items with a value.
    static func predicate(_ attribute: String, equals value: DataStoreValue) -> String {
        let path = DataStorePredicate.Expression.path(.init([attribute]))
        return DataStorePredicate.comparison(.init(path, .equal, .value(value))).description
    }
}
