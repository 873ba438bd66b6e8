import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// The tool: inspects, fills and copies stores of any backend.
@main
struct JustPersistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "justpersist",
        abstract: "Look into data stores, fill them, and move them between backends.",
        discussion: """
            A STORE is lmdb:PATH, leveldb:PATH, memory: or postgres://USER@HOST/DATABASE, with options after a question mark: \
            'lmdb:/var/lib/app?durability=relaxed&mapSize=64GiB'. Quote it for the shell. A path is taken literally; one \
            with a question mark in it is lmdb:///var/lib/what%3F.

            \(StoreOptionsHelp.text)

            Results go to standard output. Tables fit the terminal, unless --wide is given; elsewhere nothing is cut. \
            NO_COLOR turns colours off. The exit code is 0, 1 after an error, 64 for a wrong call, and 130 when interrupted; \
            Ctrl-C leaves stores consistent.
            """,
        version: "justpersist \(Release.version)",
        subcommands: commands,
        groupedSubcommands: [
            CommandGroup(
                name: "Explanations:", subcommands: [PredicatesCommand.self, ExamplesCommand.self])
        ])

    private static var commands: [any ParsableCommand.Type] {
        var commands: [any ParsableCommand.Type] = [
            InfoCommand.self, StatsCommand.self, QueryCommand.self,
        ]
        #if Inspector
            commands.append(InspectCommand.self)
        #endif
        commands += [
            ImportCommand.self, ImportCoreDataCommand.self, GenerateItemsCommand.self,
            ExportCommand.self, UpdateCommand.self, DeleteCommand.self, LinkCommand.self,
            UnlinkCommand.self, DeleteRuleCommand.self, MigrateCommand.self, DiffCommand.self,
            VerifyCommand.self, RepairCommand.self, BackupCommand.self, CompactCommand.self,
            SQLViewsCommand.self, IndexCommand.self, SchemaCommand.self, ConformanceCommand.self,
            GenerateManualCommand.self,
        ]
        return commands
    }

    static func main() {
        prepareProgram()
        let words = CommandLine.arguments.dropFirst()
        ConformanceCommand.execProgram(calledWith: words)
        refuseHelp(askedWith: words)
        runProgram()
    }

    /// Ends the process if help is requested for a command that does not exist, which the parser does not report.
    private static func refuseHelp(askedWith words: ArraySlice<String>) {
        guard words.first == "help", let name = words.dropFirst().first, name.first != "-",
            !configuration.subcommands.contains(where: { $0.configuration.commandName == name })
        else { return }
        exit(withError: ValidationError("There is no command “\(name.printable)”."))
    }
}
