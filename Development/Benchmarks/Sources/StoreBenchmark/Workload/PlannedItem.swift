import GRDB
import JustPersistMacros

/// An item with the indexes for the planner's queries.
///
/// The index over ``score`` alone is declared before the one that begins with ``group``, so that a planner that
/// prefers the first declaration chooses the wrong one.
@Item("Planned") final class PlannedItem {
    #Index<PlannedItem>([\.score])
    #Index<PlannedItem>([\.group, \.score, \.place])
    #Index<PlannedItem>([\.fifth])
    #Index<PlannedItem>([\.name])
    #Index<PlannedItem>([\.note])
    #Index<PlannedItem>([\.tags])

    /// One of about 250 values.
    var group: Int = 0
    /// One of five values.
    var fifth: Int = 0
    /// One of ten thousand values.
    var score: Int = 0
    /// One of a million values.
    var place: Int = 0
    /// A different one for each item.
    var name: String = ""
    /// Nil for 19 items of 20.
    var note: String?
    /// Up to three of twenty values.
    var tags: [String] = []
    /// The city is one of a thousand.
    var address: [String: String] = [:]
}

/// The values of an item.
struct PlannedRow {
    let group: Int
    let fifth: Int
    let score: Int
    let place: Int
    let name: String
    let note: String?
    let tags: [String]
    let city: String

    /// The values of the item with a number, equal in each run.
    init(_ number: Int) {
        var random = SplitMix64(state: UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9)
        func below(_ limit: UInt64) -> Int { Int(random.next() % limit) }
        group = below(250)
        fifth = below(5)
        score = below(10_000)
        place = below(1_000_000)
        name = "name \(below(1_000_000)) of item \(number)"
        note = below(20) == 0 ? "note \(number)" : nil
        var tags: [String] = []
        for _ in 0..<below(4) {
            let tag = "tag \(below(20))"
            if !tags.contains(tag) { tags.append(tag) }
        }
        self.tags = tags
        city = "city \(below(1_000))"
    }

    func fill(_ item: PlannedItem) {
        item.group = group
        item.fifth = fifth
        item.score = score
        item.place = place
        item.name = name
        item.note = note
        item.tags = tags
        item.address = ["city": city]
    }

    /// The tables and indexes in SQLite.
    static let schema = """
        CREATE TABLE planned (
            id INTEGER PRIMARY KEY, "group" INTEGER NOT NULL, fifth INTEGER NOT NULL,
            score INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, note TEXT,
            city TEXT NOT NULL);
        CREATE TABLE tag (item INTEGER NOT NULL, tag TEXT NOT NULL);
        CREATE INDEX by_score ON planned (score);
        CREATE INDEX by_group ON planned ("group", score, place);
        CREATE INDEX by_fifth ON planned (fifth);
        CREATE INDEX by_name ON planned (name);
        CREATE INDEX by_note ON planned (note);
        CREATE INDEX by_city ON planned (city);
        CREATE INDEX by_tag ON tag (tag, item);
        CREATE INDEX by_item ON tag (item, tag)
        """

    func insert(_ id: Int, _ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO planned VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [id, group, fifth, score, place, name, note, city])
        let statement = try db.cachedStatement(sql: "INSERT INTO tag VALUES (?, ?)")
        for tag in tags { try statement.execute(arguments: [id, tag]) }
    }
}
