import Foundation
import JustPersist
import Testing

/// Steps in batches: each item is changed once, whatever ends the process.
@Suite struct SchemaBatchTests {
    struct Failure: Error {}

    private static let items = 55

    private static let plan = SchemaPlan("app") {
        SchemaStep("before") { db in try db.renameAttribute("number", to: "n", of: "T") }
        SchemaStep.batched(
            "add one", of: "T", adding: [AttributeSchema("text", kinds: [.string])], batchSize: 10
        ) { item in
            guard case .int(let number) = item["n"] else { throw Failure() }
            item["n"] = .int(number + 1)
            item["text"] = .string("\(number + 1)")
        }
        SchemaStep("after") { db in try db.renameType("T", to: "U") }
    }

    private static func fill(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(
                ItemSchema("T", attributes: [AttributeSchema("number", kinds: [.int])]))
            for number in 0..<items { try db.create("T")["number"] = .int(Int64(number)) }
        }
    }

    private static func expectComplete(_ store: any DataStore) throws {
        let found = try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "U")).map { try $0.values() }
        }
        let expected: [[String: DataStoreValue]] = (1...items).map { number in
            ["n": .int(Int64(number)), "text": .string("\(number)")]
        }
        #expect(found == expected)
        let history = try store.schemaHistory()
        #expect(history.map(\.name) == ["before", "add one", "after"])
        #expect(history.map(\.items) == [0, items, 0])
        #expect(history.allSatisfy { !$0.isUnfinished })
        try #expect(store.apply(plan).steps.isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func batchesReportTheirProgress(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            var progress: [SchemaProgress] = []
            let report = try store.apply(Self.plan) { progress.append($0) }
            #expect(report.steps.map(\.name) == ["before", "add one", "after"])
            #expect(report.steps[1].changes.map(\.items) == [Self.items])
            #expect(progress.map(\.items) == [0, 0, 10, 20, 30, 40, 50, 0])
            #expect(progress.map(\.totalItems) == [nil, 55, 55, 55, 55, 55, 55, nil])
            #expect(progress.map(\.completedSteps) == [0, 1, 1, 1, 1, 1, 1, 2])
            #expect(progress.allSatisfy { $0.totalSteps == 3 })
            try Self.expectComplete(store)
        }
    }

    @Test(arguments: Backend.allCases)
    func anUnfinishedStepRefusesOtherBlocksAndGoesOn(_ backend: Backend) throws {
        for failing in 0..<6 {
            try backend.withStore { store in
                try Self.fill(store)
                #expect(throws: Failure.self) {
                    try store.apply(Self.plan) { progress in
                        if progress.step == "add one", progress.items == failing * 10 {
                            throw Failure()
                        }
                    }
                }
                if failing > 0 {
                    expectError(.migrationRunning) { _ = try store.schemaHistory() }
                    expectError(.migrationRunning) { try store.write { _ in } }
                    expectError(.migrationRunning) { _ = try store.check(Self.plan) }
                    expectError(.migrationRunning) { _ = try store.schemaHistory() }
                    // A program without the step cannot complete it.
                    expectError(.newerSchema) {
                        try store.apply(SchemaPlan("app") { Self.plan.steps[0] })
                    }
                    expectError(.migrationRunning) {
                        try store.apply(SchemaPlan("other") {}, allowingNewer: true)
                    }
                    if store.capabilities.persistence != .none {
                        try store.close()
                        try store.open()
                        expectError(.migrationRunning) { _ = try store.schemaHistory() }
                    }
                } else {
                    try #expect(store.schemaHistory().map(\.name) == ["before"])
                }
                let report = try store.apply(Self.plan)
                #expect(report.steps.map(\.name) == ["add one", "after"])
                try Self.expectComplete(store)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aChildIsRefusedWhileAStepIsUnfinished(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            let child = try store.makeChild()
            try child.open()
            try child.write { db in try db.create("T")["number"] = .int(7) }
            let error = expectError(.unsupported) { try store.apply(Self.plan) }
            #expect(error?.message.contains("Merge and close them first") == true)
            try #expect(store.schemaHistory().isEmpty)
            try child.close()
            #expect(throws: Failure.self) {
                try store.apply(Self.plan) { if $0.items == 20 { throw Failure() } }
            }
            expectError(.migrationRunning) {
                try child.open()
                _ = try child.schemaHistory()
            }
            try child.close()
            try store.apply(Self.plan)
            // Nothing is pending.
            try child.open()
            try store.apply(Self.plan)
            try Self.expectComplete(store)
            try child.close()
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aRefusedChangeEndsItsBatchOnly(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            let broken = SchemaPlan("app") {
                Self.plan.steps[0]
                SchemaStep.batched("add one", of: "T", batchSize: 10) { item in
                    guard case .int(let number) = item["n"] else { throw Failure() }
                    item["n"] = .int(number + 1)
                    if number >= 25 { item["unheardOf"] = .int(1) }
                    item["text"] = .string("\(number + 1)")
                }
            }
            try store.write { db in
                try db.declare(
                    ItemSchema("T", attributes: [AttributeSchema("text", kinds: [.string])]))
            }
            expectError(.unknownAttribute) { try store.apply(broken) }
            try store.apply(Self.plan)
            try Self.expectComplete(store)
        }
    }

    @Test(arguments: Backend.persistent, [0, 1, 3, 5])
    func aKilledProcessLosesNoBatchAndRepeatsNone(_ backend: Backend, _ batch: Int) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try Self.fill(store)
            try store.close()
            // Twice: the second process goes on where the first was killed.
            for batch in [batch, min(batch + 1, 5)] {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        backend = backend as Backend, directory = directory as URL,
                        batch = batch as Int
                    ] in
                    let store = backend.make(at: directory)
                    try store.open(plan: SchemaBatchTests.plan) { progress in
                        if progress.step == "add one", progress.items == batch * 10 {
                            kill(getpid(), SIGKILL)
                            sleep(60)
                        }
                    }
                }
            }
            try store.open()
            if batch > 0 { expectError(.migrationRunning) { _ = try store.schemaHistory() } }
            try store.apply(Self.plan)
            try Self.expectComplete(store)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func anotherProcessIsRefusedWhileAStepIsUnfinished() async throws {
        try await withTemporaryDirectory { directory in
            let store = Backend.lmdb.make(at: directory)
            try store.open()
            try Self.fill(store)
            #expect(throws: Failure.self) {
                try store.apply(Self.plan) { if $0.items == 20 { throw Failure() } }
            }
            await #expect(processExitsWith: .exitCode(7)) { [directory = directory as URL] in
                let store = Backend.lmdb.make(at: directory)
                try store.open()
                do {
                    _ = try store.schemaHistory()
                } catch let error as DataStoreError where error.code == .migrationRunning {
                    // It completes the step of the other process.
                    try store.apply(SchemaBatchTests.plan)
                    exit(7)
                }
            }
            try Self.expectComplete(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func aBackupIsWrittenBeforeTheFirstBatch(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let store = backend.make(at: directory.appending(path: "store"))
            try store.open()
            try Self.fill(store)
            let backup = directory.appending(path: "backup")
            #expect(throws: Failure.self) {
                try store.apply(Self.plan, backup: backup) { if $0.items == 20 { throw Failure() } }
            }
            try store.apply(Self.plan, backup: backup)
            try Self.expectComplete(store)
            try store.close()
            let copy = backend.make(at: backup)
            try copy.open()
            try #expect(copy.schemaHistory().isEmpty)
            try copy.apply(Self.plan)
            try Self.expectComplete(copy)
            try copy.close()
        }
    }
}
