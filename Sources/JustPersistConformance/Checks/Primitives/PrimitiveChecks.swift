import JustPersist

/// Checks of each primitive of the accessors, and of queued blocks, in each situation: one check for each cell of the
/// table.
enum PrimitiveChecks {
    static let all: [CheckDefinition] =
        Question.allCases.flatMap { question in
            Circumstance.allCases.map { circumstance in
                definition(question.rawValue, question.primitive, circumstance) { check in
                    try examine(question, circumstance, check)
                }
            }
        }
        + Change.allCases.flatMap { change in
            Circumstance.allCases.map { circumstance in
                definition(change.rawValue, change.primitive, circumstance) { check in
                    if change == .dropIndex { try check.requireDropping() }
                    try examine(change, circumstance, check)
                }
            }
        }
        + Circumstance.allCases.map { circumstance in
            definition("enqueueWrite", "enqueueWrite", circumstance) { check in
                try examineQueue(circumstance, check)
            }
        }

    private static func definition(
        _ name: String, _ primitive: String, _ circumstance: Circumstance,
        _ run: @escaping @Sendable (CheckContext) throws -> Void
    ) -> CheckDefinition {
        CheckDefinition(
            "prim/\(name)-\(circumstance.rawValue)", clause: circumstance.clauses,
            gate: circumstance.gate, "\(primitive) is right \(circumstance.words)."
        ) { check in
            if circumstance == .snapshot, check.capabilities.threading.readsOnMainThread {
                try check.notApplicable("its blocks run on the main thread, one after the other")
            }
            if circumstance == .reopened, !check.reopeningKeepsData {
                try check.notApplicable("a child keeps nothing when it is closed")
            }
            try run(check)
        }
    }

    /// The number of items in the situation with many items.
    static func many(_ check: CheckContext) -> Int {
        check.profile.pick(quick: 1_500, full: 10_001, soak: 100_001)
    }

    /// The number of types in the situation with many types.
    static func manyTypes(_ check: CheckContext) -> Int {
        check.profile.pick(quick: 1_001, full: 1_001, soak: 10_001)
    }
}

extension CheckContext {
    /// Ends the check as not applicable if the store refuses to drop indexes, as the default does.
    fileprivate func requireDropping() throws {
        let store = try openStore()
        do {
            try store.write { db in
                try db.declare(ItemSchema(Shelf.key, attributes: [AttributeSchema("number")]))
                _ = try db.dropIndex(IndexSchema(["number"]), ofType: Shelf.key)
            }
        } catch let error as DataStoreError where error.code == .unsupported {
            expect(!error.message.isEmpty, "dropIndex was refused without a word")
            try notApplicable("the store refuses to drop indexes")
        }
    }
}
