import Foundation
import JustPersist
import JustPersistMigration

/// Steps in batches, classes of plans, and copies of stores that have applied plans.
extension EvolutionChecks {
    static let batches = [
        evo(
            "batches-change-each-item-once", clause: [27],
            "A step in batches that fails in any batch goes on there, and changes each item once."
        ) { check in
            for failing in 0..<4 {
                var items = try StoredType(
                    "ConformanceEvolving", ["count"], in: check.openStore(), check)
                let ids = try items.store.write { db in
                    try (0..<11).map { try items.create(["count": .int($0)], db).uniqueToken }
                }
                _ = check.expectThrows("a step that fails in batch \(failing)") {
                    try items.store.apply(batches(items.key) { $0 == failing * 3 + 1 })
                }
                if try items.reopens() {}
                try items.store.apply(batches(items.key) { _ in false })
                for (number, id) in ids.enumerated() {
                    try items.expectValues(
                        ["count": .int(Int64(number) + 100)], of: id,
                        "after batch \(failing) failed, and the plan was applied again")
                }
                check.expectEqual(
                    try items.store.schemaHistory().map(\.items), [11], "the items in the history")
            }
        },
        evo(
            "unfinished-step-refuses-blocks", clause: [27],
            "While a step in batches is unfinished, the store refuses all other blocks."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["count"], in: check.openStore(), check)
            for number in 0..<10 { try items.create(["count": .int(Int64(number))]) }
            _ = check.expectThrows("a step that fails in its third batch") {
                try items.store.apply(batches(items.key) { $0 == 7 })
            }
            func refuses(_ when: String) {
                check.expectError(.migrationRunning, what: "a read block \(when)") {
                    _ = try items.ids()
                }
                check.expectError(.migrationRunning, what: "a write block \(when)") {
                    try items.create()
                }
                check.expectError(.migrationRunning, what: "another plan \(when)") {
                    try items.store.apply(SchemaPlan("other") {})
                }
            }
            refuses("while a step is unfinished")
            if try items.reopens() { refuses("after reopening") }
            check.expectError(.newerSchema, what: "a plan without the unfinished step") {
                try items.store.apply(SchemaPlan("conformance") {}, allowingNewer: true)
            }
            try items.store.apply(batches(items.key) { _ in false })
            check.expectEqual(try items.ids().count, 10, "the items after the step")
        },
        evo(
            "class-of-a-plan-does-not-fit", clause: [26, 27],
            "If a class of a plan does not fit the values after its steps, nothing has changed."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["level", "name"], in: check.openStore(), check)
            let id = try items.create(["level": .string("3"), "name": .string("a")])
            func plan(_ convert: Bool) -> SchemaPlan {
                SchemaPlan("conformance", types: [Level.self]) {
                    SchemaStep("1") { db in
                        try db.renameAttribute("name", to: "title", of: items.key)
                    }
                    if convert {
                        SchemaStep("2") { db in
                            try db.convert("level", of: items.key, to: .int)
                        }
                    }
                }
            }
            let trial = try items.store.check(plan(false))
            check.expectEqual(
                (trial.failure as? DataStoreError)?.code, .schemaMismatch, "the error of a trial")
            check.expectError(.schemaMismatch, what: "a plan whose class does not fit") {
                try items.store.apply(plan(false))
            }
            try items.expectValues(
                ["level": .string("3"), "name": .string("a")], of: id, "after the refusal")
            check.expectEqual(
                try items.store.schemaHistory().count, 0, "the number of applied steps")
            try items.store.apply(plan(true))
            try items.expectValues(
                ["level": .int(3), "title": .string("a")], of: id, "after a plan that converts")
        },
        evo(
            "replaced-steps", clause: [26, 27],
            "A step that replaces others runs only if none of them was applied; if some were, the plan is refused."
        ) { check in
            for applied in 0...2 {
                let items = try StoredType(
                    "ConformanceEvolving", ["count"], in: check.openStore(), check)
                let id = try items.create(["count": .int(0)])
                try items.store.apply(
                    SchemaPlan("conformance") {
                        for number in 0..<applied { increment("\(number)", items.key) }
                    })
                let merged = SchemaPlan("conformance") {
                    SchemaStep("all", replacing: ["0", "1"]) { db in
                        try increment("0", items.key).run(db)
                        try increment("1", items.key).run(db)
                    }
                }
                if applied == 1 {
                    check.expectError(.olderSchema, what: "a plan that replaces more steps") {
                        try items.store.apply(merged)
                    }
                } else {
                    try items.store.apply(merged)
                    try items.store.apply(merged)
                }
                try items.expectValues(
                    ["count": .int(applied == 1 ? 1 : 2)], of: id, "after \(applied) of two steps")
            }
        },
        evo(
            "late-step", clause: [27, 29],
            "A step that a later release has put before an applied one runs, and is reported as late."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["count"], in: check.openStore(), check)
            let id = try items.create(["count": .int(0)])
            try items.store.apply(SchemaPlan("conformance") { increment("2", items.key) })
            let report = try items.store.apply(
                SchemaPlan("conformance") {
                    increment("1", items.key)
                    increment("2", items.key)
                    increment("3", items.key)
                })
            check.expectEqual(report.steps.map(\.name), ["1", "3"], "the steps that were applied")
            check.expectEqual(report.steps.map(\.isLate), [true, false], "whether they were late")
            try items.expectValues(["count": .int(3)], of: id, "after three steps")
        },
        evo(
            "refused-change-fails-its-step", clause: [5, 27],
            "A change of a property that is refused fails its step, and with it all pending ones."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["count"], in: check.openStore(), check)
            let id = try items.create(["count": .int(0)])
            check.expectError(.unknownAttribute, what: "a step that sets an undeclared attribute") {
                try items.store.apply(
                    SchemaPlan("conformance") {
                        increment("1", items.key)
                        SchemaStep("2") { db in try items.live(id, db)["unheardOf"] = .int(1) }
                    })
            }
            try items.expectValues(["count": .int(0)], of: id, "after the refused change")
            check.expectEqual(
                try items.store.schemaHistory().count, 0, "the number of applied steps")
        },
        evo(
            "copies-have-the-history", clause: [28, 29],
            "A copy of a store has its history, and nothing that was dropped."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["count", "fax"], in: check.openStore(), check)
            let id = try items.create(["count": .int(0), "fax": .string("1234")])
            let plan = SchemaPlan("conformance", release: "2") {
                increment("1", items.key)
                SchemaStep("2") { db in try db.dropAttribute("fax", of: items.key) }
            }
            try items.store.apply(plan)
            let other = try check.openStore()
            try Migration(from: items.store, to: other).run()
            let copy = StoredType(items.key, knownIn: other, check)
            try copy.expectValues(["count": .int(1)], of: id, "in a copy")
            check.expectEqual(
                try other.schemaHistory(), try items.store.schemaHistory(), "the history of a copy")
            check.expectEqual(try other.apply(plan).steps.count, 0, "the steps applied to a copy")
            try copy.store.write { db in try copy.declare(["fax"], db) }
            try copy.expectValues(["count": .int(1)], of: id, "in a copy that declares the name")
        },
        CheckDefinition(
            "evo/processes-apply-one-plan", clause: [17, 27],
            gate: .requires(.evolution && .multiProcess),
            "Two processes that apply a plan at the same time run each step once, and change each item once."
        ) { check in
            let store = try check.makeStore(named: "store")
            try store.open()
            let items = try StoredType(evolving, ["count"], in: store, check)
            let ids = try store.write { db in
                try (0..<30).map { try items.create(["count": .int($0)], db).uniqueToken }
            }
            let ready = check.directory.appending(path: isReady).path
            let own = check.start {
                let isThere = comesTrue(within: .seconds(10)) {
                    FileManager.default.fileExists(atPath: ready)
                }
                check.expect(isThere, "The other process did not open the store.")
                try store.apply(shared)
            }
            _ = try check.runChild(planApplier)
            try own.join()
            for (number, id) in ids.enumerated() {
                try items.expectValues(
                    ["count": .int(Int64(number) + 102)], of: id,
                    "after two processes applied a plan")
            }
            let history = try store.schemaHistory()
            check.expectEqual(history.map(\.name), ["1", "count", "2"], "the history")
        },
    ]

    private static let evolving = "ConformanceEvolving"
    private static let isReady = "ready"

    /// The plan that two processes apply.
    private static let shared = SchemaPlan("conformance") {
        increment("1", evolving)
        batch(of: evolving) { _ in false }
        increment("2", evolving)
    }

    /// Opens the store that the checking process has open, and applies the plan.
    static let planApplier = ChildRole("evo/plan-applier") { child in
        let store = try child.makeStore(named: "store")
        try store.open()
        try Data().write(to: child.directory.appending(path: isReady))
        try store.apply(shared)
        try store.close()
    }

    /// A plan with a step that adds 100 to the count of each item, in batches of three.
    ///
    /// - Parameter fails: Whether the step fails at the item with a count.
    private static func batches(
        _ key: String, failing fails: @escaping @Sendable (Int) -> Bool
    ) -> SchemaPlan {
        SchemaPlan("conformance") { batch(of: key, failing: fails) }
    }

    private static func batch(
        of key: String, failing fails: @escaping @Sendable (Int) -> Bool
    ) -> SchemaStep {
        SchemaStep.batched("count", of: key, batchSize: 3) { item in
            guard case .int(let count) = item["count"], !fails(Int(count)) else {
                throw StepFailure()
            }
            item["count"] = .int(count + 100)
        }
    }
}
