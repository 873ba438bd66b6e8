import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistRecords

/// Counts the entries of a store, and their bytes.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show the sizes of types and indexes, and free pages.",
        discussion: """
            Reads all entries of the store. HISTOGRAM has the number of values by their size: a column for less than 16 bytes, \
            and then for each further factor of 4. For LMDB, also the free pages are counted, and those that cannot be used \
            again because a read block keeps an old snapshot, with the process that has it.
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @OptionGroup var tables: TableOptions

    func run() throws {
        let opened = try OpenStore.reading(store)
        guard let records = opened.store as? any RecordCopying, records.ownsRecords else {
            throw DataStoreError(
                .unsupported, in: "stats", "This kind of store has no entries of its own to count.")
        }
        let interruption = Interruption()
        var statistics = StoreStatistics()
        try records.readRecords { stored in
            statistics = try stored.statistics { _ in try interruption.check("Interrupted.") }
        }
        let space = try records.engineSpace()
        try opened.close()
        let output = tables.output
        var table = TextTable(header: [
            "PART", "TYPE", "INDEX", "ENTRIES", "KEY BYTES", "VALUE BYTES", "LARGEST", "HISTOGRAM",
        ])
        for share in statistics.shares {
            table.append([
                share.part?.rawValue ?? "unknown", share.type ?? "",
                share.index?.joined(separator: ", ") ?? "", String(share.entries),
                String(share.keyBytes), String(share.valueBytes), String(share.largest),
                share.histogram.map(String.init).joined(separator: " "),
            ])
        }
        try table.write(to: output)
        if let space { for line in Self.lines(space) { try output.line(line) } }
        try output.flush()
    }

    private static func lines(_ space: EngineSpace) -> [String] {
        let bytes = space.pages * space.pageSize
        let used = space.pages - space.freePages
        var lines = [
            "\(space.pages.counted("page")) of \(space.pageSize) bytes, \(bytes.counted("byte")): \(used) in use, \(space.freePages) free"
        ]
        for reader in space.readers where reader.age > 0 {
            lines.append(
                "process \(reader.process) reads a snapshot that is \(Int(clamping: reader.age).counted("commit")) old"
            )
        }
        if space.pinnedPages > 0 {
            lines.append(
                "\(space.pinnedPages) of the free pages cannot be used again until the oldest read block has ended"
            )
        }
        return lines
    }
}
