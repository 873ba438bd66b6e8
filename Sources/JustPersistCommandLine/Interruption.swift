import Dispatch
import Foundation
import JustPersist
import Synchronization

/// Notes that the user pressed Ctrl-C, for work that stops where nothing is half done.
///
/// While there is no such object, Ctrl-C ends the process at once, which stores survive. A second Ctrl-C does in any case.
package final class Interruption {
    /// The end of a command that was interrupted, and what its user should know.
    package struct Error: Swift.Error {
        package let message: String
    }

    /// The exit code of a process that was interrupted.
    package static let exitCode: Int32 = 130

    /// How often the signal has come, and how many objects look whether it has.
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
            // Not exit(), which would wait for what runs.
            if !isFirst || heeding.load(ordering: .relaxed) == 0 { _exit(Interruption.exitCode) }
        }
    }

    private static let shared = Shared()

    private static let source = Locked(makeSource())

    private static func makeSource() -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [shared] in shared.interrupt() }
        source.resume()
        return source
    }

    /// Takes over the interrupt signal of the process.
    package static func prepare() { _ = source }

    /// Asks for the signal to be noted, as long as the object lives.
    package init() {
        Self.prepare()
        Self.shared.heeding.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { Self.shared.heeding.wrappingSubtract(1, ordering: .relaxed) }

    /// Throws if the signal has come.
    package func check(_ message: @autoclosure () -> String) throws(Error) {
        if Self.shared.signals.load(ordering: .relaxed) > 0 { throw Error(message: message()) }
    }
}
