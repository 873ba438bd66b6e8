import Foundation
import JustPersist

/// Checks that need functions of the fixture.
///
/// Without these functions, they are unverified.
enum HookChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "life/damage", clause: [17], gate: .requires(.persistent),
            "verify finds damage to a store's files, and nothing is read that was not written."
        ) { check in
            let store = try check.makeStore(named: "damaged")
            let texts = (0..<300).map { "ConformanceDamage \($0)" }
            try store.open()
            try store.write { db in for text in texts { try db.addNote(text) } }
            try store.close()
            guard try check.fixture.corrupt(in: check.directory(named: "damaged")) else {
                try check.unverified("the fixture does not implement corrupt(in:)")
            }
            let damaged = try check.makeStore(named: "damaged")
            check.expectError(.corrupted, what: "opening, verifying and reading a damaged store") {
                try damaged.open()
                check.expect(
                    try !damaged.verify().problems.isEmpty,
                    "verify finds nothing wrong with a damaged store")
                check.expectEqual(try damaged.notes(), texts, "the items of a damaged store")
            }
        },
        CheckDefinition(
            "life/backup", clause: [4, 17], gate: .requires(.persistent),
            "A backup contains all commits before it was made, and is an independent store."
        ) { check in
            let (shelved, shelf) = try ShelvedStore.filled(
                items: PrimitiveChecks.many(check), check)
            guard
                try check.fixture.backUp(watched: shelved.store, to: check.directory(named: "copy"))
            else { try check.unverified("the fixture does not implement backUp(_:to:)") }
            let later = try shelved.commit(.delete, 10, to: shelf)
            let copy = ShelvedStore(check: check, store: try check.makeStore(named: "copy"))
            try copy.store.open()
            try copy.expect(shelf, "in a backup")
            check.expectEqual(
                try copy.store.verify().problems.map { "\($0)" }, [], "the errors in a backup")
            try copy.expect(try copy.commit(.create, 5, to: shelf), "in a backup with new items")
            try shelved.expect(later, "in a store of which a backup was made")
        },
        CheckDefinition(
            "life/compaction", clause: [4, 17], "A compaction changes no answer."
        ) { check in
            let count = PrimitiveChecks.many(check)
            var (shelved, shelf) = try ShelvedStore.filled(items: count, check)
            for change in [Change.delete, .create, .delete] {
                shelf = try shelved.commit(change, count / 3, to: shelf)
                do {
                    _ = try ((shelved.store as? WatchedStore)?.store ?? shelved.store).compact()
                } catch let error as DataStoreError where error.code == .unsupported {
                    try check.notApplicable("the store has no compaction: \(error.message)")
                }
                try shelved.expect(shelf, "after a compaction")
                if check.reopeningKeepsData {
                    shelved = try shelved.reopened()
                    try shelved.expect(shelf, "after a compaction, in the store reopened")
                }
            }
        },
        CheckDefinition(
            "dur/synced", clause: [6], gate: .requires(.powerLossSafe),
            "Each commit is synced to the disk when its call returns or its completion is called."
        ) { check in
            let store = try check.openStore()
            func audit(_ what: String, _ body: () throws -> Void) throws {
                guard let before = try check.fixture.syncAudit(watched: store) else {
                    try check.unverified("the fixture does not implement syncAudit(of:)")
                }
                try body()
                let after = try check.fixture.syncAudit(watched: store) ?? before
                check.expect(after > before, "\(what) returned, and nothing was synced")
            }
            for round in 1...3 {
                try audit("A write block") { try store.addNote("\(round)") }
                try audit("A queued block") {
                    _ = store.enqueueAndWait { db in try db.addNote("queued \(round)") }
                }
                guard check.capabilities.childStores >= .oneLevel else { continue }
                try audit("A merge") {
                    let child = try store.makeChild()
                    try child.open()
                    try child.addNote("merged \(round)")
                    try store.merge(child, policy: .fail)
                }
            }
        },
    ]
}

extension ConformanceFixture {
    fileprivate static func backUp(
        watched store: any DataStore, to directory: URL
    ) throws -> Bool {
        guard let store = (store as? WatchedStore)?.store as? Store else { return false }
        return try backUp(store, to: directory)
    }

    fileprivate static func syncAudit(watched store: any DataStore) throws -> Int? {
        guard let store = (store as? WatchedStore)?.store as? Store else { return nil }
        return try syncAudit(of: store)
    }
}
