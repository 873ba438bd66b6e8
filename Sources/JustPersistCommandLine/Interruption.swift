import Dispatch
import Foundation
import JustPersist
import Synchronization

/// Records that the user pressed Ctrl-C, for work that can stop only between steps.
///
/// While there is no such object, Ctrl-C ends the process immediately, which stores survive. A second Ctrl-C always
/// does.
package final class Interruption {
    /// The error of a command that was interrupted, with a message for the user.
    package struct Error: Swift.Error {
        package let message: String
    }

    /// The exit code of a process that was interrupted.
    package static let exitCode: Int32 = 130

    /// The number of received signals, and of objects that check for them.
    private final class Shared: Sendable {
        let signals = Atomic(0)
        let heeding = Atomic(0)

        func interrupt() {
            let isFirst = signals.wrappingAdd(1, ordering: .relaxed).oldValue == 0
            if StandardStreams.isErrorTerminal {
                let isStopping = isFirst && heeding.load(ordering: .relaxed) > 0
                StandardStreams.writeError(
                    "\r\u{1b}[K" + (isStopping ? "Stopping. Ctrl-C again ends at once.\n" : ""))
            }
            // `exit()` would wait for running work.
            if !isFirst || heeding.load(ordering: .relaxed) == 0 { _exit(Interruption.exitCode) }
        }
    }

    private static let shared = Shared()

    private static let source = Locked(makeSource(), isProcessWide: true)

    private static func makeSource() -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [shared] in shared.interrupt() }
        source.resume()
        return source
    }

    /// Takes over the interrupt signal of the process.
    package static func prepare() { _ = source }

    /// Records the signal for as long as the object lives.
    package init() {
        Self.prepare()
        Self.shared.heeding.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { Self.shared.heeding.wrappingSubtract(1, ordering: .relaxed) }

    /// Throws if the signal was received.
    package func check(_ message: @autoclosure () -> String) throws(Error) {
        if Self.shared.signals.load(ordering: .relaxed) > 0 { throw Error(message: message()) }
    }
}
