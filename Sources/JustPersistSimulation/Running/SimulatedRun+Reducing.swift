/// The search for a short run that fails.
extension SimulatedRun {
    /// The failure with the shortest failing list of decisions that was found.
    ///
    /// Runs the block up to some thousand times, for at most half a minute. If a thread waits for something outside the
    /// simulation, the failure is not reduced.
    public func reduced(
        _ body: @escaping @Sendable (Simulation) throws -> Void
    ) -> SimulatedRunFailed {
        let original = failure ?? SimulationFailure("It has not failed.")
        if (original as? SimulationFailure)?.standstill == .outside {
            return SimulatedRunFailed(self, original)
        }
        var search = Search(self, original, body)
        guard search.fails(decisions) else {
            return SimulatedRunFailed(self, original, isRepeatable: false)
        }
        // Steps and faults are reduced first, with any order of threads that fails; then the order is reduced.
        search.reduceSteps()
        search.reduceAll()
        return SimulatedRunFailed(
            search.best, search.best.failure ?? original, original: original)
    }

    /// The part of an error that does not depend on numbers, names and lists.
    ///
    /// Runs for which it is equal have the same bug.
    private static func kind(of error: any Error) -> String {
        if let standstill = (error as? SimulationFailure)?.standstill { return "\(standstill)" }
        var depth = 0
        let outside = "\(type(of: error)) \(error)".filter { letter in
            if "[“".contains(letter) { depth += 1 }
            defer { if "]”".contains(letter) { depth = max(0, depth - 1) } }
            return depth == 0
        }
        return outside.split(separator: " ").filter { !$0.contains(where: \.isNumber) }
            .joined(separator: " ")
    }

    private struct Search {
        private(set) var best: SimulatedRun
        private let kind: String
        private let body: @Sendable (Simulation) throws -> Void
        private let end = ContinuousClock.now + .seconds(30)
        /// The number of runs that failed differently by not ending; they take long.
        private var standstills = 0

        /// The number of orders of threads that are tried with a list of steps and faults.
        private static let mostOrders: UInt64 = 60
        private static let mostStandstills = 20

        init(
            _ run: SimulatedRun, _ failure: any Error,
            _ body: @escaping @Sendable (Simulation) throws -> Void
        ) {
            best = run
            kind = SimulatedRun.kind(of: failure)
            self.body = body
        }

        private var isLate: Bool {
            standstills > Self.mostStandstills || ContinuousClock.now > end
        }

        /// Whether a run fails for the same reason as the first one.
        ///
        /// The last such run is the best.
        private mutating func accepts(_ run: SimulatedRun) -> Bool {
            guard let failure = run.failure else { return false }
            guard SimulatedRun.kind(of: failure) == kind else {
                if (failure as? SimulationFailure)?.standstill != nil { standstills += 1 }
                return false
            }
            best = run
            return true
        }

        mutating func fails(_ decisions: [SimulationDecision]) -> Bool {
            accepts(
                SimulatedRun(seed: best.seed, faults: best.faults, decisions: decisions, body))
        }

        /// Whether a run with these decisions fails in any of some orders of the threads.
        private mutating func failsInSomeOrder(_ decisions: [SimulationDecision]) -> Bool {
            let before = standstills
            // If a run with a list does not end, it usually does not end in other orders either.
            for order in 1...Self.mostOrders where !isLate && standstills == before {
                let choices = Choices(
                    seed: best.seed, faults: best.faults, replaying: decisions, inOrder: order)
                if accepts(SimulatedRun(choices, decisions, body)) { return true }
            }
            return false
        }

        mutating func reduceSteps() {
            let fallback = best
            let steps = best.decisions.filter { !$0.isOrder }
            if failsInSomeOrder(steps) {
                reduce(steps) { $0.failsInSomeOrder($1) }
            }
            // Threads were switched at random in the best run, so its list is checked without that.
            if !fails(best.decisions) { best = fallback }
        }

        mutating func reduceAll() {
            reduce(best.decisions) { $0.fails($1) }
        }

        /// Leaves out parts of decreasing size, as long as the run fails without them.
        private mutating func reduce(
            _ decisions: [SimulationDecision],
            _ fails: (inout Search, [SimulationDecision]) -> Bool
        ) {
            var decisions = decisions
            var size = decisions.count
            while size > 0, !isLate {
                var place = 0
                var isShorter = false
                while place < decisions.count, !isLate {
                    var rest = decisions
                    rest.removeSubrange(place..<min(place + size, decisions.count))
                    if fails(&self, rest) {
                        decisions = rest
                        isShorter = true
                    } else {
                        place += size
                    }
                }
                if size == 1, isShorter { continue }
                size /= 2
            }
        }
    }
}

extension SimulationDecision {
    fileprivate var isOrder: Bool {
        if case .go = self { true } else { false }
    }
}
