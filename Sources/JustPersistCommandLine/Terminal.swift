import Foundation

/// The properties of the user's terminal.
package enum Terminal {
    /// The styles of text.
    package enum Style: String {
        case bold = "1"
        case red = "31"
    }

    /// The width of the terminal at standard output; `nil` if it is not a terminal, where nothing is cut.
    package static let outputWidth: Int? =
        Output.isTerminal ? width(of: STDOUT_FILENO) : nil

    /// The width of the terminal at standard error.
    package static let errorWidth = width(of: STDERR_FILENO)

    /// Whether a terminal receives styled text: see https://no-color.org.
    private static let hasStyles = {
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }()

    /// A text as it is written to a stream, which may be a terminal.
    package static func styled(_ text: String, _ style: Style, isTerminal: Bool) -> String {
        isTerminal && hasStyles ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// `COLUMNS` if the user has set it, and else the terminal's own width.
    private static func width(of descriptor: Int32) -> Int {
        if let text = ProcessInfo.processInfo.environment["COLUMNS"], let columns = Int(text),
            columns > 0
        {
            return columns
        }
        var size = winsize()
        // SAFETY: the call fills the structure that it is given, or fails.
        let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
