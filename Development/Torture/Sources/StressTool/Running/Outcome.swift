import Foundation

/// What the program says, and how it ends.
enum Outcome {
    static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Ends the program at once, with all its threads as they are.
    static func fail(_ line: String) -> Never {
        say("FAILED " + line)
        _exit(1)
    }
}
