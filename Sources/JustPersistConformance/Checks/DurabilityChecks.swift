import Foundation
import JustPersist

/// Checks of the data that survives closing a store, and the end of its process.
enum DurabilityChecks {
    static let all: [CheckDefinition] =
        [
            CheckDefinition(
                "dur/reopen", clause: [6, 9], gate: .requires(.persistent),
                "Items of several types with values of all kinds exist after reopening.",
                run: reopen),
            CheckDefinition(
                "dur/reopen-other-process", clause: [6], gate: .requires(.persistent),
                "Data that another process wrote before it closed the store can be read here.",
                run: reopenOtherProcess),
            CheckDefinition(
                "dur/async-survives-teardown", clause: [1, 2, 6], gate: .requires(.persistent),
                "Acknowledged asynchronous writes exist after reopening.",
                run: asyncSurvivesTearDown),
        ] + crashChecks

    private static func reopen(_ check: CheckContext) throws {
        let values = DurabilityRoles.values(of: check.capabilities.valueKinds)
        let store = try check.makeStore(named: "store")
        try store.open()
        try DurabilityRoles.write(values, to: store)
        try store.write { db in
            for type in ["Durable\u{0}", "é", "Other"] {
                try db.declare(ItemSchema(type, attributes: [AttributeSchema("value")]))
                for number in 0..<3 {
                    let item = try db.create(type)
                    item["value"] = .int(Int64(number))
                }
            }
        }
        let before = try StoreDump(of: store)
        check.expectEqual(before.types.count, 4, "the types that have items before reopening")
        let next = try check.reopened(store)
        check.expectEqual(
            try DurabilityRoles.values(in: next), values, "the values after reopening")
        check.expectEqual(
            try StoreDump(of: next), before, "the contents of a store after it was reopened")
        let again = try check.reopened(next)
        try DurabilityRoles.write([.null], to: again)
        check.expectEqual(
            try DurabilityRoles.values(in: again), values + [.null],
            "the values after reopening twice and one more item")
    }

    private static func reopenOtherProcess(_ check: CheckContext) throws {
        let ending = try check.runChild(DurabilityRoles.cleanWriter)
        check.expectEqual(
            ending, .exited(ConformanceChild.done), "the end of the process that wrote")
        let store = try check.openCrashStore()
        check.expectEqual(
            try DurabilityRoles.values(in: store),
            DurabilityRoles.values(of: check.capabilities.valueKinds),
            "the values that another process wrote")
    }

    private static func asyncSurvivesTearDown(_ check: CheckContext) throws {
        let store = try check.makeStore(named: "store")
        try store.open()
        try DurabilityRoles.write([.null], to: store)
        let ended = Locked<[Int: Bool]>([:])
        let count = check.profile.pick(quick: 50, full: 500, soak: 5_000)
        for number in 0..<count {
            store.enqueueWrite { db in
                let item = try db.create(DurabilityRoles.type)
                item["group"] = .int(Int64(number))
            } completion: { error in
                ended.change { $0[number] = error == nil }
            }
        }
        try store.close()
        ended.wait { $0.count == count ? () : nil }
        let acknowledged = ended.withLock { $0.filter(\.value).keys.sorted() }
        check.expectEqual(
            acknowledged, Array(0..<count),
            "the blocks queued before the store was closed that were committed")
        let next = try check.reopened(store)
        let groups = try next.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: DurabilityRoles.type))
                .map { $0["group"] }
        }
        check.expectEqual(
            groups, [.null] + acknowledged.map { .int(Int64($0)) },
            "the items after reopening, in the order of the queued blocks")
    }
}
