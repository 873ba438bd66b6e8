@testable import JustPersist
@testable import JustPersistConformance

/// Stores with a fault in a primitive that does not carry a request out.
enum PrimitiveSabotages {
    static let all: [Sabotage] = [
        Sabotage("waits for the main queue", caughtBy: "thread/waiting-main-runs-blocks") {
            $0.threading = .mainThread
            $0.waitsForMainQueue = true
        },
        Sabotage("drops no index", caughtBy: "prim/dropIndex-again") {
            $0.dropIndex = { index, key, block in
                block.state.type(key)?.indexes.contains(index) == true
            }
        },
        Sabotage("says of every index that it was dropped", caughtBy: "prim/dropIndex-error") {
            faults in
            faults.dropIndex = { [dropIndex = faults.dropIndex] in
                _ = try dropIndex($0, $1, $2)
                return true
            }
        },
        Sabotage("says of no index that it was dropped", caughtBy: "prim/dropIndex-many") {
            faults in
            faults.dropIndex = { [dropIndex = faults.dropIndex] in
                _ = try dropIndex($0, $1, $2)
                return false
            }
        },
        Sabotage("drops the items with an index", caughtBy: "prim/dropIndex-own-changes") {
            faults in
            faults.dropIndex = { [dropIndex = faults.dropIndex] index, key, block in
                block.state.removeAll(key)
                return try dropIndex(index, key, block)
            }
        },
        Sabotage("drops the last item with an index", caughtBy: "prim/dropIndex-snapshot") {
            faults in
            faults.dropIndex = { [dropIndex = faults.dropIndex] index, key, block in
                if let last = block.state.rows.last { _ = block.state.remove(last.key) }
                return try dropIndex(index, key, block)
            }
        },
        Sabotage("drops the first item with an index", caughtBy: "prim/dropIndex-rollback") {
            faults in
            faults.dropIndex = { [dropIndex = faults.dropIndex] index, key, block in
                if let first = block.state.rows.first { _ = block.state.remove(first.key) }
                return try dropIndex(index, key, block)
            }
        },
        Sabotage("clears an item with an index", caughtBy: "prim/dropIndex-reopened") { faults in
            faults.dropIndex = { [dropIndex = faults.dropIndex] index, key, block in
                if let last = block.state.rows.last { block.state.put(ReferenceRow(last.key)) }
                return try dropIndex(index, key, block)
            }
        },
        Sabotage("gives the token of the latest commit", caughtBy: "chg/token-of-snapshot") {
            faults in
            let memory = Locked<Memory?>(nil)
            faults.rules = { _, new in memory.withLock { $0 = new } }
            faults.token = { [token = faults.token] block in
                let store = memory.withLock { $0 }?.store.withLock { $0.store }
                return try store?.feed.token ?? token(block)
            }
        },
        Sabotage("goes on where the progress of indexes throws", caughtBy: "idx/built") {
            $0.buildIndexes = { _, progress in
                try? progress(
                    IndexProgress(
                        itemTypeKey: "ConformanceBuilt", attributes: ["number"], done: 1,
                        total: 2))
            }
        },
        Sabotage("loses an item to an index", caughtBy: "idx/built") {
            $0.buildIndexes = { store, _ in
                try store.performWrite { db in
                    let request = DataStoreRequest(itemTypeKey: "ConformanceBuilt")
                    if let first = try db.performFetch(request).first {
                        _ = try db.performDelete(first)
                    }
                }
            }
        },
    ]
}
