import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores whose children see or expose data that they should not.
enum ChildMutants {
    static let all: [SabotagedType] =
        [
            LeaksChildWrites.self, SharesOneOverlay.self, ChildrenComeOpen.self,
            ChildrenSeeOnlyTheirOwn.self, ChildrenKeepTheirFirstView.self,
            ChildrenIgnoreTheirOwn.self, ChildrenKeepFailedBlocks.self,
            ForgetsItsChildrensParent.self,
            SaysItHasNoChildren.self, SaysItHasChildren.self, SeesEightLevels.self,
        ] + MergeMutants.all
}

/// Writes a child's changes to its parent too.
final class LeaksChildWrites: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 36 }
    override class var caughtBy: [String] {
        [
            "child/primitives", "child/discard", "child/drop-without-teardown",
            "child/siblings-isolated", "child/grandchild",
        ]
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try super.performWrite(block)
        guard maker != nil else { return }
        let seen = reference.tree.withLock { $0.state(of: reference.number) }
        if let seen { memory.publish(seen) }
    }
}

/// Collects the changes of all children of a store in one place.
final class SharesOneOverlay: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 40 }
    override class var caughtBy: [String] { ["child/siblings-isolated"] }

    private let child = Locked(WeakStore(store: nil))

    override func makeChild() throws -> any DataStore {
        if let known = child.withLock({ $0.store }) {
            return SharesOneOverlay(childOf: self, known)
        }
        let made = try super.makeChild()
        child.withLock { $0 = WeakStore(store: (made as? SabotagedStore)?.reference) }
        return made
    }
}

/// Makes children that are open already.
final class ChildrenComeOpen: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/needs-setup"] }

    override func makeChild() throws -> any DataStore {
        let child = try super.makeChild()
        try child.open()
        return child
    }
}

/// Shows a child only its own changes.
final class ChildrenSeeOnlyTheirOwn: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "child/primitives", "child/queries", "child/parent-writes-after-creation",
        ]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.overlaid = { overlay, _ in overlay.applied(to: ReferenceState()) }
        return rules
    }
}

/// Shows a child its parent as it was when the child was made.
final class ChildrenKeepTheirFirstView: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/parent-writes-after-creation"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.overlaid = { overlay, parent in
            overlay.applied(to: memory.state.withLock { $0 } ?? parent)
        }
        return rules
    }

    override func makeChild() throws -> any DataStore {
        let state = memory.committed
        memory.state.withLock { $0 = state }
        return try super.makeChild()
    }
}

/// Shows a child its parent without the child's own commits.
final class ChildrenIgnoreTheirOwn: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "child/primitives", "child/queries", "child/parent-writes-after-creation",
            "child/depth-16",
        ]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.overlaid = { _, parent in parent }
        return rules
    }
}

/// Keeps the changes of a block that threw.
final class ChildrenKeepFailedBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/primitives"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rolledBack = { _, after in after }
        return rules
    }
}

/// Does not know the parent of a child.
final class ForgetsItsChildrensParent: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["child/parent-property", "child/primitives"]
    }

    override var parent: (any DataStore)? { nil }
}

/// Declares no child stores, and makes them.
final class SaysItHasNoChildren: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/undeclared-refused"] }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.childStores = .none
        return capabilities
    }
}

/// Declares child stores, and makes none.
final class SaysItHasChildren: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 49 }
    override class var caughtBy: [String] {
        ["child/needs-setup", "child/primitives", "child/grandchild"]
    }

    override func makeChild() throws -> any DataStore {
        throw DataStoreError.childStoresUnsupported(in: "makeChild")
    }
}

/// Declares nested child stores, and makes eight levels at most.
final class SeesEightLevels: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 49 }
    override class var caughtBy: [String] { ["child/depth-16"] }

    private var depth: Int { ((maker as? SeesEightLevels)?.depth ?? 0) + 1 }

    override func makeChild() throws -> any DataStore {
        if depth > 8 { throw DataStoreError.childStoresUnsupported(in: "makeChild") }
        return try super.makeChild()
    }
}
