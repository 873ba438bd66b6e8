import ArgumentParser
import JustPersist
import JustPersistCommandLine
import JustPersistMigration

/// Copies a store into another one.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Copy everything in a store into another one, and verify it.",
        discussion: """
            The source is not changed. The target is created if it is missing, and must hold no items but \
            those of the source unless --update is given. To continue an interrupted migration, run it again.
            """)

    @Argument(help: .init("The source: " + storeHelp), completion: .stores) var from: String
    @Argument(help: .init("The target: " + storeHelp), completion: .stores) var to: String
    @Flag(help: "Give items that the target already has the source's values.") var update = false

    func run() throws {
        if OpenStore.areSame(from, to) { throw isSameStore }
        let source = try OpenStore.reading(from)
        let target = try openTarget()
        let interruption = Interruption()
        let line = ProgressLine()
        let migration = Migration(
            from: source.store, to: target.store, policy: update ? .updateByID : .intoEmpty)
        let report = try migration.run { progress in
            try interruption.check(
                """
                Interrupted: \(progress.copiedItems) of \(progress.totalItems) items are copied. To go on, migrate again.
                """)
            line.show(items: progress.items, fraction: progress.fraction)
        }
        line.clear()
        try target.close()
        var table = TextTable(header: ["TYPE", "SOURCE", "TARGET"])
        for (type, digest) in report.types.sorted(by: { $0.key < $1.key }) {
            table.append([
                type, String(digest.count), String(report.targetCounts[type] ?? 0),
            ])
        }
        let output = Output()
        for line in table.lines() { try output.line(line) }
        try output.line("verified")
        try output.flush()
    }

    private func openTarget() throws -> OpenStore {
        do {
            return try OpenStore.writing(to)
        } catch let error as DataStoreError where error.code == .alreadyOpen {
            throw isSameStore
        }
    }

    private var isSameStore: DataStoreError {
        DataStoreError(
            .invalidRequest, in: "migrate",
            "“\(from)” and “\(to)” are the same store. Name another target.")
    }
}

extension MigrationProgress {
    /// The number of items that this run has copied.
    fileprivate var copiedItems: Int {
        switch phase {
        case .checking: 0
        case .copying: items
        case .verifying, .finished: totalItems
        }
    }

    /// The fraction of the work that is done.
    ///
    /// About half of the work is comparing.
    ///
    /// `nil` if it is not known.
    fileprivate var fraction: Double? {
        let share = Double(items) / Double(max(totalItems, 1)) / 2
        return switch phase {
        case .checking: nil
        case .copying: share
        case .verifying, .finished: 0.5 + share
        }
    }
}
