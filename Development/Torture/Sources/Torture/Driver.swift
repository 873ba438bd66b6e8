import Foundation
import Synchronization
import Workload

/// Runs campaigns, counts what they find, and keeps the directory of each trial that failed.
public final class Driver: Sendable {
    /// What to run, and how long.
    public struct Options: Sendable {
        /// The campaigns; all of them if empty.
        public var only: [String] = []
        /// The engines below the stores.
        public var engines = Engine.allCases
        /// The seed of the first round; the next round has the next.
        public var seed: UInt64
        /// At most so many seeds per campaign and engine.
        public var rounds = Int.max
        /// The time for all campaigns together, each with its share.
        public var seconds: Double?
        /// Whether each campaign has to reach its goal.
        public var isLong = false
        /// At most so many trials per campaign and engine.
        public var trials = Int.max
        /// Where stores are made.
        public var directory: String
        /// Whether each campaign says that it starts and ends.
        public var isTalkative = true

        /// All campaigns on all engines, without an end in time.
        public init(seed: UInt64, directory: String = Self.defaultDirectory) {
            self.seed = seed
            self.directory = directory
        }

        /// In memory where the system offers it: no trial but the power cuts depends on the disk.
        public static var defaultDirectory: String {
            access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        }
    }

    private let options: Options
    private let workspace: Directory
    private let campaigns: [any Campaign]

    /// A driver, with a directory of its own for all that is made.
    public init(_ options: Options) throws {
        self.options = options
        let home = try Directory(
            in: options.directory,
            "justpersist-torture-\(options.seed)-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        workspace = home
        let templates = Templates(in: home.path)
        campaigns = [
            SystemCallCampaign(.kill, templates: templates),
            SystemCallCampaign(.errors, templates: templates),
            DamageCampaign(templates: templates),
            SalvageCampaign(templates: templates),
            PowerCutCampaign(isControl: true),
            PowerCutCampaign(isControl: false),
            WritesCampaign(isControl: true, templates: templates),
            WritesCampaign(isControl: false, templates: templates),
            DiskFullCampaign(),
            ReaderCampaign(),
            ProcessCampaign(),
            InputCampaign(kind: .json),
            InputCampaign(kind: .predicates),
            InputCampaign(kind: .indexes),
            IndexBuildCampaign(templates: templates),
            MigrationCampaign(templates: templates),
            LiveMigrationCampaign(templates: templates),
            GraphCampaign(),
            SchemaCampaign(),
            ToolCampaign(),
        ]
    }

    /// The names of all campaigns.
    public var names: [String] { campaigns.map(\.name) }

    /// Runs what the options ask for.
    public func run() throws -> Report {
        let chosen = campaigns.filter { options.only.isEmpty || options.only.contains($0.name) }
        guard !chosen.isEmpty else {
            workspace.remove()
            throw TortureError(
                "There is no such campaign. There are \(names.joined(separator: ", ")).")
        }
        var report = Report(seed: options.seed)
        let engines = { (campaign: any Campaign) in
            campaign.engines.filter(self.options.engines.contains)
        }
        let weight = chosen.filter { $0.obstacle == nil }
            .reduce(0) { $0 + $1.weight * Double(engines($1).count) }
        for campaign in chosen {
            if let obstacle = campaign.obstacle {
                report.skipped.append((campaign.name, obstacle))
                continue
            }
            for engine in engines(campaign) {
                let seconds = options.seconds.map { $0 * campaign.weight / weight }
                report.rows.append(try run(campaign, engine, within: seconds))
            }
        }
        if report.failures.isEmpty { workspace.remove() }
        return report
    }

    /// Repeats one trial, named as a failure names it.
    public func repeatTrial(_ campaignName: String, _ engine: Engine, _ point: String) throws
        -> Report
    {
        guard let campaign = campaigns.first(where: { $0.name == campaignName }) else {
            throw TortureError("There is no campaign “\(campaignName)”.")
        }
        var report = Report(seed: options.seed)
        var row = Report.Row(campaign: campaign.name, engine: engine)
        row.add(trial(campaign, point, Subject(engine: engine, seed: options.seed), number: 0))
        report.rows.append(row)
        if report.failures.isEmpty { workspace.remove() }
        return report
    }

    private func run(_ campaign: any Campaign, _ engine: Engine, within seconds: Double?) throws
        -> Report.Row
    {
        let start = Date()
        if options.isTalkative { print("\(campaign.name) \(engine) …", terminator: " ") }
        fflush(nil)
        let row = Mutex(Report.Row(campaign: campaign.name, engine: engine))
        let goal = options.isLong ? campaign.goal(engine) : options.trials
        let isOver = { @Sendable in
            if let seconds, -start.timeIntervalSinceNow > seconds { return true }
            return row.withLock { $0.count >= goal || $0.failures.count >= 20 }
        }
        let tried = Mutex(0)
        for round in 0..<options.rounds {
            if isOver() { break }
            let before = row.withLock { $0.count }
            let subject = Subject(engine: engine, seed: options.seed &+ UInt64(round))
            var random = SeededGenerator(seed: subject.seed)
            let points = try campaign.points(subject).sorted().shuffled(using: &random)
            DispatchQueue.concurrentPerform(iterations: campaign.width) { _ in
                while !isOver() {
                    let number = tried.withLock { tried in
                        defer { tried += 1 }
                        return tried
                    }
                    guard number < points.count else { return }
                    let result = trial(
                        campaign, points[number], subject, number: round * 1_000_000 + number)
                    row.withLock { $0.add(result) }
                }
            }
            tried.withLock { $0 = 0 }
            // Where no point is ever reached, another round reaches none either.
            if row.withLock({ $0.count }) == before { break }
        }
        row.withLock { $0.seconds = -start.timeIntervalSinceNow }
        let result = row.withLock { $0 }
        if options.isTalkative { print(result.line) }
        return result
    }

    private func trial(
        _ campaign: any Campaign, _ point: String, _ subject: Subject, number: Int
    ) -> Report.Trial {
        var outcome: Outcome
        var kept: String?
        do {
            let directory = try Directory(
                in: workspace.path, "\(campaign.name)-\(subject.engine)-\(number)")
            do {
                outcome = try campaign.run(point, subject, in: directory)
            } catch {
                outcome = .failed("the trial itself: \(error)")
            }
            if outcome.failure == nil { directory.remove() } else { kept = directory.path }
        } catch {
            outcome = .failed("the trial itself: \(error)")
        }
        return Report.Trial(
            command:
                "--repeat '\(campaign.name) \(subject.engine) \(point)' --seed \(subject.seed)",
            outcome: outcome, directory: kept)
    }
}
