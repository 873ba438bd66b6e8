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
    ]

    private typealias Fetch =
        @Sendable (DataStoreRequest, ReferenceBlock) throws -> [any DataStoreItem]

    private static func forgettingSteps(_ fetch: @escaping Fetch) -> Fetch {
        { request, block in
            request.type.key == "JustPersist.SchemaStep" ? [] : try fetch(request, block)
        }
    }
}
