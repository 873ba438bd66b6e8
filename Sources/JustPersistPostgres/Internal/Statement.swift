import JustPersistRecords

/// The statements that a connection prepares, with binary parameters and results.
enum Statement: String, CaseIterable {
    case first, found, inRanges, page, pageReversed, boundedPage, boundedPageReversed
    case keys, keysReversed, put, remove, note

    /// The most bytes of values in one answer, apart from its first value.
    static let answerBytes = 4 << 20

    /// The statement for a store.
    ///
    /// The running sums of lengths keep an answer small. They do not read values that the server stores apart. They take
    /// longer than a scan of small values, so a page is first asked for without values that are longer than a limit.
    func text(_ names: Names) -> String {
        switch self {
        case .first: "SELECT k, v FROM \(names.entries) ORDER BY k LIMIT 1"
        case .found:
            """
            SELECT k, CASE WHEN before < \(Self.answerBytes) THEN v END FROM (SELECT k, v, \
            sum(octet_length(v)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(v) AS before \
            FROM \(names.entries) WHERE k = ANY($1::bytea[])) AS found
            """
        case .inRanges:
            """
            SELECT e.k, e.v FROM unnest($1::bytea[], $2::bytea[]) AS r(first, last), LATERAL (SELECT k, v \
            FROM \(names.entries) WHERE k >= r.first AND k < r.last ORDER BY k LIMIT $3::int8) AS e ORDER BY e.k
            """
        case .page: Self.page(names, order: "ASC")
        case .pageReversed: Self.page(names, order: "DESC")
        case .boundedPage: Self.boundedPage(names, order: "ASC")
        case .boundedPageReversed: Self.boundedPage(names, order: "DESC")
        case .keys: Self.keys(names, order: "ASC")
        case .keysReversed: Self.keys(names, order: "DESC")
        case .put:
            """
            INSERT INTO \(names.entries) (k, v) SELECT * FROM unnest($1::bytea[], $2::bytea[]) \
            ON CONFLICT (k) DO UPDATE SET v = excluded.v
            """
        case .remove: "DELETE FROM \(names.entries) WHERE k = ANY($1::bytea[])"
        case .note:
            """
            INSERT INTO \(names.commits) (session, number) VALUES ($1::uuid, $2::int8) \
            ON CONFLICT (session) DO UPDATE SET number = excluded.number, at = now()
            """
        }
    }

    private static func page(_ names: Names, order: String) -> String {
        """
        SELECT k, CASE WHEN octet_length(v) <= $4::int8 THEN v END FROM \(names.entries) \
        WHERE k >= $1::bytea AND k < $2::bytea ORDER BY k \(order) LIMIT $3::int8
        """
    }

    private static func boundedPage(_ names: Names, order: String) -> String {
        """
        SELECT k, v FROM (SELECT k, v, \
        sum(octet_length(v)) OVER (ORDER BY k \(order) ROWS UNBOUNDED PRECEDING) - octet_length(v) AS before \
        FROM (SELECT k, v FROM \(names.entries) WHERE k >= $1::bytea AND k < $2::bytea ORDER BY k \(order) LIMIT $3::int8) \
        AS range) AS page WHERE before < \(answerBytes) ORDER BY k \(order)
        """
    }

    private static func keys(_ names: Names, order: String) -> String {
        """
        SELECT k FROM \(names.entries) WHERE k >= $1::bytea AND k < $2::bytea ORDER BY k \(order) LIMIT $3::int8
        """
    }
}

/// The names of a store's tables.
struct Names {
    /// The schema, without quotation marks.
    let schema: String
    /// The schema of the views over the store, without quotation marks.
    let views: String

    init(store: String) {
        schema = "jp_" + store
        views = "jpv_" + store
    }

    var quotedSchema: String { "\"\(schema)\"" }
    var quotedViews: String { "\"\(views)\"" }
    var entries: String { quotedSchema + ".kv" }
    var writer: String { quotedSchema + ".writer" }
    var commits: String { quotedSchema + ".commits" }
}
