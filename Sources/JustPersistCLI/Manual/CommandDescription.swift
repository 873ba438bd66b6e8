/// The argument parser's description of a command: the part of its `ToolInfoV0` that a manual needs.
struct CommandDescription: Decodable {
    struct Tool: Decodable {
        let command: CommandDescription
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?
    }

    let commandName: String
    let shouldDisplay: Bool?
    let abstract: String?
    let discussion: String?
    let subcommands: [CommandDescription]?
    let arguments: [Argument]?

    /// The commands that are not hidden.
    var shownSubcommands: [CommandDescription] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The arguments that are not hidden, except --help, which every command has.
    var shownArguments: [Argument] {
        (arguments ?? []).filter { argument in
            argument.shouldDisplay && argument.names?.contains { $0.name == "help" } != true
        }
    }
}
