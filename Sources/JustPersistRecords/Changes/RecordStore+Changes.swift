public import JustPersist

/// Streams of changes.
extension RecordStore {
    /// Begins to observe the commits of this store, including those of other processes.
    ///
    /// While the store is observed, it looks for commits of other processes ten times a second. Without a change log it
    /// only notices that there were some: the sets are not complete.
    public func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        let isShared = engine.traits.isSharedBetweenProcesses
        // Earlier commits of other processes are not changes for a new observer.
        if isShared { announceForeignCommits() }
        // A block may have seen a commit that is not announced yet.
        let latest = try token.map { _ in try latestCommit() }
        if let token, let latest, token.position > latest { reportLostCommits(token, latest) }
        let observation = try feed.observe(
            scope, since: token, latest: latest,
            history: ChangeHistory(
                lastCommit: { [weak self] in try? self?.latestCommit() },
                segments: { [weak self] in self?.history(behind: $0, upTo: $1) }))
        if isShared { poller.start { [weak self] in self?.pollForeignCommits() ?? false } }
        return observation
    }

    /// Reports that a token is of a later state than the store's.
    ///
    /// The stream then starts from the current state.
    private func reportLostCommits(_ token: ChangeToken, _ latest: UInt64) {
        guard (try? openContext("changes"))?.historyID == token.origin else { return }
        report(
            DataStoreError(
                .invalidInput, in: "changes",
                """
                The token is of commit \(token.position), and the last commit of the store is \(latest): the store was \
                restored from a backup, or lost its last commits in a power failure. The stream starts again from the \
                current state. Before you write to the store, drop all tokens that are later than the backup.
                """))
    }

    /// The number of the last commit of any process.
    private func latestCommit() throws -> UInt64 {
        var commit: UInt64 = 0
        try gate.readHere {
            try engine.read { commit = try header(in: $0, "changes")?.commit ?? 0 }
        }
        return commit
    }

    // MARK: Commits of this process

    /// Reports a block's commit to the observers of the store.
    func announce(_ block: WriteBlock) {
        defer { block.noteAnnounced() }
        // Without a commit of its own, the block's header may have the number of another process's commit that is not
        // announced yet.
        guard block.hasCommit else { return }
        let commit = block.header.commit
        guard feed.isObserved else { return feed.skip(to: commit) }
        let position = feed.position
        guard commit > position else { return }
        var segments: [ChangeSegment] = []
        if commit > position + 1 {
            segments = foreignSegments(behind: position, upTo: commit - 1)
        }
        segments.append(ChangeSegment(end: commit, block.changes { changedType($0, block.known) }))
        feed.publish(segments)
    }

    /// A type, with the keys and names that observers see.
    private func changedType(_ type: CatalogType, _ types: BlockCatalog) -> ChangedType {
        changedTypes.withLock { known in
            if known.version != types.catalog.version {
                known = ChangedTypes(version: types.catalog.version)
            }
            if let type = known.types[type.number] { return type }
            let named = ChangedType(
                number: type.number, keys: [type.key] + type.formerKeys,
                attributes: type.attributes.map(\.name), relationships: type.relationships)
            known.types[type.number] = named
            return named
        }
    }

    // MARK: The log, and commits of other processes

    /// The changes of some commits in the log; `nil` if it lacks some of them.
    private func history(behind start: UInt64, upTo end: UInt64) -> [ChangeSegment]? {
        var segments: [ChangeSegment]?
        do {
            try gate.readHere {
                // The log is whole also while a step is unfinished.
                try withBlock(ofStep: true) { block in
                    segments = try loggedSegments(start, end, in: block)
                }
            }
        } catch {
            if let error = error as? DataStoreError, error.code != .notSetUp { report(error) }
        }
        return segments
    }

    private func loggedSegments(
        _ start: UInt64, _ end: UInt64, in block: Block
    ) throws(DataStoreError) -> [ChangeSegment]? {
        guard let entries = try block.loggedChanges(behind: start, upTo: end) else { return nil }
        return entries.map { commit, entry in
            ChangeSegment(
                end: commit,
                entry.parts.compactMap { part in
                    block.known.catalog[part.type].map {
                        ChangedItems(changedType($0, block.known), part.events)
                    }
                })
        }
    }

    /// The commits of other processes, from the log.
    ///
    /// If the log lacks them, their changes are unknown.
    private func foreignSegments(behind start: UInt64, upTo end: UInt64) -> [ChangeSegment] {
        history(behind: start, upTo: end) ?? [ChangeSegment(end: end, nil)]
    }

    /// Announces the commits of other processes; returns false if the store is not observed.
    private func pollForeignCommits() -> Bool {
        guard feed.hasObservers else { return false }
        announceForeignCommits()
        return true
    }

    private func announceForeignCommits() {
        do {
            let commit = try latestCommit()
            let position = feed.position
            // A commit of this process is announced by its own block, and counted before other threads can see it.
            guard commit > position, !isAnnouncing else { return }
            feed.publish(foreignSegments(behind: position, upTo: commit))
        } catch {
            guard let error = error as? DataStoreError, error.code != .notSetUp else { return }
            // The store will see no further commits of these files.
            if error.code == .storeDeleted { feed.close() }
            report(error)
        }
    }

    // MARK: The length of the log

    /// Sets the length of the log to the one that the store was opened with, and returns the number of the last commit.
    func applyChangeLogLength(_ header: StoreHeader) throws -> UInt64 {
        guard let changeLog else { return header.commit }
        if engine.storesRows, !changeLog.isOff {
            throw DataStoreError(
                .unsupported, in: "open",
                "A store over a framework that keeps rows cannot have a change log. Open it without one."
            )
        }
        let known = header.changeLog?.length ?? .off
        guard known != changeLog, !(known.isOff && changeLog.isOff), !engine.traits.isReadOnly
        else { return header.commit }
        var commit = header.commit
        try engine.write { writer in
            // Another process may have written in the meantime.
            guard var header = try StoreHeader(reading: writer) else { return }
            try header.checkWriting()
            commit = header.commit
            if changeLog.isOff {
                header.changeLog = nil
                _ = try writer.deleteAll(in: KeyRange(prefix: [KeySpace.changeTag]))
            } else if header.changeLog == nil {
                header.changeLog = ChangeLogState(changeLog, behind: commit)
            } else {
                header.changeLog?.length = changeLog
            }
            try writer.put(header.encoded(), forKey: KeySpace.header)
        }
        return commit
    }
}

/// The types of a catalog, with the keys and names that observers see.
struct ChangedTypes: Sendable {
    var version: UInt64?
    var types: [UInt32: ChangedType] = [:]
}
