import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// Gives room back.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Give the room back that a store no longer uses.",
        discussion: """
            Needs free room for up to a second copy of the store, and that no other process has it open. If it is \
            ended before its time, the store is as it was or compacted, and whole.
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Flag(help: .hidden) var inProcess = false

    func run() throws {
        if inProcess { return try compact() }
        try SeparateProcess.run(["compact", "--in-process", "--", store], reading: store)
    }

    private func compact() throws {
        // A store in memory is refused as missing otherwise.
        let opened = try store == "memory:" ? OpenStore.writing(store) : OpenStore.changing(store)
        let interruption = Interruption()
        let report = try opened.store.compact { _ in
            try interruption.check("Interrupted: the store is as it was.")
        }
        try opened.close()
        let output = Output()
        if report.bytesBefore == 0 {
            try output.line("Nothing to do: the store has no files.")
        } else {
            try output.line(
                "\(report.bytesBefore.counted("byte")) before, \(report.bytesAfter.counted("byte")) now"
            )
        }
        try output.flush()
    }
}
