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
        StandardStreams.occupyClosed()
        // A closed pipe is then an error of the write, and stores are closed before the program ends.
        signal(SIGPIPE, SIG_IGN)
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
        ReferenceDataStore.register()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            Foundation.exit(end(with: error))
        }
    }

    /// Says what there is to say about an error, and gives the exit code.
    private static func end(with error: any Error) -> Int32 {
        switch error {
        case is OutputClosed: return EXIT_SUCCESS
        case let exit as ExitCode: return exit.rawValue
        case let interruption as Interruption.Error:
            complain(interruption.message.printable)
            return 130
        case let error as DataStoreError:
            complain(error.complaint)
            return EXIT_FAILURE
        default: break
        }
        let exit = exitCode(for: error)
        let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).printable }
        guard exit.isSuccess else {
            if exit == .failure {
                complain(error.localizedDescription.printable)
            } else {
                StandardStreams.writeError(lines.joined(separator: "\n") + "\n")
            }
            return exit.rawValue
        }
        // What was asked for, such as the help.
        do {
            let output = Output()
            for line in lines { try output.line(line) }
            try output.flush()
            return EXIT_SUCCESS
        } catch { return end(with: error) }
    }

    /// Writes a message to standard error, whose control characters are written out already.
    private static func complain(_ text: String) {
        StandardStreams.writeError("justpersist: \(text)\n")
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
