import JustPersist

@testable import JustPersistConformance

/// Stores that fail where a schema changes.
enum EvolutionSabotages {
    static let all = [
        Sabotage(
            "makes items of a class that values do not fit",
            caughtBy: "evo/mismatch-refused-before-first-use"
        ) {
            $0.rules = { rules, _ in rules.refusesMisfits = false }
        },
        Sabotage("renames no attribute", caughtBy: "evo/rename-swaps-names") { faults in
            faults.schemaChange = { [schemaChange = faults.schemaChange] in
                if case .renameAttribute = $0 { return true }
                return try schemaChange($0, $1)
            }
        },
        Sabotage("hides a dropped attribute only", caughtBy: "evo/drop-is-final") { faults in
            faults.schemaChange = { [schemaChange = faults.schemaChange] in
                guard case .dropAttribute(let name, let type) = $0 else {
                    return try schemaChange($0, $1)
                }
                return try schemaChange(.renameAttribute(name, to: "hidden", of: type), $1)
            }
        },
        Sabotage("deletes the items of a dropped type only", caughtBy: "evo/drop-type") { faults in
            faults.schemaChange = { [schemaChange = faults.schemaChange] in
                if case .dropType = $0 { return true }
                return try schemaChange($0, $1)
            }
        },
        Sabotage(
            "merges dropped values of a child", caughtBy: "evo/children-lose-what-is-dropped"
        ) {
            $0.rules = { rules, _ in
                rules.merged = { [merged = rules.merged] overlay, parent, policy in
                    var parent = parent
                    parent.drops = []
                    return merged(overlay, parent, policy)
                }
            }
        },
        Sabotage("forgets the applied steps", caughtBy: "evo/steps-once-and-together") {
            $0.fetch = forgettingSteps($0.fetch)
        },
        Sabotage("forgets the steps of later releases", caughtBy: "evo/newer-schema-refused") {
            $0.fetch = forgettingSteps($0.fetch)
        },
        Sabotage("keeps what a failed step did", caughtBy: "evo/step-throws-leaves-no-trace") {
            $0.rules = { rules, _ in rules.rolledBack = { _, after in after } }
        },
        Sabotage("keeps what a trial did", caughtBy: "evo/trial-changes-nothing") {
            $0.rules = { rules, _ in rules.rolledBack = { _, after in after } }
        },
        Sabotage("forgets former names", caughtBy: "evo/releases-take-turns") {
            $0.rules = { rules, _ in
                rules.declared = { schema in
                    ItemSchema(
                        schema.itemTypeKey, formerTypeKeys: schema.formerTypeKeys,
                        attributes: schema.attributes.map {
                            AttributeSchema($0.name, kinds: $0.kinds, default: $0.defaultValue)
                        }, indexes: schema.indexes)
                }
            }
        },
        Sabotage(
            "loses an undeclared value when an item changes",
            caughtBy: "evo/undeclared-attribute-survives"
        ) {
            $0.rules = { rules, _ in
                rules.committed = { before, after in
                    var after = after
                    for row in after.rows where before.row(row.key) != nil {
                        after.set(.null, ofAttribute: "fax", of: row.key)
                    }
                    return after
                }
            }
        },
        Sabotage("keeps one of two names", caughtBy: "evo/both-names-conflict") { faults in
            faults.schemaChange = { [schemaChange = faults.schemaChange] operation, block in
                guard case .renameAttribute(let name, let newName, let type) = operation else {
                    return try schemaChange(operation, block)
                }
                do {
                    return try schemaChange(operation, block)
                } catch {
                    _ = try schemaChange(.dropAttribute(newName, of: type), block)
                    return try schemaChange(.renameAttribute(name, to: newName, of: type), block)
                }
            }
        },
        Sabotage("forgets former types", caughtBy: "evo/rename-type-keeps-references") {
            $0.rules = { rules, _ in
                rules.declared = { schema in
                    ItemSchema(schema.itemTypeKey, attributes: schema.attributes)
                }
            }
        },
        Sabotage("widens every number", caughtBy: "evo/widened-numbers") {
            $0.rules = { rules, _ in rules.refusesMisfits = false }
        },
        Sabotage("loses a text that is no number", caughtBy: "evo/convert-failures") {
            $0.rules = { rules, _ in
                rules.stored = { $0 == .string("many") ? .null : $0 }
            }
        },
        Sabotage(
            "keeps a part of a batch that failed", caughtBy: "evo/batches-change-each-item-once"
        ) {
            $0.rules = { rules, _ in rules.rolledBack = { _, after in after } }
        },
        Sabotage(
            "forgets that a step is unfinished", caughtBy: "evo/unfinished-step-refuses-blocks"
        ) {
            $0.rules = { rules, _ in
                rules.committed = { _, after in
                    var after = after
                    after.hasUnfinishedStep = false
                    return after
                }
            }
        },
        Sabotage("declares every class", caughtBy: "evo/class-of-a-plan-does-not-fit") {
            $0.rules = { rules, _ in rules.refusesMisfits = false }
        },
        Sabotage("forgets the replaced steps", caughtBy: "evo/replaced-steps") {
            $0.fetch = forgettingSteps($0.fetch)
        },
        Sabotage("forgets the later step", caughtBy: "evo/late-step") {
            $0.fetch = forgettingSteps($0.fetch)
        },
        Sabotage("keeps what a refused change left", caughtBy: "evo/refused-change-fails-its-step")
        {
            $0.rules = { rules, _ in rules.rolledBack = { _, after in after } }
        },
        Sabotage("copies dropped values", caughtBy: "evo/copies-have-the-history") { faults in
            faults.schemaChange = { [schemaChange = faults.schemaChange] in
                guard case .dropAttribute(let name, let type) = $0 else {
                    return try schemaChange($0, $1)
                }
                return try schemaChange(.renameAttribute(name, to: "hidden", of: type), $1)
            }
        },
    ]

    private typealias Fetch =
        @Sendable (DataStoreRequest, ReferenceBlock) throws -> [any DataStoreItem]

    private static func forgettingSteps(_ fetch: @escaping Fetch) -> Fetch {
        { request, block in
            request.type.key == "JustPersist.SchemaStep" ? [] : try fetch(request, block)
        }
    }
}
