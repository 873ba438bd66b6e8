import ArgumentParser
import Foundation
import JustPersist

/// Runs the program `justpersist-conformance` in place of this one, so that building the tool does not build the kit.
struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Find out whether a backend keeps the contract.",
        usage: "justpersist conformance <store> [<options> …]",
        discussion: """
            STORE is lmdb:, leveldb:, memory:, reference: or postgres://USER@HOST/DATABASE. The checks are in a separate program, \
            \(program), which must be next to justpersist or in a directory of PATH, and which explains \
            the options. In the package of JustPersist these install it and build it:

              make install-all
              \(build)
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: "The arguments of the program: a store, and options.")
    var arguments: [String] = []

    private static let program = "justpersist-conformance"
    private static let build = "swift build --product \(program)"

    /// Replaces this process by the program if the command line calls it and the program exists.
    static func execProgram(calledWith words: ArraySlice<String>) {
        let command = configuration.commandName
        let arguments: [String]
        if words.first == command {
            arguments = Array(words.dropFirst())
        } else if Array(words) == ["help", command] {
            arguments = ["--help"]
        } else {
            return
        }
        for path in places { exec(path, arguments) }
    }

    /// The paths at which the program may be.
    private static var places: [String] {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let directories =
            (beside.map { [$0] } ?? [])
            + path.split(separator: ":").map { URL(filePath: String($0)) }
        return directories.map { $0.appending(path: program).path(percentEncoded: false) }
    }

    /// Replaces this process by a program; returns if that fails.
    private static func exec(_ path: String, _ arguments: [String]) {
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        // SAFETY: the array ends with nil, and its strings are freed only if this process stays.
        _ = unsafe execv(path, words)
        unsafe words.forEach { unsafe free($0) }
    }

    func run() throws {
        if ["--help", "-h"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
        if let found = Self.places.first(where: FileManager.default.fileExists) {
            throw DataStoreError(
                .accessDenied, in: "conformance",
                "The program of the checks, “\(found)”, cannot be run. Check its permissions, or build it again."
            )
        }
        throw DataStoreError(
            .invalidRequest, in: "conformance",
            """
            The checks are in the program “\(Self.program)”, which is neither beside this one nor in a \
            directory of PATH. In the package of JustPersist, “make install-all” puts it in place, and “\(Self.build)” builds it.
            """)
    }
}
