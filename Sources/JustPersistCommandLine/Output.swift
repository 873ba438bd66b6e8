import Foundation
import JustPersist

/// Standard output, written in large pieces.
package final class Output {
    private var buffer: [UInt8] = []

    package init() {}

    /// Whether a person reads along.
    package static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes a line for people: control characters are written out.
    ///
    /// ``flush()`` is still to be called behind the last one.
    package func line(_ text: String = "") throws { try data(text.printable) }

    /// Writes a line for programs, as it is.
    package func data(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        buffer.append(0x0a)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes what was held back.
    ///
    /// Throws ``OutputClosed`` if nobody reads any more.
    package func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        if buffer.isEmpty { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(buffer))
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
