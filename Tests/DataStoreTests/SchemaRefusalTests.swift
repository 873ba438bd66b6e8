import Foundation
import JustPersist
import Testing

/// Plans, merges and conversions that are refused, and what they leave behind.
@Suite struct SchemaRefusalTests {
    struct Failure: Error {}

    private static let items = 55

    private static let rename = SchemaStep("before") { db in
        try db.renameAttribute("number", to: "n", of: "T")
    }
    private static let batched = SchemaStep.batched("add one", of: "T", batchSize: 10) { item in
        guard case .int(let number) = item["n"] else { throw Failure() }
        item["n"] = .int(number + 1)
    }
    private static let plan = SchemaPlan("app") {
        rename
        batched
    }

    private static func fill(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(
                ItemSchema("T", attributes: [AttributeSchema("number", kinds: [.int])]))
            for number in 0..<items { try db.create("T")["number"] = .int(Int64(number)) }
        }
    }

    /// Fills a store, and applies the plan until the batched step has changed 20 items.
    private static func begin(_ store: any DataStore) throws {
        try fill(store)
        #expect(throws: Failure.self) {
            try store.apply(plan) { if $0.items == 20 { throw Failure() } }
        }
    }

    private static func numbers(_ store: any DataStore) throws -> [DataStoreValue] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).map { $0["n"] }
        }
    }

    private static let complete = (1...items).map { DataStoreValue.int(Int64($0)) }

    private static func rows(
        _ store: any DataStore, _ key: String = "T"
    ) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: key)).map { try $0.values() }
        }
    }

    // MARK: Unfinished steps

    @Test(arguments: Backend.allCases)
    func anUnfinishedStepPrecedesAStepThatWasPutBeforeIt(_ backend: Backend) throws {
        let later = SchemaPlan("app") {
            Self.rename
            SchemaStep("new") { db in try db.renameAttribute("n", to: "m", of: "T") }
            Self.batched
        }
        try backend.withStore { store in
            try Self.begin(store)
            #expect(throws: Failure.self) {
                try store.apply(later) { if $0.items == 40 { throw Failure() } }
            }
            let error = expectError(.migrationRunning) { _ = try store.schemaHistory() }
            if backend != .reference {
                #expect(error?.message.contains("The step “add one” of the plan “app”") == true)
            }
            let report = try store.apply(later)
            #expect(report.steps.map(\.name) == ["add one", "new"])
            #expect(report.steps.map(\.isLate) == [false, true])
            try #expect(Self.rows(store).map { $0["m"] } == Self.complete)
            try #expect(store.schemaHistory().map(\.name) == ["before", "add one", "new"])
        }
    }

    @Test(arguments: Backend.allCases)
    func anUnfinishedStepIsNeitherReplacedNorRunAsAWhole(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.begin(store)
            let plans = [
                SchemaPlan("app") {
                    SchemaStep("all", replacing: ["before", "add one"]) { db in
                        try Self.batched.run(db)
                    }
                },
                SchemaPlan("app") {
                    Self.rename
                    SchemaStep("add one") { db in try Self.batched.run(db) }
                },
            ]
            for plan in plans {
                let error = expectError(.migrationRunning) { try store.apply(plan) }
                #expect(error?.message.contains("“add one”") == true)
                #expect(error?.message.contains("nothing was changed") == true)
            }
            try store.apply(Self.plan)
            try #expect(Self.numbers(store) == Self.complete)
        }
    }

    final class Misfit: MutableDataStoreItem {
        static let schema = ItemSchema("T", attributes: [AttributeSchema("n", kinds: [.date])])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.allCases)
    func aClassThatDoesNotFitDoesNotHoldUpTheLastBatch(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            let misfit = SchemaPlan("app", types: [Misfit.self]) {
                Self.rename
                Self.batched
            }
            let error = expectError(.schemaMismatch) { try store.apply(misfit) }
            #expect(error?.attribute == "n")
            try #expect(Self.numbers(store) == Self.complete)
            try #expect(store.schemaHistory().allSatisfy { !$0.isUnfinished })
            expectError(.schemaMismatch) { try store.apply(misfit) }
            try #expect(store.apply(Self.plan).steps.isEmpty)
        }
    }

    @Test(arguments: Backend.persistent)
    func aStoreWithAnUnfinishedStepIsVerifiedRepairedAndSalvaged(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let store = backend.make(at: directory.appending(path: "store"))
            try store.open()
            try Self.begin(store)
            try #expect(store.verify().problems.isEmpty)
            // A block after a verification is refused nevertheless.
            expectError(.migrationRunning) { _ = try store.schemaHistory() }
            try #expect(store.repair().remaining.isEmpty)
            // An item that the step cannot change is deleted in a block that leaves the step unfinished.
            try store.performStep { db in
                let last = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).last)
                try db.delete(last)
                return true
            }
            expectError(.migrationRunning) { try store.write { _ in } }
            try store.close()
            let place = directory.appending(path: "salvaged")
            let report = try store.salvage(into: place)
            #expect(report.isComplete)
            #expect(report.damages.contains { $0.message.contains("is not complete") })
            for place in [directory.appending(path: "store"), place] {
                let store = backend.make(at: place)
                try store.open()
                expectError(.migrationRunning) { _ = try store.schemaHistory() }
                try store.apply(Self.plan)
                try #expect(Self.numbers(store) == Self.complete.dropLast())
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func aStoreThatIsSalvagedWithoutItsHeaderHasTheUnfinishedStep(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let place = directory.appending(path: "store")
            let store = backend.make(at: place)
            try store.open()
            try Self.begin(store)
            try store.close()
            let stored = StoredBytes(backend, at: place)
            var damaged = try stored.entries(tag: StoredBytes.headerTag)
            for index in damaged.indices { damaged[index].value[12] ^= 1 }
            try stored.put(damaged)
            expectError(.corrupted) { try backend.make(at: place).open() }
            let new = directory.appending(path: "salvaged")
            let report = try backend.make(at: place).salvage(into: new)
            #expect(report.damages.contains { $0.message.contains("is not complete") })
            let salvaged = backend.make(at: new)
            try salvaged.open()
            expectError(.migrationRunning) { _ = try salvaged.schemaHistory() }
            try salvaged.apply(Self.plan)
            try #expect(Self.numbers(salvaged) == Self.complete)
            try salvaged.close()
        }
    }

    @Test func aChangeOfAChildIsNotMergedAfterAStepOfAnotherProcess() async throws {
        try await withTemporaryDirectory { directory in
            let store = Backend.lmdb.make(at: directory)
            try store.open()
            try Self.fill(store)
            let child = try store.makeChild()
            try child.open()
            try child.writeSync { db in try db.create("T")["number"] = .int(100) }
            await #expect(processExitsWith: .success) { [directory = directory as URL] in
                let store = Backend.lmdb.make(at: directory)
                try store.open(plan: SchemaRefusalTests.plan)
                try store.close()
            }
            expectError(.newerSchema) { _ = try store.merge(child, policy: .childWins) }
            try #expect(Self.numbers(store) == Self.complete)
            try child.close()
            try child.open()
            try child.writeSync { db in try db.create("T")["n"] = .int(100) }
            _ = try store.merge(child, policy: .fail)
            try #expect(Self.numbers(store).last == .int(100))
            try child.close()
            try store.close()
        }
    }

    // MARK: Plans

    @Test(arguments: Backend.memoryAndReference)
    func replacedStepsCountAsApplied(_ backend: Backend) throws {
        let all = SchemaStep("all", replacing: ["before", "add one"]) { db in
            try Self.rename.run(db)
            try Self.batched.run(db)
        }
        try backend.withStore { store in
            try Self.fill(store)
            try store.apply(SchemaPlan("app") { all })
            try #expect(store.schemaHistory().map(\.name) == ["before", "add one", "all"])
            // A plan without the step that replaced them does not run them again.
            try store.apply(Self.plan, allowingNewer: true)
            try #expect(Self.numbers(store) == Self.complete)
            // The next step replaces that one only.
            let next = SchemaPlan("app") { SchemaStep("next", replacing: ["all"]) { _ in } }
            try #expect(store.apply(next).steps.map(\.name) == ["next"])
            expectError(.invalidName) {
                try store.apply(
                    SchemaPlan("app") {
                        Self.rename
                        all
                    })
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func aBackupGetsAFreeNameWhereTheFirstAttemptFailed(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let store = backend.make(at: directory.appending(path: "store"))
            try store.open()
            try Self.fill(store)
            let backup = directory.appending(path: "backup")
            #expect(throws: Failure.self) {
                try store.apply(Self.plan, backup: backup) { _ in throw Failure() }
            }
            let report = try store.apply(Self.plan, backup: backup)
            #expect(report.backup?.lastPathComponent == "backup-2")
            try #expect(Self.numbers(store) == Self.complete)
            try store.close()
            for name in ["backup", "backup-2"] {
                let copy = backend.make(at: directory.appending(path: name))
                try copy.open()
                try #expect(copy.schemaHistory().isEmpty)
                try copy.close()
            }
        }
    }

    final class Owner: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Owner", attributes: [],
            relationships: [
                .init("pets", to: Pet.self, isToMany: true, deleteRule: .deny, inverse: "owner")
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Pet: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Pet", attributes: [], relationships: [.init("owner", to: Owner.self)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aTrialJudgesRelationships(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(Owner.schema)
                try db.declare(Pet.schema)
                let owner = try db.create("Owner")
                try db.create("Pet")["owner"] = .reference(owner.reference)
            }
            let plan = SchemaPlan("app") { SchemaStep("drop") { db in try db.dropType("Owner") } }
            let report = try store.check(plan)
            #expect((report.failure as? DataStoreError)?.code == .validationFailed)
            expectError(.validationFailed) { try store.apply(plan) }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func errorsNameTheStepAndTheItem(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            let first = try store.read { db in
                try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).first?.uniqueToken)
            }
            let whole = expectError(.unknownAttribute) {
                try store.apply(
                    SchemaPlan("app") {
                        SchemaStep("whole") { db in
                            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")) {
                                item["unheardOf"] = .int(1)
                            }
                        }
                    })
            }
            #expect(whole?.message.hasPrefix("The step “whole” of the plan “app” failed: ") == true)
            let batched = expectError(.unknownAttribute) {
                try store.apply(
                    SchemaPlan("app") {
                        SchemaStep.batched("batched", of: "T") { $0["unheardOf"] = .int(1) }
                    })
            }
            #expect(
                batched?.message.hasPrefix(
                    "The step “batched” of the plan “app” failed at the item \(first) of “T”: ")
                    == true)
            let history = expectError(.invalidRequest) {
                try store.apply(
                    SchemaPlan("app") {
                        Self.rename
                        SchemaStep("history") { db in try db.dropType("JustPersist.SchemaStep") }
                    })
            }
            #expect(history?.message.contains("record of applied steps") == true)
        }
    }

    final class Fitting: MutableDataStoreItem {
        static let schema = ItemSchema(
            "T", attributes: [AttributeSchema("n", kinds: [.int], isIndexed: true)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.allCases)
    func aPlanWithNothingPendingWaitsForNoWriteBlock(_ backend: Backend) throws {
        let plan = SchemaPlan("app", types: [Fitting.self]) { Self.plan.steps }
        try backend.withStore { store in
            try Self.fill(store)
            try store.apply(plan)
            try store.write { db in
                try db.create("T")["n"] = .int(1)
                try onThreads(1) { _ in try #expect(store.apply(plan).steps.isEmpty) }
            }
            // Classes that the store has not recorded are declared without a step.
            let indexes = { () throws in
                try store.read { db in try db.schemas().first { $0.itemTypeKey == "T" }?.indexes }
            }
            try #expect(indexes() == [IndexSchema(["n"])])
            try store.write { db in _ = try db.dropIndex(IndexSchema(["n"]), ofType: "T") }
            try #expect(indexes() == [])
            try store.apply(plan)
            try #expect(indexes() == [IndexSchema(["n"])])
        }
    }

    // MARK: Merged attributes

    @Test(arguments: Backend.allCases)
    func valuesAreMergedAsTheyAreStoredWhateverTheDefaults(_ backend: Backend) throws {
        let schema = ItemSchema(
            "T",
            attributes: [
                AttributeSchema("a", kinds: [.string], default: .string("A")),
                AttributeSchema("b", kinds: [.string], default: .string("B")),
                AttributeSchema("c", kinds: [.int]),
            ])
        let rows: [[String: DataStoreValue]] = [
            ["a": .string("x"), "b": .string("y")], ["a": .string("x")], ["b": .string("y")], [:],
        ]
        let cases: [(AttributePreference, [String])] = [
            (.target, ["y", "x", "y", "B"]), (.source, ["x", "x", "y", "B"]),
        ]
        for (preference, expected) in cases {
            try backend.withStore { store in
                try store.write { db in
                    try db.declare(schema)
                    for row in rows {
                        let item = try db.create("T")
                        for (name, value) in row { item[name] = value }
                    }
                }
                let before = try Self.rows(store)
                try store.write { db in
                    expectError(.kindMismatch) {
                        try db.mergeAttribute("a", into: "c", of: "T", preferring: preference)
                    }
                }
                try #expect(Self.rows(store) == before)
                try store.write { db in
                    try db.mergeAttribute("a", into: "b", of: "T", preferring: preference)
                }
                try #expect(
                    Self.rows(store).map { $0["b"] } == expected.map { .string($0) })
            }
        }
    }

    // MARK: Conversions

    final class Renamed: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Lodging", formerTypeKeys: ["T"],
            attributes: [AttributeSchema("stars", kinds: [.int], originalName: "number")])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.memoryAndReference)
    func theAdviceForARenamedAttributeCanBeFollowed(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema("T", attributes: [AttributeSchema("number", kinds: [.string])]))
                try db.create("T")["number"] = .string("3")
            }
            let error = expectError(.schemaMismatch) {
                try store.write { db in _ = try db.create(Renamed.self) }
            }
            let call = #/db\.convert\("(\w+)", of: "(\w+)", to: \.int\)/#
            let advice = try #require(error?.message.firstMatch(of: call))
            try store.write { db in
                _ = try db.convert(
                    String(advice.output.1), of: String(advice.output.2), to: .int)
                _ = try db.create(Renamed.self)
            }
            try #expect(Self.rows(store, "Lodging") == [["stars": .int(3)], [:]])
        }
    }

    @Test func textsBecomeNumbersAndURLsWithoutAChange() {
        let cases: [(String, DataStoreValue.Kind, DataStoreValue?)] = [
            ("9007199254740993.0", .int, .int(9_007_199_254_740_993)),
            ("1e3", .int, .int(1000)), ("2.5", .int, nil), ("+5", .int, .int(5)),
            ("1e400", .int, nil), ("9223372036854775808", .int, nil),
            ("2001-01-01", .date, .date(Date(timeIntervalSinceReferenceDate: 0))),
            ("2001-02-30", .date, nil), ("2001-01-0x", .date, nil),
            ("True", .bool, .bool(true)), ("FALSE", .bool, .bool(false)), ("yes", .bool, nil),
            ("any text", .url, nil), ("ä", .url, nil), ("http://a b", .url, nil),
            (
                "https://a.example/b?c=d%20e", .url,
                URL(string: "https://a.example/b?c=d%20e").map { .url($0) }
            ),
        ]
        for (text, kind, expected) in cases {
            #expect(DataStoreValue.string(text).converted(to: kind) == expected, "\(text)")
        }
    }

    @Test func aChildIsRefusedBeforeAnythingIsChanged() throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T",
                        attributes: [
                            AttributeSchema("a"), AttributeSchema("b"),
                            AttributeSchema("c", kinds: [.string], default: .string("1")),
                        ]))
                let item = try db.create("T")
                (item["a"], item["b"]) = (.int(1), .int(2))
            }
            let child = try store.makeChild()
            try child.open()
            let before = try Self.rows(child)
            try child.write { db in
                expectError(.unsupported) {
                    try db.mergeAttribute("a", into: "b", of: "T", preferring: .source)
                }
                expectError(.unsupported) { try db.dropType("T") }
                expectError(.unsupported) {
                    try db.dropAttribute("a", of: "T", erasingValues: true)
                }
                expectError(.unsupported) { _ = try db.convert("c", of: "T", to: .int) }
            }
            try #expect(Self.rows(child) == before)
            try child.close()
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func conversionsAreRefusedBeforeAnythingIsChanged(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T",
                        attributes: [AttributeSchema("a"), AttributeSchema("b", kinds: [.int])]))
                for text in ["1", "x"] { try db.create("T")["a"] = .string(text) }
            }
            let before = try Self.rows(store)
            try store.write { db in
                expectError(.kindMismatch) {
                    _ = try db.convert("a", of: "T", to: .int, onFailure: .keep(as: "b"))
                }
            }
            try #expect(Self.rows(store) == before)
            var calls = 0
            expectError(.schemaMismatch) {
                try store.write { db in
                    _ = try db.convert("a", of: "T", to: .int) { _ in
                        calls += 1
                        return calls < 3 ? .int(1) : nil
                    }
                }
            }
            try #expect(Self.rows(store) == before)
        }
    }
}
