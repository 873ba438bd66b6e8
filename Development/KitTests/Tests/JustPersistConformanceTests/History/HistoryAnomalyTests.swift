import Testing

@testable import JustPersistConformance

/// Each anomaly by a small history that has it.
@Suite struct HistoryAnomalyTests {
    private typealias Kind = HistoryAnomaly.Kind

    @Test func nothingIsWrongWithNothing() {
        #expect(kinds(in: .overlapping()) == [])
        #expect(kinds(in: .overlapping([], [])) == [])
    }

    @Test func readsOfPrefixesAreRight() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.read([], list: 0)],
            [.read([1], list: 0), .append(2, list: 0)],
            [.read([1, 2], list: 0)])
        #expect(kinds(in: history) == [])
    }

    @Test func ownAppendsAreSeen() {
        let history = History.overlapping(
            [.append(1, list: 0)],
            [
                .append(2, list: 0), .read([1, 2], list: 0), .append(3, list: 0),
                .read([1, 2, 3], list: 0),
            ])
        #expect(kinds(in: history) == [])
    }

    @Test func garbageRead() {
        #expect(kinds(in: .overlapping([.read([7], list: 0)])) == [.garbageRead])
    }

    @Test func duplicate() {
        let history = History.overlapping([.append(1, list: 0)], [.read([1, 1], list: 0)])
        #expect(kinds(in: history).contains(.duplicate))
    }

    @Test func ownAppendNotSeen() {
        let history = History.overlapping([.append(1, list: 0), .read([], list: 0)])
        #expect(kinds(in: history) == [.internal])
    }

    @Test func listThatChangesUnderItsReader() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.read([], list: 0), .read([1], list: 0)])
        #expect(kinds(in: history).contains(.internal))
    }

    @Test func incompatibleOrder() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.append(2, list: 0)], [.read([1, 2], list: 0)],
            [.read([2], list: 0)])
        #expect(kinds(in: history) == [.incompatibleOrder])
    }

    @Test func abortedRead() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.read([1], list: 0)], rolledBack: [0])
        #expect(kinds(in: history) == [.g1a])
    }

    @Test func rolledBackTransactionMayReadItsOwnAppends() {
        let history = History.overlapping(
            [.append(1, list: 0), .read([1], list: 0)], [.read([], list: 0)], rolledBack: [0])
        #expect(kinds(in: history) == [])
    }

    @Test func intermediateRead() {
        let history = History.overlapping(
            [.append(1, list: 0), .append(2, list: 0)], [.read([1], list: 0)])
        // Half of a transaction was seen, so the reader comes before and after it.
        #expect(kinds(in: history) == [.g1b, .gSingle])
    }

    @Test func dirtyUpdate() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.append(2, list: 0)], [.read([1, 2], list: 0)], rolledBack: [0])
        #expect(kinds(in: history) == [.g1a, .dirtyUpdate])
    }

    @Test func lostUpdate() {
        let history = History.overlapping(
            [.read([], list: 0), .append(1, list: 0)], [.read([], list: 0), .append(2, list: 0)],
            [.read([1], list: 0)])
        #expect(kinds(in: history).contains(.lostUpdate))
    }

    @Test func writesInACircle() {
        let history = History.overlapping(
            [.append(1, list: 0), .append(1, list: 1)], [.append(2, list: 0), .append(2, list: 1)],
            [.read([1, 2], list: 0)], [.read([2, 1], list: 1)])
        #expect(kinds(in: history).contains(.g0))
    }

    @Test func informationInACircle() {
        let history = History.overlapping(
            [.append(1, list: 0), .read([2], list: 1)], [.append(2, list: 1), .read([1], list: 0)])
        #expect(kinds(in: history) == [.g1c])
    }

    @Test func readSkew() {
        let history = History.overlapping(
            [.read([], list: 0), .read([1], list: 1)], [.append(1, list: 0), .append(1, list: 1)],
            [.read([1], list: 0)])
        #expect(kinds(in: history) == [.gSingle])
    }

    @Test func writeSkew() {
        let history = History.overlapping(
            [.read([], list: 1), .append(1, list: 0)], [.read([], list: 0), .append(2, list: 1)])
        #expect(kinds(in: history) == [.g2Item])
    }

    @Test func longFork() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.append(2, list: 1)],
            [.read([1], list: 0), .read([], list: 1)], [.read([], list: 0), .read([2], list: 1)])
        #expect(kinds(in: history) == [.g2Item])
    }

    @Test func skewSeenOnlyByARolledBackReader() {
        let history = History.overlapping(
            [.read([], list: 0), .read([1], list: 1), .append(9, list: 2)],
            [.append(1, list: 0), .append(1, list: 1)], rolledBack: [0])
        #expect(kinds(in: history) == [.gSingle])
    }

    @Test func staleRead() {
        let stale: [[History.Operation]] = [[.append(1, list: 0)], [.read([], list: 0)]]
        #expect(kinds(in: .overlapping(stale[0], stale[1])) == [])
        #expect(kinds(in: .inTurn(stale)) == [.gSingle])
    }

    @Test func processThatDoesNotSeeItsOwnPast() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.read([], list: 0)], process: [5, 5])
        #expect(kinds(in: history) == [.gSingle])
    }

    @Test func appendThatWasAcknowledgedAndIsGone() {
        let history = History.inTurn([
            [.append(1, list: 0)], [.append(2, list: 0)], [.read([2], list: 0)],
        ])
        #expect(kinds(in: history).contains(.gSingle))
    }

    @Test func futureRead() {
        let history = History.inTurn([[.read([1], list: 0)], [.append(1, list: 0)]])
        #expect(kinds(in: history) == [.g1c])
    }

    @Test func witnessNamesTheTransactionsAndWhatTheyDid() throws {
        let history = History.inTurn([
            [.append(1, list: 4)], [.append(3, list: 4)], [.read([1, 3], list: 4)],
            [.read([1], list: 4)],
        ])
        let anomaly = try #require(HistoryAnalysis(history).anomalies.first)
        let text = anomaly.description
        #expect(anomaly.kind == .gSingle)
        #expect(text.contains("T3 read [1] of list 4, without the 3 that T1 appended"), "\(text)")
        #expect(text.contains("T1 had ended when T3 began"), "\(text)")
        #expect(text.contains("T1 (process 1): append 3 to list 4"), "\(text)")
    }

    @Test func casesAreCounted() {
        let history = History.overlapping(
            [.append(1, list: 0)], [.read([1], list: 0)], [.read([1], list: 0)], rolledBack: [0])
        #expect(HistoryAnalysis(history).anomalies.map(\.count) == [2])
    }
}
