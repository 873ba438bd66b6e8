package import JustPersist

/// A store and its open children, as one value: the contents of the store, and the changes of each child.
///
/// It is one value, so that a child's view of its ancestors is a snapshot, and a merge is one step.
package struct ReferenceTree: Sendable {
    /// Identifies one of the stores.
    package typealias Number = Int
    /// The number of the store that has no parent.
    package static let root: Number = 0

    private let rules: ReferenceRules
    private var rootState: ReferenceState?
    private var children: [Child] = []
    private var lastNumber = root

    private struct Child {
        let number: Number
        let parent: Number
        var overlay = ReferenceOverlay()
    }

    /// A closed store.
    package init(rules: ReferenceRules = ReferenceRules()) { self.rules = rules }

    /// Returns the number for a new child.
    package mutating func makeNumber() -> Number {
        lastNumber += 1
        return lastNumber
    }

    /// The state that a store's blocks see; `nil` if it is closed.
    package func state(of number: Number) -> ReferenceState? {
        if number == Self.root { return rootState }
        guard let child = children.first(where: { $0.number == number }) else { return nil }
        return state(of: child.parent).map { rules.overlaid(child.overlay, $0) }
    }

    /// Opens the store, which is then empty.
    package mutating func open() throws(DataStoreError) { rootState = try rules.opened() }

    /// Opens a child, without changes.
    package mutating func open(
        _ number: Number, childOf parent: Number
    ) throws(DataStoreError) {
        if state(of: parent) == nil { throw .notSetUp(in: "open") }
        children.append(Child(number: number, parent: parent))
    }

    /// Closes a store and its children, and drops their contents.
    package mutating func close(_ number: Number) {
        if number == Self.root, rootState != nil {
            rootState = nil
            rules.closed()
        }
        for child in children where child.parent == number { close(child.number) }
        children.removeAll { $0.number == number }
    }

    /// Commits the changes of a block of a store.
    package mutating func commit(
        _ number: Number, from before: ReferenceState, to after: ReferenceState
    ) {
        if number == Self.root {
            rules.published?(before, after)
            rootState = after
        }
        guard let place = children.firstIndex(where: { $0.number == number }) else { return }
        let parent = state(of: children[place].parent)
        children[place].overlay.note(from: before, to: after, over: parent)
    }

    /// Merges a child's changes into its parent.
    ///
    /// After an error, nothing has changed.
    package mutating func merge(
        _ number: Number, policy: MergePolicy
    ) throws(DataStoreError) -> MergeReport {
        guard let place = children.firstIndex(where: { $0.number == number }),
            let before = state(of: children[place].parent)
        else { throw .notSetUp(in: "merge") }
        let (after, conflicts) = rules.merged(children[place].overlay, before, policy)
        if policy == .fail, !conflicts.isEmpty { throw .mergeConflict(conflicts) }
        if let violation = rules.violation(before, after) { throw violation }
        commit(children[place].parent, from: before, to: after)
        children[place].overlay = ReferenceOverlay()
        return MergeReport(conflicts: conflicts)
    }
}
