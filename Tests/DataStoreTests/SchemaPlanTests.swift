import Foundation
import JustPersist
import JustPersistLMDB
import Testing

/// Steps that change the contents of a store once, together, or not at all.
@Suite struct SchemaPlanTests {
    final class Hotel: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Hotel",
            attributes: [
                AttributeSchema("name", kinds: [.string], isIndexed: true),
                AttributeSchema("stars", kinds: [.int], default: .int(0)),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private static let first = ItemSchema(
        "Hotel",
        attributes: [
            AttributeSchema("title", kinds: [.string]), AttributeSchema("stars", kinds: [.string]),
            AttributeSchema("fax", kinds: [.string]),
        ])

    private static let rename = SchemaStep("1 one name") { db in
        try db.renameAttribute("title", to: "name", of: "Hotel")
    }
    private static let convert = SchemaStep("2 stars") { db in
        try db.convert("stars", of: "Hotel", to: .int, onFailure: .keep(as: "starsText"))
    }
    private static let drop = SchemaStep("3 no fax", isCompatible: true) { db in
        try db.dropAttribute("fax", of: "Hotel")
    }
    private static let plan = SchemaPlan("app", types: [Hotel.self], release: "3.0") {
        rename
        convert
        drop
    }

    private static func fill(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(first)
            for (title, stars) in [("Ritz", "5"), ("Inn", "many")] {
                let hotel = try db.create("Hotel")
                hotel["title"] = .string(title)
                hotel["stars"] = .string(stars)
                hotel["fax"] = .string("1234")
            }
        }
    }

    /// The hotels, as the store has them.
    private static func hotels(_ store: any DataStore) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Hotel")).map { try $0.values() }
        }
    }

    private static let converted: [[String: DataStoreValue]] = [
        ["name": .string("Ritz"), "stars": .int(5)],
        ["name": .string("Inn"), "starsText": .string("many"), "stars": .int(0)],
    ]

    @Test(arguments: Backend.allCases)
    func pendingStepsRunOnceAndTogether(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            var progress: [SchemaProgress] = []
            let report = try store.apply(Self.plan) { progress.append($0) }
            #expect(report.steps.map(\.name) == ["1 one name", "2 stars", "3 no fax"])
            #expect(report.steps[1].changes.map(\.items) == [1])
            #expect(report.steps[1].changes.map(\.failed.count) == [1])
            #expect(progress.map(\.step) == report.steps.map(\.name))
            #expect(progress.map(\.completedSteps) == [0, 1, 2])
            #expect(progress.allSatisfy { $0.totalSteps == 3 })
            try #expect(Self.hotels(store) == Self.converted)
            let again = try store.apply(Self.plan) { _ in Issue.record("a step ran again") }
            #expect(again.steps.isEmpty)
            let history = try store.schemaHistory()
            #expect(history.map(\.name) == report.steps.map(\.name))
            #expect(history.allSatisfy { $0.plan == "app" && $0.release == "3.0" })
            #expect(history.map(\.isCompatible) == [false, false, true])
            #expect(abs(history[0].date.timeIntervalSinceNow) < 600)
            // The class is declared, with its index.
            let schema = try store.read { db in
                try db.schemas().first { $0.itemTypeKey == "Hotel" }
            }
            #expect(schema?.indexes == [IndexSchema(["name"])])
        }
    }

    @Test(arguments: Backend.allCases)
    func aFailingStepLeavesNoTrace(_ backend: Backend) throws {
        struct Failure: Error {}
        try backend.withStore { store in
            try Self.fill(store)
            let before = try Self.hotels(store)
            let schemas = try store.read { db in try db.schemas().map(\.itemTypeKey) }
            let failing = SchemaPlan("app") {
                Self.rename
                Self.drop
                SchemaStep("4") { db in
                    try db.dropType("Hotel")
                    throw Failure()
                }
            }
            #expect(throws: Failure.self) { try store.apply(failing) }
            #expect(throws: Failure.self) {
                try store.apply(Self.plan) { if $0.completedSteps == 2 { throw Failure() } }
            }
            // A refused change of a property fails the step.
            let refused = SchemaPlan("app") {
                Self.rename
                SchemaStep("5") { db in
                    for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Hotel")) {
                        item["unheardOf"] = .int(1)
                    }
                }
            }
            expectError(.unknownAttribute) { try store.apply(refused) }
            try #expect(Self.hotels(store) == before)
            try #expect(store.schemaHistory().isEmpty)
            try #expect(store.read { db in try db.schemas().map(\.itemTypeKey) } == schemas)
            try store.apply(Self.plan)
            try #expect(Self.hotels(store) == Self.converted)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aClassThatDoesNotFitAfterTheStepsIsRefusedWithThem(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            let before = try Self.hotels(store)
            let error = expectError(.schemaMismatch) {
                try store.apply(SchemaPlan("app", types: [Hotel.self]) { Self.rename })
            }
            #expect(error?.attribute == "stars")
            try #expect(Self.hotels(store) == before)
            try #expect(store.schemaHistory().isEmpty)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aStepThatThisReleaseDoesNotKnowIsRefusedUnlessItIsCompatible(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            try store.apply(Self.plan)
            let older = SchemaPlan("app") { Self.rename }
            let error = expectError(.newerSchema) { try store.apply(older) }
            #expect(error?.message.contains("the step “2 stars” of the plan “app”") == true)
            expectError(.newerSchema) { _ = try store.check(older) }
            try #expect(store.apply(older, allowingNewer: true).steps.isEmpty)
            try #expect(
                store.apply(
                    SchemaPlan("app") {
                        Self.rename
                        Self.convert
                    }
                ).steps.isEmpty)
            // Another plan has steps of its own, also under the same names.
            let other = SchemaPlan("module") { SchemaStep("1 one name") { _ in } }
            try #expect(store.apply(other).steps.count == 1)
            try #expect(store.schemaHistory().map(\.plan) == ["app", "app", "app", "module"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aLateStepRunsInPlanOrderAndIsReported(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            try store.apply(
                SchemaPlan("app") {
                    Self.rename
                    Self.drop
                })
            let report = try store.apply(Self.plan)
            #expect(report.steps.map(\.name) == ["2 stars"])
            #expect(report.steps.map(\.isLate) == [true])
            try #expect(Self.hotels(store) == Self.converted)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aStepReplacesEarlierOnes(_ backend: Backend) throws {
        let merged = SchemaPlan("app", types: [Hotel.self]) {
            SchemaStep("all", replacing: ["1 one name", "2 stars", "3 no fax"]) { db in
                try Self.rename.run(db)
                try Self.convert.run(db)
                try Self.drop.run(db)
            }
        }
        for applied in 0...3 {
            try backend.withStore { store in
                try Self.fill(store)
                let steps = [Self.rename, Self.convert, Self.drop].prefix(applied)
                try store.apply(SchemaPlan("app") { Array(steps) })
                if applied == 1 || applied == 2 {
                    let error = expectError(.olderSchema) { try store.apply(merged) }
                    #expect(error?.message.contains("3 no fax") == true)
                    return
                }
                try #expect(store.apply(merged).steps.map(\.name) == ["all"])
                try #expect(store.apply(merged).steps.isEmpty)
                try #expect(Self.hotels(store) == Self.converted)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func stepsOnAStoreWithoutTheTypesDoNothing(_ backend: Backend) throws {
        try backend.withStore { store in
            let report = try store.apply(Self.plan)
            #expect(report.steps.count == 3)
            #expect(report.steps[0].changes.map(\.description) == ["“Hotel” is not in the store"])
            try store.write { db in
                try db.create(Hotel.self).setStoredValue("Ritz", forKeyPath: "name")
            }
            try #expect(Self.hotels(store)[0]["name"] == .string("Ritz"))
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func plansAreRefusedWhereTheyCannotBeApplied(_ backend: Backend) throws {
        try backend.withStore { store in
            expectError(.invalidName) {
                try store.apply(
                    SchemaPlan("app") {
                        Self.rename
                        Self.rename
                    })
            }
            let child = try store.makeChild()
            try child.open()
            expectError(.unsupported) { try child.apply(Self.plan) }
            expectError(.unsupported) { _ = try child.check(Self.plan) }
            try child.close()
            try store.close()
            expectError(.notSetUp) { try store.apply(Self.plan) }
            try store.open()
        }
        let store = ChildlessStore(errors: ErrorLog(), evolvesSchema: false)
        expectError(.unsupported) { try store.open(plan: Self.plan) }
    }

    /// A wrapper that cannot refuse other blocks between batches.
    @Test func aStoreWithoutStepsInBatchesAppliesOthers() throws {
        let store = ChildlessStore(errors: ErrorLog())
        try store.open()
        try Self.fill(store)
        try store.apply(Self.plan)
        try #expect(Self.hotels(store) == Self.converted)
        expectError(.unsupported) {
            try store.apply(
                SchemaPlan("batches") {
                    SchemaStep.batched("one", of: "Hotel", batchSize: 1) { $0["stars"] = .int(1) }
                })
        }
        try #expect(Self.hotels(store) == Self.converted)
        try store.close()
    }

    @Test(arguments: Backend.persistent)
    func aStoreIsOpenedWithAPlan(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            struct Failure: Error {}
            let store = backend.make(at: directory)
            try store.open()
            try Self.fill(store)
            try store.close()
            let failing = SchemaPlan("app") { SchemaStep("x") { _ in throw Failure() } }
            #expect(throws: Failure.self) { try store.open(plan: failing) }
            expectError(.notSetUp) { _ = try store.schemaHistory() }
            try #expect(store.open(plan: Self.plan).steps.count == 3)
            try #expect(Self.hotels(store) == Self.converted)
            try expectSound(store)
            try store.close()
            if backend == .lmdb {
                let reader = backend.make(
                    at: directory, options: DataStoreOptions(isReadOnly: true))
                try #expect(reader.open(plan: Self.plan).steps.isEmpty)
                expectError(.readOnly) {
                    try reader.apply(
                        SchemaPlan("app") {
                            Self.plan.steps
                            SchemaStep("4") { _ in }
                        })
                }
                try reader.close()
            }
        }
    }

    @Test(arguments: [Backend.memory, .lmdb])
    func aPlanWhoseClassesAreDeclaredIsComparedWithoutAWriteBlock(_ backend: Backend) throws {
        let plan = SchemaPlan("app", types: [Hotel.self]) { SchemaStep("1") { _ in } }
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema("Hotel", attributes: [AttributeSchema("stars", kinds: [.double])]))
                try db.create("Hotel")["stars"] = .double(2)
            }
            try store.apply(plan)
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Hotel", attributes: [AttributeSchema("name", kinds: [.string])],
                        indexes: [IndexSchema(["stars"])]))
            }
            // A write block would be refused inside another one.
            try store.write { _ in try #expect(store.apply(plan).steps.isEmpty) }
            try store.write { db in
                try db.declare(
                    ItemSchema("Hotel", attributes: [AttributeSchema("stars", kinds: [.string])]))
            }
            try store.write { _ in expectError(.nestedWrite) { try store.apply(plan) } }
            try store.apply(plan)
            try store.write { _ in try store.apply(plan) }
        }
    }

    // MARK: Trials

    @Test(arguments: Backend.allCases)
    func aTrialReportsAndWritesNothing(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try Self.fill(store)
            let before = try Self.hotels(store)
            let bytes = try Self.bytes(in: directory)
            let report = try store.check(Self.plan)
            #expect(report.failure == nil)
            #expect(report.failedStep == nil)
            #expect(report.steps.map(\.name) == ["1 one name", "2 stars", "3 no fax"])
            #expect(report.steps[1].changes.map(\.items) == [1])
            #expect(report.steps[1].changes.map(\.failed.count) == [1])
            let strict = SchemaPlan("app", types: [Hotel.self]) {
                Self.rename
                SchemaStep("strict") { db in try db.convert("stars", of: "Hotel", to: .int) }
            }
            let failed = try store.check(strict)
            #expect(failed.failedStep == "strict")
            #expect((failed.failure as? DataStoreError)?.code == .schemaMismatch)
            #expect((failed.failure as? DataStoreError)?.message.contains("“many”") == true)
            let misfit = try store.check(SchemaPlan("app", types: [Hotel.self]) { Self.rename })
            #expect(misfit.failedStep == nil)
            #expect((misfit.failure as? DataStoreError)?.code == .schemaMismatch)
            try #expect(Self.hotels(store) == before)
            try #expect(store.schemaHistory().isEmpty)
            try #expect(Self.bytes(in: directory) == bytes)
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: [Backend.memory, .lmdb])
    func aTrialFindsViolationsOfUniqueness(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            let plan = SchemaPlan("app") {
                SchemaStep("one fax") { db in
                    for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Hotel")) {
                        item["title"] = .string("Ritz")
                    }
                }
            }
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Hotel", attributes: [AttributeSchema("title", isUnique: true)]))
            }
            let report = try store.check(plan)
            #expect((report.failure as? DataStoreError)?.code == .uniqueViolation)
        }
    }

    /// The files of a store and their contents, except those of locks and logs.
    private static func bytes(in directory: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        guard FileManager.default.fileExists(atPath: directory.path) else { return files }
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            let url = directory.appending(path: name)
            if ["lock.mdb", "LOCK", "LOG"].contains(url.lastPathComponent) { continue }
            files[name] = try? Data(contentsOf: url)
        }
        return files
    }
}
