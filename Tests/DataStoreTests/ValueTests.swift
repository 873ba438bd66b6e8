import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// Clause 9: extreme values come back as they went in, and what is no value is refused with its name.
@Suite struct ValueTests {
    /// Writes values, one item each, and expects each back with its kind and bits: in the same block, in
    /// another, and after opening the store again.
    private func roundTrip(
        _ values: [DataStoreValue], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withTemporaryDirectory { directory in
            let store = Backend.lmdb.make(at: directory)
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
            try store.close()
            try store.open()
            try check()
            try expectSound(store)
            try store.close()
        }
    }

    /// These values are beyond the extremes that the conformance kit tries on each backend.
    @Test func extremesComeBack() throws {
        var values: [DataStoreValue] = [.double(Double(bitPattern: 0x7FF0_0000_0000_0001))]
        values += RandomValues.decimals.map { .decimal($0) }
        values += [
            Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude,
            -.leastNonzeroMagnitude, Decimal(sign: .minus, exponent: 127, significand: 1),
        ].map { .decimal($0) }
        values += [Double.infinity, -.infinity, .nan].map {
            .date(Date(timeIntervalSinceReferenceDate: $0))
        }
        func nest(_ wrap: (DataStoreValue) -> DataStoreValue) -> DataStoreValue {
            (0..<100).reduce(.string("core")) { value, _ in wrap(value) }
        }
        values += [
            .string(String(repeating: "\u{0}", count: 70_000)),
            .reference(ItemReference(itemTypeKey: "", id: ItemID(high: 0, low: 1))),
            nest { .array([$0]) }, nest { .dictionary(["k": $0]) },
            .array((0..<300).map { .string(String(repeating: "x", count: $0)) }),
            .dictionary(
                Dictionary(uniqueKeysWithValues: (0..<1000).map { ("key \($0)", .int($0)) })),
        ]
        try roundTrip(values)
    }

    @Test func urls() throws {
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
        try roundTrip(urls.map { .url($0) })
    }

    @Test(arguments: Backend.memoryAndReference)
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

    @Test(arguments: Backend.memoryAndReference)
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

    @Test(arguments: Backend.memoryAndReference)
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

    /// A narrow table of a record has 12 bits for the number of an attribute.
    @Test func attributesBeyondANarrowTable() throws {
        try Backend.memory.withStore { store in
            let names = (0..<4_200).map { "attribute \($0)" }
            let some = names[..<20] + names[4_050...]
            try store.write { db in
                try db.declare(ItemSchema("Wide", attributes: names.map { AttributeSchema($0) }))
                let item = try db.create("Wide")
                for name in some.reversed() { item[name] = .string(name) }
                let sparse = try db.create("Wide")
                sparse[names[4_199]] = .int(1)
                sparse[names[3]] = .int(2)
            }
            try store.write { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Wide")).first)
                item[names[4_097]] = .null
            }
            try store.read { db in
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Wide"))
                let values = try items[0].values()
                #expect(values.count == some.count - 1)
                #expect(values.allSatisfy { $0.value == .string($0.key) })
                try #expect(items[1].values() == [names[3]: .int(2), names[4_199]: .int(1)])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func keyPathsReachIntoDictionaries(_ backend: Backend) throws {
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
            for round in 0..<16 {
                item[0] = .string(String(repeating: "x", count: 100_000 + round))
                item[1] = .int(Int64(round))
                item[2] = round % 2 == 0 ? .null : .data(Data(count: 50_000))
            }
        }
        try store.read { db in
            let item = try #require(try db.first(Sample.self))
            #expect(item[0] == .string(String(repeating: "x", count: 100_015)))
            #expect(item[1] == .int(15))
            #expect(item[2] == .data(Data(count: 50_000)))
        }
    }
}
