import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// A class that stored values do not fit is refused before its first use in a write block, and nothing is changed.
@Suite struct SchemaMismatchTests {
    final class Hotel: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Hotel",
            attributes: [
                AttributeSchema("name", kinds: [.string]),
                AttributeSchema("stars", kinds: [.int], default: .int(0)),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var name: String? {
            get { optionalAttribute(at: 0) }
            set { setOptionalAttribute(newValue, at: 0) }
        }
        var stars: Int {
            get { attribute(at: 1, default: 0) }
            set { setAttribute(newValue, at: 1) }
        }
    }

    struct RolledBack: Error {}

    /// The type as a release between has declared it.
    final class Wide: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Hotel", attributes: [AttributeSchema("stars", kinds: [.double])])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var stars: Double? {
            get { optionalAttribute(at: 0) }
            set { setOptionalAttribute(newValue, at: 0) }
        }
    }

    /// The type as an earlier release has declared it.
    private static func earlier(_ kinds: Set<DataStoreValue.Kind> = [.string]) -> ItemSchema {
        ItemSchema(
            "Hotel",
            attributes: [
                AttributeSchema("name", kinds: [.string]), AttributeSchema("stars", kinds: kinds),
            ])
    }

    private func fill(
        _ store: any DataStore, _ values: [DataStoreValue],
        _ kinds: Set<DataStoreValue.Kind> = [.string]
    ) throws {
        try store.write { db in
            try db.declare(Self.earlier(kinds))
            for value in values { try db.create("Hotel")["stars"] = value }
        }
    }

    private func stored(_ store: any DataStore) throws -> [DataStoreValue] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Hotel")).map { $0["stars"] }
        }
    }

    /// Every use of a class that declares it.
    private static let uses: [@Sendable (borrowing DataStoreWriter) throws -> Void] = [
        { db in _ = try db.create(Hotel.self) },
        { db in
            _ = try db.performInsert(
                Hotel(backing: DictionaryBacking(itemTypeKey: "Hotel", schema: Hotel.schema)))
        },
        { db in _ = try db.performMutableVersion(of: try #require(try db.first(Hotel.self))) },
        { db in try db.delete(try #require(try db.first(Hotel.self))) },
        { db in try db.performDeleteAll([ItemType(Hotel.self)]) },
        { db in try db.first(Hotel.self)?.name = "x" },
        { db in try #require(try db.first(Hotel.self)).setStoredValue("x", forKeyPath: "name") },
    ]

    @Test(arguments: Backend.allCases)
    func aClassThatValuesDoNotFitIsRefusedAndNothingIsChanged(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, [.string("3"), .string("4"), .null])
            let before = try store.read { db in try db.schemas()[0].attributes.map(\.kinds) }
            for use in Self.uses {
                let error = expectError(.schemaMismatch) { try store.write { db in try use(db) } }
                #expect(error?.itemType == "Hotel")
                #expect(error?.attribute == "stars")
                #expect(
                    error?.message == """
                        The stored items of “Hotel” do not fit its class: “stars” is declared as int, and has values of kind \
                        string in 2 items. Nothing was changed. Convert the values once, in a write block before the first \
                        use of the class: try db.convert("stars", of: "Hotel", to: .int).
                        """)
            }
            try #expect(stored(store) == [.string("3"), .string("4"), .null])
            try #expect(
                store.read { db in try db.schemas()[0].attributes.map(\.kinds) } == before)
            // The advice, word for word.
            try store.write { db in _ = try db.convert("stars", of: "Hotel", to: .int) }
            try #expect(stored(store) == [.int(3), .int(4), .null])
            for use in Self.uses.dropLast(2) { try store.write { db in try use(db) } }
        }
    }

    @Test(arguments: Backend.persistent)
    func theRefusalOutlastsTheProgram(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            func withStore(_ body: (any DataStore) throws -> Void) throws {
                let store = backend.make(at: directory)
                try store.open()
                try body(store)
                try expectSound(store)
                try store.close()
            }
            try withStore { try fill($0, [.string("3")]) }
            try withStore { store in
                expectError(.schemaMismatch) { try store.write { db in try Self.uses[0](db) } }
                // Declared by hand, the kinds agree, and the values do not.
                try store.write { db in try db.declare(Hotel.schema) }
            }
            try withStore { store in
                expectError(.schemaMismatch) { try store.write { db in try Self.uses[0](db) } }
                try store.write { db in
                    for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Hotel")) {
                        item["stars"] = .int(3)
                    }
                }
                // No value has the former kind any more, which the catalog notes.
                try store.write { db in try Self.uses[0](db) }
            }
            try withStore { store in
                try store.read { db in
                    try #expect(db.schemas()[0].attributes[1].storedKinds == [.int])
                }
                try #expect(stored(store) == [.int(3), .int(0)])
                try store.write { db in
                    try db.declare(Self.earlier())
                    try db.create("Hotel")["stars"] = .string("many")
                }
            }
            try withStore { store in
                expectError(.schemaMismatch) { try store.write { db in try Self.uses[0](db) } }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func valuesThatConvertExactlyAreNotRefused(_ backend: Backend) throws {
        // The values as the class sees them; null is its default.
        let cases: [([DataStoreValue], Set<DataStoreValue.Kind>, seen: [DataStoreValue]?)] = [
            ([.int(1)], [.int], [.int(1)]),
            ([.bool(true), .bool(false)], [.bool], [.int(1), .int(0)]),
            ([.double(2), .double(-0.0)], [.double], [.int(2), .int(0)]),
            ([.null], [.string], [.int(0)]), ([.double(2), .double(2.5)], [.double], nil),
            ([.decimal(2)], [.decimal], nil), ([.string("2")], [], nil),
            ([.array([.int(2)])], [.array], nil),
        ]
        for (values, kinds, seen) in cases {
            try backend.withStore { store in
                try fill(store, values, kinds)
                let use = { () throws in
                    try store.write { db in try db.create(Hotel.self).stars = 5 }
                }
                if seen == nil { expectError(.schemaMismatch, use) } else { try use() }
                try #expect(stored(store) == seen.map { $0 + [.int(5)] } ?? values, "\(values)")
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func widenedNumbersAreRefusedAbove2ToThe53(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, [.int(1 << 53)], [.int])
            try store.write { db in _ = try db.create(Wide.self) }
            try store.read { db in
                let values = try db.items(Wide.self).map { try $0.storedValue(forKeyPath: "stars") }
                #expect(values == [.double(0x1p53), .null])
            }
        }
        try backend.withStore { store in
            try fill(store, [.int(1 << 53 + 1)], [.int])
            let error = expectError(.schemaMismatch) {
                try store.write { db in _ = try db.create(Wide.self) }
            }
            #expect(error?.message.contains("int in 1 item") == true)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aValueThatAnotherClassWritesInTheSameBlockIsRefusedInTheNext(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.writeByBothClasses(store)
            expectError(.schemaMismatch) { try Self.write(wide: [nil], in: store) }
            try Self.setFirst(1 << 53, in: store)
            try Self.write(wide: [nil], in: store)
            // What is rolled back, a value or the use that examines the values, leaves no trace.
            for stars in [2.0, 2.5] {
                try Self.write(hotels: [1 << 53 + 1], isRolledBack: true, in: store)
                try Self.write(wide: [nil], in: store)
                try Self.write(hotels: [nil], isRolledBack: true, in: store)
                try Self.write(wide: [stars], in: store)
            }
            expectError(.schemaMismatch) { try Self.write(hotels: [nil], in: store) }
            try Self.setLastWide(2, in: store)
            try Self.write(hotels: [nil], in: store)
        }
    }

    private static func writeByBothClasses(_ store: any DataStore) throws {
        try store.write { db in
            let hotel = try db.create(Hotel.self)
            hotel.stars = 1
            // The only value so far is a Double, too.
            try db.create(Wide.self).stars = 2
            hotel.stars = 1 << 53 + 1
        }
    }

    /// Creates hotels by the class with Int, and by the one with Double.
    private static func write(
        hotels: [Int?] = [], wide: [Double?] = [], isRolledBack: Bool = false,
        in store: any DataStore
    ) throws {
        do {
            try store.write { db in
                for stars in hotels { try db.create(Hotel.self).stars = stars ?? 0 }
                for stars in wide { try db.create(Wide.self).stars = stars }
                if isRolledBack { throw RolledBack() }
            }
        } catch is RolledBack {}
    }

    private static func setFirst(_ stars: Int, in store: any DataStore) throws {
        try store.write { db in
            let hotel = try db.first(Hotel.self)
            hotel?.stars = stars
        }
    }

    private static func setLastWide(_ stars: Double, in store: any DataStore) throws {
        try store.write { db in
            let hotel = try db.items(Wide.self).last
            hotel?.stars = stars
        }
    }

    @Test func releasesThatWriteIntAndDoubleByTurnsReadTheItemsOnceEach() throws {
        let engine = InterceptedEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try fill(store, (0..<100).map { .int($0) }, [.int])
        func rows(_ use: (borrowing DataStoreWriter) throws -> Void) throws -> Int {
            engine.reset()
            try store.write { db in try use(db) }
            return engine.count(.row)
        }
        try #expect(rows { db in try db.create(Wide.self).stars = 3 } >= 100)
        try #expect(rows { db in try db.create(Hotel.self).stars = 4 } >= 100)
        for number in 5..<10 {
            try #expect(rows { db in try db.create(Wide.self).stars = Double(number) } < 50)
            try #expect(rows { db in try db.create(Hotel.self).stars = number } < 50)
        }
        try store.write { db in try db.create(Wide.self).stars = 2.5 }
        try #expect(
            rows { db in expectError(.schemaMismatch) { _ = try db.create(Hotel.self) } } >= 100)
        try #expect(rows { db in try db.create(Wide.self).stars = 4.5 } < 50)
        try store.close()
    }

    @Test(arguments: Backend.persistent)
    func whatIsKnownOfTheNumbersOutlastsTheProgram(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            func write(_ body: (borrowing DataStoreWriter) throws -> Void) throws {
                let store = backend.make(at: directory)
                try store.open()
                try store.write { db in try body(db) }
                try expectSound(store)
                try store.close()
            }
            for _ in 0..<2 {
                try write { db in try db.create(Wide.self).stars = 2 }
                try write { db in try db.create(Hotel.self).stars = 3 }
            }
            try write { db in try db.create(Wide.self).stars = 2.5 }
            try write { db in expectError(.schemaMismatch) { _ = try db.create(Hotel.self) } }
            try write { db in try db.create(Wide.self).stars = 3 }
            try write { db in expectError(.schemaMismatch) { _ = try db.create(Hotel.self) } }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aBlockMayConvertAndThenUseTheClass(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, [.string("3")])
            try store.write { db in
                expectError(.schemaMismatch) { _ = try db.create(Hotel.self) }
                expectError(.schemaMismatch) { _ = try db.create(Hotel.self) }
                try db.convert("stars", of: "Hotel", to: .int)
                try db.create(Hotel.self).stars = 4
            }
            try #expect(stored(store) == [.int(3), .int(4)])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aChildIsRefusedByTheValuesThatItSees(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, [.string("3")])
            let child = try store.makeChild()
            try child.open()
            let use = { (store: any DataStore) throws in
                try store.write { db in try db.create(Hotel.self).stars = 4 }
            }
            expectError(.schemaMismatch) { try use(child) }
            try child.write { db in try db.convert("stars", of: "Hotel", to: .int) }
            try use(child)
            expectError(.schemaMismatch) { try use(store) }
            _ = try store.merge(child, policy: .childWins)
            try use(store)
            try #expect(stored(store) == [.int(3), .int(4), .int(4)])
            try child.close()
        }
    }

    // MARK: Conversions

    @Test(arguments: Backend.memoryAndReference)
    func valuesThatCannotBeConvertedFailOrAreKeptOrDropped(_ backend: Backend) throws {
        let values: [DataStoreValue] = [.string("3"), .string("many\n"), .null, .string("")]
        try backend.withStore { store in
            try fill(store, values)
            let error = expectError(.schemaMismatch) {
                try store.write { db in _ = try db.convert("stars", of: "Hotel", to: .int) }
            }
            #expect(error?.message.contains("to int in 2 items") == true)
            #expect(error?.message.contains("“many\\n”") == true)
            try #expect(stored(store) == values)
            let report = try store.write { db in
                try db.convert("stars", of: "Hotel", to: .int, onFailure: .keep(as: "starsText"))
            }
            #expect(report.converted == 1)
            #expect(report.failed.count == 2)
            try #expect(stored(store) == [.int(3), .null, .null, .null])
            let kept = try store.read { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Hotel")).map { $0["starsText"] }
            }
            #expect(kept == [.null, .string("many\n"), .null, .string("")])
        }
        try backend.withStore { store in
            try fill(store, values)
            try store.write { db in
                try db.convert("stars", of: "Hotel", to: .int, onFailure: .drop) { value in
                    value == .string("") ? .int(0) : value.converted(to: .int)
                }
                expectError(.unknownAttribute) { _ = try db.convert("x", of: "Hotel", to: .int) }
                expectError(.invalidRequest) { _ = try db.convert("x", of: "Y", to: .int) }
            }
            try #expect(stored(store) == [.int(3), .null, .null, .int(0)])
        }
    }

    @Test func aValueConvertsToTheKindsInWhichItMeansTheSame() throws {
        let uuid = UUID()
        let url = try #require(URL(string: "https://example.org/a"))
        let cases: [(DataStoreValue, DataStoreValue.Kind, DataStoreValue?)] = [
            (.string("12"), .int, .int(12)), (.string("1.5"), .int, nil),
            (.string("2.0"), .int, .int(2)), (.string("-1.5"), .double, .double(-1.5)),
            (.string("0.1"), .decimal, Decimal(string: "0.1").map { .decimal($0) }),
            (.string("yes"), .bool, nil), (.string("true"), .bool, .bool(true)),
            (.int(1), .bool, .bool(true)), (.int(2), .bool, nil), (.bool(false), .int, .int(0)),
            (.double(2.5), .int, nil), (.double(0x1p62), .int, .int(1 << 62)),
            (.int(1 << 53 + 1), .double, nil), (.decimal(7), .int, .int(7)),
            (.double(0.1), .decimal, Decimal(string: "0.1").map { .decimal($0) }),
            (try #require(Decimal(string: "0.1").map { .decimal($0) }), .double, .double(0.1)),
            (.int(12), .string, .string("12")), (.uuid(uuid), .string, .string(uuid.uuidString)),
            (.string(uuid.uuidString), .uuid, .uuid(uuid)), (.string("x"), .uuid, nil),
            (.url(url), .string, .string("https://example.org/a")),
            (.string("https://example.org/a"), .url, .url(url)), (.string(""), .url, nil),
            (.int(5), .array, .array([.int(5)])), (.array([.string("5")]), .int, .int(5)),
            (.array([]), .int, nil), (.array([.int(1), .int(2)]), .int, nil),
            (.data(Data([1])), .string, nil), (.dictionary([:]), .string, nil),
            (.int(0), .date, .date(Date(timeIntervalSinceReferenceDate: 0))),
            (.null, .int, nil), (.string("x"), .string, .string("x")),
        ]
        for (value, kind, expected) in cases {
            #expect(value.converted(to: kind) == expected, "\(value) to \(kind)")
        }
    }
}
