import ArgumentParser
import JustPersist
import JustPersistCommandLine
import JustPersistImportExport
import JustPersistMigration

/// Prints the differences between two stores.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show how two stores differ.",
        discussion: """
            A line for each item: - for one that only the first store has, + for one that only the second has, and ~ for \
            one with different values, which are listed. Items are the same by type and id. The exit code is 1 if there is any \
            difference.
            """)

    @Argument(help: .init("The first store: " + storeHelp), completion: .stores) var first: String
    @Argument(help: .init("The second store: " + storeHelp), completion: .stores) var second: String
    @Option(help: "A type to compare; all without it. Repeatable.") var type: [String] = []
    @Option(parsing: .unconditional, help: "The most differences to show; 0 for all.")
    var limit = 0
    @Flag(help: "Report only whether there is any difference, then stop.") var quiet = false

    /// Ends the comparison when enough was shown.
    private struct Enough: Error {}

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be 0 or more.") }
    }

    func run() throws {
        let stores = try Self.open(first, second)
        try Self.check(type, in: stores)
        let interruption = Interruption()
        let output = Output()
        var shown = 0
        let comparison = StoreComparison(
            stores.0.store, stores.1.store, types: type.isEmpty ? nil : type)
        let line = ProgressLine()
        let summary: StoreComparison.Summary
        do {
            summary = try comparison.run { difference in
                if quiet || limit > 0 && shown == limit { throw Enough() }
                shown += 1
                line.clear()
                for line in Self.lines(for: difference) { try output.line(line) }
            } progress: { progress in
                try interruption.check(
                    "Interrupted: \(shown.counted("difference was", "differences were")) found so far."
                )
                line.show(
                    items: progress.items,
                    fraction: Double(progress.items) / Double(max(progress.totalItems, 1)))
            }
            line.clear()
        } catch is Enough {
            try output.flush()
            throw DataStoreError(
                .verificationFailed, in: "diff",
                quiet
                    ? "The stores differ."
                    : "The stores differ: \(limit.counted("difference")) and more.")
        }
        if summary.isSame {
            if !quiet {
                try output.line("\(summary.same.counted("item is", "items are")) the same.")
            }
            return try output.flush()
        }
        try output.flush()
        let items = summary.onlyInFirst + summary.onlyInSecond + summary.different
        throw DataStoreError(
            .verificationFailed, in: "diff",
            "The stores differ: \(summary.differentTypes.counted("type")), \(items.counted("item"))."
        )
    }

    /// Opens the stores, and throws if they are the same one.
    static func open(_ first: String, _ second: String) throws -> (OpenStore, OpenStore) {
        if OpenStore.areSame(first, second) {
            throw DataStoreError(
                .invalidRequest, in: "diff",
                "“\(first)” is named twice. Name each store once.")
        }
        return try (OpenStore.reading(first), OpenStore.reading(second))
    }

    /// Throws if neither store has a type that was named.
    static func check(_ types: [String], in stores: (OpenStore, OpenStore)) throws {
        if types.isEmpty { return }
        var schemas: [ItemSchema] = []
        for store in [stores.0.store, stores.1.store] {
            try store.performRead { db in schemas += try db.schemas() }
        }
        for type in types { _ = try schemas.known(type, in: "diff") }
    }

    /// A difference as the lines that show it.
    static func lines(for difference: StoreDifference) -> [String] {
        switch difference {
        case .type(let key, .some, .none): ["- type \(key)"]
        case .type(let key, .none, _): ["+ type \(key)"]
        case .type(let key, let first?, let second?):
            [second.itemTypeKey == key ? "~ type \(key)" : "~ type \(key) → \(second.itemTypeKey)"]
                + changes("attribute", first.attributes, second.attributes) {
                    $0.declaresSame(as: $1)
                } name: {
                    $0.name
                }
                + changes("index over", first.indexes, second.indexes, by: ==) {
                    $0.attributes.joined(separator: ", ")
                }
                + changes("relationship", first.relationships, second.relationships, by: ==) {
                    $0.name
                }
        case .onlyInFirst(let item): ["- \(item.itemTypeKey) \(item.id)"]
        case .onlyInSecond(let item): ["+ \(item.itemTypeKey) \(item.id)"]
        case .values(let item, let values):
            [
                "~ \(item.itemTypeKey) \(item.id) "
                    + values.map {
                        "\($0.attribute): \(text($0.first)) → \(text($0.second))"
                    }.joined(separator: ", ")
            ]
        }
    }

    /// The value as text, with its kind if values of two kinds could look alike.
    private static func text(_ value: DataStoreValue) -> String {
        switch value {
        case .null: "null"
        case .string: value.jsonText
        default: "\(value.cellText) (\(value.kind))"
        }
    }

    /// The parts of a type that differ, by name.
    private static func changes<Part>(
        _ what: String, _ first: [Part], _ second: [Part], by areSame: (Part, Part) -> Bool,
        name: (Part) -> String
    ) -> [String] {
        let removed = first.filter { part in !second.contains { areSame(part, $0) } }.map(name)
        let added = second.filter { part in !first.contains { areSame(part, $0) } }.map(name)
        return Set(removed + added).sorted().map { part in
            let sign = !added.contains(part) ? "-" : removed.contains(part) ? "~" : "+"
            return "  \(sign) \(what) \(part)"
        }
    }
}
