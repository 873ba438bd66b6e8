import Foundation
import JustPersist

/// The streams that a process is given, whatever has become of them.
package enum StandardStreams {
    /// What stands in for the streams that were closed when the process started, as long as it lives.
    private static let standIns = {
        var handles: [FileHandle] = []
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 {
            // It refuses to be used, as the closed stream would.
            let handle =
                descriptor == STDIN_FILENO
                ? FileHandle(forWritingAtPath: "/dev/null")
                : FileHandle(forReadingAtPath: "/dev/null")
            guard let handle, handle.fileDescriptor == descriptor else {
                // No message can be sure to arrive, and no file be safe.
                exit(EXIT_FAILURE)
            }
            handles.append(handle)
        }
        return handles
    }()

    /// Takes the numbers of the streams that were closed when the process started.
    ///
    /// Otherwise the next file to be opened gets such a number, and what is printed goes into it: into a
    /// store.
    package static func occupyClosed() { _ = standIns }

    /// Whether a person reads messages along.
    package static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    /// Whether a person can be asked.
    package static let isInputTerminal = isatty(STDIN_FILENO) == 1

    /// Asks whether to go on after a sentence that says what would be done; `nil` without a terminal to ask at.
    package static func confirms(_ sentence: String) -> Bool? {
        guard isInputTerminal else { return nil }
        writeError("\(sentence.printable) Go on? [y/N] ")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Why nothing was done where that needs an answer.
    package static let noConfirmation =
        "Nothing was done, because there is no terminal to confirm it at; add --yes."

    /// Writes a message of the program to standard error, whose control characters are written out already.
    package static func complain(_ text: String) {
        let name = Terminal.styled("justpersist:", .red, isTerminal: isErrorTerminal)
        writeError("\(name) \(text)\n")
    }

    /// Writes to standard error what may be lost: where nobody can be told, that is no reason to fail.
    package static func writeError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
