import ArgumentParser
import JustPersistCommandLine

/// The options for tables.
struct TableOptions: ParsableArguments {
    @Flag(help: "Do not cut tables to the width of the terminal.") var wide = false

    /// Standard output, with that width.
    var output: Output { Output(isWide: wide) }
}
