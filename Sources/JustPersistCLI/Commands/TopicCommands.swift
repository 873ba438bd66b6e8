import ArgumentParser
import JustPersistCommandLine

/// A help text that does not describe one command: `justpersist help predicates`.
protocol TopicCommand: ParsableCommand {}

extension TopicCommand {
    /// A command whose help is the text, with its own title in the manual.
    static func topic(
        _ name: String, abstract: String, _ text: String
    ) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: abstract, usage: "justpersist help \(name)",
            discussion: text)
    }

    func run() throws {
        let output = Output()
        for line in Self.configuration.discussion.split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            try output.line(String(line))
        }
        try output.flush()
    }
}

/// Explains the language of `--where`.
struct PredicatesCommand: TopicCommand {
    static let configuration = topic(
        "predicates", abstract: "The language of --where and --having.", PredicateLanguage.text)
}

/// Shows examples of the tool's use.
struct ExamplesCommand: TopicCommand {
    static let configuration = topic(
        "examples", abstract: "Examples of calls.", Examples.text)
}
