import Foundation

/// The items that are left of a step in batches, in the order of their ids.
struct StepItems {
    let step: String
    let left: ArraySlice<ItemID>
}

/// The steps of a plan that a store has not applied.
struct SchemaRun: Sendable {
    private let plan: SchemaPlan
    /// The steps to apply, including one that is unfinished.
    private(set) var pending: [SchemaStep] = []
    /// The pending steps whose work the steps that they replace have done.
    private var done: Set<String> = []
    private var late: Set<String> = []
    private let applied: Set<String>

    /// Compares a plan with the history of the store.
    ///
    /// An unfinished step is the first of the pending ones, because other blocks are refused until it is complete.
    ///
    /// - Throws: `.newerSchema` for applied or unfinished steps that the plan does not have; `.migrationRunning` for an
    ///   unfinished step of another plan, or one that this plan replaces, or does not have as a step in batches any more.
    init(
        _ plan: SchemaPlan, _ db: borrowing some DataStoreReadAccessor & ~Copyable,
        allowingNewer: Bool
    ) throws(DataStoreError) {
        self.plan = plan
        let history = try db.schemaHistory()
        let known = Set(plan.steps.flatMap { [$0.name] + $0.replaced })
        if let other = history.first(where: { $0.isUnfinished && $0.plan != plan.name }) {
            throw .migrationRunning(in: "apply", of: other)
        }
        let newer = history.filter { step in
            step.plan == plan.name && !known.contains(step.name)
                && (step.isUnfinished || !step.isCompatible && !allowingNewer)
        }
        if !newer.isEmpty { throw .newerSchema(newer) }
        let mine = history.filter { $0.plan == plan.name }
        let applied = Set(mine.filter { !$0.isUnfinished }.map(\.name))
        self.applied = applied
        let unfinished = mine.first { $0.isUnfinished }?.name
        if let unfinished,
            !plan.steps.contains(where: { $0.name == unfinished && $0.batches != nil })
        {
            throw DataStoreError(
                .migrationRunning, in: "apply",
                """
                The step “\(unfinished)” of the plan “\(plan.name)” has changed a part of the store and is not complete, \
                and this plan has replaced it, or does not run it in batches any more: some items would be changed twice. \
                Complete it with a release that has it as a step in batches, or restore the backup; nothing was changed.
                """)
        }
        for (place, step) in plan.steps.enumerated() where !applied.contains(step.name) {
            pending.append(step)
            let replaced = step.replaced.filter(applied.contains)
            if replaced.isEmpty {
                if plan.steps[(place + 1)...].contains(where: {
                    applied.contains($0.name) || $0.name == unfinished
                }) {
                    late.insert(step.name)
                }
                continue
            }
            done.insert(step.name)
            guard replaced.count < step.replaced.count else { continue }
            let missing = step.replaced.filter { !applied.contains($0) }
            throw DataStoreError(
                .olderSchema, in: "apply",
                """
                The step “\(step.name)” of the plan “\(plan.name)” replaces others, of which the store has applied some, and \
                not \(missing.map { "“\($0)”" }.joined(separator: ", ")). Open the store with a release that has these \
                steps first; nothing was changed.
                """)
        }
        if let place = pending.firstIndex(where: { $0.name == unfinished }) {
            pending.insert(pending.remove(at: place), at: 0)
        }
    }

    /// Runs all pending steps in one block, and declares the classes.
    func applyAsAWhole(
        to db: borrowing DataStoreWriter, _ report: inout SchemaReport
    ) throws {
        for step in pending { try apply(step, to: db, &report) }
        try declareTypes(in: db)
    }

    /// Runs the next part of the pending steps, and returns whether a step is unfinished.
    ///
    /// A part is the steps that precede the first one in batches, with the classes if no step is left; or a batch of that one.
    ///
    /// A class that does not fit must not hold up the end of a step in batches, so the classes are declared in the block
    /// after it.
    ///
    /// - Parameters:
    ///   - left: The items that are left of a step in batches, once they were looked for.
    ///   - completed: The number of steps that earlier blocks have completed.
    func applyNext(
        to db: borrowing DataStoreWriter, _ report: inout SchemaReport,
        _ left: inout StepItems?, completed: Int, _ progress: (SchemaProgress) throws -> Void
    ) throws -> Bool {
        if let step = pending.first, let batches = step.batches {
            return try applyBatch(
                of: step, batches, to: db, &report, &left,
                SchemaProgress(
                    step: step.name, completedSteps: completed,
                    totalSteps: completed + pending.count), progress)
        }
        let whole = pending.prefix { $0.batches == nil }
        for (number, step) in whole.enumerated() {
            try progress(
                SchemaProgress(
                    step: step.name, completedSteps: completed + number,
                    totalSteps: completed + pending.count))
            try apply(step, to: db, &report)
        }
        if whole.count == pending.count { try declareTypes(in: db) }
        return false
    }

    private func apply(
        _ step: SchemaStep, to db: borrowing DataStoreWriter, _ report: inout SchemaReport
    ) throws {
        report.failedStep = step.name
        let notes = SchemaNotes()
        if !done.contains(step.name) {
            try naming(step) {
                try SchemaNotes.$current.withValue(notes) { try step.run(db) }
            }
            // Their work is done. The step itself refuses programs that do not have it.
            for name in step.replaced where !applied.contains(name) {
                var replaced = record(of: step)
                (replaced.name, replaced.isCompatible) = (name, true)
                try db.create(StepRecord.self).applied = replaced
            }
        }
        try db.create(StepRecord.self).applied = record(of: step)
        report.failedStep = nil
        report.steps.append(
            SchemaReport.Step(
                name: step.name, isLate: late.contains(step.name), changes: notes.changes))
    }

    /// Runs a part of a step, and names the step in its errors, except in those of other types.
    private func naming(
        _ step: SchemaStep, changing item: ItemReference? = nil, _ body: () throws -> Void
    ) throws {
        do {
            try PropertyFailures.failingBlock(body)
        } catch let error as DataStoreError {
            throw error.ofStep(step.name, of: plan.name, changing: item)
        }
    }

    private func record(of step: SchemaStep) -> AppliedSchemaStep {
        AppliedSchemaStep(
            plan: plan.name, name: step.name, date: Date(), release: plan.release,
            isCompatible: step.isCompatible)
    }

    /// Declares the classes of the plan.
    func declareTypes(in db: borrowing DataStoreWriter) throws {
        for type in plan.types { _ = try db.performSchemaChange(.declare(ItemType(type))) }
    }

    /// Whether the store has recorded the classes of the plan, and can have no values that do not fit them.
    func areTypesDeclared(
        in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> Bool {
        // A pending step may have to change the names and values that the classes meet.
        if !pending.isEmpty { return false }
        for type in plan.types.map({ ItemType($0) }) where type.schema != nil {
            if try !db.isDeclared(type) { return false }
        }
        return true
    }

    /// Changes the next items of a step in batches, notes the last of them, and returns whether others are left.
    private func applyBatch(
        of step: SchemaStep, _ batches: SchemaStep.Batches, to db: borrowing DataStoreWriter,
        _ report: inout SchemaReport, _ items: inout StepItems?, _ progress: SchemaProgress,
        _ handler: (SchemaProgress) throws -> Void
    ) throws -> Bool {
        let record: StepRecord
        if let known = try db.items(StepRecord.self).first(where: {
            $0.applied.isUnfinished && $0.applied.name == step.name
        }) {
            record = known
        } else {
            try naming(step) { try step.prepare(db) }
            record = try db.create(StepRecord.self)
            record.applied = self.record(of: step)
        }
        let type = batches.itemTypeKey
        // Another process may have completed the step for which they were looked up.
        var left: ArraySlice<ItemID> = items?.step == step.name ? items?.left ?? [] : []
        if items?.step != step.name {
            try db.performScan(DataStoreRequest(itemTypeKey: type)) { left.append($0.uniqueToken) }
        }
        // The items that the step itself creates are not changed, also after it was interrupted.
        if record.last == nil { record.end = left.last }
        if let end = record.end { left = left.prefix { $0 <= end } }
        // Another process may have changed some of them since the last batch.
        if let last = record.last { left = left.drop { $0 <= last } }
        let batch = left.prefix(batches.size)
        items = StepItems(step: step.name, left: left.dropFirst(batch.count))
        var applied = record.applied
        var progress = progress
        progress.items = applied.items
        progress.totalItems = applied.items + left.count
        try handler(progress)
        let found = try db.itemsByID(batch, of: type)
        for id in batch {
            let reference = ItemReference(itemTypeKey: type, id: id)
            try naming(step, changing: reference) {
                if let item = try found[id] ?? db.dynamicItem(reference) {
                    try batches.change(item)
                }
            }
        }
        applied.items += batch.count
        applied.isUnfinished = batch.count < left.count
        record.applied = applied
        record.last = batch.last ?? record.last
        if !applied.isUnfinished {
            report.steps.append(
                SchemaReport.Step(
                    name: step.name, isLate: late.contains(step.name),
                    changes: [
                        SchemaChange(
                            "items of “\(type)” changed", ofType: type, items: applied.items)
                    ]))
        }
        return applied.isUnfinished
    }
}

extension DataStoreError {
    fileprivate static func newerSchema(_ steps: [AppliedSchemaStep]) -> DataStoreError {
        let names = steps.map { "“\($0.name)” of the plan “\($0.plan)”" }
        return DataStoreError(
            .newerSchema, in: "apply",
            """
            Another release has applied \(names.count == 1 ? "the step" : "the steps") \(names.joined(separator: ", ")) to the \
            store, which this one does not know. Use that release; nothing was changed.
            """)
    }
}
