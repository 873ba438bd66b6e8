package import ArgumentParser
import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistPostgres

extension ParsableCommand {
    /// Prepares the process for stores and their files: call it before anything else.
    package static func prepareProgram() {
        StandardStreams.occupyClosed()
        // A closed pipe is then an error of the write, and stores are closed before the program ends.
        signal(SIGPIPE, SIG_IGN)
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
        PostgresDataStore.register()
    }

    /// Runs the command in the process's arguments, reports errors, and ends the process.
    package static func runProgram() -> Never {
        Interruption.prepare()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            Foundation.exit(end(with: error))
        }
        Foundation.exit(EXIT_SUCCESS)
    }

    /// Reports an error, and returns the exit code.
    private static func end(with error: any Error) -> Int32 {
        switch error {
        case is OutputClosed: return EXIT_SUCCESS
        case let exit as ExitCode: return exit.rawValue
        case let interruption as Interruption.Error:
            StandardStreams.complain(interruption.message.printable)
            return Interruption.exitCode
        case let error as DataStoreError:
            StandardStreams.complain(error.complaint)
            return EXIT_FAILURE
        default: break
        }
        let exit = exitCode(for: error)
        let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).printable }
        guard exit.isSuccess else {
            if exit == .failure {
                StandardStreams.complain(error.localizedDescription.printable)
            } else {
                StandardStreams.writeError(lines.joined(separator: "\n") + "\n")
            }
            return exit.rawValue
        }
        // Output that was requested, such as the help.
        do {
            let output = Output()
            for line in lines { try output.line(line) }
            try output.flush()
            return EXIT_SUCCESS
        } catch { return end(with: error) }
    }
}
