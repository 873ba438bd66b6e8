import JustPersist

@testable import JustPersistConformance

/// Stores that lose items or references when a type gets another key, and those whose paths do not follow
/// references.
enum RenameMutants {
    static let all: [SabotagedType] = [
        ForgetsFormerKeys.self, RemembersOneKey.self, PrefersTheOwnKey.self,
        TakesItemsOfBothKeys.self, FollowsNoReferences.self, FollowsCommittedReferences.self,
        RefusesDanglingReferences.self, SeeksNothingAtReferences.self,
        SortsByNothingAtReferences.self,
    ]
}

/// Makes a new type of one that got another key.
final class ForgetsFormerKeys: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "val/renamed-types-keep-items", "val/references-to-renamed-types",
            "val/type-under-two-keys",
        ]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.declared = { schema in
            ItemSchema(schema.itemTypeKey, attributes: schema.attributes, indexes: schema.indexes)
        }
        return rules
    }
}

/// Moves the items to the new key, and does not remember the old one.
final class RemembersOneKey: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["val/renamed-types-keep-items", "val/references-to-renamed-types"]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.committed = { _, after in
            if after.types.allSatisfy({ $0.formerKeys.isEmpty }) { return after }
            var state = ReferenceState()
            for known in after.types {
                var type = ReferenceType(key: known.key)
                for attribute in known.attributes { type.add(attribute) }
                for index in known.indexes { type.add(index) }
                state.put(type)
            }
            for row in after.rows { state.put(row) }
            return state
        }
        return rules
    }
}

/// Looks for the items of a class under its own key alone, if the store knows that.
final class PrefersTheOwnKey: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/type-under-two-keys"] }

    override class func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        guard state.types.contains(where: { $0.key == request.type.key }) else {
            return try ReferenceQuery.rows(request, in: state)
        }
        let own = DataStoreRequest(
            type: ItemType(dynamic: request.type.key), predicate: request.predicate,
            sortDescriptors: request.sortDescriptors ?? [], offset: request.offset,
            limit: request.limit)
        return try ReferenceQuery.rows(own, in: state)
    }
}

/// Gives the items under both keys of a type, as if it were one.
final class TakesItemsOfBothKeys: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/type-under-two-keys"] }

    override class func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        do throws(DataStoreError) {
            return try ReferenceQuery.rows(request, in: state)
        } catch {
            guard error.code == .conflictingTypes else { throw error }
            let keys = state.candidates(request.type).map(\.key)
            return state.rows.filter { keys.contains($0.key.itemType) }
        }
    }
}

/// A store that finds something else at the end of a reference of a property.
class PathMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.valueOfOther = { name, reference, state throws(DataStoreError) in
            try value(ofAttribute: name, at: reference, state, memory)
        }
        return rules
    }

    class func value(
        ofAttribute name: String, at reference: ItemReference, _ state: ReferenceState,
        _ memory: Memory
    ) throws(DataStoreError) -> DataStoreValue {
        ReferenceQuery.value(ofAttribute: name, at: reference, state)
    }
}

/// Ends the paths of properties at references.
final class FollowsNoReferences: PathMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["val/paths-follow-references", "val/dangling-references"]
    }

    override class func value(
        ofAttribute name: String, at reference: ItemReference, _ state: ReferenceState,
        _ memory: Memory
    ) -> DataStoreValue { .null }
}

/// Shows properties what is committed at the end of a reference, and not what the block has changed.
final class FollowsCommittedReferences: PathMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/paths-follow-references"] }

    override class func value(
        ofAttribute name: String, at reference: ItemReference, _ state: ReferenceState,
        _ memory: Memory
    ) -> DataStoreValue {
        ReferenceQuery.value(ofAttribute: name, at: reference, memory.committed)
    }
}

/// Takes a reference that leads to no item for an error.
final class RefusesDanglingReferences: PathMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/dangling-references"] }

    override class func value(
        ofAttribute name: String, at reference: ItemReference, _ state: ReferenceState,
        _ memory: Memory
    ) throws(DataStoreError) -> DataStoreValue {
        if state.row(ReferenceKey(reference.itemTypeKey, reference.id)) == nil {
            throw DataStoreError(.itemDeleted, in: "value", "There is no item \(reference.id).")
        }
        return try super.value(ofAttribute: name, at: reference, state, memory)
    }
}

/// Ends the paths of predicates at references.
final class SeeksNothingAtReferences: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/paths-follow-references"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        super.holds(comparison, Subject(value: subject.value, valueOfOther: { _, _ in .null }))
    }
}

/// Ends the paths of sorting at references.
final class SortsByNothingAtReferences: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/paths-follow-references"] }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        if request.sortDescriptors?.contains(where: { $0.key.contains(".") }) == true {
            return rows
        }
        return super.sorted(rows, request, state)
    }
}
