import Foundation
import JustPersist

/// Checks that compare random histories with the reference store.
enum ModelChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "model/replay-corpus", clause: [5, 8, 9, 12, 15],
            "Every history that a store has failed before has the results of the contract."
        ) { check in
            for (name, history) in ReplayCorpus.histories
            where history.isWithin(check.capabilities) {
                try replay(history, name, check)
            }
            for file in try ReplayFile.files(in: check.replayDirectory) {
                do {
                    let replayed = try ReplayFile(contentsOf: file)
                    guard replayed.history.isWithin(check.capabilities) else { continue }
                    try replay(replayed.history, file.path, check)
                } catch let error as DecodingError {
                    check.fail("The replay \(file.path) cannot be read; remove it. \(error)")
                }
            }
        },
        CheckDefinition(
            "model/crud", clause: [8, 9],
            "Random creations, changes and deletions have the result of the reference store."
        ) { check in
            try check.compareHistories(HistoryProfile(requests: 0, reads: 0))
        },
        CheckDefinition(
            "model/requests", clause: [10, 11, 12, 13],
            "Random requests on random data have the results of the reference store."
        ) { check in
            try check.compareHistories(HistoryProfile(itemsAtFirst: 40, requests: 5, reads: 5))
        },
        CheckDefinition(
            "model/transactions", clause: [4, 5],
            "Random blocks, many of which throw, have the result of the reference store."
        ) { check in
            try check.compareHistories(HistoryProfile(requests: 3, rollbacks: 4))
        },
        CheckDefinition(
            "model/reopen", clause: [1, 6], gate: .requires(.persistent),
            "Closing and opening between random blocks loses and changes nothing."
        ) { check in
            try check.compareHistories(HistoryProfile(rollbacks: 2, reopenings: 2))
        },
        CheckDefinition(
            "model/children", clause: [15], gate: .requires(.childStores),
            "Trees of children, with merges and discards, behave as in the reference store."
        ) { check in
            let levels = check.capabilities.childStores >= .nested ? 3 : 1
            try check.compareHistories(
                HistoryProfile(
                    itemsAtFirst: 10, requests: 2, rollbacks: 1, children: 3, childLevels: levels))
        },
        CheckDefinition(
            "model/metamorphic-history", clause: [2, 5, 8],
            "Changes have the same result, however they are divided into blocks.",
            run: metamorphicHistory),
    ]

    private static func replay(
        _ history: ModelHistory, _ name: String, _ check: CheckContext
    ) throws {
        let difference = try check.modelRunner.difference(in: history)
        check.expect(
            difference == nil,
            """
            The history \(name) does not have the result that the contract requires. \(difference ?? "")
            In Swift:
            \(history.snippet)
            """)
    }

    /// Compares the results of one step in each block, all steps in one block, and several steps in each block.
    ///
    /// This needs no model.
    private static func metamorphicHistory(_ check: CheckContext) throws {
        var random = check.generator()
        for _ in 0..<check.profile.pick(quick: 2, full: 20, soak: 200) {
            let seed = random.next()
            var histories = HistoryGenerator(
                HistoryProfile(steps: 60, requests: 0, reads: 0, thaws: false), check.capabilities,
                seed: seed)
            let steps = histories.history().steps
            let whole = try state(after: [steps], of: steps, check)
            let single = try state(after: steps.map { [$0] }, of: steps, check)
            var rest = steps[...]
            var parts: [[ModelStep]] = []
            while !rest.isEmpty {
                let part = rest.prefix(random.int(in: 1...20))
                parts.append(Array(part))
                rest = rest.dropFirst(part.count)
            }
            let split = try state(after: parts, of: steps, check)
            for (state, blocks) in [(single, steps.count), (split, parts.count)] {
                check.expectEqual(
                    state, whole,
                    """
                    \(steps.count) changes (seed \(seed)) in \(blocks) write blocks leave something \
                    else than the same changes in one block
                    """)
            }
        }
    }

    private static func state(
        after blocks: [[ModelStep]], of steps: [ModelStep], _ check: CheckContext
    ) throws -> StoreDump {
        let history = ModelHistory(operations: blocks.map { .write($0) })
        let subject = ModelSubject(
            try check.newStore(), attributes: history.attributes, reopen: check.reopened)
        defer { try? subject.destroy() }
        for operation in history.operations {
            let outcomes = subject.run(operation)
            try check.require(
                outcomes.last == "committed",
                "A write block ended otherwise than by committing: \(outcomes.last ?? "nothing")")
        }
        return try check.require(
            subject.dumps(typeKeys: history.types)[0], "the state after a history")
    }
}
