import ArgumentParser
import JustPersistCommandLine

/// The tool: looks into stores, fills them and moves them, whatever their backend.
@main
struct JustPersistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "justpersist",
        abstract: "Look into data stores, fill them, and move them between backends.",
        discussion: """
            A STORE is lmdb:PATH, leveldb:PATH or memory:. Results go to standard output. The exit code \
            is 0, 1 after an error, 64 for a wrong call, and 130 when interrupted.
            """,
        subcommands: [
            InfoCommand.self, QueryCommand.self, ImportCommand.self, UpdateCommand.self,
            DeleteCommand.self, MigrateCommand.self, DiffCommand.self, VerifyCommand.self,
            IndexCommand.self,
            ConformanceCommand.self,
        ])

    static func main() {
        prepareProgram()
        ConformanceCommand.execProgram(calledWith: CommandLine.arguments.dropFirst())
        runProgram()
    }
}
