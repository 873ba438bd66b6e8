import Foundation
import JustPersist

/// Standard output, written in large pieces and without long delays.
package final class Output {
    /// The bytes that are not written yet.
    private struct Pending {
        var bytes: [UInt8] = []
        /// The error of the timer.
        var failure: (any Error)?
    }

    /// The width to which tables are cut; `nil` for no limit.
    package let width: Int?
    private let pending = Locked(Pending())
    private var timer: (any DispatchSourceTimer)?

    /// The output of a command.
    ///
    /// - Parameter isWide: Whether tables are not cut to the terminal's width.
    package init(isWide: Bool = false) { width = isWide ? nil : Terminal.outputWidth }

    deinit { timer?.cancel() }

    /// Whether standard output is a terminal.
    package static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes a line for people: control characters are escaped.
    ///
    /// Call ``flush()`` after the last one.
    package func line(_ text: String = "") throws { try data(text.printable) }

    /// Writes a line for people that is emphasised on a terminal.
    package func heading(_ text: String) throws {
        try data(Terminal.styled(text.printable, .bold, isTerminal: Self.isTerminal))
    }

    /// Writes a line for programs, unchanged.
    package func data(_ text: String) throws { try bytes((text + "\n").utf8) }

    /// Writes bytes for programs.
    package func bytes(_ bytes: some Collection<UInt8>) throws {
        if timer == nil { startTimer() }
        try pending.withLock { pending throws in
            pending.bytes.append(contentsOf: bytes)
            if pending.bytes.count >= 1 << 16 { try Self.write(&pending) }
        }
    }

    /// Writes the buffered bytes.
    ///
    /// Throws ``OutputClosed`` if the reader has closed the pipe.
    package func flush() throws {
        try pending.withLock { pending throws in try Self.write(&pending) }
    }

    /// The reader of a pipe receives a line soon after it was written, even if the next one takes long.
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

/// The reader of standard output has closed it, as `head` does; this is not reported as an error.
package struct OutputClosed: Error {}
