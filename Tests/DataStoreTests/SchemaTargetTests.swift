import Foundation
import JustPersist
import JustPersistMigration
import Testing

/// Names and values that conversions, merges and renamings must not take.
@Suite struct SchemaTargetTests {
    struct Killed: Error {}

    private static func rows(_ store: any DataStore) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).map { try $0.values() }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aConversionKeepsNoValueWhereAnItemHasOne(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T",
                        attributes: [
                            AttributeSchema("stars", kinds: [.string], originalName: "rating"),
                            AttributeSchema("note"),
                            AttributeSchema("name", kinds: [.string], originalName: "title"),
                        ]))
                let item = try db.create("T")
                item["stars"] = .string("many")
                item["note"] = .string("a note")
                item["name"] = .string("Ritz")
            }
            let before = try Self.rows(store)
            let cases: [(String, DataStoreError.Code)] = [
                ("note", .conflictingAttributes), ("title", .invalidRequest),
                ("stars", .invalidRequest), ("rating", .invalidRequest),
            ]
            for (name, code) in cases {
                let error = expectError(code) {
                    try store.write { db in
                        _ = try db.convert(
                            "stars", of: "T", to: .int, onFailure: .keep(as: name))
                    }
                }
                #expect(error?.message.contains("“\(name)”") == true, "\(name)")
                #expect(error?.message.contains("Nothing was changed") == true, "\(name)")
                try #expect(Self.rows(store) == before, "\(name)")
            }
            try store.write { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))[0]["note"] = .null
                try db.convert("stars", of: "T", to: .int, onFailure: .keep(as: "note"))
            }
            let after = try Self.rows(store)[0]
            #expect(after["note"] == .string("many"))
            #expect(after["name"] == .string("Ritz"))
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func noAttributeTakesTheNameOfARelationship(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T", attributes: [AttributeSchema("text")],
                        relationships: [
                            RelationshipSchema("parent", to: "T", isToMany: false),
                            RelationshipSchema(
                                "children", to: "T", isToMany: true, inverse: "parent"),
                        ]))
                try db.create("T")["text"] = .string("many")
            }
            let before = try Self.rows(store)
            for name in ["parent", "children"] {
                try store.write { db in
                    expectError(.unsupported) {
                        try db.renameAttribute("text", to: name, of: "T")
                    }
                    expectError(.unsupported) {
                        try db.mergeAttribute("text", into: name, of: "T")
                    }
                    expectError(.unsupported) {
                        _ = try db.convert(
                            "text", of: "T", to: .int, onFailure: .keep(as: name))
                    }
                }
                try #expect(Self.rows(store) == before)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func theAdviceNamesAFreeAttribute(_ backend: Backend) throws {
        typealias Hotel = SchemaMismatchTests.Hotel
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Hotel",
                        attributes: [AttributeSchema("stars"), AttributeSchema("starsBefore")]))
                try db.create("Hotel")["stars"] = .string("many")
            }
            let error = expectError(.schemaMismatch) {
                try store.write { db in _ = try db.create(Hotel.self) }
            }
            #expect(error?.message.contains(#".keep(as: "starsBefore2")"#) == true)
            #expect(error?.message.contains("must be new") == false)
        }
        var mismatch = AttributeMismatch("stars", declared: [.int])
        mismatch.note(.string("many"))
        let error = DataStoreError.schemaMismatch([mismatch], ofType: "Hotel", in: "declare")
        #expect(error.message.contains("must be new"))
    }

    @Test(arguments: Backend.memoryAndReference)
    func aRenamedAttributeKeepsItsDefault(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T",
                        attributes: [
                            AttributeSchema("title", default: .string("untitled")),
                            AttributeSchema("name"),
                        ]))
                _ = try db.create("T")
            }
            try store.write { db in try db.renameAttribute("title", to: "name", of: "T") }
            try store.read { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).first)
                #expect(item["name"] == .string("untitled"))
                #expect(item["title"] == .string("untitled"))
                try #expect(db.schemas()[0].attributes.map(\.name) == ["name"])
            }
        }
    }

    // MARK: Kinds that were declared without examining the values

    private typealias Hotel = SchemaMismatchTests.Hotel

    private static func fill(_ store: any DataStore, _ value: Double) throws {
        try store.write { db in
            try db.declare(
                ItemSchema("Hotel", attributes: [AttributeSchema("stars", kinds: [.double])]))
            try db.create("Hotel")["stars"] = .double(value)
        }
    }

    private static func use(_ store: any DataStore) throws {
        try store.write { db in _ = try db.create(Hotel.self) }
    }

    @Test(arguments: Backend.allCases)
    func aDeclarationByHandExaminesNothing(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store, 2.5)
            try store.write { db in try db.declare(Hotel.schema) }
            for _ in 0..<2 {
                expectError(.schemaMismatch) { try Self.use(store) }
                if store.capabilities.persistence != .none {
                    try store.close()
                    try store.open()
                }
            }
            // Copies by records, and by items.
            for other in [Backend.memory, .reference] {
                try other.withStore { copy in
                    try Migration(from: store, to: copy).run()
                    expectError(.schemaMismatch) { try Self.use(copy) }
                }
            }
            try store.write { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Hotel"))[0]["stars"] = .int(2)
            }
            for _ in 0..<2 { try Self.use(store) }
        }
        try backend.withStore { store in
            try Self.fill(store, 2)
            try store.write { db in try db.declare(Hotel.schema) }
            for _ in 0..<2 { try Self.use(store) }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aDeclarationInAChildDoesNotExamineTheValuesOfItsParent(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store, 2.5)
            let child = try store.makeChild()
            try child.open()
            try child.write { db in
                _ = try db.convert("stars", of: "Hotel", to: .int, onFailure: .drop)
            }
            try Self.use(child)
            expectError(.schemaMismatch) { try Self.use(store) }
            try child.close()
        }
    }

    // MARK: Plans

    @Test(arguments: Backend.allCases)
    func itemsThatAStepCreatesAreNotChangedByIt(_ backend: Backend) throws {
        let plan = SchemaPlan("app") {
            SchemaStep.batched("add one", of: "T", batchSize: 10) { item in
                guard case .int(let number) = item["n"] else { return }
                item["n"] = .int(number + 1)
                item.related(toMany: "children", as: DynamicItem.self)
                    .insert(DynamicItem("T", values: ["n": .int(1000)]))
            }
        }
        for isKilled in [false, true] {
            try backend.withStore { store in
                try store.write { db in
                    try db.declare(
                        ItemSchema(
                            "T", attributes: [AttributeSchema("n", kinds: [.int])],
                            relationships: [
                                RelationshipSchema("parent", to: "T", isToMany: false),
                                RelationshipSchema(
                                    "children", to: "T", isToMany: true, inverse: "parent"),
                            ]))
                    for number in 0..<25 { try db.create("T")["n"] = .int(Int64(number)) }
                }
                if isKilled {
                    #expect(throws: Killed.self) {
                        try store.apply(plan) { if $0.items == 10 { throw Killed() } }
                    }
                }
                try store.apply(plan)
                let numbers = try Self.rows(store).map { $0["n"] }
                let expected = (1...25).map { DataStoreValue.int($0) }
                #expect(Array(numbers.prefix(25)) == expected)
                let created = [DataStoreValue?](repeating: .int(1000), count: 25)
                #expect(Array(numbers.dropFirst(25)) == created)
                try #expect(store.schemaHistory().map(\.items) == [25])
            }
        }
    }

    @Test func plansAndStepsHaveNames() throws {
        try Backend.memory.withStore { store in
            expectError(.invalidName) { try store.apply(SchemaPlan("")) }
            expectError(.invalidName) {
                try store.apply(SchemaPlan("app") { SchemaStep("") { _ in } })
            }
        }
    }
}
