import Foundation

/// What is known of the terminal that a person sits at.
package enum Terminal {
    /// How text may look.
    package enum Style: String {
        case bold = "1"
        case red = "31"
    }

    /// The columns of the terminal that standard output goes to; `nil` if it goes elsewhere, where nothing is cut.
    package static let outputWidth: Int? =
        Output.isTerminal ? width(of: STDOUT_FILENO) : nil

    /// The columns of the terminal that standard error goes to.
    package static let errorWidth = width(of: STDERR_FILENO)

    /// Whether a terminal is to be sent more than text: see https://no-color.org.
    private static let hasStyles = {
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }()

    /// A text as it is sent to a stream, which is a terminal or not.
    package static func styled(_ text: String, _ style: Style, isTerminal: Bool) -> String {
        isTerminal && hasStyles ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// `COLUMNS` if the user has set it, and else what the terminal says.
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
