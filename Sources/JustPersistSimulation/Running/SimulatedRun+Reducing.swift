/// The search for a short run that fails.
extension SimulatedRun {
    /// The failure with as few decisions as were found to be needed.
    ///
    /// Runs the block up to some thousand times, for half a minute at most.
    public func reduced(
        _ body: @escaping @Sendable (Simulation) throws -> Void
    ) -> SimulatedRunFailed {
        var search = Search(self, body)
        guard search.fails(decisions) else {
            return SimulatedRunFailed(
                self, failure ?? SimulationFailure("It failed once."), isReduced: false)
        }
        // Steps and faults first, with any order of the threads that fails; then the order.
        search.reduceSteps()
        search.reduceAll()
        return SimulatedRunFailed(
            search.best, search.best.failure ?? SimulationFailure(""), isReduced: true)
    }

    private struct Search {
        private(set) var best: SimulatedRun
        private let body: @Sendable (Simulation) throws -> Void
        private let end = ContinuousClock.now + .seconds(30)

        /// The orders of threads that are tried with a list of steps and faults.
        private static let mostOrders: UInt64 = 60

        init(_ run: SimulatedRun, _ body: @escaping @Sendable (Simulation) throws -> Void) {
            best = run
            self.body = body
        }

        private var isLate: Bool { ContinuousClock.now > end }

        /// Whether a run with these decisions fails; the last one that does is the best.
        mutating func fails(_ decisions: [SimulationDecision]) -> Bool {
            let run = SimulatedRun(
                seed: best.seed, faults: best.faults, decisions: decisions, body)
            if run.failure != nil { best = run }
            return run.failure != nil
        }

        /// Whether a run with these decisions fails in any of some orders of the threads.
        private mutating func failsInSomeOrder(_ decisions: [SimulationDecision]) -> Bool {
            for order in 1...Self.mostOrders where !isLate {
                let choices = Choices(
                    seed: best.seed, faults: best.faults, replaying: decisions, inOrder: order)
                let run = SimulatedRun(choices, decisions, body)
                guard run.failure != nil else { continue }
                best = run
                return true
            }
            return false
        }

        mutating func reduceSteps() {
            let fallback = best
            let steps = best.decisions.filter { !$0.isOrder }
            if failsInSomeOrder(steps) {
                reduce(steps) { $0.failsInSomeOrder($1) }
            }
            // The run was noted while threads were switched at random: by its list alone it fails too.
            if !fails(best.decisions) { best = fallback }
        }

        mutating func reduceAll() {
            reduce(best.decisions) { $0.fails($1) }
        }

        /// Leaves parts out, which grow smaller, as long as a test fails without them.
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
