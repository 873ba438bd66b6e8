import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Runs a command again in a separate process, because damaged files can end the process that reads them.
enum SeparateProcess {
    /// Waits for the process, which uses this one's output, and ends with its exit code.
    ///
    /// - Parameters:
    ///   - arguments: The command line, with the flag that makes the command do the work itself.
    ///   - store: The store that it reads.
    static func run(_ arguments: [String], reading store: String) throws {
        let child = Process()
        child.executableURL = Bundle.main.executableURL
        child.arguments = arguments
        child.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
        // Both processes receive Ctrl-C: the other one ends its work, and this one waits for it.
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

/// Ends the process with a message if the work makes no progress, as in files whose pages form a cycle.
final class Watchdog {
    private let last: Locked<ContinuousClock.Instant>
    private let isOver: Locked<Bool>

    /// Watches from now on.
    ///
    /// - Parameters:
    ///   - store: The store that is read.
    ///   - seconds: The longest time without progress.
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
