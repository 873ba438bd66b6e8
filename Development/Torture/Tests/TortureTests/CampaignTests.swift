import Foundation
import Testing
import Torture

/// A few trials of each campaign, so that the harness itself stays in working order; `make torture` runs more.
@Suite(.serialized) struct CampaignTests {
    /// The same trials in each run; another seed is given by `TORTURE_SEED`.
    private static let seed =
        ProcessInfo.processInfo.environment["TORTURE_SEED"].flatMap(UInt64.init) ?? 1

    @Test(arguments: [
        ("kill", 8), ("errors", 8), ("damage", 10), ("salvage", 6),
        ("power-control", 1), ("power", 1),
        ("writes-control", 1), ("writes", 16),
        ("full", 10), ("readers", 1), ("processes", 1), ("json", 500), ("predicates", 500),
        ("migrate", 3), ("live", 8), ("graph", 4_000),
        ("schema", 6),
    ])
    func `Nothing acknowledged is lost and no answer is wrong`(_ campaign: String, trials: Int)
        throws
    {
        var options = Driver.Options(seed: Self.seed)
        options.only = [campaign]
        options.trials = trials
        options.rounds = 1
        options.isTalkative = false
        let report = try Driver(options).run()
        #expect(report.failures.isEmpty, "\(report.text)")
        // What needs root or another system says so in the log, and is no failure here.
        if let skipped = report.skipped.first {
            print("\(campaign) did not run: \(skipped.reason)")
        }
        #expect(
            !report.skipped.isEmpty || report.rows.allSatisfy { $0.count > 0 }, "\(report.text)")
    }
}
