import JustPersist

/// Checks of indexes over attributes that are declared differently while there are items.
extension IndexChecks {
    static let redeclaring: [CheckDefinition] = [
        CheckDefinition(
            "idx/redeclared", clause: [9, 20], gate: .requires(.valueKind(.double)),
            "A default, kind or name that an attribute gets later also applies to its indexes."
        ) { check in
            let items = StoredType("ConformanceRedeclared", knownIn: try check.openStore(), check)
            func declare(_ attribute: AttributeSchema, as name: String = key) throws {
                try items.store.write { db in
                    try db.declare(
                        ItemSchema(
                            items.key, attributes: [attribute, AttributeSchema(other)],
                            indexes: [IndexSchema([name]), IndexSchema([other, name])]))
                }
            }
            try declare(AttributeSchema(key))
            // 3 for some, null for some, and nothing for the others.
            let ids = try items.store.write { db in
                try (0..<120).map { number in
                    var values: [String: DataStoreValue] = [other: .int(1)]
                    if number % 4 == 0 { values[key] = .int(Int64(number % 8)) }
                    if number % 4 == 1 { values[key] = .null }
                    return try items.create(values, db).uniqueToken
                }
            }
            func places(_ isWanted: (Int) -> Bool) -> [ItemID] {
                ids.indices.filter(isWanted).map { ids[$0] }
            }
            func expect(
                _ wanted: [ItemID], _ name: String, _ value: DataStoreValue, _ when: String,
                line: Int = #line
            ) throws {
                try items.expect(wanted, where: name, .equal, value, when, line: line)
                let predicate = DataStorePredicate.and([
                    .compare(name, .equal, value), .compare(other, .equal, .int(1)),
                ])
                try items.store.read { db in
                    check.expectEqual(
                        try items.ids(where: predicate, db), wanted,
                        "the items with \(value.shortText) and a second value \(when)", line: line)
                    check.expectEqual(
                        try db.performCount(
                            items.request(where: .compare(name, .equal, value))), wanted.count,
                        "the number of items with \(value.shortText) \(when)", line: line)
                    let first = Query(sort: [.descending(name)], limit: 1)
                    check.expectEqual(
                        try db.ids(first, of: items.key), Array(wanted.prefix(1)),
                        "the first item in descending order \(when)", line: line)
                }
            }
            try expect(places { $0 % 8 == 4 }, key, .int(4), "before anything is redeclared")
            try declare(AttributeSchema(key, default: .int(9), isOptional: true))
            try expect(places { $0 % 4 > 1 }, key, .int(9), "once that is the default")
            try items.expect(
                places { $0 % 4 == 1 }, where: key, .equal, .null, "once it has a default")
            try items.set([key: .int(0)], of: ids[2])
            try expect(
                places { $0 % 4 > 1 && $0 != 2 }, key, .int(9), "once one has a value of its own")
            try declare(
                AttributeSchema(key, kinds: [.double], default: .double(9), isOptional: true))
            try expect(
                places { $0 % 4 > 1 && $0 != 2 }, key, .double(9), "once they are another kind")
            try items.expect(
                places { $0 % 8 == 4 }, where: key, .equal, .double(4), "once they are another kind"
            )
            try declare(
                AttributeSchema(
                    "renamed", kinds: [.double], default: .double(9), isOptional: true,
                    formerNames: [key]),
                as: "renamed")
            try expect(
                places { $0 % 4 > 1 && $0 != 2 }, "renamed", .double(9), "under another name")
            try items.set(["renamed": .double(10)], of: ids[5])
            try expect([ids[5]], "renamed", .double(10), "once one has the highest value")
        }
    ]
}
