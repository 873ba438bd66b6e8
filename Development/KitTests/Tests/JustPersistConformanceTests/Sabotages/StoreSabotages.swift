import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores with faults in uniqueness, rollback, damage, backups and syncs, and in parts of predicates.
enum StoreSabotages {
    static let all: [Sabotage] = unique + upserts + logs + predicates + maintained

    // MARK: Uniqueness and transactions

    private static let unique: [Sabotage] = [
        Sabotage("compares an item with older ones only", caughtBy: "idx/unique-update") { faults in
            faults.rules = { rules, _ in
                rules.violation = { judged, state in
                    for row in state.rows where judged.row(row.key)?.values != row.values {
                        var older = state
                        for other in state.rows where other.key.id > row.key.id {
                            _ = older.remove(other.key)
                        }
                        if let error = ReferenceUniqueness.violation(from: judged, to: older) {
                            return error
                        }
                    }
                    return nil
                }
            }
        },
        Sabotage("keeps equal values of queued blocks", caughtBy: "conc/group-violation") {
            $0.rules = { rules, _ in rules.violation = { _, _ in nil } }
        },
        Sabotage(
            "undoes the last of two changes of a key", caughtBy: "conc/group-rolls-back-alone"
        ) { faults in
            let states = Locked<[ReferenceState]>([])
            faults.rules = { rules, _ in
                rules.changed = { state in states.withLock { $0.append(state) } }
                rules.committed = { _, after in
                    states.withLock { $0 = [] }
                    return after
                }
                rules.rolledBack = { before, _ in
                    let all = states.withLock { states in
                        defer { states = [] }
                        return states
                    }
                    var kept = before
                    for row in before.rows {
                        var versions = [row.values]
                        for state in all {
                            if let values = state.row(row.key)?.values, values != versions.last {
                                versions.append(values)
                            }
                        }
                        if versions.count > 2 {
                            kept.put(ReferenceRow(row.key, values: versions[1]))
                        }
                    }
                    return kept
                }
            }
        },
    ]

    // MARK: Upserts

    private static let upserts: [Sabotage] = [
        Sabotage("clears what an upsert is not given", caughtBy: "idx/upsert") { faults in
            faults.fetch = { [fetch = faults.fetch] request, block in
                let items = try fetch(request, block)
                guard let key = keyOfUpsert(request, block) else { return items }
                for case let item as any MutableDataStoreItem in items {
                    for name in item.backing.attributeNames where name != key {
                        try item.backing.setValue(.null, forAttribute: name)
                    }
                }
                return items
            }
        },
        Sabotage("makes a duplicate in an upsert", caughtBy: "idx/upsert") { faults in
            faults.rules = { rules, _ in rules.violation = { _, _ in nil } }
            faults.change(.fetch) { question, ask in
                let isUpsert = keyOfUpsert(question.request, question.block) != nil
                try ask(isUpsert ? WaySabotages.nothing(question) : question)
            }
        },
    ]

    /// The unique attribute by which a write block asks for items that it makes if it finds none.
    private static func keyOfUpsert(_ request: DataStoreRequest, _ block: ReferenceBlock) -> String?
    {
        guard block.isWriting, case .comparison(let comparison)? = request.predicate,
            comparison.operator == .in, case .path(let path) = comparison.left
        else { return nil }
        return path.components.first
    }

    // MARK: Change logs

    private static let logs: [Sabotage] = [
        Sabotage("loses a commit of its log", caughtBy: "chg/reopened") {
            $0.logged = { Array($0.dropFirst()) }
        },
        Sabotage("reports its log twice", caughtBy: "chg/reopened") {
            $0.observe = { observation in
                FaultyObservation(observation) { set, last in last == nil ? [set, set] : [set] }
            }
        },
        Sabotage("reports its log in another order", caughtBy: "chg/reopened") {
            $0.observe = { observation in
                FaultyObservation(observation) { set, _ in
                    let turned = set.changed { changes in
                        ItemChanges(
                            itemTypeKey: changes.itemTypeKey, inserted: changes.inserted.reversed(),
                            updated: changes.updated, deleted: changes.deleted,
                            isComplete: changes.isComplete, token: changes.token)
                    }
                    return [turned]
                }
            }
        },
    ]

    // MARK: Predicates

    private static let predicates: [Sabotage] = [
        seeing("no characters beyond the BMP") { text in
            String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value < 0x1_0000 }))
        },
        seeing("two characters for one beyond the BMP") { text in
            text.unicodeScalars.map { $0.value < 0x1_0000 ? "\($0)" : "xx" }.joined()
        },
        seeing("scalars for characters") { text in
            text.unicodeScalars.map { $0.isASCII ? "\($0)" : "x" }.joined()
        },
        Sabotage("does not compute functions of constants", caughtBy: "pred/functions") { faults in
            for way in [Way.fetch, .count] {
                faults.change(way) { question, ask in
                    let request = question.request.copy()
                    if case .comparison(let comparison)? = request.predicate,
                        case .function(_, let arguments) = comparison.left,
                        case .value? = arguments.first
                    {
                        request.predicate = .comparison(
                            Comparison(
                                arguments[0], comparison.operator, comparison.right,
                                modifier: comparison.modifier, options: comparison.options))
                    }
                    try ask((request, question.block))
                }
            }
        },
    ]

    private typealias Comparison = DataStorePredicate.Comparison

    /// Answers from texts that are something else.
    private static func seeing(
        _ what: String, _ seen: @escaping @Sendable (String) -> String
    ) -> Sabotage {
        Sabotage("sees \(what)", caughtBy: "pred/functions") { faults in
            faults.rules = { rules, _ in
                rules.rows = { request, state throws(DataStoreError) in
                    var changed = state
                    for row in state.rows {
                        let values = row.values.mapValues { value -> DataStoreValue in
                            if case .string(let text) = value { return .string(seen(text)) }
                            return value
                        }
                        changed.put(ReferenceRow(row.key, values: values))
                    }
                    return try ReferenceQuery.rows(request, in: changed)
                        .compactMap { state.row($0.key) }
                }
            }
        }
    }

    // MARK: Maintenance

    private static let maintained: [Sabotage] = [
        Sabotage("finds itself sound", caughtBy: "life/damage") { $0.noticesDamage = false },
        Sabotage("copies what comes later too", caughtBy: "life/backup") { $0.backup = .live },
        Sabotage("leaves an item out of a backup", caughtBy: "life/backup") {
            $0.backup = .incomplete
        },
        Sabotage("empties itself into a backup", caughtBy: "life/backup") { $0.backup = .moving },
        Sabotage("loses an item in a compaction", caughtBy: "life/compaction") {
            $0.compact = { state in
                if let last = state.rows.last { _ = state.remove(last.key) }
            }
        },
        Sabotage("brings a value back in a compaction", caughtBy: "life/compaction") {
            $0.compact = { state in
                if let last = state.rows.last { state.put(ReferenceRow(last.key)) }
            }
        },
        Sabotage("never syncs", caughtBy: "dur/synced") { $0.syncs = { _ in 0 } },
        Sabotage("syncs every other commit", caughtBy: "dur/synced") { $0.syncs = { $0 / 2 } },
        Sabotage("syncs at its opening", caughtBy: "dur/synced") { $0.syncs = { min($0, 1) } },
    ]
}

/// The data that a store keeps beyond its lifetime, by its directory.
enum FaultyDisk {
    /// The contents of a directory.
    struct Content {
        var state = ReferenceState()
        var isDamaged = false
        /// How often it was written.
        var writes = 0
        /// The directory that is written with it.
        var copy: URL?
        /// The history that its change log tells of, and the commits in it.
        let origin = ItemID()
        var log: [CommittedChanges] = []

        var token: ChangeToken { ChangeToken(origin: origin, position: UInt64(log.count)) }
    }

    static let contents = Locked<[URL: Content]>([:])

    /// What lies in a directory, which is made if it is not there.
    static func content(of directory: URL) -> Content {
        contents.withLock { contents in
            let content = contents[directory] ?? Content()
            contents[directory] = content
            return content
        }
    }

    static func write(_ state: ReferenceState, to directory: URL) {
        contents.withLock { contents in
            contents[directory, default: Content()].state = state
            contents[directory, default: Content()].writes += 1
            if let copy = contents[directory]?.copy {
                contents[copy, default: Content()].state = state
            }
        }
    }
}

/// The store with a change log, which may be wrong.
final class LoggedFaultyStore: FaultyStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        guard let directory = memory.directory.withLock({ $0 }) else { return rules }
        rules.published = { [write = rules.published] before, after in
            write?(before, after)
            let changes = CommittedChanges(from: before, to: after)
            FaultyDisk.contents.withLock { $0[directory]?.log.append(changes) }
            memory.feed.publish(changes)
        }
        rules.token = { _ in FaultyDisk.content(of: directory).token }
        return rules
    }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.changeStreams = .logged
        return capabilities
    }

    override func open() throws {
        try super.open()
        let token = FaultyDisk.content(of: directory).token
        memory.feed.open(origin: token.origin, position: token.position)
    }

    override func close() throws {
        try super.close()
        memory.feed.close()
    }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        let content = FaultyDisk.content(of: directory)
        let faults = SabotagedFixture.faults(in: directory)
        let history = ChangeHistory(
            lastCommit: { content.token.position },
            segments: { start, end in
                let types = Locked<[String: ChangedType]>([:])
                return faults.logged(Array(content.log[Int(start)..<Int(end)])).map {
                    ChangeSegment(end: end, $0.changes(types))
                }
            })
        return faults.observe(
            try memory.feed.observe(
                scope, since: token, latest: content.token.position, history: history))
    }
}
