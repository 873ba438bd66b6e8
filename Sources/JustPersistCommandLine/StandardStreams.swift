import Foundation
import JustPersist

/// The standard streams of the process, which may be closed.
package enum StandardStreams {
    /// The replacements for streams that were closed when the process started, kept for its lifetime.
    private static let standIns = {
        var handles: [FileHandle] = []
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 {
            // It fails when it is used, as the closed stream would.
            let handle =
                descriptor == STDIN_FILENO
                ? FileHandle(forWritingAtPath: "/dev/null")
                : FileHandle(forReadingAtPath: "/dev/null")
            guard let handle, handle.fileDescriptor == descriptor else {
                // Without it, messages could be lost and files damaged.
                exit(EXIT_FAILURE)
            }
            handles.append(handle)
        }
        return handles
    }()

    /// Occupies the descriptors of the streams that were closed when the process started.
    ///
    /// Otherwise the next file to be opened gets such a descriptor, and printed text is written into it: into a store.
    package static func occupyClosed() { _ = standIns }

    /// Whether standard error is a terminal.
    package static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    /// Whether standard input is a terminal, so that the user can be asked.
    package static let isInputTerminal = isatty(STDIN_FILENO) == 1

    /// Asks whether to continue, after a sentence that describes the effects; `nil` without a terminal to ask at.
    package static func confirms(_ sentence: String) -> Bool? {
        guard isInputTerminal else { return nil }
        writeError("\(sentence.printable) Go on? [y/N] ")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// The error if a confirmation is needed and there is no terminal.
    package static let noConfirmation =
        "Nothing was done, because there is no terminal to confirm it at; add --yes."

    /// Writes a message of the program, whose control characters are escaped already, to standard error.
    package static func complain(_ text: String) {
        let name = Terminal.styled("justpersist:", .red, isTerminal: isErrorTerminal)
        writeError("\(name) \(text)\n")
    }

    /// Writes to standard error, and ignores a failure: if the message cannot be written, the program still continues.
    package static func writeError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
