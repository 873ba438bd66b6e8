import ArgumentParser
import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory

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
            InfoCommand.self, QueryCommand.self, ImportCommand.self, MigrateCommand.self,
            VerifyCommand.self, ConformanceCommand.self,
        ])

    static func main() {
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
        ReferenceDataStore.register()
        // A closed pipe is then an error of the write, and stores are closed before the program ends.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch is OutputClosed {
            exit(withError: ExitCode.success)
        } catch let interruption as Interruption.Error {
            complain(interruption.message)
            exit(withError: ExitCode(130))
        } catch let error as DataStoreError {
            complain(error.complaint)
            exit(withError: ExitCode.failure)
        } catch {
            exit(withError: error)
        }
    }

    /// Writes a line to standard error.
    static func complain(_ text: String) {
        FileHandle.standardError.write(Data("justpersist: \(text)\n".utf8))
    }
}

extension DataStoreError {
    /// The error in one line, and below it the place in a text where there is one.
    fileprivate var complaint: String {
        var text = message.printable
        if let engine { text += " (\(engine.name): \(engine.text.printable))" }
        if let location { text += "\n" + location.excerpt }
        return text
    }
}
