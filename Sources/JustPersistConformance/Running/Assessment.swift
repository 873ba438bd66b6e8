import Foundation
import JustPersist

/// One run of the kit over one fixture: the state that its checks share.
final class Assessment: Sendable {
    let fixture: any ConformanceFixture.Type
    let level: ConformanceLevel
    let options: ConformanceOptions
    let launcher: ChildLauncher?
    /// Receives the report when the last check has ended.
    private let finished: @Sendable (ConformanceReport) -> Void

    /// The check that determines whether the fixture makes a usable store.
    private static let preflightID = "fixture/fresh-store-is-empty"

    private let preflight = Locked<Task<CheckResult, Never>?>(nil)
    private let outstanding: Locked<Outstanding>

    private struct Outstanding {
        /// The checks that run in a process with others, by their ids.
        var batches: [String: CheckBatch] = [:]
        /// The checks that have not ended, each with its place in the report.
        var places: [String: Int] = [:]
        var results: [Int: CheckResult] = [:]
        let start = ContinuousClock.now
    }

    init(
        fixture: any ConformanceFixture.Type, level: ConformanceLevel, options: ConformanceOptions,
        launcher: ChildLauncher?,
        finished: @escaping @Sendable (ConformanceReport) -> Void = { _ in }
    ) {
        self.fixture = fixture
        self.level = level
        self.options = options
        self.launcher = launcher
        self.finished = finished
        outstanding = Locked(Outstanding())
    }

    /// The checks of this run, in order.
    func checks() -> [Check] {
        let checks = Inventory.definitions.flatMap { definition in
            variants(of: definition).map { variant in
                Check(definition: definition, variant: variant, assessment: self)
            }
        }.filter(isAsked)
        let places = Dictionary(uniqueKeysWithValues: checks.enumerated().map { ($1.id, $0) })
        let batches = CheckBatch.batches(of: checks.map { ($0.definition, $0.variant) })
        outstanding.withLock {
            $0.places = places
            $0.batches = batches
        }
        return checks
    }

    private func variants(of definition: CheckDefinition) -> [StoreVariant] {
        Inventory.groupsOfVariants.contains(definition.group) ? StoreVariant.allCases : [.plain]
    }

    private var isPreflightAsked: Bool {
        options.only.isEmpty || options.only.contains { IDPattern($0).matches(Self.preflightID) }
    }

    private func isAsked(_ check: Check) -> Bool {
        let asking = options.only.filter { IDPattern($0).matches(check.id) }
        // The quick profile examines stores in other states only if a pattern names the state.
        if options.profile == .quick, check.variant != .plain {
            return asking.contains { $0.contains("@") }
        }
        return options.only.isEmpty || !asking.isEmpty
    }

    /// Runs a check, and notes the result.
    func result(of check: Check) async -> CheckResult {
        var result = await ranResult(of: check)
        result.isAdvisory = check.definition.since > level
        apply(fixture.knownFailures, to: &result)
        if result.id == Self.preflightID { reportUnknown(fixture.knownFailures, in: &result) }
        result.rerun = fixture.rerunCommand(check: check.id, options: options)
        note(result)
        return result
    }

    private func ranResult(of check: Check) async -> CheckResult {
        if Task.isCancelled {
            var result = check.definition.result(check.variant, .unverified)
            result.reason = CheckStop.cancellation
            return result
        }
        if check.definition.group != "fixture", let broken = await fixtureFailure() {
            var result = check.definition.result(check.variant, .unverified)
            result.reason = broken
            // A run without the check that failed must not pass.
            if !isPreflightAsked {
                result.outcome = .fail
                result.failures = [
                    CheckResult.Failure(message: broken, place: "\(fixture)")
                ]
            }
            return result
        }
        return await execute(check.definition, check.variant)
    }

    /// The reason that the fixture makes no usable store, determined once; `nil` if it makes one.
    private func fixtureFailure() async -> String? {
        let task = preflight.withLock { preflight in
            let task =
                preflight
                ?? Task {
                    guard let definition = Inventory.definition(Self.preflightID) else {
                        return CheckResult(id: Self.preflightID, outcome: .pass)
                    }
                    return await self.execute(definition, .plain)
                }
            preflight = task
            return task
        }
        let result = await task.value
        guard result.outcome == .fail else { return nil }
        let why = result.failures.first.map { ": \($0.message)" } ?? ""
        return "\(Self.preflightID) failed\(why)"
    }

    private func execute(_ definition: CheckDefinition, _ variant: StoreVariant) async
        -> CheckResult
    {
        let execution = CheckExecution(
            fixture: fixture, definition: definition, variant: variant, options: options,
            launcher: launcher)
        return await withTaskExecutorPreference(ThreadExecutor.shared) {
            guard !options.runsInProcess, let launcher, ChildJob.canFind(fixture) else {
                return await execution.result()
            }
            let id = definition.id + variant.suffix
            let batch = outstanding.withLock { $0.batches[id] }
            if let result = await batch?.result(of: id, fixture, options, launcher) {
                return result
            }
            return await ProcessSlots.shared.withSlot {
                await execution.result(inChildOf: launcher)
            }
        }
    }

    private func apply(_ known: [KnownFailure], to result: inout CheckResult) {
        let id = result.id
        guard let known = known.first(where: { IDPattern($0.pattern).matches(id) }) else { return }
        let reason = known.reason + (known.link.map { " (\($0))" } ?? "")
        switch result.outcome {
        case .fail:
            result.outcome = .knownFailing
            result.reason = reason
        case .pass:
            result.outcome = .fail
            result.failures = [
                CheckResult.Failure(
                    message: """
                        The check passes, though the fixture lists it as a known failure (“\(reason)”). \
                        Remove “\(known.pattern)” from its knownFailures.
                        """,
                    place: "\(fixture)")
            ]
        default: break
        }
    }

    /// Reports known failures that match no check, which are probably misspelled.
    private func reportUnknown(_ known: [KnownFailure], in result: inout CheckResult) {
        for known in known where !Inventory.hasCheck(matching: known.pattern) {
            result.outcome = .fail
            result.failures.append(
                CheckResult.Failure(
                    message: """
                        The fixture lists “\(known.pattern)” among its knownFailures, and no check has such \
                        an id. Correct or remove it.
                        """,
                    place: "\(fixture)"))
        }
    }

    /// The results so far.
    var report: ConformanceReport {
        outstanding.withLock { outstanding in
            ConformanceReport(
                store: fixture.storeName, level: level, profile: options.profile,
                seed: options.seed, seconds: outstanding.start.duration(to: .now) / .seconds(1),
                results: outstanding.results.sorted { $0.key < $1.key }.map(\.value))
        }
    }

    /// Records a result.
    ///
    /// After the last one, passes on the report.
    private func note(_ result: CheckResult) {
        let isLast = outstanding.withLock { outstanding in
            // If a check is run again, its first result stays in the report.
            guard let place = outstanding.places.removeValue(forKey: result.id) else {
                return false
            }
            outstanding.results[place] = result
            return outstanding.places.isEmpty
        }
        guard isLast else { return }
        let report = report
        if let file = options.reportFile {
            do {
                try report.write(to: file)
            } catch {
                try? FileHandle.standardError.write(
                    contentsOf: Data(
                        "The report cannot be written to \(file.path): \(error)\n".utf8))
            }
        }
        finished(report)
    }
}
