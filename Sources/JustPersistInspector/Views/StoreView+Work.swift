import Foundation
import JustPersist
import JustPersistImportExport
import JustPersistMigration

/// Work that takes long, and changes as they occur: reported event by event.
extension StoreView {
    private struct Progress: Encodable {
        let items: Int
        let fraction: Double?
        let type: String?
    }

    /// Reports how far work has come, ten times a second at most; the work ends here if it is cancelled.
    struct ProgressEvents {
        let events: EventStream
        private var last = ContinuousClock.now

        init(_ events: EventStream) { self.events = events }

        mutating func report(
            _ items: Int, fraction: @autoclosure () -> Double? = nil, type: String? = nil
        ) throws {
            try WorkLimit.check()
            guard ContinuousClock.now - last > .milliseconds(100) else { return }
            last = .now
            events.send("progress", Progress(items: items, fraction: fraction(), type: type))
        }
    }

    // MARK: Verification

    private struct Verification: Encodable {
        let counts: [String: Int]
        let problems: [String]
    }

    func verify(_ events: EventStream) async throws {
        let report = try await inThread {
            var progressEvents = ProgressEvents(events)
            return try store.verify { progress in
                try progressEvents.report(
                    progress.items, fraction: progress.fraction, type: progress.itemType)
            }
        }
        events.send(
            "report",
            Verification(
                counts: report.itemCounts, problems: report.problems.prefix(1000).map(\.message)))
    }

    // MARK: Comparison

    private struct Difference: Encodable {
        struct Value: Encodable {
            let attribute: String
            let first: Cell
            let second: Cell
        }

        /// `type`, `removed`, `added` or `changed`.
        let kind: String
        let type: String
        var id: String?
        var values: [Value] = []
    }

    private struct Comparison: Encodable {
        let same: Int
        let removed: Int
        let added: Int
        let changed: Int
        let types: Int
        let isWhole: Bool
    }

    /// Ends a comparison when enough was shown.
    private struct Enough: Error {}

    func diff(to other: StoreView, _ events: EventStream) async throws {
        let most = 500
        // They check the hidden names.
        for view in [self, other] { try await view.read { _ in } }
        try await inThread {
            var shown = 0
            var progressEvents = ProgressEvents(events)
            do {
                let summary = try StoreComparison(store, other.store).run { difference in
                    if shown == most { throw Enough() }
                    shown += 1
                    events.send("difference", self.difference(difference))
                } progress: { progress in
                    try progressEvents.report(
                        progress.items,
                        fraction: Double(progress.items) / Double(max(progress.totalItems, 1)))
                }
                events.send(
                    "report",
                    Comparison(
                        same: summary.same, removed: summary.onlyInFirst,
                        added: summary.onlyInSecond, changed: summary.different,
                        types: summary.differentTypes, isWhole: true))
            } catch is Enough {
                events.send(
                    "report",
                    Comparison(
                        same: 0, removed: 0, added: 0, changed: 0, types: 0, isWhole: false))
            }
        }
    }

    private func difference(_ difference: StoreDifference) -> Difference {
        switch difference {
        case .type(let key, _, _): Difference(kind: "type", type: key)
        case .onlyInFirst(let item):
            Difference(kind: "removed", type: item.itemTypeKey, id: item.id.description)
        case .onlyInSecond(let item):
            Difference(kind: "added", type: item.itemTypeKey, id: item.id.description)
        case .values(let item, let values):
            Difference(
                kind: "changed", type: item.itemTypeKey, id: item.id.description,
                values: values.map {
                    let isHidden = redaction.hides($0.attribute, of: item.itemTypeKey)
                    return .init(
                        attribute: $0.attribute,
                        first: Cell($0.first, limit: Self.cellBytes, isHidden: isHidden),
                        second: Cell($0.second, limit: Self.cellBytes, isHidden: isHidden))
                })
        }
    }

    // MARK: Changes

    private struct Changes: Encodable {
        let time: Date
        let inserted: [String]
        let updated: [String]
        let deleted: [String]
        /// Whether the ids are complete; otherwise everything has to be read again.
        let isWhole: Bool
    }

    func changes(_ type: String, _ events: EventStream) async throws {
        let most = 1000
        for await change in store.changes(ofType: type) {
            let count = change.inserted.count + change.updated.count + change.deleted.count
            let isWhole = change.isComplete && count <= most
            func ids(_ ids: some Sequence<ItemID>) -> [String] {
                isWhole ? ids.map(\.description) : []
            }
            events.send(
                "change",
                Changes(
                    time: Date(), inserted: ids(change.inserted),
                    updated: ids(change.updated.lazy.map(\.id)), deleted: ids(change.deleted),
                    isWhole: isWhole))
        }
        // Without it, the page would connect again and again.
        events.send("end", Ended(reason: "The store was closed."))
    }

    private struct Ended: Encodable { let reason: String }

    // MARK: Export

    /// The most time of an export.
    private static let exportTime = Duration.seconds(600)

    /// The items of a page's query as a file.
    ///
    /// They are written to a file and then sent: a slow browser does not keep a snapshot. The file has no name while it has
    /// contents, so that nothing remains if the process ends.
    func export(_ parameters: Parameters) async throws -> InspectorResponse {
        let format: ItemExport.Format
        let ending = try parameters.required("format")
        switch ending {
        case "json": format = .json
        case "jsonl": format = .jsonLines
        case "csv": format = .csv
        default:
            throw DataStoreError(
                .invalidRequest, in: "inspect", "“format” must be json, jsonl or csv.")
        }
        let ids = parameters.all("id")
        let (handle, type) = try await inThread {
            let handle = try Self.unnamedFile()
            do {
                var type = ""
                try store.performRead { db in
                    try redaction.checkNames(db)
                    let (request, schema) = try request(parameters, db)
                    type = schema.itemTypeKey
                    if redaction.hidesAny(of: type) {
                        throw DataStoreError(
                            .invalidRequest, in: "inspect",
                            "Items of “\(type)” are not exported while attributes of it are hidden by --redact."
                        )
                    }
                    if try parameters.optional("limit") == nil { request.limit = nil }
                    if !ids.isEmpty {
                        let selected = try DataStorePredicate("uniqueToken IN %@", ids)
                        request.predicate =
                            request.predicate.map { .and([$0, selected]) } ?? selected
                    }
                    request.deadline = Self.exportTime
                    var export = ItemExport(request, format: format)
                    export.includesIDs = true
                    try export.run(from: db) { _ in
                    } write: { bytes in
                        try handle.write(contentsOf: Data(bytes))
                    }
                }
                try handle.seek(toOffset: 0)
                return (handle, type)
            } catch {
                try? handle.close()
                throw error
            }
        }
        return .file(
            "\(type).\(ending)",
            .stream { write in
                defer { try? handle.close() }
                while let piece = try handle.read(upToCount: 1 << 18), !piece.isEmpty {
                    try await write(piece)
                }
            })
    }

    /// An empty file that only this process can reach.
    private static func unnamedFile() throws -> FileHandle {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "justpersist-inspect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "items")
        try Data().write(to: file)
        return try FileHandle(forUpdating: file)
    }
}
