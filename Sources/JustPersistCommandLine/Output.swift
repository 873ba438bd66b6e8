import Foundation
import JustPersist

/// Standard output, written in large pieces, of which none waits long for the next.
package final class Output {
    /// What is not written yet.
    private struct Pending {
        var bytes: [UInt8] = []
        /// What hindered the timer.
        var failure: (any Error)?
    }

    /// The columns to which tables are cut; `nil` for no end.
    package let width: Int?
    private let pending = Locked(Pending())
    private var timer: (any DispatchSourceTimer)?

    /// The output of a command.
    ///
    /// - Parameter isWide: Whether tables are not cut to the terminal's width.
    package init(isWide: Bool = false) { width = isWide ? nil : Terminal.outputWidth }

    deinit { timer?.cancel() }

    /// Whether a person reads along.
    package static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes a line for people: control characters are written out.
    ///
    /// ``flush()`` is still to be called behind the last one.
    package func line(_ text: String = "") throws { try data(text.printable) }

    /// Writes a line for people that stands out on a terminal.
    package func heading(_ text: String) throws {
        try data(Terminal.styled(text.printable, .bold, isTerminal: Self.isTerminal))
    }

    /// Writes a line for programs, as it is.
    package func data(_ text: String) throws { try bytes((text + "\n").utf8) }

    /// Writes bytes for programs.
    package func bytes(_ bytes: some Collection<UInt8>) throws {
        if timer == nil { startTimer() }
        try pending.withLock { pending throws in
            pending.bytes.append(contentsOf: bytes)
            if pending.bytes.count >= 1 << 16 { try Self.write(&pending) }
        }
    }

    /// Writes what was held back.
    ///
    /// Throws ``OutputClosed`` if nobody reads any more.
    package func flush() throws {
        try pending.withLock { pending throws in try Self.write(&pending) }
    }

    /// Who reads a pipe gets a line soon after it was found, however long the next one takes.
    private func startTimer() {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
        timer.setEventHandler { [pending] in
            pending.withLock { pending in
                guard pending.failure == nil else { return }
                do { try Self.write(&pending) } catch { pending.failure = error }
            }
        }
        timer.resume()
        self.timer = timer
    }

    private static func write(_ pending: inout Pending) throws {
        defer { pending.bytes.removeAll(keepingCapacity: true) }
        if let failure = pending.failure { throw failure }
        if pending.bytes.isEmpty { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(pending.bytes))
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            if cause?.code == Int(EPIPE) { throw OutputClosed() }
            let reason =
                cause?.code == Int(EBADF)
                ? "It is closed." : (cause ?? error as NSError).localizedDescription
            throw DataStoreError(
                .storageFailure, in: "write", "The output cannot be written. \(reason)")
        }
    }
}

/// The reader of standard output has gone, as `head` does: no reason to complain.
package struct OutputClosed: Error {}
