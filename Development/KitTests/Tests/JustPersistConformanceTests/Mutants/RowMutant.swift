import JustPersist

@testable import JustPersistConformance

/// A store that commits wrong versions of the rows that a block changed.
class RowMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.committed = { before, after in
            var state = after
            for row in after.rows where before.row(row.key)?.values != row.values {
                let kept = kept(row, over: before.row(row.key))
                if kept.key != row.key { _ = state.remove(row.key) }
                state.put(kept)
            }
            return state
        }
        return rules
    }

    class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow { row }
}
