@testable import JustPersist
@testable import JustPersistConformance

/// Stores in which one way to carry a request out leaves out a step, or a limit of the work.
enum WaySabotages {
    static let all: [Sabotage] = Way.allCases.flatMap { steps($0) + faults($0) }

    /// A way that leaves out a step.
    private static func steps(_ way: Way) -> [Sabotage] {
        steps(of: way).map { name, step in
            Sabotage("\(way) \(name)", caughtBy: "twin/\(way)") { faults in
                faults.change(way) { question, ask in
                    let request = question.request.copy()
                    step(request)
                    try ask((request, question.block))
                }
            }
        }
    }

    /// A way that is wrong in one kind of block, or has no limits.
    private static func faults(_ way: Way) -> [Sabotage] {
        [
            Sabotage("\(way) sees what was committed only", caughtBy: "prim/\(way)-own-changes") {
                $0.see(way) { $0.isWriting }
            },
            Sabotage("\(way) sees what is committed later", caughtBy: "prim/\(way)-snapshot") {
                $0.see(way) { !$0.isWriting }
            },
            Sabotage("\(way) knows no deadline", caughtBy: "limit/deadline-\(way)") { faults in
                faults.change(way) { question, ask in
                    let request = question.request.copy()
                    request.deadline = nil
                    try ask((request, question.block))
                }
            },
            Sabotage("\(way) fails its block after a deadline", caughtBy: "limit/deadline-\(way)") {
                $0.change(way) { question, ask in
                    do {
                        try ask(question)
                    } catch let error as DataStoreError where error.code == .deadlineExceeded {
                        question.block.poison(error)
                        throw error
                    }
                }
            },
            Sabotage("\(way) goes on for a cancelled task", caughtBy: "limit/cancelled-\(way)") {
                $0.change(way) { question, ask in
                    try WorkLimit.withCancellation(Cancellation()) { try ask(question) }
                }
            },
            Sabotage("\(way) lets a cancelled block commit", caughtBy: "limit/cancelled-\(way)") {
                $0.change(way) { question, ask in
                    let block = ReferenceBlock(
                        state: question.block.state, isWriting: false,
                        context: question.block.context)
                    try ask((question.request, block))
                }
            },
            Sabotage("\(way) stops at 900", caughtBy: "prim/\(way)-many") { faults in
                faults.change(way) { question, ask in
                    let request = question.request.copy()
                    request.limit = request.limit ?? 900
                    try ask((request, question.block))
                }
            },
            Sabotage("\(way) answers once in a block", caughtBy: "prim/\(way)-again") {
                let memory = Memory()
                $0.change(way) { question, ask in
                    try ask(memory.isFirst(in: question.block) ? question : nothing(question))
                }
            },
            Sabotage("\(way) finds nothing when reopened", caughtBy: "prim/\(way)-reopened") {
                let closings = Locked(0)
                $0.rules = { rules, _ in rules.closed = { closings.withLock { $0 += 1 } } }
                $0.change(way) { question, ask in
                    try ask(closings.withLock { $0 } == 0 ? question : nothing(question))
                }
            },
            Sabotage("\(way) sees what a failed block had", caughtBy: "prim/\(way)-rollback") {
                let failed = Locked<ReferenceState?>(nil)
                $0.rules = { rules, _ in
                    rules.rolledBack = { before, after in
                        failed.withLock { $0 = after }
                        return before
                    }
                }
                $0.change(way) { question, ask in
                    guard let state = failed.withLock({ $0 }) else { return try ask(question) }
                    let block = ReferenceBlock(
                        state: state, isWriting: false, context: question.block.context)
                    try ask((question.request, block))
                }
            },
            Sabotage("\(way) refuses nothing", caughtBy: "prim/\(way)-error") { faults in
                faults.change(way) { question, ask in
                    let request = question.request.copy()
                    if request.limit ?? 0 < 0 { request.limit = nil }
                    try ask((request, question.block))
                }
            },
        ]
    }

    /// The question with a request that nothing matches.
    static func nothing(_ question: Faults.Question) -> Faults.Question {
        let request = question.request.copy()
        request.predicate = .constant(false)
        return (request, question.block)
    }

    /// The steps that a way may leave out.
    private static func steps(of way: Way) -> [(String, @Sendable (DataStoreRequest) -> Void)] {
        let all: [(String, Bool, @Sendable (DataStoreRequest) -> Void)] = [
            ("without its predicate", true, { $0.predicate = nil }),
            ("without its sort", way.givesItems, { $0.sortDescriptors = nil }),
            (
                "by its first criterion only", way.givesItems,
                { $0.sortDescriptors = $0.sortDescriptors.map { Array($0.prefix(1)) } }
            ),
            ("without its offset", way.isSliced, { $0.offset = nil }),
            ("without its limit", way.isSliced, { $0.limit = nil }),
        ]
        return all.filter { $0.1 }.map { ($0.0, $0.2) }
    }
}

extension Faults {
    /// Lets a way see the latest commit, in the blocks where that is wrong.
    fileprivate mutating func see(
        _ way: Way, in isWrong: @escaping @Sendable (ReferenceBlock) -> Bool
    ) {
        let memory = Locked<Memory?>(nil)
        rules = { _, new in memory.withLock { $0 = new } }
        change(way) { question, ask in
            guard isWrong(question.block), let memory = memory.withLock({ $0 }) else {
                return try ask(question)
            }
            let block = ReferenceBlock(
                state: memory.committed, isWriting: false, context: question.block.context)
            try ask((question.request, block))
        }
    }
}
