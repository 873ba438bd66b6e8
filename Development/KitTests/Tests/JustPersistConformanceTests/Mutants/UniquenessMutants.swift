@testable import JustPersist
@testable import JustPersistConformance

/// Stores with faults in uniqueness.
enum UniquenessMutants {
    static let all: [SabotagedType] = [
        EnforcesNothing.self, JudgesAtCommitOnly.self, JudgesEachDeletion.self,
        JudgesNewItemsOnly.self, JudgesByStoredValues.self, JudgesAllItems.self,
        TakesNilForAValue.self, JudgesFirstAttributeOnly.self, JudgesBytesOfTexts.self,
        RemembersTakenValues.self, RemembersDeclarations.self, ListsFindWhatIsCommitted.self,
        CountsCase.self,
    ]
}

/// A store that finds other violations between two states.
class UniquenessMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.violation = { judged, state in violation(from: judged, to: state, memory) }
        return rules
    }

    class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        ReferenceUniqueness.violation(from: judged, to: state)
    }

    /// The state with other values in its rows.
    static func changed(
        _ state: ReferenceState, _ body: (String, DataStoreValue) -> DataStoreValue
    ) -> ReferenceState {
        var changed = state
        for row in state.rows {
            let values = row.values.map { ($0, body($0, $1)) }
            changed.put(ReferenceRow(row.key, values: Dictionary(uniqueKeysWithValues: values)))
        }
        return changed
    }
}

/// Keeps items with the same values, whatever is declared.
final class EnforcesNothing: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "idx/unique-refused", "idx/unique-in-block", "idx/unique-update",
            "idx/unique-compound", "idx/unique-neighbours", "idx/unique-update-neighbours",
            "idx/unique-after-rollback", "idx/unique-declared-later", "idx/unique-merge",
        ]
    }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? { nil }
}

/// Like the previous store, without declaring uniqueness: no fault.
final class EnforcesNothingAndSaysSo: UniquenessMutant, Fault, @unchecked Sendable {
    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.enforcesUniqueness = false
        return capabilities
    }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? { nil }
}

/// Examines new items, and not changed ones.
final class JudgesNewItemsOnly: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["idx/unique-update", "idx/unique-update-neighbours", "idx/unique-compound"]
    }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        var before = judged
        for row in judged.rows { if let now = state.row(row.key) { before.put(now) } }
        return super.violation(from: before, to: state, memory)
    }
}

/// Compares a block's writes with the state before it, also with values that the block removed.
final class JudgesByStoredValues: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["idx/unique-exchange", "idx/unique-renumber", "idx/unique-handover"]
    }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        var both = state
        for row in judged.rows where state.row(row.key)?.values != row.values {
            both.put(ReferenceRow(ReferenceKey(row.key.itemType, ItemID()), values: row.values))
        }
        return super.violation(from: judged, to: state, memory)
            ?? super.violation(from: judged, to: both, memory)
    }
}

/// Refuses every block while items agree that agreed before it.
final class JudgesAllItems: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-declared-later"] }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        super.violation(from: ReferenceState(), to: state, memory)
    }
}

/// Treats two items without a value as equal.
final class TakesNilForAValue: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-nil", "idx/unique-compound"] }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        func seen(_ state: ReferenceState) -> ReferenceState {
            changed(state) { $1.isNull ? .string("null") : $1 }
        }
        return super.violation(from: seen(judged), to: seen(state), memory)
    }
}

/// Examines only the first of attributes that are unique together.
final class JudgesFirstAttributeOnly: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-compound"] }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        func seen(_ state: ReferenceState) -> ReferenceState {
            changed(state) { $0 == IndexChecks.key ? $1 : .int(0) }
        }
        return super.violation(from: seen(judged), to: seen(state), memory)
    }
}

/// Compares the first 480 bytes of texts.
final class JudgesBytesOfTexts: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-neighbours"] }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        func seen(_ state: ReferenceState) -> ReferenceState {
            changed(state) { _, value in
                guard case .string(let text) = value else { return value }
                return .string(String(text.prefix(480)))
            }
        }
        return super.violation(from: seen(judged), to: seen(state), memory)
    }
}

/// Distinguishes texts by case, whatever is declared.
final class CountsCase: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-ignoring-case"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.declared = { schema in
            ItemSchema(
                schema.itemTypeKey, formerTypeKeys: schema.formerTypeKeys,
                attributes: schema.attributes,
                indexes: schema.indexes.map { IndexSchema($0.attributes, isUnique: $0.isUnique) })
        }
        return rules
    }
}

/// Treats the values of a rolled back block as taken.
final class RemembersTakenValues: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-after-rollback"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rolledBack = { before, after in
            memory.rows.withLock { $0 += after.rows }
            return before
        }
        return rules
    }

    override class func violation(
        from judged: ReferenceState, to state: ReferenceState, _ memory: Memory
    ) -> DataStoreError? {
        var both = state
        for row in memory.rows.withLock({ $0 }) where state.row(row.key) == nil { both.put(row) }
        return super.violation(from: judged, to: state, memory)
            ?? super.violation(from: judged, to: both, memory)
    }
}

/// Enforces uniqueness after its declaration was withdrawn.
final class RemembersDeclarations: UniquenessMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-dropped"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        let known = Locked<[String: [IndexSchema]]>([:])
        rules.declared = { schema in
            let earlier = known.withLock { known in
                let earlier = known[schema.itemTypeKey] ?? []
                known[schema.itemTypeKey] = earlier + schema.indexes
                return earlier
            }
            return ItemSchema(
                schema.itemTypeKey, formerTypeKeys: schema.formerTypeKeys,
                attributes: schema.attributes, indexes: schema.indexes + earlier)
        }
        return rules
    }
}

// MARK: The time of the test

/// Tests uniqueness only at the end of a block, whose queries can see two items with one value.
final class JudgesAtCommitOnly: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-in-block"] }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        try block.check("fetch")
        var items: [any DataStoreItem] = []
        for row in try block.context.rules.rows(request, block.state) {
            items.append(try block.item(row, as: request.type))
        }
        return items
    }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        try block.check("count")
        return try block.context.rules.count(request, block.state)
    }
}

/// Tests uniqueness whenever a block deletes an item.
final class JudgesEachDeletion: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/unique-handover"] }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        try block.judge()
        return try super.delete(item, from: block, memory)
    }
}

/// Finds only items that existed before the block by a list of values.
final class ListsFindWhatIsCommitted: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/upsert"] }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        guard block.isWriting, case .comparison(let comparison) = request.predicate,
            comparison.operator == .in
        else { return try super.fetch(request, in: block, memory) }
        return try fetchCommitted(request, in: block, memory)
    }
}
