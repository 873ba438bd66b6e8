import Foundation
import JustPersist

/// Support for checks that run histories.
extension CheckContext {
    /// A runner that compares the store under examination with the reference store.
    var modelRunner: ModelRunner {
        ModelRunner(
            makeCandidate: newStore,
            makeModel: {
                let model = ReferenceDataStore()
                try model.open()
                return model
            },
            reopen: reopened, tick: tick)
    }

    /// A new, open store.
    func newStore() throws -> any DataStore {
        let store = try makeStore(named: "model-\(UUID().uuidString)")
        try store.open()
        return store
    }

    /// Generates histories, and expects that the store behaves as the reference store does.
    ///
    /// The first history that fails is shrunk and kept for replay.
    func compareHistories(
        _ historyProfile: HistoryProfile, file: String = #fileID, line: Int = #line
    )
        throws
    {
        var historyProfile = historyProfile
        historyProfile.steps = profile.pick(quick: 100, full: 300, soak: 2_000)
        var random = generator()
        for _ in 0..<profile.pick(quick: 3, full: 20, soak: 300) {
            let seed = random.next()
            var histories = HistoryGenerator(historyProfile, capabilities, seed: seed)
            let history = histories.history()
            guard let difference = try modelRunner.difference(in: history) else {
                expect(true, "", file: file, line: line)
                continue
            }
            fail(
                try failure(difference, of: history, seed: seed), file: file, line: line)
            throw CheckStop.failed
        }
    }

    /// Shrinks a failing history, keeps it for replay, and returns a description.
    private func failure(
        _ difference: String, of history: ModelHistory, seed: UInt64
    ) throws -> String {
        var shrinker = HistoryShrinker(budget: profile.pick(quick: 800, full: 2_000, soak: 5_000)) {
            try self.modelRunner.difference(in: $0) != nil
        }
        let shrunk = try shrinker.shrink(history)
        // An intermittent failure may not occur for the shrunk history.
        let reason = try modelRunner.difference(in: shrunk) ?? difference
        let replay = ReplayFile(check: checkID, seed: seed, failure: reason, history: shrunk)
        let place: String
        do { place = "Kept for replay in \(try replay.write(to: replayDirectory).path)." } catch {
            place = "It could not be kept for replay: \(error)."
        }
        return """
            A random history does not have the result that the contract requires. \(reason)
            Shrunk from \(history.stepCount) steps to \(shrunk.stepCount). \(place)
            In Swift:
            \(shrunk.snippet)
            """
    }
}
