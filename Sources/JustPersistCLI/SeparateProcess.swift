import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Runs a command a second time, in a process of its own: damaged files can end the one that reads them.
enum SeparateProcess {
    /// Waits for the process, whose output is this one's, and ends as it did.
    ///
    /// - Parameters:
    ///   - arguments: The command line, with the flag that has the command do the work itself.
    ///   - store: The store that it reads.
    static func run(_ arguments: [String], reading store: String) throws {
        let child = Process()
        child.executableURL = Bundle.main.executableURL
        child.arguments = arguments
        child.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
        // Ctrl-C comes to both: the other process ends what it does, and this one waits for that.
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        try child.run()
        child.waitUntilExit()
        let status = child.terminationStatus
        guard child.terminationReason == .uncaughtSignal else {
            if status != 0 { throw ExitCode(status) }
            return
        }
        let verb = arguments.first ?? ""
        if [SIGINT, SIGTERM, SIGHUP, SIGKILL].contains(status) {
            throw DataStoreError(
                .storageFailure, in: verb,
                "The work on “\(store)” was ended from outside (signal \(status)). Run it again.")
        }
        let advice =
            arguments.contains { $0 == "--into" || $0.hasPrefix("--into=") }
            ? """
            Restore it from a backup. Saving what can be read should not end like this: please report it. What it had \
            written is in a directory beside the new store's place, with “.unfinished-” in its name; remove it.
            """
            : """
            Restore it from a backup, or save what can be read: justpersist repair STORE --into DIRECTORY.
            """
        throw DataStoreError(
            .corrupted, in: verb,
            "“\(store)” is damaged beyond reading (signal \(status)). \(advice)"
        )
    }
}

/// Ends the process with a message if the work makes no progress any more, as over files whose pages lead in a circle.
final class Watchdog {
    private let last: Locked<ContinuousClock.Instant>
    private let isOver: Locked<Bool>

    /// Watches from now on.
    ///
    /// - Parameters:
    ///   - store: The store that is read.
    ///   - seconds: How long there may be no progress.
    init(_ store: String, patience seconds: Int) {
        let last = Locked(ContinuousClock.now)
        let isOver = Locked(false)
        (self.last, self.isOver) = (last, isOver)
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                if ContinuousClock.now - last.withLock({ $0 }) > .seconds(seconds) {
                    StandardStreams.writeError(
                        """
                        justpersist: “\(store.printable)” could not be read on for \(seconds) seconds: it is \
                        damaged, or the disk does not answer. Restore it from a backup, or allow more with \
                        --patience.

                        """)
                    _exit(EXIT_FAILURE)
                }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }

    deinit { isOver.withLock { $0 = true } }

    /// Notes progress.
    func tick() { last.withLock { $0 = .now } }
}
