import JustPersist

/// Checks of schemas that change, for stores that declare it.
enum EvolutionChecks {
    static let all: [CheckDefinition] =
        names + declared + conversions + removal + children + plans + batches

    static func evo(
        _ name: String, clause: [Int], _ summary: String,
        run: @escaping @Sendable (CheckContext) throws -> Void
    ) -> CheckDefinition {
        CheckDefinition(
            "evo/\(name)", clause: clause, gate: .requires(.evolution), summary, run: run)
    }

    private static let names = [
        evo(
            "mismatch-refused-before-first-use", clause: [9, 26],
            "A class that stored values do not fit is refused before its first use, and nothing is changed."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["level"], in: check.openStore(), check)
            let ids = try [items.create(["level": .string("3")]), items.create()]
            let error = check.expectError(
                .schemaMismatch, what: "creating an item of a class with another kind"
            ) {
                try items.store.write { db in _ = try db.create(Level.self) }
            }
            check.expectEqual(error?.attribute, "level", "the attribute in the refusal")
            check.expectEqual(error?.itemType, items.key, "the type in the refusal")
            try items.expect(ids, "after the refusal")
            try items.expectValues(["level": .string("3")], of: ids[0], "after the refusal")
            try items.store.write { db in _ = try db.convert("level", of: items.key, to: .int) }
            if try items.reopens() {
                try items.expectValues(["level": .int(3)], of: ids[0], "after reopening")
            }
            let new = try items.store.write { db in try db.create(Level.self).uniqueToken }
            try items.expect(ids + [new], "after the values were converted")
            try items.expectValues(["level": .int(3)], of: ids[0], "after the conversion")
        },
        evo(
            "rename-swaps-names", clause: [25],
            "Attributes are renamed, also to each other's names, with all their values."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["a", "b"], in: check.openStore(), check)
            let id = try items.create(["a": .int(1), "b": .int(2)])
            try items.store.write { db in
                try db.renameAttribute("a", to: "c", of: items.key)
                try db.renameAttribute("b", to: "a", of: items.key)
                try db.renameAttribute("c", to: "b", of: items.key)
            }
            let expected: [String: DataStoreValue] = ["a": .int(2), "b": .int(1)]
            try items.expectValues(expected, of: id, "after the names were swapped")
            if try items.reopens() { try items.expectValues(expected, of: id, "after reopening") }
        },
    ]

    private static let removal = [
        evo(
            "drop-is-final", clause: [28],
            "The values of a dropped attribute are never read again, also under a new declaration of its name."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["a", "b"], in: check.openStore(), check)
            let id = try items.create(["a": .int(1), "b": .string("x")])
            try items.store.write { db in try db.dropAttribute("b", of: items.key) }
            try items.expectValues(["a": .int(1)], of: id, "after an attribute was dropped")
            check.expectError(.unknownAttribute, what: "dropping it again") {
                try items.store.write { db in try db.dropAttribute("b", of: items.key) }
            }
            try items.store.write { db in try items.declare(["b"], db) }
            try items.expectValues(["a": .int(1)], of: id, "after its name was declared again")
            try items.expect(
                [], where: "b", .equal, .string("x"), "after its name was declared again")
            try items.set(["a": .int(2)], of: id)
            if try items.reopens() {
                try items.expectValues(["a": .int(2)], of: id, "after a change and reopening")
            }
        },
        evo(
            "drop-type", clause: [28],
            "A dropped type is unknown, and has no items when its name is declared again."
        ) { check in
            var items = try StoredType("ConformanceEvolving", ["a"], in: check.openStore(), check)
            _ = try items.create(["a": .int(1)])
            try items.store.write { db in try db.dropType(items.key) }
            func known() throws -> Bool {
                try items.store.read { db in
                    try db.schemas().contains { $0.itemTypeKey == items.key }
                }
            }
            check.expectEqual(try known(), false, "whether the store knows a dropped type")
            if try items.reopens() {
                check.expectEqual(try known(), false, "whether it does after reopening")
            }
            try items.store.write { db in try items.declare(["a"], db) }
            let id = try items.create()
            try items.expect([id], "after its name was declared again")
        },
    ]

    private static let children = [
        CheckDefinition(
            "evo/children-lose-what-is-dropped", clause: [20, 28],
            gate: .requires(.evolution && .childStores),
            "The changes that a child has made of dropped attributes and types are dropped too."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["a", "b"], in: check.openStore(), check)
            let id = try items.create(["a": .int(1), "b": .int(1)])
            func child(_ value: Int64) throws -> (StoredType, new: ItemID) {
                let store = try items.store.makeChild()
                try store.open()
                let child = StoredType(items.key, knownIn: store, check)
                try child.set(["a": .int(value), "b": .int(value)], of: id)
                return (child, try child.create(["a": .int(value), "b": .int(value)]))
            }
            let (first, new) = try child(2)
            try items.store.write { db in try db.dropAttribute("b", of: items.key) }
            try first.expectValues(["a": .int(2)], of: id, "in a child")
            let report = try items.store.merge(first.store, policy: .fail)
            check.expectEqual(report.conflicts.count, 0, "the number of conflicts")
            try items.store.write { db in try items.declare(["b"], db) }
            for id in [id, new] {
                try items.expectValues(["a": .int(2)], of: id, "after the merge")
            }
            try first.store.close()
            let (second, another) = try child(3)
            try items.store.write { db in try db.dropType(items.key) }
            check.expectEqual(
                try items.store.merge(second.store, policy: .childWins).conflicts.map(\.id),
                [id, another], "the items that conflict with a dropped type")
            try items.store.write { db in try items.declare(["a"], db) }
            try items.expect([], "after its name was declared again")
            try second.store.close()
        }
    ]

    private static let plans = [
        evo(
            "steps-once-and-together", clause: [27, 29],
            "The pending steps of a plan run once, in order, and the history has them."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["count"], in: check.openStore(), check)
            let id = try items.create(["count": .int(0)])
            let first = SchemaPlan("conformance") { increment("1", items.key) }
            let second = SchemaPlan("conformance", types: [Level.self]) {
                increment("1", items.key)
                increment("2", items.key)
                increment("3", items.key)
            }
            try items.store.apply(first)
            try items.store.apply(second)
            if try items.reopens() { try items.store.apply(second) }
            check.expectEqual(
                try items.store.apply(second).steps.count, 0, "the steps that are applied again")
            try items.expectValues(["count": .int(3)], of: id, "after three steps")
            check.expectEqual(
                try items.store.schemaHistory().map(\.name), ["1", "2", "3"], "the history")
        },
        evo(
            "step-throws-leaves-no-trace", clause: [27],
            "If a step throws, no step of the plan has changed anything."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["count"], in: check.openStore(), check)
            let id = try items.create(["count": .int(0)])
            let plan = SchemaPlan("conformance") {
                increment("1", items.key)
                SchemaStep("2") { db in
                    try db.renameAttribute("count", to: "number", of: items.key)
                    throw StepFailure()
                }
            }
            do {
                try items.store.apply(plan)
                check.expect(false, "A plan with a step that throws was applied.")
            } catch is StepFailure {}
            try items.expectValues(["count": .int(0)], of: id, "after a step threw")
            check.expectEqual(
                try items.store.schemaHistory().count, 0, "the number of applied steps")
        },
        evo(
            "newer-schema-refused", clause: [26],
            "A plan that lacks an applied step is refused, unless the step is compatible."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["count"], in: check.openStore(), check)
            try items.store.apply(
                SchemaPlan("conformance") {
                    increment("1", items.key)
                    SchemaStep("2", isCompatible: true) { _ in }
                })
            check.expectError(.newerSchema, what: "a plan without a step that was applied") {
                try items.store.apply(SchemaPlan("conformance") {})
            }
            try items.store.apply(SchemaPlan("conformance") { increment("1", items.key) })
            try items.store.apply(SchemaPlan("conformance") {}, allowingNewer: true)
        },
        evo(
            "trial-changes-nothing", clause: [29],
            "A trial of a plan reports its steps, and changes nothing."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["count"], in: check.openStore(), check)
            let id = try items.create(["count": .int(0)])
            let plan = SchemaPlan("conformance") {
                increment("1", items.key)
                SchemaStep("2") { db in
                    try db.convert("count", of: items.key, to: .string)
                }
            }
            let report = try items.store.check(plan)
            check.expectEqual(report.steps.map(\.name), ["1", "2"], "the steps of the trial")
            check.expectEqual(
                report.steps.last?.changes.map(\.items), [1], "the items that would be converted")
            try items.expectValues(["count": .int(0)], of: id, "after a trial")
            check.expectEqual(
                try items.store.schemaHistory().count, 0, "the number of applied steps")
        },
    ]

    /// A step that adds 1 to the count of each item.
    static func increment(_ name: String, _ key: String) -> SchemaStep {
        SchemaStep(name) { db in
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: key)) {
                guard case .int(let count) = item["count"] else { continue }
                item["count"] = .int(count + 1)
            }
        }
    }
}

/// The error of a step that fails.
struct StepFailure: Error {}

/// A later release of a type, which declares another kind.
final class Level: MutableDataStoreItem {
    static let schema = ItemSchema(
        "ConformanceEvolving", attributes: [AttributeSchema("level", kinds: [.int])])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
