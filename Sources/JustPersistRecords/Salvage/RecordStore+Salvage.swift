public import Foundation
public import JustPersist

/// Salvages a damaged store: writes all entries that can be read from its files into a new store.
extension RecordStore {
    /// Lets the engine read its files leniently, and builds a store from the entries next to the place of the new
    /// store.
    public func performSalvage(
        into directory: URL, _ meter: MaintenanceMeter
    ) throws -> SalvageReport {
        guard let source = engine as? any SalvagingEngine else {
            throw DataStoreError(
                .unsupported, in: "salvage",
                "A store of \(engine.traits.name) keeps no files that could be read one by one. Nothing was written."
            )
        }
        if (try? openContext("salvage")) != nil {
            throw DataStoreError(
                .alreadyOpen, in: "salvage",
                "The store is open. Close it first; to copy the items of an open store, use a migration."
            )
        }
        return try Self.salvage(source, into: directory, meter)
    }

    private static func salvage<Source: SalvagingEngine>(
        _ source: Source, into directory: URL, _ meter: MaintenanceMeter
    ) throws -> SalvageReport {
        let draft = try BackupDraft(for: directory)
        var report = try collect(from: source, in: draft, meter)
        let failures = Locked<[DataStoreError]>([])
        let store = RecordStore<Source>(
            engine: source.makeEngine(at: draft.url),
            errorHandler: { error in failures.withLock { $0.append(error) } })
        try store.open()
        do {
            try meter.begin(.indexes)
            try store.buildIndexes { index in
                try meter.begin(
                    .indexes, itemType: index.itemTypeKey, totalItems: index.total)
                try meter.advance(items: index.done)
            }
            let mended = try store.repairRelations(meter)
            let verification = try store.performVerification(meter)
            report.note(mended, verification.itemCounts)
            report.remaining =
                failures.withLock { $0 } + verification.problems + mended.violations
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        if let failure = try draft.finish() { report.remaining.append(failure) }
        return report
    }

    /// Writes all entries that can be read from the source's files into the files of the new store.
    private static func collect(
        from source: some SalvagingEngine, in draft: BackupDraft, _ meter: MaintenanceMeter
    ) throws -> SalvageReport {
        let target = source.makeEngine(at: draft.url)
        try target.open()
        defer { target.close() }
        let entries = SalvagedEntries(in: target)
        try source.salvage(into: entries, meter)
        return try SalvagedStore.finish(target, entries, meter)
    }
}

extension SalvageReport {
    /// Notes the links and references of lost items that were removed from the new store.
    fileprivate mutating func note(_ mended: MendedRelations, _ itemCounts: [String: Int]) {
        clearedReferences = mended.clearedReferences
        for place in types.indices {
            let count = itemCounts[types[place].itemType] ?? types[place].saved
            // A repair adds links, too.
            types[place].saved = max(types[place].saved, count)
            guard let dropped = mended.deletedLinks[types[place].itemType] else { continue }
            types[place].saved = count
            droppedLinks += dropped
            types[place].lost = types[place].lost.map { $0 + dropped }
        }
    }
}
