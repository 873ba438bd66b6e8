import Dispatch
import Foundation
import JustPersist

/// One run of a check in this process, under a watchdog.
struct CheckExecution: Sendable {
    let fixture: any ConformanceFixture.Type
    let definition: CheckDefinition
    let variant: StoreVariant
    let options: ConformanceOptions
    /// Starts further processes; `nil` if none can be started.
    let launcher: ChildLauncher?
    /// Prints a message and ends the process, if the process runs only this check.
    ///
    /// It is needed for a store that blocks all threads of Swift's cooperative pool, because the watchdog's verdict is
    /// then not delivered.
    var endProcess: (@Sendable (String) -> Void)?

    private enum Event {
        case ended((any Error)?)
        case givenUp(Watchdog.Verdict)
        case cancelled
        case child(ChildStarter.Request)
    }

    /// Runs the check in its own directory, until it ends or shows no progress.
    func result() async -> CheckResult {
        let recorder = Recorder()
        var result = definition.result(variant, .pass)
        let start = ContinuousClock.now
        let directory = options.scratchDirectory
            .appending(path: "conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer {
            try? FileManager.default.removeItem(at: directory)
        }
        let ending: Event
        do {
            try makeDirectory(directory)
            ending = await run(in: directory, recorder: recorder)
        } catch {
            ending = .ended(error)
        }
        recorder.fill(&result)
        conclude(&result, ending, recorder)
        result.seconds = start.duration(to: .now) / .seconds(1)
        return result
    }

    /// Makes the directory of a run.
    func makeDirectory(_ directory: URL) throws(DataStoreError) {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        } catch {
            throw DataStoreError(fileError: error, in: "conformance", path: directory.path)
        }
    }

    private func run(in directory: URL, recorder: Recorder) async -> Event {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        let starter = launcher.map { _ in ChildStarter { feed.yield(.child($0)) } }
        let thread = Thread {
            do {
                try body(in: directory, recorder: recorder, children: starter)
                feed.yield(.ended(nil))
            } catch {
                feed.yield(.ended(error))
            }
        }
        thread.stackSize = 8 << 20
        thread.start()
        let watchdog = Watchdog(recorder, timeout: options.timeout, end: endProcess) {
            feed.yield(.givenUp($0))
        }
        defer { watchdog.cancel() }
        return await withTaskGroup(of: Void.self) { group in
            // A check that the watchdog ended does not wait for the processes that it started.
            defer { group.cancelAll() }
            for await event in events {
                guard case .child(let request) = event, let launcher else { return event }
                group.addTask { await request.serve(by: launcher) }
            }
            // The stream ends only if the task is cancelled.
            return .cancelled
        }
    }

    /// The work of the check's thread.
    private func body(
        in directory: URL, recorder: Recorder, children: ChildStarter?
    ) throws {
        let probe = try fixture.store(
            in: directory.appending(path: "probe"), errorHandler: { _ in })
        let capabilities = probe.capabilities
        if let reason = definition.gate.reasonNotApplicable(probe) {
            throw CheckStop.notApplicable(reason)
        }
        if let requirement = variant.requirement, !requirement.isMet(capabilities) {
            throw CheckStop.notApplicable("the store does not declare \(requirement.name)")
        }
        let context = CheckContext(
            fixture: fixture, checkID: definition.id, variant: variant,
            capabilities: capabilities, options: options, directory: directory,
            recorder: recorder, children: children)
        defer { context.closeStores() }
        try definition.run(context)
    }

    private func conclude(_ result: inout CheckResult, _ ending: Event, _ recorder: Recorder) {
        func fail(_ message: String) {
            result.failures.append(
                CheckResult.Failure(message: message, place: recorder.lastPlace ?? "its start"))
        }
        switch ending {
        case .ended(nil), .ended(CheckStop.failed?):
            if result.expectations == 0 {
                fail("This check of the kit demanded nothing, which is a fault of the kit.")
            }
        case .ended(CheckStop.unverified(let why)?):
            result.outcome = .unverified
            result.reason = why
        case .ended(CheckStop.notApplicable(let why)?):
            result.outcome = .notApplicable
            result.reason = why
        case .ended(let error?):
            result.isBroken = true
            fail(
                "The check ended with an error that it did not expect, after this place: \(error)")
        case .givenUp(.hanging):
            result.isBroken = true
            fail(
                """
                Nothing happened for \(Int(options.timeout)) s after this place, and the process used no \
                processor time: a call hangs. \(recorder.openCalls) (JP_TIMEOUT changes the limit)
                """)
        case .givenUp(.slow):
            result.isBroken = true
            fail(
                """
                For \(Int(4 * options.timeout)) s after this place the process used processor time without \
                progress: a call takes too long, or loops. \(recorder.openCalls) (JP_TIMEOUT changes \
                the limit)
                """)
        case .givenUp(.starving):
            result.isBroken = true
            fail(
                """
                A call has not ended for \(Int(4 * options.timeout)) s, although other threads continued: it \
                never returns, or the other threads never admit it. \(recorder.openCalls) (JP_TIMEOUT \
                changes the limit)
                """)
        case .cancelled:
            result.outcome = .unverified
            result.reason = CheckStop.cancellation
        case .child:
            fail("The check ended while it started another process, which is a fault of the kit.")
        }
        definition.settle(&result)
    }
}

extension CheckContext {
    /// Closes the stores that a check left open, so that its directory can be removed.
    fileprivate func closeStores() {
        let stores = directories.withLock { all in
            defer { all = [:] }
            return all.values.map(\.store)
        }
        for store in stores { try? store.close() }
    }
}
