import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// The record layer keeps the contract on an engine that answers as a server does, in small answers.
struct RemoteConformanceTests {
    enum Fixture: ConformanceFixture {
        static func makeStore(in directory: URL) -> RecordStore<EnvelopeEngine> {
            let limits = EnvelopeServer.Limits(
                transactionBytes: .max, valueBytes: .max, seconds: .infinity, answerBytes: 300,
                pageLength: 7)
            return RecordStore(engine: EnvelopeEngine(EnvelopeServer(limits: limits)))
        }
    }

    @Test(arguments: ["prim/*,twin/*", "child/*,rel/*", "engine/*,idx/*,crud/*,tx/*,chg/*"])
    func theContractIsKeptOverSmallAnswers(_ groups: String) async {
        let report = await Conformance.report(
            on: Fixture.self,
            // It shares the process with all other tests.
            options: ConformanceOptions(
                only: groups.split(separator: ",").map(String.init), timeout: 300),
            children: nil)
        #expect(report.isConformant, "\(report)")
        #expect(report.count(.pass) > 20, "\(report)")
    }
}
