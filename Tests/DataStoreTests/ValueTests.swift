import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// Clause 9: every value comes back as it went in.
@Suite struct ValueTests {
    /// Writes values, one item each, and expects each back with its kind and bits: in the same block, in
    /// another, and after opening the store again.
    private func roundTrip(
        _ values: [DataStoreValue], _ backend: Backend,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.write { db in
                for value in values {
                    let item = try db.create(Sample.self)
                    // Neighbours show whether a value ends where it should.
                    item[0] = .string("before")
                    item[1] = value
                    item[2] = .string("behind")
                    #expect(item[1] == value, sourceLocation: sourceLocation)
                }
                for (item, value) in zip(try db.items(Sample.self), values) {
                    #expect(item[1] == value, sourceLocation: sourceLocation)
                }
            }
            func check() throws {
                try store.read { db in
                    let items = try db.items(Sample.self)
                    #expect(items.count == values.count, sourceLocation: sourceLocation)
                    for (item, value) in zip(items, values) {
                        #expect(item[1] == value, sourceLocation: sourceLocation)
                        #expect(item[0] == .string("before"), sourceLocation: sourceLocation)
                        #expect(item[2] == .string("behind"), sourceLocation: sourceLocation)
                    }
                }
            }
            try check()
            if backend.isPersistent {
                try store.close()
                try store.open()
                try check()
            }
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.allCases) func numbers(_ backend: Backend) throws {
        var values: [DataStoreValue] = [.bool(true), .bool(false)]
        values += [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max].map { .int($0) }
        values += [(1 << 53) - 1, 1 << 53, (1 << 53) + 1].map { .int($0) }
        values += [
            0, -0.0, 1, .pi, .leastNonzeroMagnitude, -.leastNormalMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity, .nan, -.nan,
            Double(nan: 77, signaling: false), Double(bitPattern: 0x7FF0_0000_0000_0001),
        ].map { .double($0) }
        values += RandomValues.decimals.map { .decimal($0) }
        values += [
            Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude,
            -.leastNonzeroMagnitude, Decimal(sign: .minus, exponent: 127, significand: 1),
            Decimal(string: "3.14159265358979323846264338327950288419") ?? .nan,
        ].map { .decimal($0) }
        try roundTrip(values, backend)
    }

    @Test(arguments: Backend.allCases) func texts(_ backend: Backend) throws {
        var values = RandomValues.strings.map { DataStoreValue.string($0) }
        values += [
            .string(String(repeating: "é", count: 500_000)),
            .string(String(repeating: "\u{0}", count: 70_000)),
            .string(" "), .string("'\"\\;--"), .string("%@ %d %K"), .string("Z̷̢a̶l̴g̵o̸"),
            .string("👩‍👩‍👧‍👦"), .string("مرحبا"), .string("\u{FFFE}\u{10FFFF}"),
        ]
        try roundTrip(values, backend)
    }

    @Test(arguments: Backend.allCases) func datesBytesAndIDs(_ backend: Backend) throws {
        var values: [DataStoreValue] = [
            .distantPast, .distantFuture, Date(timeIntervalSince1970: 0),
            Date(timeIntervalSinceReferenceDate: 0.1 + 0.2),
            Date(timeIntervalSinceReferenceDate: 733_000_000.123_456_789),
            Date(timeIntervalSinceReferenceDate: -0.0), Date(timeIntervalSince1970: -1e9 + 1e-6),
            Date(timeIntervalSinceReferenceDate: .infinity),
            Date(timeIntervalSinceReferenceDate: .nan),
        ].map { (date: Date) in .date(date) }
        values += [
            .data(Data()), .data(Data(0...255)), .data(Data(count: 1 << 20)),
            .data(Data(Data(0...99)[10...20])), .uuid(UUID()),
            .uuid(ItemID(high: 0, low: 0).uuid), .uuid(ItemID(high: .max, low: .max).uuid),
            .reference(ItemReference(itemTypeKey: "Restaurant", id: ItemID())),
            .reference(ItemReference(itemTypeKey: "", id: ItemID(high: 0, low: 1))),
        ]
        try roundTrip(values, backend)
    }

    @Test(arguments: Backend.allCases) func urls(_ backend: Backend) throws {
        var urls = RandomValues.urls
        urls += [
            "https://user:pw@example.com:8080/a/b/../c;p=1?q=%E2%82%AC&r#frag", "http://[::1]/",
            "data:text/plain,hello", "relative/path?x", "?query", "#fragment", "//host/path",
            "http://a.b/%zz",
        ].compactMap { URL(string: $0) }
        if let base = URL(string: "http://base.org/dir/") {
            urls += ["sub", "../up", "?q", "#f"].compactMap { URL(string: $0, relativeTo: base) }
        }
        urls.append(URL(filePath: "/tmp/with space/ümlaut"))
        urls.append(URL(filePath: "relative file"))
        try roundTrip(urls.map { .url($0) }, backend)
    }

    @Test(arguments: Backend.allCases) func collections(_ backend: Backend) throws {
        func nest(_ depth: Int, _ wrap: (DataStoreValue) -> DataStoreValue) -> DataStoreValue {
            (0..<depth).reduce(.string("core")) { value, _ in wrap(value) }
        }
        try roundTrip(
            [
                .array([]), .dictionary([:]), .array([.null]), .dictionary(["": .null]),
                .array([.null, .int(1), .null, .bool(false), .string(""), .array([])]),
                .dictionary([
                    "a.b": .int(1), "é": .null, "日本": .dictionary([:]), "\u{0}": .bool(true),
                ]),
                nest(5) { .array([$0, .int(5)]) },
                nest(5) { .dictionary(["k": $0, "l": .array([.null])]) },
                nest(100) { .array([$0]) }, nest(100) { .dictionary(["k": $0]) },
                .array((0..<10_000).map { .int($0) }),
                .array((0..<300).map { .string(String(repeating: "x", count: $0)) }),
                .dictionary(
                    Dictionary(uniqueKeysWithValues: (0..<1000).map { ("key \($0)", .int($0)) })),
            ], backend)
    }

    @Test(arguments: Backend.allCases) func randomNestedValues(_ backend: Backend) throws {
        var random = RandomValues()
        print("seed: \(random.generator.seed)")
        try roundTrip((0..<300).map { _ in random.value() }, backend)
    }

    @Test(arguments: Backend.allCases) func emptyIsNotNil(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                for value in [
                    DataStoreValue.null, .string(""), .data(Data()), .array([]), .dictionary([:]),
                    .bool(false), .int(0),
                ] {
                    try db.create(Sample.self)[0] = value
                }
            }
            try store.read { db in
                try #expect(db.count(Sample.self, where: DataStorePredicate("a == nil")) == 1)
                try #expect(db.count(Sample.self, where: DataStorePredicate("a != nil")) == 6)
                try #expect(db.count(Sample.self, where: DataStorePredicate("a == ''")) == 1)
            }
        }
    }

    @Test(arguments: Backend.allCases) func nilClearsAndKindsChange(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let item = try db.create(Sample.self)
                item[0] = .string("text")
                item[1] = .int(1)
            }
            for value in [DataStoreValue.int(5), .array([.int(5)]), .null, .string("5")] {
                try store.write { db in try #require(try db.first(Sample.self))[0] = value }
                try store.read { db in
                    let item = try #require(try db.first(Sample.self))
                    #expect(item[0] == value)
                    #expect(item[1] == .int(1))
                    try #expect(
                        db.count(Sample.self, where: DataStorePredicate("a == 'text'")) == 0)
                    try #expect(
                        db.count(Sample.self, where: DataStorePredicate("a == nil"))
                            == (value.isNull ? 1 : 0))
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func refusalsNameTheAttributeAndTheType(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.performWrite { db in
                let item = try db.create(Restaurant.self)
                item.value = .string("kept")
                for (value, type) in [
                    (UInt64.max as Any, "18446744073709551615"), (Int128.max, "Int128"),
                    ([1: 2], "Dictionary"), (Thread.current, "Thread"),
                    ([1, [{ 5 } as () -> Int]] as [Any], "->"), ((1, 2), "(Int, Int)"),
                ] {
                    item.setValue(value, forKeyPath: "value")
                    let error = try #require(errors.all.last)
                    #expect(error.code == .unsupportedValue)
                    #expect(error.attribute == "value")
                    #expect(error.itemType == "Restaurant")
                    #expect(error.message.contains("value"))
                    if type != "Int128" { #expect(error.message.contains(type)) }
                    #expect(item.value == .string("kept"))
                }
                #expect(errors.codes.count == 6)
                item.setValue(1, forKeyPath: "undeclared")
                #expect(errors.all.last?.code == .unknownAttribute)
                #expect(errors.all.last?.attribute == "undeclared")
                #expect(item.value(forKeyPath: "undeclared") == nil)
                #expect(errors.codes.count == 8)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func valuesOfOtherThanDeclaredTypesAreReportedAndNotStored(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            store.writeSync { db in
                let item = db.createItem(ofMutableType: Restaurant.self) as? Restaurant
                item?.setValue("no number", forKeyPath: "stars")
                item?.setValue(5.0, forKeyPath: "name")
            }
            try store.read { db in
                let item = try #require(try db.first(Restaurant.self))
                #expect(item.stars == 0)
                #expect(item.name == nil)
                #expect(errors.codes == [.kindMismatch, .kindMismatch])
                #expect(errors.all.map(\.attribute) == ["stars", "name"])
                try #expect(item.storedValue(forKeyPath: "stars") == .null)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func attributeNamesMayBeAnythingWithoutDots(_ backend: Backend) throws {
        try backend.withStore { store in
            let names = [
                "id", "self", "uniqueToken", "SELF", "name", "Name", "é", "日本 語", "🏳️‍🌈", "\u{0}",
                "in", "%K", String(repeating: "n", count: 255),
            ]
            try store.write { db in
                try db.declare(ItemSchema("Odd", attributes: names.map { AttributeSchema($0) }))
                let item = try db.create("Odd")
                for (number, name) in names.enumerated() { item[name] = .int(Int64(number)) }
            }
            try store.read { db in
                let request = DataStoreRequest(itemTypeKey: "Odd")
                let item = try #require(try db.dynamicItems(request).first)
                for (number, name) in names.enumerated() {
                    #expect(item[name] == .int(Int64(number)))
                    request.setFilter(whereAttribute: name, equalsValue: number)
                    try #expect(db.count(request) == 1)
                    request.setFilter(whereAttribute: name, equalsValue: -1)
                    try #expect(db.count(request) == 0)
                }
                let schema = try #require(try db.schemas().first)
                #expect(schema.attributes.map(\.name) == names)
            }
            for name in ["", "a.b", "."] {
                expectError(.invalidName) {
                    try store.write { db in
                        try db.declare(ItemSchema("T", attributes: [AttributeSchema(name)]))
                    }
                }
            }
            expectError(.invalidName) {
                try store.write { db in try db.declare(ItemSchema("", attributes: [])) }
            }
        }
    }

    @Test(arguments: Backend.allCases) func thousandAttributes(_ backend: Backend) throws {
        try backend.withStore { store in
            let names = (0..<5000).map { "attribute \($0)" }
            try store.write { db in
                try db.declare(ItemSchema("Wide", attributes: names.map { AttributeSchema($0) }))
                let item = try db.create("Wide")
                for name in names.reversed() { item[name] = .string(name) }
                // Only the last attributes: ids beyond a narrow table's.
                let sparse = try db.create("Wide")
                sparse[names[4999]] = .int(1)
                sparse[names[3]] = .int(2)
            }
            try store.write { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Wide")).first)
                item[names[2500]] = .null
            }
            try store.read { db in
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Wide"))
                let values = try items[0].values()
                #expect(values.count == 4999)
                #expect(values.allSatisfy { $0.value == .string($0.key) })
                try #expect(items[1].values() == [names[3]: .int(2), names[4999]: .int(1)])
            }
        }
    }

    @Test(arguments: Backend.allCases) func keyPathsReachIntoDictionaries(_ backend: Backend) throws
    {
        try backend.withStore { store in
            try store.write { db in
                let item = try db.create(Restaurant.self)
                item.setValue("Soho", forKeyPath: "value.address.borough")
                item.setValue(5, forKeyPath: "value.address.number")
                item.setValue(nil, forKeyPath: "value.address.number")
            }
            try store.read { db in
                let item = try #require(try db.first(Restaurant.self))
                #expect(item.value(forKeyPath: "value.address.borough") as? String == "Soho")
                #expect(item.value(forKeyPath: "value.no.way") == nil)
                #expect(
                    item.value
                        == .dictionary(["address": .dictionary(["borough": .string("Soho")])]))
                try #expect(
                    db.count(
                        Restaurant.self,
                        where: DataStorePredicate("value.address.borough == 'Soho'")) == 1)
            }
        }
    }

    @Test func settingAnAttributeAgainAndAgainCostsNoMore() throws {
        let limits = DataStoreLimits(
            nameBytes: 255, valueBytes: 200_000, writeBlockBytes: 1_000_000)
        let store = RecordStore(engine: SortedArrayEngine(), limits: limits)
        try store.open()
        try store.write { db in
            let item = try db.create(Sample.self)
            for round in 0..<100 {
                item[0] = .string(String(repeating: "x", count: 100_000 + round))
                item[1] = .int(Int64(round))
                item[2] = round % 2 == 0 ? .null : .data(Data(count: 50_000))
            }
        }
        try store.read { db in
            let item = try #require(try db.first(Sample.self))
            #expect(item[0] == .string(String(repeating: "x", count: 100_099)))
            #expect(item[1] == .int(99))
            #expect(item[2] == .data(Data(count: 50_000)))
        }
    }
}
