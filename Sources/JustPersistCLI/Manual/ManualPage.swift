import ArgumentParser
import Foundation
import JustPersistCommandLine

/// A manual page in the language mdoc(7), generated from a command's description.
struct ManualPage {
    private(set) var text = ""

    /// The page of a program and all its commands.
    init(of command: (some ParsableCommand).Type) throws {
        let help = Data(command._dumpHelp().utf8)
        let tool = try JSONDecoder().decode(CommandDescription.Tool.self, from: help).command
        macro(".Dd \(Self.today)")
        macro(".Dt \(tool.commandName.uppercased()) 1")
        macro(".Os JustPersist \(Release.version)")
        // No hyphenation in text that is to be copied.
        macro(".nh")
        macro(".Sh NAME")
        macro(".Nm \(tool.commandName)")
        macro(".Nd \(Self.escaped(tool.abstract ?? ""))")
        macro(".Sh SYNOPSIS")
        let topics = [PredicatesCommand.configuration, ExamplesCommand.configuration]
        let commands = tool.shownSubcommands.filter { command in
            !topics.contains { $0.commandName == command.commandName }
        }
        for command in commands { synopsis(of: command, after: tool.commandName) }
        macro(".Sh DESCRIPTION")
        paragraphs(tool.discussion)
        macro(".Sh COMMANDS")
        for command in commands { describe(command, after: tool.commandName) }
        macro(".Sh PREDICATES")
        paragraphs(PredicatesCommand.configuration.discussion)
        macro(".Sh EXIT STATUS")
        items([
            ("0", "Everything was done."), ("1", "An error, which standard error describes."),
            ("64", "A wrong call."), ("130", "Interrupted by Ctrl-C."),
        ])
        macro(".Sh ENVIRONMENT")
        items([
            ("COLUMNS", "The width of tables on a terminal, in place of the terminal's."),
            ("NO_COLOR", "No colours, if it is not empty."),
            ("PATH", "Where conformance looks for its program, justpersist-conformance."),
        ])
        macro(".Sh EXAMPLES")
        paragraphs(ExamplesCommand.configuration.discussion)
    }

    private mutating func synopsis(of command: CommandDescription, after name: String) {
        let name = name + " " + command.commandName
        if command.shownSubcommands.isEmpty {
            macro(".Pp")
            macro(".Nm \(name)")
            for argument in command.shownArguments { write(argument.usage) }
        }
        for command in command.shownSubcommands { synopsis(of: command, after: name) }
    }

    private mutating func describe(_ command: CommandDescription, after name: String) {
        let name = name + " " + command.commandName
        macro(".Ss \(name)")
        write(command.abstract ?? "")
        paragraphs(command.discussion, isFirst: false)
        items(
            command.shownArguments.map { argument in
                (argument.title, argument.explanation)
            })
        for command in command.shownSubcommands { describe(command, after: name) }
    }

    /// A list of terms and their meanings.
    private mutating func items(_ items: [(String, String)]) {
        guard !items.isEmpty else { return }
        macro(".Bl -tag -width Ds")
        for (term, meaning) in items {
            macro(".It \(Self.escaped(term))")
            write(meaning)
        }
        macro(".El")
    }

    /// Text with empty lines between its paragraphs; indented lines are kept unchanged.
    private mutating func paragraphs(_ text: String?, isFirst: Bool = true) {
        guard let text, !text.isEmpty else { return }
        if !isFirst { macro(".Pp") }
        var wasIndented = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isIndented = line.first == " "
            if isIndented != wasIndented { macro(isIndented ? ".Bd -ragged -offset 2n" : ".Ed") }
            if line.isEmpty {
                macro(".Pp")
            } else {
                write(line.trimmingCharacters(in: .whitespaces))
            }
            if isIndented { macro(".br") }
            wasIndented = isIndented
        }
        if wasIndented { macro(".Ed") }
    }

    /// A line with a macro of the formatter.
    private mutating func macro(_ line: String) { text += line + "\n" }

    /// A line of text, or several.
    private mutating func write(_ line: String) {
        for line in line.split(separator: "\n") {
            let escaped = Self.escaped(String(line))
            // A line that begins with a point or an apostrophe would be a macro.
            text += (escaped.first == "." || escaped.first == "'" ? "\\&" : "") + escaped + "\n"
        }
    }

    /// The date of the page in the format of mdoc(7).
    private static var today: String {
        let style = Date.VerbatimFormatStyle(
            format: "\(month: .wide) \(day: .defaultDigits), \(year: .defaultDigits)",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
            calendar: Calendar(identifier: .gregorian))
        return Date.now.formatted(style)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
            .replacing("'", with: "\\(aq")
    }
}

extension CommandDescription.Argument {
    /// The argument in the synopsis.
    fileprivate var usage: String {
        let word = kind == "positional" ? "<\(valueName ?? "value")>" : title
        return (isOptional ? "[\(word)]" : word) + (isRepeating ? " ..." : "")
    }

    /// The argument's names and value.
    fileprivate var title: String {
        if kind == "positional" { return "<\(valueName ?? "value")>" }
        let names = (names ?? []).map(\.text).joined(separator: ", ")
        return kind == "option" ? "\(names) <\(valueName ?? "value")>" : names
    }

    fileprivate var explanation: String {
        var text = abstract ?? ""
        if let allValues { text += " One of \(allValues.joined(separator: ", "))." }
        if let defaultValue { text += " The default is \(defaultValue)." }
        return text
    }
}
