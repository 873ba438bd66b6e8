import JustPersist

/// A query in the languages of both sides.
struct PlannedQuery {
    /// The operation of a query.
    enum Question {
        case items, count, exists
        case aggregate(DataStoreAggregation)
    }

    let title: String
    let question: Question
    let request: DataStoreRequest
    /// Returns a row for each item or group: the score of an item, or the aggregates of a group.
    let sql: String

    init(
        _ title: String, _ question: Question = .items, where format: String? = nil,
        sortedBy sort: [DataStoreSortDescriptor] = [], offset: Int? = nil, limit: Int? = nil,
        sql: String
    ) throws {
        self.title = title
        self.question = question
        request = DataStoreRequest(
            type: ItemType(PlannedItem.self),
            predicate: try format.map { try DataStorePredicate($0) },
            sortDescriptors: sort, offset: offset, limit: limit)
        self.sql = sql
    }

    /// The queries for a number of rows.
    static func all(rows: Int) throws -> [PlannedQuery] {
        let deep = rows * 3 / 4
        func select(_ rest: String) -> String { "SELECT score FROM planned \(rest)" }
        func count(_ rest: String) -> String { "SELECT count(*) FROM planned WHERE \(rest)" }
        let score: [DataStoreSortDescriptor] = [.ascending("score")]
        let both: [DataStoreSortDescriptor] = [.ascending("score"), .ascending("place")]
        let ends = "ORDER BY score, place LIMIT 10"
        return [
            // An index that provides the order.
            try .init(
                "two indexes with the order, limit 10", where: "group == 5",
                sortedBy: [.descending("score")], limit: 10,
                sql: select("WHERE \"group\" = 5 ORDER BY score DESC LIMIT 10")),
            // Pages after a key.
            try .init(
                "page after a key",
                where: "score > 5000 OR (score == 5000 AND place > 500000)",
                sortedBy: score, limit: 10,
                sql: select("WHERE (score, place) > (5000, 500000) ORDER BY score LIMIT 10")),
            try .init(
                "page after a key in a group",
                where: "group == 5 AND (score > 5000 OR (score == 5000 AND place > 500000))",
                sortedBy: both, limit: 10,
                sql: select(
                    "WHERE \"group\" = 5 AND (score, place) > (5000, 500000) \(ends)")),
            // Offsets.
            try .init(
                "offset, no predicate", offset: deep, limit: 10,
                sql: select("ORDER BY id LIMIT 10 OFFSET \(deep)")),
            try .init(
                "offset in the order of an index", sortedBy: score, offset: deep, limit: 10,
                sql: select("ORDER BY score LIMIT 10 OFFSET \(deep)")),
            try .init(
                "offset in what an index finds", where: "fifth == 3", offset: deep / 5, limit: 10,
                sql: select("WHERE fifth = 3 ORDER BY id LIMIT 10 OFFSET \(deep / 5)")),
            // Conditions.
            try .init(
                "!= nil, limit 10", where: "note != nil", limit: 10,
                sql: select("WHERE note IS NOT NULL ORDER BY id LIMIT 10")),
            try .init(
                "!= nil, count", .count, where: "note != nil", sql: count("note IS NOT NULL")),
            try .init(
                "NOT == nil, count", .count, where: "NOT note == nil",
                sql: count("NOT note IS NULL")),
            try .init(
                "LIKE 'name 1234*'", where: "name LIKE 'name 1234*'",
                sql: select("WHERE name GLOB 'name 1234*' ORDER BY id")),
            try .init(
                "MATCHES 'name 1234.*'", where: "name MATCHES 'name 1234.*'",
                sql: select("WHERE name GLOB 'name 1234*' ORDER BY id")),
            try .init(
                "'tag 7' IN tags, limit 10", where: "'tag 7' IN tags", limit: 10,
                sql: select(
                    "WHERE id IN (SELECT item FROM tag WHERE tag = 'tag 7') ORDER BY id LIMIT 10")),
            try .init(
                "two ANYs", where: "ANY tags == 'tag 7' AND ANY tags == 'tag 9'",
                sql: select(
                    """
                    WHERE id IN (SELECT item FROM tag WHERE tag = 'tag 7') \
                    AND id IN (SELECT item FROM tag WHERE tag = 'tag 9') ORDER BY id
                    """)),
            try .init(
                "order of a path, limit 10", sortedBy: [.ascending("address.city")], limit: 10,
                sql: select("ORDER BY city, id LIMIT 10")),
            try .init(
                "mixed directions, limit 10",
                sortedBy: [.ascending("group"), .descending("score")],
                limit: 10, sql: select("ORDER BY \"group\", score DESC LIMIT 10")),
            try .init(
                "IN with order, limit 10", where: "group IN {3, 70, 111}", sortedBy: score,
                limit: 10,
                sql: select("WHERE \"group\" IN (3, 70, 111) ORDER BY score LIMIT 10")),
            try .init(
                "OR of equalities, count", .count, where: "group == 3 OR group == 70",
                sql: count("\"group\" = 3 OR \"group\" = 70")),
            // Limits.
            try .init(
                "20 %, limit 10", where: "fifth == 3", limit: 10,
                sql: select("WHERE fifth = 3 ORDER BY id LIMIT 10")),
            try .init(
                "20 % by a range, limit 10", where: "score < 2000", limit: 10,
                sql: select("WHERE score < 2000 ORDER BY id LIMIT 10")),
            try .init(
                "20 %, exists", .exists, where: "fifth == 3",
                sql: "SELECT EXISTS (SELECT 1 FROM planned WHERE fifth = 3)"),
            // Without records.
            try .init("20 %, count", .count, where: "fifth == 3", sql: count("fifth = 3")),
            try .init(
                "group by, count", .aggregate(.init(groupedBy: ["fifth"], [.count])),
                sql: "SELECT count(*) FROM planned GROUP BY fifth"),
            try .init(
                "group by of 250, count", .aggregate(.init(groupedBy: ["group"], [.count])),
                sql: "SELECT count(*) FROM planned GROUP BY \"group\""),
            try .init(
                "distinct, 5 values", .aggregate(.init(groupedBy: ["fifth"], [])),
                sql: "SELECT DISTINCT fifth FROM planned"),
            try .init(
                "distinct, 10,000 values", .aggregate(.init(groupedBy: ["score"], [])),
                sql: "SELECT DISTINCT score FROM planned"),
            try .init(
                "min and max", .aggregate(.init([.min("score"), .max("score")])),
                sql: "SELECT (SELECT min(score) FROM planned) + (SELECT max(score) FROM planned)"),
            try .init(
                "max in a group", .aggregate(.init([.max("score")])), where: "group == 5",
                sql: "SELECT max(score) FROM planned WHERE \"group\" = 5"),
        ]
    }
}
