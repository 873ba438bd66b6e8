public import Foundation

/// Stores whose schema changes from release to release.
extension DataStore {
    /// Opens the store, applies the pending steps of a plan, and declares its classes.
    ///
    /// ```swift
    /// let store = LMDBDataStore(at: url)
    /// try store.open(plan: plan)
    /// ```
    ///
    /// After a failure the store is closed. The parameters and errors are those of
    /// ``apply(_:allowingNewer:backup:progress:)``.
    @discardableResult
    public func open(
        plan: SchemaPlan, allowingNewer: Bool = false, backup: URL? = nil,
        progress: (SchemaProgress) throws -> Void = { _ in }
    ) throws -> SchemaReport {
        try open()
        do {
            return try apply(
                plan, allowingNewer: allowingNewer, backup: backup, progress: progress)
        } catch {
            // The first error says more.
            try? close()
            throw error
        }
    }

    /// Applies the pending steps of a plan to the open store, and declares its classes.
    ///
    /// Pending steps and their names are committed together, in one write block, or nothing is changed. A step in batches
    /// divides them: the steps before it are committed together, then each batch, then the steps after it and the classes.
    /// If no step is pending, and the store has recorded the classes, this only reads.
    ///
    /// A read-only store, a child, and a store that does not declare ``DataStoreCapabilities/evolvesSchema`` are compared with
    /// the steps, and not with the classes.
    ///
    /// - Parameters:
    ///   - plan: The steps and classes of the program.
    ///   - allowingNewer: Whether steps that the plan does not have are ignored.
    ///   - backup: The directory for a backup, which is written before anything is changed if a step in batches is pending
    ///     that has not begun. If something exists there, the backup gets the next free name beside it, such as `backup-2`.
    ///     If another program begins to apply steps meanwhile, the backup is deleted, because it may be half-converted.
    ///   - progress: Called before each pending step and each batch. If it throws, the block is rolled back, and this throws
    ///     its error.
    /// - Returns: The steps that were applied; none if the store had applied all of them.
    /// - Throws: The error of a step, which names the step if it is a ``DataStoreError``; `.newerSchema` if the store has
    ///   applied a step that the plan does not have, unless it is compatible, or has begun one; `.olderSchema` if it has
    ///   applied some of the steps that a step replaces; `.schemaMismatch` if values do not fit one of the classes;
    ///   `.unsupported` if a step is pending and the store does not declare ``DataStoreCapabilities/evolvesSchema``, is a
    ///   child, or has open children, or if it writes no backups and `backup` is needed; `.busy`, `.connectionLost` and
    ///   `.commitOutcomeUnknown` as write blocks do: apply the plan again, and what was committed is not repeated; `.migrationRunning` if an unfinished step is of another plan, or is replaced or
    ///   not in batches in this one; `.readOnly` if a step is pending in a read-only store; `.invalidName` for a plan with
    ///   two steps of one name, or a name that is empty.
    @discardableResult
    public func apply(
        _ plan: SchemaPlan, allowingNewer: Bool = false, backup: URL? = nil,
        progress: (SchemaProgress) throws -> Void = { _ in }
    ) throws -> SchemaReport {
        try plan.validate()
        if capabilities.isReadOnly || !capabilities.evolvesSchema || parent != nil {
            let run = try readSync { db in try SchemaRun(plan, db, allowingNewer: allowingNewer) }
            guard let step = run.pending.first else { return SchemaReport() }
            try refuseIfUnable(plan, in: "apply")
            throw DataStoreError(
                .readOnly, in: "apply",
                """
                The step “\(step.name)” of the plan “\(plan.name)” is not applied, and the store is read-only. Open the \
                store for writing once.
                """)
        }
        let (pending, isDeclared) = try compare(with: plan, allowingNewer)
        var report = SchemaReport()
        if pending?.isEmpty == true {
            if !isDeclared {
                try performWrite { db in
                    try SchemaRun(plan, db, allowingNewer: allowingNewer).declareTypes(in: db)
                }
            }
            return report
        }
        if let backup, let pending, pending.contains(where: { $0.batches != nil }) {
            let place = try backUp(besides: backup)
            let now = try compare(with: plan, allowingNewer).pending
            if now?.map(\.name) == pending.map(\.name) {
                report.backup = place
            } else {
                // Another process has begun to apply the steps.
                try FileManager.default.removeItem(at: place)
            }
        }
        var left: StepItems?
        var completed = 0
        var isComplete = false
        while !isComplete {
            // Kept only if the block is committed.
            var (next, nextLeft, nextCompleted) = (report, left, completed)
            try performStep { db in
                try PropertyFailures.failingBlock {
                    let run = try SchemaRun(plan, db, allowingNewer: allowingNewer)
                    let count = run.pending.count
                    let isUnfinished = try run.applyNext(
                        to: db, &next, &nextLeft, completed: nextCompleted, progress)
                    let pending = try SchemaRun(plan, db, allowingNewer: allowingNewer).pending
                    if !isUnfinished, let step = run.pending.first, pending.count >= count {
                        throw DataStoreError.unrecorded(step: step.name, of: plan.name)
                    }
                    nextCompleted += count - pending.count
                    // The classes are not declared in the block of a batch.
                    isComplete = pending.isEmpty && run.pending.first?.batches == nil
                    return isUnfinished
                }
            }
            (report, left, completed) = (next, nextLeft, nextCompleted)
        }
        return report
    }

    /// The pending steps, or `nil` while a step is unfinished; and whether the classes are declared.
    private func compare(
        with plan: SchemaPlan, _ allowingNewer: Bool
    ) throws -> (pending: [SchemaStep]?, isDeclared: Bool) {
        do {
            return try readSync { db in
                let run = try SchemaRun(plan, db, allowingNewer: allowingNewer)
                return (run.pending, try run.areTypesDeclared(in: db))
            }
        } catch let error as DataStoreError where error.code == .migrationRunning {
            return (nil, false)
        }
    }

    /// Writes a backup to a directory, or to the first free one of the names `directory-2`, `directory-3` and so on.
    private func backUp(besides directory: URL) throws -> URL {
        var place = directory
        var number = 1
        while true {
            do {
                _ = try backUp(to: place)
                return place
            } catch let error as DataStoreError
                where error.code == .targetNotEmpty && number < 1000
            {
                number += 1
                place = directory.deletingLastPathComponent()
                    .appending(path: "\(directory.lastPathComponent)-\(number)")
            }
        }
    }

    /// Runs the pending steps of a plan in a write block that is rolled back, and reports what they would do.
    ///
    /// The store stays as it is. If a step or a class would fail, the report has the error. Other write blocks wait
    /// meanwhile, and one write block must have room for the changes.
    ///
    /// - Throws: The errors of ``apply(_:allowingNewer:backup:progress:)`` that concern no single step, except for open
    ///   children, which a trial does not concern; `.migrationRunning` while a step is unfinished.
    public func check(_ plan: SchemaPlan) throws -> SchemaReport {
        try refuseIfUnable(plan, in: "check")
        var report = SchemaReport()
        do {
            try performWrite { db in
                let run = try SchemaRun(plan, db, allowingNewer: false)
                do {
                    try PropertyFailures.failingBlock {
                        try run.applyAsAWhole(to: db, &report)
                        // The end of a block checks uniqueness, as a query does, and relationships.
                        _ = try db.performCount(DataStoreRequest(itemType: StepRecord.self))
                        try db.links?.judge(db)
                    }
                } catch {
                    report.failure = error
                }
                throw TrialEnded()
            }
        } catch is TrialEnded {}
        return report
    }

    private func refuseIfUnable(_ plan: SchemaPlan, in operation: String) throws {
        try plan.validate()
        if capabilities.evolvesSchema, parent == nil { return }
        throw DataStoreError(
            .unsupported, in: operation,
            parent == nil
                ? "This store applies no plans: see DataStoreCapabilities.evolvesSchema."
                : "A child store applies no plans. Apply the plan to the store that it belongs to.")
    }
}

/// Rolls the block of a trial back.
private struct TrialEnded: Error {}
