import Foundation
import JustPersist
import JustPersistMigration

/// Checks of migrating a store's items to another store and back.
///
/// The other store is the kit's reference store, unless the fixture makes another one.
enum MigrationChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "mig/out", clause: [18], "Every type, id and value arrives in another store."
        ) { check in
            let (store, corpus) = try check.filledStore()
            let target = try check.secondStore()
            let report = try check.migrate(from: store, to: target)
            try check.expectSame(target, store, corpus, "the other store after the migration")
            check.expectEqual(
                report.targetCounts.values.reduce(0, +), corpus.count * MigrationCorpus.types.count,
                "the number of items that the migration reports")
        },
        CheckDefinition(
            "mig/in", clause: [18], "Every type, id and value of another store arrives in this one."
        ) { check in
            let (source, corpus) = try check.filledSecondStore()
            let store = try check.openStore()
            try check.migrate(from: source, to: store)
            try check.expectSame(store, source, corpus, "the store after the migration")
        },
        CheckDefinition(
            "mig/round-trip", clause: [18],
            "Items that were migrated to another store and back are equal."
        ) { check in
            let (store, corpus) = try check.filledStore()
            let between = try check.secondStore()
            try check.migrate(from: store, to: between)
            let back = try check.openStore()
            try check.migrate(from: between, to: back)
            try check.expectSame(back, store, corpus, "the items that came back")
        },
        CheckDefinition(
            "mig/queries-agree-after", clause: [10, 11, 12, 13, 18],
            "After a migration both stores answer every request the same way."
        ) { check in
            let (source, corpus) = try check.filledSecondStore()
            let store = try check.openStore()
            try check.migrate(from: source, to: store)
            let predicates = ModelPredicates(
                attributes: MigrationCorpus.attributes, check.capabilities)
            var random = check.generator("requests")
            for _ in 0..<check.profile.pick(quick: 60, full: 200, soak: 2_000) {
                let request = DataStoreRequest(
                    type: ItemType(dynamic: MigrationCorpus.types[0]),
                    predicate: predicates.predicate(items: corpus.count, using: &random),
                    sortDescriptors: [
                        DataStoreSortDescriptor(
                            key: random.pick(MigrationCorpus.attributes), ascending: random.bool())
                    ],
                    offset: random.int(in: 0..<10), limit: random.int(in: 0..<20))
                let found = try check.ids(in: store, request)
                let expected = try check.ids(in: source, request)
                check.expectEqual(
                    found, expected,
                    "what the store finds, of the items of another one, for “\(text(of: request))”")
            }
        },
        CheckDefinition(
            "mig/source-untouched", clause: [18], "A migration changes nothing in its source."
        ) { check in
            let (store, corpus) = try check.filledStore()
            let before = try corpus.dump(store)
            try check.migrate(from: store, to: check.secondStore())
            check.expectEqual(
                try corpus.dump(store), before, "the source differs after the migration")
        },
        CheckDefinition(
            "mig/fails-whole", clause: [5, 18],
            "A migration that fails has written whole batches, and completes when it is run again."
        ) { check in
            let (source, corpus) = try check.filledSecondStore()
            let store = try check.openStore()
            let blocks = Locked(0)
            let failing = InterposedStore(store) {
                // The first block declares the types; the failure comes in the third batch.
                let number = blocks.withLock { blocks in
                    blocks += 1
                    return blocks
                }
                if number == 4 { throw MigrationStopped() }
            }
            let error = check.expectThrows("a migration whose target fails at the third batch") {
                _ = try check.migrate(from: source, to: failing, batchSize: 10)
            }
            check.expect(
                error is MigrationStopped,
                "The target's error did not come out of the migration, but \(error, default: "none")"
            )
            let left = try store.read { db in
                try MigrationCorpus.types.map {
                    try db.performCount(DataStoreRequest(itemTypeKey: $0))
                }
            }
            check.expectEqual(
                left, [20, 0, 0, 0],
                "items of each type left by two batches of 10 and one that failed")
            try check.migrate(from: source, to: store, policy: .updateByID, batchSize: 10)
            try check.expectSame(store, source, corpus, "the store after the second run")
        },
        CheckDefinition(
            "mig/interrupted", clause: [5, 18],
            "A target with a part of the source, as after an interruption, is completed."
        ) { check in
            let (source, corpus) = try check.filledSecondStore()
            let store = try check.openStore()
            var batches = 0
            _ = check.expectThrows("a migration that is interrupted after its third batch") {
                try check.migrate(from: source, to: store, batchSize: 10) { progress in
                    if progress.phase != .copying { return }
                    batches += 1
                    if batches == 3 { throw MigrationStopped() }
                }
            }
            try check.migrate(from: source, to: store, batchSize: 10)
            try check.expectSame(store, source, corpus, "the store after the second run")
        },
        CheckDefinition(
            "mig/many", clause: [18],
            "Many items are copied to another store and back in batches, and the progress counts each once."
        ) { check in
            let count = check.profile.pick(quick: 1_000, full: 100_000, soak: 1_000_000)
            let source = try check.secondStore()
            try source.write { db in
                try db.declare(ItemSchema("Many", attributes: [AttributeSchema("number")]))
                for number in 0..<count { try db.create("Many")["number"] = .int(Int64(number)) }
            }
            let store = try check.openStore()
            var copied = 0
            var most = 0
            try check.migrate(from: source, to: store, batchSize: 500) { progress in
                if progress.phase != .copying { return }
                most = max(most, progress.items - copied)
                copied = progress.items
            }
            check.expectEqual(copied, count, "the items that the progress counted")
            check.expect(
                most <= 500, "a batch has \(most) items, and 500 is the most that was asked for")
            let back = try check.secondStore()
            let report = try check.migrate(from: store, to: back)
            check.expectEqual(report.targetCounts, ["Many": count], "the items that came back")
            check.expectEqual(
                try back.read { try $0.digest(ofType: "Many") },
                try source.read { try $0.digest(ofType: "Many") },
                "the digest of the items that came back")
        },
        CheckDefinition(
            "mig/rerun", clause: [18], "A second run, updating by id, makes no duplicates."
        ) { check in
            let (source, corpus) = try check.filledSecondStore()
            let store = try check.openStore()
            try check.migrate(from: source, to: store)
            try store.write { db in
                let request = DataStoreRequest(itemTypeKey: MigrationCorpus.types[0])
                guard let first = try db.dynamicItems(request).first else { return }
                first["name"] = .string("changed in between")
            }
            try check.migrate(from: source, to: store, policy: .updateByID)
            try check.expectSame(store, source, corpus, "the store after the second run")
        },
        CheckDefinition(
            "mig/target-not-empty", clause: [18],
            "A target with items is refused, unless the migration updates by id."
        ) { check in
            let (source, _) = try check.filledSecondStore()
            let (store, corpus) = try check.filledStore()
            let before = try corpus.dump(store)
            check.expectError(.targetNotEmpty, what: "migrating into a store with items") {
                try check.migrate(from: source, to: store)
            }
            check.expectEqual(try corpus.dump(store), before, "the refused target has changed")
        },
        CheckDefinition(
            "mig/kind-not-supported-by-target", clause: [9, 18, 19],
            "Values that a target cannot store are listed by attribute before anything is written."
        ) { check in
            let (source, store, missing) = try check.migrationThatLacksKinds()
            let error = check.expectError(
                .unsupported, what: "migrating values of kind \(missing) to a store without them"
            ) {
                try check.migrate(from: source, to: store)
            }
            let message = error?.message ?? ""
            for attribute in ["first", "second"] {
                check.expect(
                    message.contains("Lacking.\(attribute)"),
                    "the error does not name the attribute “Lacking.\(attribute)”: \(message)")
            }
            let count = try store.read { db in
                try db.performCount(DataStoreRequest(itemTypeKey: "Lacking"))
            }
            check.expectEqual(count, 0, "items written to the target that was refused")
        },
    ]
}

private func text(of request: DataStoreRequest) -> String {
    let sort = (request.sortDescriptors ?? []).map { "\($0.key) \($0.ascending ? "up" : "down")" }
    return
        "\(request.predicate.map { "\($0)" } ?? "all"), sorted by \(sort), offset \(request.offset ?? 0), "
        + "limit \(request.limit ?? 0)"
}

/// The error with which a check ends a migration.
private struct MigrationStopped: Error {}

extension CheckContext {
    /// Makes and opens the store with which items are exchanged.
    func secondStore() throws -> any DataStore {
        let name = "second-\(UUID().uuidString)"
        let url = directory.appending(path: name, directoryHint: .isDirectory)
        let store = try fixture.makeSecondStore(in: url) ?? ReferenceDataStore()
        directories.withLock { $0[ObjectIdentifier(store)] = (store, name) }
        try store.open()
        return store
    }

    /// Migrates between the stores themselves, which may use a faster method than the calls of the contract.
    @discardableResult
    func migrate(
        from source: any DataStore, to target: any DataStore,
        policy: Migration.Policy = .intoEmpty, batchSize: Int = 20_000,
        progress: (MigrationProgress) throws -> Void = { _ in }
    ) throws -> Migration.Report {
        func itself(_ store: any DataStore) -> any DataStore {
            (store as? WatchedStore)?.store ?? store
        }
        return try Migration(
            from: itself(source), to: itself(target), policy: policy, batchSize: batchSize
        ).run(progress: progress)
    }

    private var corpus: MigrationCorpus {
        MigrationCorpus(capabilities, count: profile.pick(quick: 40, full: 400, soak: 4_000))
    }

    fileprivate func filledStore() throws -> (any DataStore, MigrationCorpus) {
        let store = try openStore()
        var random = generator("own")
        try corpus.fill(store, using: &random)
        return (store, corpus)
    }

    fileprivate func filledSecondStore() throws -> (any DataStore, MigrationCorpus) {
        let store = try secondStore()
        var random = generator("reference")
        try corpus.fill(store, using: &random)
        return (store, corpus)
    }

    fileprivate func expectSame(
        _ store: any DataStore, _ expected: any DataStore, _ corpus: MigrationCorpus,
        _ what: String, line: Int = #line
    ) throws {
        expectEqual(
            try corpus.dump(store), try corpus.dump(expected), "\(what) differs", line: line)
    }

    fileprivate func ids(in store: any DataStore, _ request: DataStoreRequest) throws -> [ItemID] {
        var ids: [ItemID] = []
        try store.performRead { db in ids = try db.performFetch(request).map(\.uniqueToken) }
        return ids
    }

    /// A source, a target, and a kind of values of the source that the target does not support.
    ///
    /// One of the two stores is the store under examination.
    fileprivate func migrationThatLacksKinds() throws -> (
        any DataStore, any DataStore, DataStoreValue.Kind
    ) {
        let kinds = DataStoreValue.Kind.allCases.filter { $0 != .null }
        let lacking = kinds.first { !capabilities.valueKinds.contains($0) }
        let kind = lacking ?? .bool
        let source = lacking == nil ? try openStore() : try secondStore()
        var random = generator("lacking")
        var value = DataStoreValue.null
        while value.isNull { value = ModelValues(kinds: [kind]).value(using: &random) }
        try source.write { [value] db in
            try db.declare(
                ItemSchema(
                    "Lacking", attributes: [AttributeSchema("first"), AttributeSchema("second")]))
            let item = try db.create("Lacking")
            item["first"] = value
            item["second"] = value
        }
        if lacking != nil { return (source, try openStore(), kind) }
        var less = ReferenceDataStore().capabilities
        less.valueKinds.remove(kind)
        return (source, InterposedStore(try secondStore(), declaring: less), kind)
    }
}
