public import Foundation
public import JustPersist

/// An import of a store of Core Data or SwiftData.
///
/// ```swift
/// let report = try CoreDataImport(URL(filePath: "/tmp/Model.sqlite")).run(into: store)
/// ```
///
/// The store is read from a private copy, and never opened itself. Its items have ids that follow from their objects, so a second
/// import changes the items of the first. See <doc:FromCoreDataStepByStep>.
public struct CoreDataImport: Sendable {
    /// The treatment of values whose files do not exist.
    public enum MissingFilePolicy: Sendable {
        /// The import fails before anything is written.
        case fail
        /// Such values are null.
        case skip
    }

    /// The store, an SQLite file.
    public let store: URL
    /// The model, for stores that do not have their own: an `.xcdatamodeld`, an `.xcdatamodel`, a `.momd` or a `.mom`.
    public var model: URL?
    /// The names of the entities to import; `nil` for all.
    ///
    /// Those that inherit from them are imported, too.
    public var entities: Set<String>?
    /// The treatment of values that are kept in files of their own, if a file does not exist.
    public var missingFiles = MissingFilePolicy.fail
    /// Whether the model of a store without one is guessed from its tables.
    public var guessesModel = false
    /// Whether the report has the URI of each object with the id of its item.
    public var reportsURIs = false

    /// An import of a store.
    public init(_ store: URL, model: URL? = nil) {
        self.store = store
        self.model = model
    }

    /// The number of rows that were read and written.
    public struct Progress: Sendable {
        /// The rows that were written.
        public let items: Int
        /// The rows of the store; `nil` before they are counted.
        public let totalItems: Int?
    }

    /// Reads the whole store, and reports what an import would bring.
    ///
    /// Nothing is written. A store that is examined without an error can be imported, except for what the target refuses.
    public func examine(_ progress: (Progress) throws -> Void = { _ in }) throws -> Report {
        try prepare(progress).report
    }

    /// Imports the store into another one.
    ///
    /// Everything is read and checked first. An import that ends early leaves what it has written; run it again.
    ///
    /// - Parameters:
    ///   - target: A store that keeps relationships. The expression is evaluated after the check, so a damaged source creates none.
    ///   - progress: Called on this thread after each batch. If it throws, the import ends with that error.
    @discardableResult
    public func run(
        into target: @autoclosure () throws -> any DataStore,
        progress: (Progress) throws -> Void = { _ in }
    ) throws -> Report {
        var (source, report) = try prepare(progress)
        let target = try target()
        let total = report.entities.reduce(0) { $0 + $1.rows }
        let intake = ItemsIntake(source: source, store: target, findings: source.findings)
        let released = try intake.declare()
        report.add(released.notes)
        var done = 0
        var outcomes: [ItemsIntake.Outcome] = []
        for kind in source.layout.kinds {
            var outcome = ItemsIntake.Outcome()
            try intake.writeRows(kind, &outcome) { rows in
                done += rows
                try progress(Progress(items: done, totalItems: total))
            }
            outcomes.append(outcome)
        }
        for (place, kind) in source.layout.kinds.enumerated() {
            let isNew = outcomes[place].created == report.entities[place].rows
            try intake.writeLinks(kind, isNew: isNew, &outcomes[place])
            try progress(Progress(items: done, totalItems: total))
        }
        try intake.declareWhole(released)
        for (place, kind) in source.layout.kinds.enumerated() {
            report.entities[place].created = outcomes[place].created
            report.entities[place].updated = outcomes[place].updated.count
            report.entities[place].left = try intake.countLeft(kind)
        }
        return report
    }

    private func prepare(
        _ progress: (Progress) throws -> Void
    ) throws -> (source: ItemSource, report: Report) {
        let source = try SourceStore(store)
        var guesses: [Note] = []
        let (model, origin) = try model(of: source, &guesses)
        if let unknown = entities?.subtracting(model.entities.keys).sorted().first {
            throw DataStoreError(
                .invalidRequest, in: "import",
                "“\(source.name)” has no entity “\(unknown)”. It has \(model.entities.keys.sorted().listed)."
            )
        }
        let layout = Layout(model, in: source, selected: entities)
        try layout.check()
        let items = ItemSource(source, layout, failsWithoutFiles: missingFiles == .fail)
        try items.examine { rows in try progress(Progress(items: 0, totalItems: nil)) }
        var report = try Report(items, modelOrigin: origin, guesses: guesses)
        if reportsURIs { report.uris = try Report.uris(items) }
        return (items, report)
    }

    /// The model of a store, and where it was found.
    private func model(
        of source: SourceStore, _ guesses: inout [Note]
    ) throws -> (Model, origin: String) {
        if let cached = try source.cachedModel() {
            if let model {
                let differences = try ModelFile(model).closest(to: source).differences
                let list = differences.prefix(5).joined(separator: "; ")
                guesses.append(
                    .init(
                        nil, nil,
                        "The store has its own model, so the given one is not used"
                            + (differences.isEmpty ? "" : "; it is another version: \(list)")))
            }
            return (cached, "the store’s own")
        }
        if let model {
            let version = try ModelFile(model).version(of: source, &guesses)
            return (version.model, "“\(version.name)”")
        }
        guard guessesModel else {
            throw DataStoreError(
                .invalidInput, in: "import",
                """
                “\(source.name)” does not have its model. Give it (--model App.xcdatamodeld), or have it guessed from the tables \
                (--guess).
                """)
        }
        return (try Model(guessedFrom: source, &guesses), "guessed")
    }
}
