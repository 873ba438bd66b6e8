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

    /// Compares a plan with the history of the store.
    ///
    /// - Throws: `.newerSchema` for applied steps that the plan does not have.
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
        let applied = Set(
            history.filter { $0.plan == plan.name && !$0.isUnfinished }.map(\.name))
        for (place, step) in plan.steps.enumerated() where !applied.contains(step.name) {
            pending.append(step)
            let replaced = step.replaced.filter(applied.contains)
            if replaced.isEmpty {
                if plan.steps[(place + 1)...].contains(where: { applied.contains($0.name) }) {
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
    }

    /// Runs all pending steps in one block, and declares the classes.
    func applyAsAWhole(
        to db: borrowing DataStoreWriter, _ report: inout SchemaReport
    ) throws {
        for step in pending { try apply(step, to: db, &report) }
        try declareTypes(in: db)
    }

    /// Runs the pending steps that precede the first one in batches, or else a batch of that one, and declares the classes if
    /// none is left; returns whether a step is unfinished.
    ///
    /// - Parameters:
    ///   - left: The items that are left of a step in batches, once they were looked for.
    ///   - completed: The number of steps that earlier blocks have completed.
    func applyNext(
        to db: borrowing DataStoreWriter, _ report: inout SchemaReport,
        _ left: inout StepItems?, completed: Int, _ progress: (SchemaProgress) throws -> Void
    ) throws -> Bool {
        if let step = pending.first, let batches = step.batches {
            let isUnfinished = try applyBatch(
                of: step, batches, to: db, &report, &left,
                SchemaProgress(
                    step: step.name, completedSteps: completed,
                    totalSteps: completed + pending.count), progress)
            if !isUnfinished, pending.count == 1 { try declareTypes(in: db) }
            return isUnfinished
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
            try SchemaNotes.$current.withValue(notes) { try step.run(db) }
        }
        let record = try db.create(StepRecord.self)
        record.applied = applied(step)
        report.failedStep = nil
        report.steps.append(
            SchemaReport.Step(
                name: step.name, isLate: late.contains(step.name), changes: notes.changes))
    }

    private func applied(_ step: SchemaStep) -> AppliedSchemaStep {
        AppliedSchemaStep(
            plan: plan.name, name: step.name, date: Date(), release: plan.release,
            isCompatible: step.isCompatible)
    }

    private func declareTypes(in db: borrowing DataStoreWriter) throws {
        for type in plan.types { _ = try db.performSchemaChange(.declare(ItemType(type))) }
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
            try step.prepare(db)
            record = try db.create(StepRecord.self)
            record.applied = applied(step)
        }
        let type = batches.itemTypeKey
        // Another process may have completed the step for which they were looked up.
        var left: ArraySlice<ItemID> = items?.step == step.name ? items?.left ?? [] : []
        if items?.step != step.name {
            try db.performScan(DataStoreRequest(itemTypeKey: type)) { left.append($0.uniqueToken) }
        }
        // Another process may have changed some of them since the last batch.
        if let last = record.last { left = left.drop { $0 <= last } }
        let batch = left.prefix(batches.size)
        items = StepItems(step: step.name, left: left.dropFirst(batch.count))
        var applied = record.applied
        var progress = progress
        progress.items = applied.items
        progress.totalItems = applied.items + left.count
        try handler(progress)
        for id in batch {
            let reference = ItemReference(itemTypeKey: type, id: id)
            if let item = try db.dynamicItem(reference) { try batches.change(item) }
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
