import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// What is computed of items: by typed calls, by name, in groups.
@Suite struct AggregateTests {
    private func withRestaurants(
        on backends: [Backend] = Backend.memoryAndReference, _ body: (any DataStore) throws -> Void
    ) throws {
        for backend in backends {
            try backend.withStore { store in
                try store.write { db in
                    let rows: [(String?, String?, Int, Date?)] = [
                        ("a", "Thai", 1, nil), ("b", "Thai", 4, Date(timeIntervalSince1970: 5)),
                        ("c", nil, 2, Date(timeIntervalSince1970: 3)), (nil, "Greek", 5, nil),
                        ("é", "Thai", 3, nil),
                    ]
                    for row in rows {
                        let item = try db.create(Restaurant.self)
                        (item.name, item.cuisine, item.stars, item.opened) = row
                    }
                }
                try body(store)
            }
        }
    }

    @Test func theTypedCallsGiveTypedValues() throws {
        try withRestaurants { store in
            try store.read { db in
                let sum: Int = try db.sum(of: \.stars, in: Restaurant.self)
                #expect(sum == 15)
                try #expect(
                    db.sum(of: \.stars, in: Restaurant.self, where: \.cuisine == "Thai") == 8)
                try #expect(
                    db.sum(
                        of: \.stars, in: Restaurant.self,
                        where: #Predicate { $0.cuisine == "Greek" })
                        == 5)
                try #expect(db.average(of: \.stars, in: Restaurant.self) == 3)
                let none = try DataStorePredicate("stars > 9")
                try #expect(db.sum(of: \.stars, in: Restaurant.self, where: none) == 0)
                try #expect(db.average(of: \.stars, in: Restaurant.self, where: none) == nil)
                try #expect(db.min(of: \.stars, in: Restaurant.self, where: none) == nil)
                try #expect(db.min(of: \.stars, in: Restaurant.self, where: \.stars > 1) == 2)
                try #expect(db.max(of: \.name, in: Restaurant.self) == "é")
                try #expect(db.min(of: \.name, in: Restaurant.self) == "a")
                try #expect(
                    db.min(of: \.opened, in: Restaurant.self) == Date(timeIntervalSince1970: 3))
                try #expect(
                    db.max(of: \.opened, in: Restaurant.self, where: \.opened != nil)
                        == Date(timeIntervalSince1970: 5))
                let row = try db.aggregate(
                    .count, .sum(\.stars), .max("name"), .count(\.cuisine).named("cooked"),
                    of: Restaurant.self, where: \.stars < 5)
                #expect(row.count == 4)
                #expect(row.columns == ["count", "sum.stars", "max.name", "cooked"])
                #expect(row.values == [.int(4), .int(10), .string("é"), .int(3)])
                try #expect(row.value("sum.stars", as: Int.self) == 10)
                try #expect(row.value("sum.stars", as: Double.self) == 10)
                expectError(.kindMismatch) { _ = try row.value("max.name", as: Int.self) }
                let unknown = expectError(.unknownAttribute) {
                    _ = try row.value("sum.star", as: Int.self)
                }
                #expect(unknown?.message.contains("“sum.stars”") == true)
            }
        }
    }

    @Test func groupsAreRows() throws {
        try withRestaurants { store in
            let rows = try store.read { db in
                try db.groups(
                    of: Restaurant.self, by: \.cuisine, computing: .count, .average(\.stars))
            }
            #expect(rows.map { $0["cuisine"] } == [.null, .string("Greek"), .string("Thai")])
            #expect(rows.map(\.count) == [1, 1, 3])
            #expect(rows.map { $0["average.stars"] } == [.double(2), .double(5), .double(8 / 3)])
            try store.read { db in
                let having = try db.groups(
                    of: Restaurant.self, by: "cuisine", computing: .count, .max(\.stars),
                    where: \.stars > 1, having: DataStorePredicate("count > 1 OR max.stars = 5"),
                    sortedBy: .descending("max.stars"))
                #expect(having.map { $0["max.stars"] } == [.int(5), .int(4)])
                let page = try db.groups(
                    of: Restaurant.self, by: \.cuisine, \.stars, where: #Predicate { $0.stars > 1 },
                    offset: 1, limit: 2)
                #expect(
                    page.map(\.values) == [
                        [.string("Greek"), .int(5)], [.string("Thai"), .int(3)],
                    ])
                let byText = try db.groups(
                    of: Restaurant.self, by: "name",
                    sortedBy: .descending("name", .caseInsensitive),
                    limit: 2)
                #expect(byText.map { $0["name"] } == [.string("é"), .string("c")])
                let byID = try db.groups(of: Restaurant.self, by: \.uniqueToken, computing: .count)
                #expect(byID.count == 5 && byID.allSatisfy { $0.count == 1 })
                let request = DataStoreRequest(itemTypeKey: "Restaurant")
                try #expect(
                    db.aggregate(request, DataStoreAggregation(groupedBy: ["cuisine"], []))
                        .map(\.values) == [[.null], [.string("Greek")], [.string("Thai")]])
                let none = DataStoreRequest(itemTypeKey: "Nothing")
                try #expect(
                    db.aggregate(none, DataStoreAggregation([.count, .max("x")])).map(\.values)
                        == [[.int(0), .null]])
                try #expect(
                    db.aggregate(none, DataStoreAggregation(groupedBy: ["x"], [.count])) == [])
            }
        }
    }

    @Test func whatCannotBeComputedIsRefusedWithAdvice() throws {
        // The reference's advice is its own.
        try withRestaurants(on: [.memory]) { store in
            try store.write { db in
                try db.items(Restaurant.self)[0].value = .array([.int(1)])
            }
            store.read { db in
                let dates = expectError(.invalidRequest) {
                    _ = try db.aggregate(
                        .sum(\.opened), of: Restaurant.self, where: DataStorePredicate("1 = 2"))
                }
                #expect(dates?.message.contains("min or max") == true)
                let array = expectError(.invalidRequest) {
                    _ = try db.aggregate(.average(\.value), of: Restaurant.self)
                }
                #expect(array?.message.contains("kind array") == true)
                let bodies: [(borrowing DataStoreReader) throws -> Void] = [
                    { _ = try $0.groups(of: Restaurant.self, by: "cuisin") },
                    { _ = try $0.aggregate(.sum("star"), of: Restaurant.self) },
                    {
                        _ = try $0.groups(
                            of: Restaurant.self, by: \.cuisine, computing: .count,
                            sortedBy: .ascending("counts"))
                    },
                    {
                        _ = try $0.groups(
                            of: Restaurant.self, by: \.cuisine, computing: .count,
                            having: DataStorePredicate("counts > 1"))
                    },
                    {
                        _ = try $0.aggregate(
                            DataStoreRequest(itemTypeKey: "Restaurant"),
                            DataStoreAggregation([.sum("star")]))
                    },
                ]
                for body in bodies {
                    let error = expectError(.unknownAttribute) { try body(db) }
                    #expect(error?.message.contains("Did you mean") == true, "\(error as Any)")
                }
                let names = expectError(.invalidRequest) {
                    _ = try db.aggregate(.count, .count, of: Restaurant.self)
                }
                #expect(names?.message.contains("named(_:)") == true)
            }
        }
    }

    @Test func aSumBeyond64BitsIsADecimalOrAnError() throws {
        try withRestaurants { store in
            try store.write { db in
                try db.update(Restaurant.self) { $0.stars = .max }
            }
            try store.read { db in
                let error = expectError(.limitExceeded) {
                    _ = try db.sum(of: \.stars, in: Restaurant.self)
                }
                #expect(error?.message.contains("46116860184273879035") == true)
                let row = try db.aggregate(.sum(\.stars), .average(\.stars), of: Restaurant.self)
                #expect(row.values[0] == .decimal(Decimal(string: "46116860184273879035") ?? 0))
                #expect(row.values[1] == .double(0x1p63))
            }
        }
    }

    @Test func numbersOfAllKindsAddUp() throws {
        try withRestaurants { store in
            func total(_ values: [DataStoreValue]) throws -> [DataStoreValue] {
                try store.write { db in
                    try db.deleteAll(Restaurant.self)
                    for value in values { try db.create(Restaurant.self).value = value }
                    return try db.aggregate(
                        .sum(\.value), .average(\.value), .min(\.value), .max(\.value),
                        of: Restaurant.self
                    ).values
                }
            }
            let half = Decimal(string: "0.5") ?? 0
            #expect(
                try total([.bool(true), .bool(false), .bool(true), .null])
                    == [.int(2), .double(2.0 / 3), .bool(false), .bool(true)])
            #expect(
                try total([.int(1), .decimal(half), .bool(true)])
                    == [
                        .decimal(2 + half), .decimal((2 + half) / 3), .decimal(half), .int(1),
                    ])
            #expect(
                try total([.int(1), .decimal(half), .double(0.25)])
                    == [.double(1.75), .double(1.75 / 3), .double(0.25), .int(1)])
            #expect(try total(Array(repeating: .double(0.1), count: 10))[0] == .double(1))
            #expect(try total([.double(.infinity), .int(1)])[0] == .double(.infinity))
            let nan = try total([.double(2), .double(.nan), .int(3)])
            #expect(nan[0] == .double(.nan) && nan[2] == .double(2) && nan[3] == .double(.nan))
            let opposed = try total([.double(.infinity), .double(-.infinity)])
            #expect(opposed[3] == .double(.infinity))
            // Equal by their bits.
            #expect(opposed[0] == .double(.nan) && opposed[1] == .double(.nan))
            #expect(try total([.double(-.nan), .int(1)])[0] == .double(.nan))
            #expect(
                try total([.double(1), .int(1), .double(-0.0), .int(0)])[2...]
                    == [.double(-0.0), .double(1)])
            let mixed: DataStoreRow = try store.write { db in
                try db.create(Restaurant.self).value = .string("x")
                return try db.aggregate(.min(\.value), .max(\.value), of: Restaurant.self)
            }
            #expect(mixed.values == [.double(-0.0), .string("x")])
        }
    }

    @Test func keyPathsLeadIntoDictionariesAndAlongReferences() throws {
        for backend in Backend.memoryAndReference {
            try backend.withStore { store in
                try store.write { db in
                    try db.declare(
                        ItemSchema(
                            "Node", attributes: [AttributeSchema("n"), AttributeSchema("next")]))
                    let target = try db.create("Node")
                    target["n"] = .dictionary(["x": .int(7)])
                    for number in 0..<4 {
                        let node = try db.create("Node")
                        node["n"] = .dictionary(["x": .int(Int64(number % 2))])
                        if number > 0 { node["next"] = .reference(target.reference) }
                    }
                    let request = DataStoreRequest(itemTypeKey: "Node")
                    let rows = try db.aggregate(
                        request,
                        DataStoreAggregation(
                            groupedBy: ["next.n.x"], [.count, .sum("n.x")],
                            having: DataStorePredicate("sum.n.x > 0 AND next.n.x != nil")))
                    #expect(rows.map(\.columns) == [["next.n.x", "count", "sum.n.x"]])
                    #expect(rows.map(\.values) == [[.int(7), .int(3), .int(2)]])
                }
            }
        }
    }

    @Test func anIndexChangesNoExtreme() throws {
        try Backend.memory.withStore { store in
            let attributes = [AttributeSchema("n"), AttributeSchema("m")]
            try store.write { db in
                try db.declare(ItemSchema("Plain", attributes: attributes))
                try db.declare(
                    ItemSchema("Indexed", attributes: attributes, indexes: [IndexSchema(["n"])]))
                for number in 0..<2_000 {
                    // The ends come in several forms.
                    let value: DataStoreValue =
                        switch number % 40 {
                        case 0: .null
                        case 1: number % 80 == 1 ? .int(100) : .double(100)
                        case 2: number % 80 == 2 ? .double(-3) : .int(-3)
                        default: .int(Int64(number % 7))
                        }
                    for type in ["Plain", "Indexed"] {
                        let item = try db.create(type)
                        item["n"] = value
                        item["m"] = .int(Int64(number % 3))
                    }
                }
            }
            for predicate in [nil, "m == 1", "m == 5", "n < 5 AND m == 2", "n == nil"] {
                for aggregate in [DataStoreAggregate.min("n"), .max("n")] {
                    let rows = try store.read { db in
                        try ["Plain", "Indexed"].map { type in
                            let request = DataStoreRequest(itemTypeKey: type)
                            request.predicate = try predicate.map {
                                try DataStorePredicate($0, arguments: [])
                            }
                            return try db.aggregate(request, DataStoreAggregation([aggregate]))
                        }
                    }
                    #expect(rows[0] == rows[1], "\(predicate ?? "all") \(aggregate)")
                }
            }
        }
    }

    @Test func manyItemsAreOneGroup() throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                for number in 0..<20_000 {
                    let item = try db.create(Restaurant.self)
                    item.stars = number
                    item.cuisine = "Thai"
                }
            }
            try store.read { db in
                let rows = try db.groups(
                    of: Restaurant.self, by: \.cuisine, computing: .count, .sum(\.stars),
                    .min(\.stars), .max(\.stars))
                #expect(
                    rows.map(\.values) == [
                        [
                            .string("Thai"), .int(20_000), .int(199_990_000), .int(0),
                            .int(19_999),
                        ]
                    ])
                // As many groups as items.
                try #expect(
                    db.groups(
                        of: Restaurant.self, by: \.stars, computing: .count,
                        having: DataStorePredicate("stars >= 19998")
                    ).count == 2)
            }
        }
    }

    /// A wrapper that implements no aggregates has the default implementation.
    @Test func randomAggregationsAreWhatSwiftComputes() throws {
        var random = RandomPredicates()
        print("seed \(random.seed)")
        var rules = ReferenceRules()
        rules.reader = { PlainReader(reading: ReferenceReadAccessor($0)) }
        let store = ReferenceDataStore(rules: rules)
        try store.open()
        try store.write { db in
            try db.declare(Sample.schema)
            for _ in 0..<200 {
                let item = try db.create("Sample")
                for (place, name) in Sample.names.enumerated() where random.int(0..<6) > 0 {
                    item[name] = Self.value(of: place, &random)
                }
            }
        }
        for _ in 0..<60 {
            try store.read { db in try compare(db, &random) }
        }
        try store.close()
    }

    /// Values for the attributes: keys with several forms, whole numbers, numbers, texts, and dictionaries of numbers.
    private static func value(
        of place: Int, _ random: inout RandomPredicates
    ) -> DataStoreValue {
        let number = Int64(random.int(-8..<9))
        let mixed: DataStoreValue =
            switch random.int(0..<5) {
            case 0: .int(number)
            case 1: .decimal(Decimal(number) / 2)
            case 2: .bool(number > 0)
            case 3: .null
            default: .double(Double(number) / 4)
            }
        return switch place {
        case 0: random.bool() ? .int(number / 3) : .double(Double(number / 3))
        case 1: .int(number)
        case 2: mixed
        case 3: .string(["a", "é", "e\u{301}", "B", ""][random.int(0..<5)])
        default: .dictionary(["x": mixed, "y": .int(number / 4)])
        }
    }

    private func compare(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ random: inout RandomPredicates
    ) throws {
        let keys = [[], ["a"], ["d"], ["e.y"], ["a", "d"], ["d", "e.y", "a"]][random.int(0..<6)]
        let operand = ["b", "c", "e.x", "a"][random.int(0..<4)]
        let predicates = ["TRUEPREDICATE", "b > 0", "d != nil", "e.y == 1 OR c < 1", "b > 100"]
        let predicate = try DataStorePredicate(predicates[random.int(0..<5)], arguments: [])
        let isSelective = random.int(0..<3) == 0
        let aggregation = DataStoreAggregation(
            groupedBy: keys,
            [.count, .sum(operand), .average(operand), .min(operand), .max("d"), .count(operand)],
            having: isSelective ? try DataStorePredicate("count > 3 AND min.\(operand) < 1") : nil)
        let request = DataStoreRequest(itemTypeKey: "Sample")
        request.predicate = predicate
        let rows = try db.aggregate(request, aggregation)
        var groups: [(keys: [DataStoreValue], items: [DynamicItem])] = []
        for item in try db.dynamicItems(request) {
            let values = try keys.map { try item.storedValue(forKeyPath: $0) }
            let place = groups.firstIndex { group in
                zip(group.keys, values).allSatisfy { $0.isEqual(to: $1) }
            }
            if let place {
                groups[place].items.append(item)
            } else {
                groups.append((values, [item]))
            }
        }
        if keys.isEmpty, groups.isEmpty { groups = [([], [])] }
        var wanted: [DataStoreRow] = []
        for group in groups {
            let values = try group.items.map { try $0.storedValue(forKeyPath: operand) }
                .filter { !$0.isNull }
            let texts = group.items.map { $0["d"] }.filter { !$0.isNull }
            func first(_ values: [DataStoreValue], _ order: ValueOrder) -> DataStoreValue {
                values.reduce(.null) {
                    $0.isNull || $1.order(against: $0) == order ? $1 : $0
                }
            }
            let minimum = first(values, .ascending)
            let isFew =
                group.items.count <= 3 || minimum.order(against: .int(1)) != .ascending
            if isSelective, isFew {
                continue
            }
            wanted.append(
                DataStoreRow(
                    columns: aggregation.columns,
                    values: group.keys + [
                        .int(Int64(group.items.count)), sum(values), average(values), minimum,
                        first(texts, .descending), .int(Int64(values.count)),
                    ]))
        }
        wanted.sort { a, b in
            for place in keys.indices {
                let order = a.values[place].sortOrder(against: b.values[place])
                if order != .same { return order == .ascending }
            }
            return false
        }
        #expect(rows == wanted, "\(keys) \(operand) \(predicate) seed \(random.seed)")
    }

    /// All of these numbers are multiples of 1/4, which add up without a loss in any order.
    private func sum(_ values: [DataStoreValue]) -> DataStoreValue {
        let total = values.reduce(Decimal(0)) { $0 + number($1) }
        if values.contains(where: { $0.kind == .double }) {
            return .double(NSDecimalNumber(decimal: total).doubleValue)
        }
        if values.contains(where: { $0.kind == .decimal }) { return .decimal(total) }
        return .int(NSDecimalNumber(decimal: total).int64Value)
    }

    private func average(_ values: [DataStoreValue]) -> DataStoreValue {
        if values.isEmpty { return .null }
        let total = values.reduce(Decimal(0)) { $0 + number($1) }
        let kinds = Set(values.map(\.kind))
        if kinds.contains(.decimal), !kinds.contains(.double) {
            return .decimal(total / Decimal(values.count))
        }
        return .double(NSDecimalNumber(decimal: total).doubleValue / Double(values.count))
    }

    private func number(_ value: DataStoreValue) -> Decimal {
        switch value {
        case .bool(let value): value ? 1 : 0
        case .int(let value): Decimal(value)
        case .double(let value): Decimal(value)
        case .decimal(let value): value
        default: .nan
        }
    }
}

/// The reading half of a wrapper that implements what has no default.
private struct PlainReader: DataStoreReadAccessor, ~Copyable {
    let reading: ReferenceReadAccessor

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        try reading.performFetch(request)
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try reading.performCount(request)
    }

    func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try reading.performFetchItem(type, id: id)
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] { try reading.schemas() }

    func report(_ error: DataStoreError) { reading.report(error) }
}
