import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that keep relationships wrongly.
enum RelationshipSabotages {
    static let all: [Sabotage] = deleting + judging + losing + asking + naming

    private static func relating(
        _ name: String, _ check: String, _ sabotage: (inout Faults) -> Void
    ) -> Sabotage { Sabotage(name, caughtBy: "rel/\(check)", sabotage) }

    // MARK: Deleting

    /// Lets a store keep some of the items that it is to delete.
    private static func keeping(
        _ name: String, _ check: String,
        _ isKept: @escaping @Sendable (any DataStoreItem, ReferenceBlock) -> Bool
    ) -> Sabotage {
        relating(name, check) { faults in
            faults.delete = { [delete = faults.delete] item, block in
                try isKept(item, block) || delete(item, block)
            }
        }
    }

    private static let deleting: [Sabotage] = {
        let counts = Locked<[ObjectIdentifier: Int]>([:])
        @Sendable func levels(_ item: any DataStoreItem, _ block: ReferenceBlock) -> Bool {
            if item.isLink { return false }
            return counts.withLock { counts in
                let key = ObjectIdentifier(block.links)
                counts[key, default: 0] += 1
                return counts[key] ?? 0 > 2
            }
        }
        return [
            keeping("stops a cascade at the second level", "cascade-three-levels", levels),
            keeping("stops a cascade in a chain", "cascade-chain", levels),
            keeping("does not nullify ordered others", "nullify") { item, _ in
                item.isLink && item.hasPosition
            },
            keeping("keeps the links of deleted items", "delete-then-recreate-does-not-relink") {
                item, _ in item.isLink
            },
            keeping("never removes a link", "both-sides-agree") { item, _ in item.isLink },
            relating("deletes all of a type without its rules", "delete-all-keeps-rules") {
                faults in
                faults.scan = { [scan = faults.scan] request, block, body in
                    guard block.isWriting, request.predicate == nil else {
                        return try scan(request, block, body)
                    }
                    try block.removeAll(request.type)
                }
            },
            relating("does not free the former partner", "steals-partner") { faults in
                faults.rules = { rules, _ in
                    rules.committed = { before, after in
                        changed(after) { row, name in
                            let old = before.row(row.key)?[name]
                            guard case .reference? = old, row[name].isNull else { return nil }
                            return old
                        }
                    }
                }
            },
        ]
    }()

    // MARK: The end of a block

    private static let judging: [Sabotage] = [
        relating("judges a denied deletion at the call", "deny-satisfied-later-in-block") {
            faults in
            faults.delete = { [delete = faults.delete] item, block in
                let wasThere = try delete(item, block)
                try block.links.judge(ReferenceWriteAccessor(block))
                return wasThere
            }
        },
        relating("never judges a denied deletion", "deny-rolls-back") { faults in
            faults.links = { _ in BlockLinks() }
        },
        relating("never judges a required relationship", "required-at-end-of-block") { faults in
            faults.links = { _ in BlockLinks() }
        },
        relating("never judges numbers", "min-max") { faults in
            faults.links = { _ in BlockLinks() }
        },
        relating("relates items without saying so", "undeclared-refused") { faults in
            faults.declareCapabilities = { $0.hasRelationships = false }
        },
    ]

    // MARK: Losing

    private static func opening(
        _ name: String, _ check: String,
        _ change: @escaping @Sendable (ReferenceState) -> ReferenceState
    ) -> Sabotage {
        relating(name, check) { faults in
            faults.rules = { rules, _ in
                rules.opened = { [opened = rules.opened] () throws(DataStoreError) in
                    change(try opened())
                }
            }
        }
    }

    private static func merging(
        _ name: String, _ check: String,
        _ change: @escaping @Sendable (ReferenceState, _ parent: ReferenceState) -> ReferenceState
    ) -> Sabotage {
        relating(name, check) { faults in
            faults.rules = { rules, _ in
                rules.merged = { [merged = rules.merged] overlay, parent, policy in
                    let (state, conflicts) = merged(overlay, parent, policy)
                    return (change(state, parent), conflicts)
                }
            }
        }
    }

    private static let losing: [Sabotage] = [
        opening("loses links when it is opened", "reopen-keeps-relationships") { state in
            without(state) { $0.isLink }
        },
        opening("loses references when it is opened", "reopen-keeps-relationships") { state in
            changed(state) { row, name in
                guard case .reference = row[name], !row.isLink else { return nil }
                return .null
            }
        },
        opening("loses the order when it is opened", "order-survives-reopen", withoutOrder),
        merging("loses the links of a child", "child-links-merge") { state, parent in
            without(state) { $0.isLink && parent.row($0.key) == nil }
        },
        merging("loses the references of a child", "child-links-merge") { state, parent in
            changed(state) { row, name in
                guard case .reference = row[name], !row.isLink else { return nil }
                return parent.row(row.key)?[name] ?? .null
            }
        },
        merging("loses the order in a merge", "order-after-merge") { state, _ in
            withoutOrder(state)
        },
        relating("keeps no order", "move") { faults in
            faults.rules = { rules, _ in
                rules.stored = { value in
                    if case .int(let number) = value, number.magnitude > 1 << 20 { return .int(0) }
                    return value
                }
            }
        },
        relating("loses one of two links that are added at once", "two-writers-add-to-one-set") {
            faults in
            faults.rules = { rules, _ in
                rules.committed = { before, after in
                    without(after) {
                        $0.isLink && before.row($0.key) == nil && $0.key.id.low % 7 == 0
                    }
                }
            }
        },
    ]

    private static func without(
        _ state: ReferenceState, _ isLost: (ReferenceRow) -> Bool
    ) -> ReferenceState {
        var state = state
        for row in state.rows where isLost(row) { _ = state.remove(row.key) }
        return state
    }

    /// A state in which some attributes have other values.
    private static func changed(
        _ state: ReferenceState, _ value: (ReferenceRow, _ name: String) -> DataStoreValue?
    ) -> ReferenceState {
        var changed = state
        for row in state.rows {
            for attribute in state.type(row.key.itemType)?.attributes ?? [] {
                guard let value = value(row, attribute.name) else { continue }
                changed.set(value, ofAttribute: attribute.name, of: row.key)
            }
        }
        return changed
    }

    @Sendable private static func withoutOrder(_ state: ReferenceState) -> ReferenceState {
        changed(state) { row, name in
            row.isLink && [LinkType.position, LinkType.inversePosition].contains(name)
                ? .int(0) : nil
        }
    }

    // MARK: Asking

    private static let asking: [Sabotage] = [
        relating("finds any of nothing", "any-all-none-empty") { faults in
            faults.rules = { rules, _ in
                rules.rows = { [rows = rules.rows] request, state throws(DataStoreError) in
                    let right = try rows(request, state)
                    guard case .comparison(let comparison)? = request.predicate,
                        comparison.modifier == .any, case .path(let path) = comparison.left,
                        let name = path.components.first
                    else { return right }
                    let all = request.copy()
                    all.predicate = nil
                    let found = Set(right.map(\.key))
                    return try rows(all, state).filter { row in
                        found.contains(row.key)
                            || ReferenceRelations.others(name, of: row, request.type, state) == []
                    }
                }
            }
        },
        relating("follows what was committed later", "snapshot-does-not-move") { faults in
            faults.rules = { rules, memory in
                rules.reader = { [reader = rules.reader] block in
                    if !block.isWriting { block.state = memory.committed }
                    return reader(block)
                }
            }
        },
    ]

    // MARK: Naming

    /// Lets the change streams of a store name no relationships in some sets.
    private static func notNaming(
        _ name: String, _ check: String,
        where isWrong: @escaping @Sendable (ChangeSet, _ last: ChangeSet?) -> Bool,
        _ sabotage: (inout Faults) -> Void = { _ in }
    ) -> Sabotage {
        relating(name, check) { faults in
            faults.observe = { observation in
                FaultyObservation(observation) { set, last in
                    [isWrong(set, last) ? withoutRelationships(set) : set]
                }
            }
            sabotage(&faults)
        }
    }

    private static func withoutRelationships(_ set: ChangeSet) -> ChangeSet {
        set.changed { changes in
            let updated = changes.updated.compactMap { update -> ItemUpdate? in
                let attributes = update.attributes.intersection([GraphShape.label])
                return attributes.isEmpty ? nil : ItemUpdate(id: update.id, attributes: attributes)
            }
            return ItemChanges(
                itemTypeKey: changes.itemTypeKey, inserted: changes.inserted, updated: updated,
                deleted: changes.deleted, isComplete: changes.isComplete, token: changes.token)
        }
    }

    private static let naming: [Sabotage] = {
        let hasMerged = Locked(false)
        return [
            notNaming("names no relationships", "stream-in-block") { _, _ in true },
            notNaming("names no relationships of a deletion by a cascade", "stream-by-cascade") {
                set, _ in set.types.flatMap(\.deleted).count > 1
            },
            notNaming("names no relationships in its log", "stream-from-log") { _, last in
                last == nil
            },
            notNaming(
                "names no relationships in a merge", "stream-in-merge",
                where: { _, _ in
                    hasMerged.withLock { hasMerged in
                        defer { hasMerged = false }
                        return hasMerged
                    }
                }
            ) { faults in
                faults.rules = { rules, _ in
                    rules.merged = { [merged = rules.merged] overlay, parent, policy in
                        hasMerged.withLock { $0 = true }
                        return merged(overlay, parent, policy)
                    }
                }
            },
        ]
    }()
}

extension ReferenceRow {
    /// Whether the row is a link between two items.
    fileprivate var isLink: Bool {
        guard case .reference = self[LinkType.source] else { return false }
        return true
    }
}

extension DataStoreItem {
    /// Whether the item is a link between two others.
    fileprivate var isLink: Bool {
        guard case .reference? = try? backing.value(forAttribute: LinkType.source) else {
            return false
        }
        return true
    }

    fileprivate var hasPosition: Bool {
        guard case .int? = try? backing.value(forAttribute: LinkType.position) else { return false }
        return true
    }
}
