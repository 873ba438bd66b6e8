import ArgumentParser
import JustPersistCommandLine

/// The tool: looks into stores, fills them and moves them, whatever their backend.
@main
struct JustPersistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "justpersist",
        abstract: "Look into data stores, fill them, and move them between backends.",
        discussion: """
            A STORE is lmdb:PATH, leveldb:PATH or memory:, with options behind a question mark: \
            'lmdb:/var/lib/app?durability=relaxed&mapSize=64GiB'. Quote it for the shell. A path is taken as it is written; one \
            with a question mark in it is lmdb:///var/lib/what%3F.

            \(StoreOptionsHelp.text)

            Results go to standard output. Tables fit the terminal, unless --wide is given; elsewhere nothing is cut. \
            NO_COLOR turns colours off. The exit code is 0, 1 after an error, 64 for a wrong call, and 130 when interrupted; \
            Ctrl-C leaves stores consistent.
            """,
        subcommands: [
            InfoCommand.self, QueryCommand.self, ImportCommand.self, ExportCommand.self,
            UpdateCommand.self,
            DeleteCommand.self, MigrateCommand.self, DiffCommand.self, VerifyCommand.self,
            RepairCommand.self,
            BackupCommand.self, CompactCommand.self,
            IndexCommand.self,
            ConformanceCommand.self, GenerateManualCommand.self,
        ])

    static func main() {
        prepareProgram()
        ConformanceCommand.execProgram(calledWith: CommandLine.arguments.dropFirst())
        runProgram()
    }
}
