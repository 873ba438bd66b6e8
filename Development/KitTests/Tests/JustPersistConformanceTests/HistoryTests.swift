import Foundation
import JustPersist
import Testing

@testable import JustPersistConformance

/// Histories: made up, run beside a model, shrunk, and kept.
@Suite struct HistoryTests {
    private let capabilities = ReferenceDataStore().capabilities

    private func runner(_ rules: ReferenceRules = ReferenceRules()) -> ModelRunner {
        func opened(_ rules: ReferenceRules) throws -> any DataStore {
            let store = ReferenceDataStore(rules: rules)
            try store.open()
            return store
        }
        return ModelRunner(
            makeCandidate: { try opened(rules) }, makeModel: { try opened(ReferenceRules()) },
            reopen: { $0 })
    }

    private func history(_ profile: HistoryProfile, seed: UInt64) -> ModelHistory {
        var generator = HistoryGenerator(profile, capabilities, seed: seed)
        return generator.history()
    }

    private static let profiles = [
        HistoryProfile(requests: 0, reads: 0),
        HistoryProfile(itemsAtFirst: 40, requests: 5, reads: 5),
        HistoryProfile(requests: 3, rollbacks: 4), HistoryProfile(children: 3, childLevels: 3),
    ]

    @Test(arguments: profiles)
    func storeThatKeepsTheContractDoesNotDiffer(_ profile: HistoryProfile) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed: \(seed)")
        #expect(try runner().difference(in: history(profile, seed: seed)) == nil)
    }

    @Test func sameSeedMakesTheSameHistory() {
        for profile in Self.profiles {
            #expect(history(profile, seed: 1) == history(profile, seed: 1))
            #expect(history(profile, seed: 1) != history(profile, seed: 2))
        }
    }

    @Test func shrinkerFindsTheThreeStepsOfTwoHundred() throws {
        // The planted fault: an item that was changed to a string and deleted.
        func fails(_ history: ModelHistory) -> Bool {
            var made: Set<Int> = []
            var changed: Set<Int> = []
            for step in history.steps {
                switch step {
                case .create(let item, _, _): made.insert(item)
                case .set(let item, _, .string) where made.contains(item): changed.insert(item)
                case .delete(let item) where changed.contains(item): return true
                default: break
                }
            }
            return false
        }
        for original in (0..<20).map({ history(HistoryProfile(steps: 200), seed: $0) })
        where fails(original) {
            #expect(original.stepCount >= 200)
            var shrinker = HistoryShrinker { fails($0) }
            let shrunk = try shrinker.shrink(original)
            guard case .set(1, "a", .string(let text)) = shrunk.steps.dropFirst().first else {
                Issue.record("\(shrunk)")
                return
            }
            #expect(text.utf8.count <= 1)
            #expect(
                shrunk.operations == [
                    .write([
                        .create(item: 1, type: "Model", values: [:]),
                        .set(item: 1, attribute: "a", value: .string(text)), .delete(item: 1),
                    ])
                ])
            return
        }
        Issue.record("No history has the fault.")
    }

    @Test func storeThatKeepsWhatFailedIsFoundAndShrunkToOneBlock() throws {
        var rules = ReferenceRules()
        rules.rolledBack = { _, after in after }
        let runner = runner(rules)
        let original = history(HistoryProfile(rollbacks: 4), seed: 3)
        try #require(try runner.difference(in: original) != nil)
        var shrinker = HistoryShrinker(budget: 500) { try runner.difference(in: $0) != nil }
        let shrunk = try shrinker.shrink(original)
        // Whichever of the two the history had: neither is plainer.
        let steps: [ModelStep] = [
            .create(item: 1, type: "Model", values: [:]),
            .insert(item: 1, type: "Model", values: [:]),
        ]
        #expect(steps.contains { shrunk.operations == [.write([$0], isRolledBack: true)] })
        let difference = try #require(try runner.difference(in: shrunk))
        #expect(difference.contains("\"Model\" #1 is there and should not be"))
    }

    @Test func storeThatLosesTheSignOfZeroIsFound() throws {
        var rules = ReferenceRules()
        rules.stored = { value in value == .double(-0.0) ? .double(0) : value }
        let runner = runner(rules)
        let history = ModelHistory(operations: [
            .write([.create(item: 1, type: "Model", values: ["a": .double(-0.0)])])
        ])
        let difference = try #require(try runner.difference(in: history))
        #expect(difference.contains("\"Model\" #1, \"a\": got double 0.0, expected double -0.0"))
    }

    @Test func storeThatCountsWithoutThePredicateIsFound() throws {
        var rules = ReferenceRules()
        rules.count = { request, state throws(DataStoreError) in
            try ReferenceQuery.rows(DataStoreRequest(type: request.type), in: state).count
        }
        let difference = try runner(rules).difference(
            in: history(HistoryProfile(itemsAtFirst: 20, requests: 5), seed: 5))
        #expect(difference?.contains("asking for") == true)
    }

    @Test func mergeThatForgetsIsFoundAndShrunk() throws {
        var rules = ReferenceRules()
        rules.merged = { _, parent, _ in (parent, []) }
        let runner = runner(rules)
        let original = history(HistoryProfile(children: 3, childLevels: 3), seed: 3)
        try #require(try runner.difference(in: original) != nil)
        var shrinker = HistoryShrinker(budget: 500) { try runner.difference(in: $0) != nil }
        let shrunk = try shrinker.shrink(original)
        #expect(shrunk.steps == [.create(item: 1, type: "Model", values: [:])])
        #expect(shrunk.operations.count == 3)
        guard case .merge = shrunk.operations.last else {
            Issue.record("\(shrunk)")
            return
        }
    }

    @Test func everyHistoryOfTheCorpusAgrees() throws {
        for (name, history) in ReplayCorpus.histories {
            let history = ModelHistory(operations: history.operations.filter { $0 != .reopen })
            #expect(try runner().difference(in: history) == nil, "\(name)")
        }
    }

    @Test func replayFileComesBackAsItWas() throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "justpersist-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(try ReplayFile.files(in: directory) == [])
        for (index, profile) in Self.profiles.enumerated() {
            let replay = ReplayFile(
                check: "model/crud", seed: UInt64(index), failure: "“é”\0",
                history: history(profile, seed: UInt64(index)))
            let file = try replay.write(to: directory)
            #expect(file.lastPathComponent == "model-crud-\(index).json")
            #expect(try ReplayFile(contentsOf: file) == replay)
        }
        #expect(try ReplayFile.files(in: directory).count == Self.profiles.count)
    }

    @Test func historyIsWithinWhatItUses() {
        var capabilities = capabilities
        capabilities.childStores = .none
        #expect(
            !ModelHistory(operations: [.makeChild(1, of: 0)]).isWithin(capabilities))
        #expect(!ModelHistory(operations: [.reopen]).isWithin(capabilities))
        let values = ModelHistory(operations: [
            .write([.set(item: 1, attribute: "a", value: .array([.decimal(1)]))])
        ])
        #expect(values.isWithin(capabilities))
        capabilities.valueKinds.remove(.decimal)
        #expect(!values.isWithin(capabilities))
    }

    @Test func snippetSaysWhatTheHistoryDoes() {
        let history = ModelHistory(operations: [
            .write(
                [.create(item: 1, type: "Model", values: ["a": .string("e\u{301}\0")])],
                isRolledBack: true),
            .reopen,
            .read([ModelRequest(type: "Model", sort: [.descending("a")], limit: 1)]),
        ])
        #expect(
            history.snippet == #"""
                var ids: [Int: (type: ItemType, id: ItemID)] = [:]
                try? store.performWrite { db in
                    try db.declare(ItemSchema("Model", attributes: [AttributeSchema("a")]))
                    let item1 = try db.create("Model")
                    ids[1] = (ItemType(of: item1), item1.uniqueToken)
                    item1["a"] = .string("e\u{301}\0")
                    throw CancellationError()  // rolls back
                }
                try store.close()
                try store.open()
                try store.performRead { db in
                    print(try db.dynamicItems(DataStoreRequest(type: ItemType(dynamic: "Model"), sortDescriptors: [.descending("a")], limit: 1)))
                }
                """#)
    }
}
