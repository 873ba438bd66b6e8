@testable import JustPersistConformance

/// The checks of each primitive in each circumstance, or the reason why there is none.
struct Matrix {
    /// The contents of a cell.
    enum Cell {
        case checks([String])
        case reason(String)
    }

    /// A primitive, and the cells of its row.
    struct Row {
        let primitive: String
        let cells: [Circumstance: Cell]
    }

    static let rows = accessorRows + storeRows

    /// The primitives of both accessors have a check of their own for each cell; these help.
    private static let others: [String: [Circumstance: [String]]] = [
        "fetch": [
            .many: ["size/hundred-thousand-items"], .snapshot: ["iso/repeatable-read"],
        ],
        "count": [
            .many: ["size/hundred-thousand-items"],
            .snapshot: ["iso/count-and-items-agree"],
        ],
        "forEach": [.many: ["size/large-block-then-small"]],
        "create": [.many: ["tx/ten-thousand-items-atomic"]],
        "declare": [.many: ["many/types"]],
    ]

    private static let accessorRows =
        (Question.allCases.map { ($0.rawValue, $0.primitive) }
        + Change.allCases.map { ($0.rawValue, $0.primitive) }).map { name, primitive in
            Row(
                primitive: primitive,
                cells: Dictionary(
                    uniqueKeysWithValues: Circumstance.allCases.map { circumstance in
                        let own = "prim/\(name)-\(circumstance.rawValue)"
                        return (
                            circumstance,
                            .checks([own] + (others[name]?[circumstance] ?? []))
                        )
                    }))
        }

    private static func row(
        _ primitive: String, many: Cell, own: Cell, snapshot: Cell, rollback: Cell, reopened: Cell,
        error: Cell, again: Cell
    ) -> Row {
        Row(
            primitive: primitive,
            cells: [
                .many: many, .ownChanges: own, .snapshot: snapshot, .rollback: rollback,
                .reopened: reopened, .error: error, .again: again,
            ])
    }

    private static let storeRows = [
        row(
            "open", many: .checks(["prim/fetch-reopened"]),
            own: .reason("Before `open` returns, no block can have changed anything."),
            snapshot: .reason("A store that is being opened has no snapshots yet."),
            rollback: .reason(
                "`open` is not a part of a block. A failed `open` belongs to the column of errors."),
            reopened: .checks(["life/setup-after-teardown"]),
            error: .checks(["life/setup-failure-is-reported"]),
            again: .checks(["life/setup-twice-keeps-data"])),
        row(
            "close", many: .checks(["prim/create-reopened"]),
            own: .checks(["life/teardown-inside-block-refused"]),
            snapshot: .checks(["life/teardown-while-reader-open"]),
            rollback: .reason(
                "`close` changes no data. Queued blocks that throw belong to `enqueueWrite`."),
            reopened: .checks(["life/setup-after-teardown"]),
            error: .checks(["life/teardown-inside-block-refused"]),
            again: .checks(["life/teardown-twice"])),
        row(
            "destroy", many: .checks(["life/destroy-many"]),
            own: .checks(["life/teardown-inside-block-refused"]),
            snapshot: .checks(["life/destroy-while-reader-open"]),
            rollback: .reason("`destroy` is not a part of a block, and is refused inside one."),
            reopened: .checks(["life/destroy-closed"]),
            error: .checks(["life/teardown-inside-block-refused"]),
            again: .checks(["life/destroy-twice"])),
        row(
            "performRead", many: .checks(["prim/fetch-many", "prim/forEach-many"]),
            own: .checks(["thread/nested-read-in-write"]),
            snapshot: .checks(["prim/fetch-snapshot", "iso/repeatable-read"]),
            rollback: .checks(["prim/fetch-rollback"]), reopened: .checks(["prim/fetch-reopened"]),
            error: .checks(["prim/fetch-error", "err/error-in-read-leaves-store-usable"]),
            again: .checks(["prim/fetch-again", "thread/nested-read-in-read"])),
        row(
            "performWrite", many: .checks(["prim/create-many", "tx/ten-thousand-items-atomic"]),
            own: .checks(["prim/create-own-changes"]),
            snapshot: .checks(["prim/create-snapshot", "iso/P4"]),
            rollback: .checks(["prim/create-rollback"]),
            reopened: .checks(["prim/create-reopened"]),
            error: .checks(["tx/error-passes-through", "prim/create-error"]),
            again: .checks(["prim/create-again", "thread/nested-write-in-write"])),
        row(
            "performStep",
            many: .reason("The blocks of `performStep` are those of `performWrite`."),
            own: .checks(["evo/steps-once-and-together"]),
            snapshot: .reason("A snapshot stays beside `performStep` as beside `performWrite`."),
            rollback: .checks(["evo/step-throws-leaves-no-trace"]),
            reopened: .checks(["evo/unfinished-step-refuses-blocks"]),
            error: .checks(["evo/batches-change-each-item-once"]),
            again: .checks(["evo/steps-once-and-together"])),
        row(
            "enqueueWrite", many: .checks(["prim/enqueueWrite-many", "conc/async-burst"]),
            own: .checks(["prim/enqueueWrite-own-changes"]),
            snapshot: .checks(["prim/enqueueWrite-snapshot"]),
            rollback: .checks(["prim/enqueueWrite-rollback"]),
            reopened: .checks(["prim/enqueueWrite-reopened"]),
            error: .checks(["prim/enqueueWrite-error"]),
            again: .checks(["prim/enqueueWrite-again", "conc/async-order"])),
        row(
            "makeChild", many: .checks(["child/ten-thousand-changes"]),
            own: .reason(
                "A child sees the state that is committed when its blocks begin, even if it is made inside a block."
            ),
            snapshot: .checks(["child/parent-writes-after-creation"]),
            rollback: .reason("`makeChild` changes nothing that could be rolled back."),
            reopened: .checks(["child/discard"]),
            error: .checks(["life/use-before-setup-refused"]),
            again: .checks(["child/siblings-isolated"])),
        row(
            "performMerge", many: .checks(["child/ten-thousand-changes"]),
            own: .checks(["child/primitives"]), snapshot: .checks(["child/merge-is-atomic"]),
            rollback: .checks(["child/conflict-same-attribute"]),
            reopened: .checks(["child/merge-is-durable"]),
            error: .checks(["child/conflict-same-attribute"]), again: .checks(["child/merge-twice"])
        ),
        row(
            "performChangeToken", many: .checks(["many/commits"]), own: .checks(["chg/token"]),
            snapshot: .checks(["chg/token-of-snapshot"]),
            rollback: .reason("`performChangeToken` changes nothing that could be rolled back."),
            reopened: .checks(["chg/reopened"]), error: .checks(["chg/undeclared-refused"]),
            again: .checks(["chg/token"])),
        row(
            "observeChanges", many: .checks(["many/commits"]),
            own: .reason("Only committed changes are reported."),
            snapshot: .checks(["chg/visible-when-told"]),
            rollback: .checks(["chg/rolled-back-tells-nothing"]),
            reopened: .checks(["chg/reopened"]), error: .checks(["chg/unknown-token"]),
            again: .checks(["chg/scopes"])),
        row(
            "schemasWithRelationships", many: .checks(["rel/cascade-chain"]),
            own: .checks(["rel/inverse-from-one-side"]),
            snapshot: .checks(["rel/snapshot-does-not-move"]),
            rollback: .checks(["rel/deny-rolls-back"]),
            reopened: .checks(["rel/reopen-keeps-relationships"]),
            error: .checks(["rel/inverse-disagreement-refused"]),
            again: .checks(["rel/add-twice-is-once"])),
        row(
            "links", many: .checks(["rel/cascade-chain"]),
            own: .checks(["rel/cascade-diamond-once"]),
            snapshot: .reason("Only write blocks have `links`, and they follow each other."),
            rollback: .checks(["rel/deny-rolls-back"]),
            reopened: .checks(["rel/reopen-keeps-relationships"]),
            error: .checks(["rel/foreign-item-refused"]),
            again: .checks(["rel/add-twice-is-once"])),
        row(
            "performSchemaChange",
            many: .reason(
                "`performSchemaChange` changes the catalog, whatever the number of items."),
            own: .checks(["evo/rename-swaps-names"]),
            snapshot: .reason("The catalog belongs to the snapshot, as `declare` shows."),
            rollback: .checks(["evo/step-throws-leaves-no-trace"]),
            reopened: .checks(["evo/drop-is-final", "evo/drop-type"]),
            error: .checks(["evo/step-throws-leaves-no-trace"]),
            again: .checks(["evo/rename-swaps-names"])),
        row(
            "isDeclared",
            many: .reason("`isDeclared` asks the catalog, whatever the number of items."),
            own: .reason("A plan asks `isDeclared` before its own block."),
            snapshot: .reason("The catalog belongs to the snapshot, as `declare` shows."),
            rollback: .reason("`isDeclared` changes nothing that could be rolled back."),
            reopened: .checks(["evo/steps-once-and-together"]),
            error: .reason(
                "A class that a store refuses is not declared, and declaring it throws the error."),
            again: .checks(["evo/steps-once-and-together"])),
        row(
            "withReader", many: .checks(["rel/many-others"]),
            own: .checks(["rel/set-to-one-appears-in-to-many"]),
            snapshot: .checks(["rel/snapshot-does-not-move"]),
            rollback: .checks(["rel/random-graph-model"]),
            reopened: .checks(["rel/reopen-keeps-relationships"]),
            error: .checks(["rel/not-loaded-is-reported"]),
            again: .checks(["rel/add-twice-is-once"])),
        row(
            "withWriter", many: .checks(["rel/many-others"]),
            own: .checks(["rel/both-sides-agree"]),
            snapshot: .checks(["rel/snapshot-does-not-move"]),
            rollback: .checks(["rel/deny-rolls-back"]),
            reopened: .checks(["rel/reopen-keeps-relationships"]),
            error: .checks(["rel/foreign-item-refused"]),
            again: .checks(["rel/add-twice-is-once"])),
        row(
            "buildIndexes", many: .checks(["idx/built"]),
            own: .reason("`buildIndexes` waits for the indexes of committed types."),
            snapshot: .checks(["idx/built"]),
            rollback: .reason("`buildIndexes` is not a part of a block, and changes no answer."),
            reopened: .checks(["idx/built"]), error: .checks(["idx/built"]),
            again: .checks(["idx/built"])),
        row(
            "verify", many: .checks(["life/verify-counts"]),
            own: .reason("`verify` reads the committed state, in its own block."),
            snapshot: .checks(["life/verify-while-writing"]),
            rollback: .checks(["life/verify-counts"]), reopened: .checks(["life/verify-counts"]),
            error: .checks(["life/use-after-teardown-refused"]),
            again: .checks(["life/verify-counts"])),
    ]

    /// The table as an article shows it.
    static var markdown: String {
        let header =
            "| primitive | " + Circumstance.allCases.map(\.title).joined(separator: " | ") + " |"
        let rule = "|---|" + Circumstance.allCases.map { _ in "---|" }.joined()
        var notes: [String] = []
        let lines = rows.map { row in
            let cells = Circumstance.allCases.map { circumstance -> String in
                switch row.cells[circumstance] {
                case .checks(let ids): return ids.map { "`\($0)`" }.joined(separator: " ")
                case .reason(let reason):
                    notes.append(reason)
                    return "(\(notes.count))"
                case nil: return ""
                }
            }
            return "| `\(row.primitive)` | " + cells.joined(separator: " | ") + " |"
        }
        let reasons = notes.enumerated().map { "\($0.offset + 1). \($0.element)" }
        return ([header, rule] + lines + [""] + reasons).joined(separator: "\n")
    }
}

extension Circumstance {
    /// The head of its column.
    fileprivate var title: String {
        switch self {
        case .many: "more than 1,000"
        case .ownChanges: "the block's own changes"
        case .snapshot: "beside a later commit"
        case .rollback: "rolled back"
        case .reopened: "reopened"
        case .error: "an error inside"
        case .again: "a second call"
        }
    }
}
