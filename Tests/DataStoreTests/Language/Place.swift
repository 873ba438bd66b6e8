import Foundation
import JustPersist

/// The items for the table of the predicate language, numbered from 1.
enum Place {
    static let all: [Int] = Array(1...8)
    /// The numbers of all items except the given ones.
    static func others(_ numbers: Int...) -> [Int] { all.filter { !numbers.contains($0) } }

    private static let schema = ItemSchema(
        "Place",
        attributes: [
            "number", "name", "stars", "price", "tags", "grades", "nums", "matrix", "opened",
            "address", "open", "twin",
        ].map { AttributeSchema($0) })

    private static func texts(_ texts: String...) -> DataStoreValue {
        .array(texts.map(DataStoreValue.string))
    }

    private static func ints(_ numbers: Int64...) -> DataStoreValue {
        .array(numbers.map(DataStoreValue.int))
    }

    private static func grade(_ score: Int64?, _ by: String? = nil) -> DataStoreValue {
        var entries: [String: DataStoreValue] = [:]
        if let score { entries["score"] = .int(score) }
        if let by { entries["by"] = .string(by) }
        return .dictionary(entries)
    }

    private static func date(_ text: String) -> DataStoreValue {
        (try? Date(text, strategy: .iso8601)).map(DataStoreValue.date) ?? .null
    }

    private static func decimal(_ text: String) -> DataStoreValue {
        Decimal(string: text).map(DataStoreValue.decimal) ?? .null
    }

    static let values: [[String: DataStoreValue]] = [
        [
            "name": .string("Café Bleu"), "stars": .int(5), "price": .double(12.5),
            "tags": texts("french", "bar"), "grades": .array([grade(5, "ann"), grade(9, "bob")]),
            "nums": ints(1, 2, 3, 4), "opened": date("2020-01-01T00:00:00Z"), "open": .bool(true),
            "address": .dictionary(["city": .string("Zürich"), "zip": .string("8001")]),
        ],
        [
            "name": .string("Thai Garden"), "stars": .int(3), "price": .double(8),
            "tags": texts("thai", "spicy", "bar"), "grades": .array([grade(3)]), "nums": ints(5),
            "opened": date("2021-06-15T12:00:00Z"), "open": .bool(false),
            "address": .dictionary(["city": .string("Bern")]),
        ],
        [
            "name": .string("cafe noir"), "stars": .int(4), "price": .int(9), "tags": .array([]),
            "grades": .array([]), "nums": .array([]), "opened": date("2019-03-01T00:00:00Z"),
            "open": .bool(true),
            "address": .dictionary(["city": .string("Basel"), "zip": .string("4001")]),
        ],
        [
            "name": .string("100% Pizza*"), "stars": .int(2), "price": .double(15.25),
            "tags": texts("pizza"), "grades": .array([grade(7), grade(nil, "cy")]),
            "nums": .array([.double(1.5), .double(2.5)]), "open": .bool(true),
        ],
        [
            "name": .string("Bar?"), "stars": .null, "price": decimal("10.10"),
            "open": .bool(false),
        ],
        [
            "name": .string(""), "stars": .int(-1), "price": .int(0),
            "tags": texts("bar", "bar", "BAR"),
            "grades": .array([grade(10), grade(10), grade(4)]),
            "nums": .array([.int(2), .int(2), .int(3), .null]),
            "matrix": .array([ints(1, 2), ints(3)]),
        ],
        [
            "stars": .int(9_007_199_254_740_993), "price": .double(1e300), "tags": .string("bar"),
            "grades": grade(5), "nums": .array([.int(1), .string("x")]),
        ],
        [
            "name": .string("line\nbreak"), "stars": .int(0), "price": .double(-2.5),
            "tags": .array([.string("x"), .null, .int(3)]),
            "nums": .array([decimal("0.1"), decimal("0.2")]),
        ],
    ]

    /// Creates the items in a store.
    ///
    /// The first and the third refer to each other.
    static func fill(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(schema)
            var items: [DynamicItem] = []
            for (index, values) in values.enumerated() {
                let item = try db.create("Place")
                item["number"] = .int(Int64(index + 1))
                for (name, value) in values { item[name] = value }
                items.append(item)
            }
            for (item, twin) in [(items[0], items[2]), (items[2], items[0])] {
                item["twin"] = .reference(
                    ItemReference(itemTypeKey: "Place", id: twin.uniqueToken))
            }
        }
    }

    /// The numbers of the items that a store finds.
    static func numbers(
        in store: any DataStore, where predicate: DataStorePredicate
    ) throws -> [Int] {
        let request = DataStoreRequest(type: ItemType(dynamic: "Place"), predicate: predicate)
        return try store.read { db in
            try db.performFetch(request).map { item in
                guard let item = item as? DynamicItem, case .int(let number) = item["number"] else {
                    return 0
                }
                return Int(number)
            }
        }
    }
}
