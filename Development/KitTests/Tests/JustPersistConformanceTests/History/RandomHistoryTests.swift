import Testing

@testable import JustPersistConformance

/// Histories of simulated stores: right ones have no anomaly, wrong ones the anomaly of their flaw.
@Suite struct RandomHistoryTests {
    private func histories(
        _ isolation: SimulatedHistory.Isolation, _ check: ([HistoryAnomaly]) -> Void
    ) {
        for _ in 0..<20 {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed: \(seed)")
            check(HistoryAnalysis(SimulatedHistory.make(400, isolation, seed: seed)).anomalies)
        }
    }

    @Test func serialHistoriesAreFaultless() {
        histories(.serial) { anomalies in
            #expect(anomalies.isEmpty, "\(anomalies)")
        }
    }

    @Test func snapshotsAllowWriteSkewAndNothingElse() {
        var found: Set<HistoryAnomaly.Kind> = []
        histories(.snapshot) { found.formUnion($0.map(\.kind)) }
        #expect(found == [.g2Item])
    }

    @Test func lastWriterWinningLosesUpdates() {
        var found: Set<HistoryAnomaly.Kind> = []
        histories(.lastWriterWins) { found.formUnion($0.map(\.kind)) }
        #expect(found.contains(.incompatibleOrder))
    }

    @Test func appendsToAStateThatMovedOnAreLostUpdates() {
        var found: Set<HistoryAnomaly.Kind> = []
        histories(.blindAppends) { found.formUnion($0.map(\.kind)) }
        #expect(found.contains(.lostUpdate))
    }

    @Test func staleSnapshotsAreFound() {
        var found: Set<HistoryAnomaly.Kind> = []
        histories(.stale) { found.formUnion($0.map(\.kind)) }
        #expect(found.contains(.gSingle))
        #expect(found.isDisjoint(with: [.g1a, .garbageRead, .duplicate, .internal, .dirtyUpdate]))
    }

    @Test func rollbacksThatLeaveTheirAppendsAreFound() {
        var found: Set<HistoryAnomaly.Kind> = []
        histories(.leaky) { found.formUnion($0.map(\.kind)) }
        #expect(found.isSuperset(of: [.g1a, .dirtyUpdate]))
    }

    @Test func oneLongChainNeedsNoStack() {
        // Each transaction reads the one before, and the first one reads the last: a circle through all.
        let count = 30_000
        let history = History(
            transactions: (0..<count).map { index in
                .init(
                    process: index, began: index, ended: count + index,
                    operations: [
                        .append(1, list: index), .read([1], list: (index + count - 1) % count),
                    ], isCommitted: true)
            })
        #expect(kinds(in: history) == [.g1c])
    }
}
