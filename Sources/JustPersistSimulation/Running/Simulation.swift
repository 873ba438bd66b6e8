public import Foundation
public import JustPersist

// Sendable because only one thread of a simulation runs at a time.
/// One run of a program over simulated stores, in which one seed says what fails and which thread goes on when.
///
/// A run has virtual time: a wait of an hour takes no time. Use only what belongs to the run: stores over its disks, made in
/// its blocks, threads that ``start(_:_:)`` begins, and ``sleep(for:)``. A lock or a semaphore of the system, a task or a
/// queue of Dispatch is outside of the simulation, which stands still if it waits for one.
public final class Simulation: @unchecked Sendable {
    /// The number that decides the run.
    public let seed: UInt64
    let scheduler: SimulatedScheduler
    private var disks: [String: SimulatedDisk] = [:]
    private var processes: [SimulatedProcess] = []
    private var folder: SimulatedFolder?
    private(set) var failure: (any Error)?

    /// How a process has ended.
    public enum Ending: Sendable {
        /// Its block has returned.
        case returned
        /// Its block has thrown what a disk has refused.
        case failed(any Error)
        /// It has died on the way.
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

    /// A directory for small files: after a crash it is what it was when the process died.
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
    /// Calls are refused only in processes. Outside of them nothing fails: check there what the process has left, with stores
    /// of its own.
    ///
    /// - Throws: What the block throws, unless a disk has refused a call before or the process has died.
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

    /// Notes an error that fails the run, and gives one that a disk is to blame for.
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

    /// Runs a block on a thread of its own, in the process of the caller.
    ///
    /// An error that it throws fails the run, under the same rules as one of the process.
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

    /// Waits until a condition holds, which the calling thread looks at now and then.
    ///
    /// - Throws: ``SimulationFailure`` if it does not for an hour of the simulation's time.
    public func wait(until condition: () -> Bool) throws {
        // The time itself may jump, where another thread sleeps for a day.
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

    /// Takes up to `most` steps, each with random numbers of its own.
    ///
    /// When a failing run is reduced, steps are left out. The numbers of those that are left stay as they are.
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

    /// Notes something for the account of a failing run.
    public func note(_ text: @autoclosure () -> String) { scheduler.event(text()) }

    /// Throws unless a condition holds, or the process has died.
    public func require(
        _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String
    ) throws {
        if try condition() || !isAlive { return }
        throw SimulationFailure(message())
    }

    /// Runs `body` as the first thread, and gives how the run has ended.
    func run(_ body: @escaping @Sendable (Simulation) throws -> Void) -> SimulatedScheduler.Ending {
        let ending = scheduler.run { [self] in
            let outcome = Result { try body(self) }
            _ = note(outcome, of: nil)
        }
        // What happens outside of the simulation explains what happens in it.
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
