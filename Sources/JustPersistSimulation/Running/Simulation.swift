public import Foundation
public import JustPersist

// Sendable because only one thread of a simulation runs at a time.
/// One run of a program over simulated stores.
///
/// A seed determines the faults and the order of the threads.
///
/// A run has virtual time: a wait of an hour takes no real time. Use only stores over the run's disks that were created
/// in its blocks, threads that ``start(_:_:)`` starts, and ``sleep(for:)``. The simulation does not control locks and
/// semaphores of the system, tasks and Dispatch queues: it stops if a thread waits for one.
public final class Simulation: @unchecked Sendable {
    /// The number that determines the run.
    public let seed: UInt64
    let scheduler: SimulatedScheduler
    private var disks: [String: SimulatedDisk] = [:]
    private var processes: [SimulatedProcess] = []
    private var folder: SimulatedFolder?
    private(set) var failure: (any Error)?

    /// The end of a process.
    public enum Ending: Sendable {
        /// Its block has returned.
        case returned
        /// Its block has thrown the error of a disk that refused a call.
        case failed(any Error)
        /// It has died before its end.
        case crashed
    }

    init(_ choices: Choices) {
        seed = choices.seed
        scheduler = SimulatedScheduler(choices)
        scheduler.resolveStandstill = { [unowned self] in abandonTheDead() }
    }

    // MARK: Disks

    /// The disk with a name, which is empty at first.
    public func disk(_ name: String = "disk", durability: Durability = .full) -> SimulatedDisk {
        if let disk = disks[name] { return disk }
        let disk = SimulatedDisk(name, durability, self)
        disks[name] = disk
        return disk
    }

    /// A directory for small files: after a crash it has the state at the death of the process.
    public func directory() throws -> URL {
        if let folder { return folder.url }
        let made = try SimulatedFolder()
        folder = made
        return made.url
    }

    // MARK: Threads

    /// Runs a block as a process, which may die at any moment, and returns when all of its threads have ended.
    ///
    /// One process runs at a time.
    ///
    /// Calls are refused only in processes. Outside them nothing fails: examine there the state that the process has
    /// left, with separate stores.
    ///
    /// - Throws: The error of the block, unless a disk has refused a call or the process has died.
    @discardableResult
    public func process(
        _ kind: String = "process", _ body: @escaping @Sendable () throws -> Void
    ) throws -> Ending {
        guard let me = scheduler.caller, me.process == nil else {
            throw SimulationFailure(
                "Only threads of the simulation begin processes, and no thread of a process does.")
        }
        if let running = processes.first(where: \.isRunning) {
            throw SimulationFailure(
                "“\(running.name)” has not ended, and one process runs at a time.")
        }
        let number = processes.count { $0.kind == kind } + 1
        let name = number == 1 ? kind : "\(kind) \(number)"
        let process = SimulatedProcess(
            name, of: kind, deathPoint: scheduler.choices.deathPoint(of: name)
        ) { [self] place in
            scheduler.event("“\(name)” dies \(place)")
            folder?.note()
            for (name, disk) in disks.sorted(by: { $0.key < $1.key }) {
                disk.crash {
                    scheduler.choices.lostCommits(on: name, of: $0, processes.count)
                }
            }
        }
        processes.append(process)
        var isEnded = false
        process.whenEnded = { [scheduler] in
            isEnded = true
            scheduler.wake(me)
        }
        scheduler.event("“\(name)” begins")
        scheduler.start(name, in: process) { [self] in
            let outcome = Result { try body() }
            process.refusal = note(outcome, of: process)
        }
        while !isEnded, !scheduler.isStopped {
            _ = scheduler.block(me, for: "the process “\(name)” to end", upTo: nil)
        }
        guard process.isAlive else {
            try folder?.restore()
            return .crashed
        }
        scheduler.event("“\(name)” has ended")
        return process.refusal.map { .failed($0) } ?? .returned
    }

    /// Notes an error that fails the run, or returns it if a refusal of a disk is the cause.
    private func note(
        _ outcome: Result<Void, any Error>, of process: SimulatedProcess?
    ) -> (any Error)? {
        guard case .failure(let error) = outcome, process?.isAlive ?? true, !scheduler.isStopped
        else { return nil }
        if let process, process.hasRefused, (error as? DataStoreError)?.isRefusalOfDisk ?? false {
            return error
        }
        failure = failure ?? error
        return nil
    }

    /// Runs a block on a new thread, in the process of the caller.
    ///
    /// An error that it throws fails the run under the same rules as an error of the process.
    @discardableResult
    public func start(
        _ name: String, _ body: @escaping @Sendable () throws -> Void
    ) -> SimulatedThread {
        let process = scheduler.caller?.process
        let thread = SimulatedThread(name, scheduler)
        scheduler.start(name) { [self] in
            let outcome = Result { try body() }
            _ = note(outcome, of: process)
            thread.end()
        }
        return thread
    }

    /// Lets time pass for the calling thread.
    public func sleep(for duration: Duration) { scheduler.sleep(for: duration, "a moment") }

    /// The date, which begins with the year 2001; `now()` in predicates is this date.
    public var date: Date { scheduler.date }

    /// Waits until a condition holds.
    ///
    /// The calling thread checks it repeatedly.
    ///
    /// - Throws: ``SimulationFailure`` if it does not for an hour of the simulation's time.
    public func wait(until condition: () -> Bool) throws {
        // The waits are added up, because the time may jump if another thread sleeps for a day.
        var waited = Duration.zero
        var pause = Duration.microseconds(100)
        while !condition() {
            guard let me = scheduler.caller else {
                throw SimulationFailure("Only threads of the simulation wait in it.", .outside)
            }
            try checkCourse()
            guard waited < .seconds(3600) else {
                throw SimulationFailure("“\(me.name)” has waited for an hour.", .hour)
            }
            scheduler.sleep(for: pause, "a condition")
            waited += pause
            pause = min(pause * 2, .seconds(1))
        }
    }

    /// Throws if the run ends early.
    private func checkCourse() throws {
        if scheduler.isStopped { throw SimulationFailure("The simulation has been stopped.") }
    }

    /// Whether the process of the calling thread has not died.
    ///
    /// If it has, ignore what its blocks read.
    public var isAlive: Bool {
        !scheduler.isStopped && scheduler.caller?.process?.isAlive ?? true
    }

    private func abandonTheDead() -> Bool {
        let dead = processes.filter { !$0.isAlive && $0.strands > 0 }
        for process in dead {
            process.strands = 0
            scheduler.dismiss { $0.process === process }
            process.whenEnded()
        }
        return !dead.isEmpty
    }

    // MARK: What is done

    /// Takes up to `most` steps, each with separate random numbers.
    ///
    /// When a failing run is reduced, steps are left out. The random numbers of the other steps stay the same.
    public func steps(
        _ name: String, upTo most: Int, _ body: (Int, inout SeededNumbers) throws -> Void
    ) throws {
        let choices = scheduler.choices
        let count = Int(choices.draw("steps \(name)", 0) % UInt64(max(1, most))) + 1
        for number in 0..<count where choices.takesStep(name, number) {
            try checkCourse()
            var numbers = SeededNumbers(seed: choices.draw("step \(name)", number))
            scheduler.event("step \(number) of “\(name)”")
            try body(number, &numbers)
        }
    }

    /// Adds a line to the log of a failing run.
    public func note(_ text: @autoclosure () -> String) { scheduler.event(text()) }

    /// Throws unless a condition holds, or the process has died.
    public func require(
        _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String
    ) throws {
        if try condition() || !isAlive { return }
        throw SimulationFailure(message())
    }

    /// Runs `body` as the first thread, and returns the end of the run.
    func run(_ body: @escaping @Sendable (Simulation) throws -> Void) -> SimulatedScheduler.Ending {
        let ending = scheduler.run { [self] in
            let outcome = Result { try body(self) }
            _ = note(outcome, of: nil)
        }
        // A misuse from outside the simulation explains other failures in it.
        if failure == nil || ending.failure?.standstill == .outside {
            failure = ending.failure ?? failure
        }
        (folder, disks, processes) = (nil, [:], [])
        return ending
    }
}

extension DataStoreError {
    fileprivate var isRefusalOfDisk: Bool { code == .storageFull || code == .storageFailure }
}
