import ArgumentParser
import JustPersistCommandLine

/// Prints the manual page, for `make install`; it is generated from the definitions of the commands.
struct GenerateManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-manual", abstract: "Print the manual page.", shouldDisplay: false)

    func run() throws {
        let page = try ManualPage(of: JustPersistCommand.self)
        let output = Output()
        try output.data(String(page.text.dropLast()))
        try output.flush()
    }
}
