import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// Returns unused space.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Return the unused space of a store to the file system.",
        discussion: """
            Needs free space for up to a second copy of the store, and that no other process has it open. If it is \
            interrupted, the store is either as it was or compacted, and undamaged.
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Flag(help: .hidden) var inProcess = false

    func run() throws {
        if inProcess { return try compact() }
        try SeparateProcess.run(["compact", "--in-process", "--", store], reading: store)
    }

    private func compact() throws {
        // Otherwise a store in memory would be refused as missing.
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
