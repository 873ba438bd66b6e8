import JustPersist
import JustPersistCommandLine

/// The result of salvaging a damaged store, as the tool prints it.
struct SalvageText {
    private let report: SalvageReport
    /// The maximum number of ids of one kind that are listed for a type.
    private static let mostIDs = 20

    init(_ report: SalvageReport) { self.report = report }

    func write(newStore directory: String) throws {
        let output = Output()
        var table = TextTable(header: ["TYPE", "SAVED", "LOST", "DOUBTFUL"])
        for type in report.types {
            table.append([
                type.itemType, String(type.saved), type.lost.map { String($0) } ?? "not known",
                String(type.uncertain),
            ])
        }
        for line in table.lines() { try output.line(line) }
        for type in report.types {
            try list("lost", type.lostIDs, of: type, type.lostIDs.count, to: output)
            try list("doubtful", type.uncertainIDs, of: type, type.uncertain, to: output)
        }
        if report.droppedLinks > 0 {
            try output.line(
                "dropped: \(report.droppedLinks.counted("link")) of items that are lost")
        }
        if report.clearedReferences > 0 {
            try output.line(
                "set to nil: \(report.clearedReferences.counted("reference")) to items that are lost or have another partner"
            )
        }
        for damage in report.damages { try output.line("damaged: " + damage.message) }
        if report.mayLackChanges {
            try output.line(
                "Any item may lack the last changes: some of them, or which they were, cannot be read."
            )
        }
        for problem in report.remaining { try output.line("remains: " + problem.message) }
        try output.line("The new store is in \(directory).")
        try output.flush()
    }

    private func list(
        _ what: String, _ ids: [ItemID], of type: SalvageReport.SalvagedType, _ count: Int,
        to output: Output
    ) throws {
        for id in ids.prefix(Self.mostIDs) {
            try output.line("\(what): “\(type.itemType)” \(id)")
        }
        let rest = count - min(ids.count, Self.mostIDs)
        if rest > 0 { try output.line("\(what): \(rest) more of “\(type.itemType)”") }
    }
}
