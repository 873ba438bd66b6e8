import Foundation
import JustPersist
import Testing

/// Clause 5: a property cannot throw, so the block fails in its stead, in the forms that can.
@Suite struct RefusedChangeTests {
    private struct Failure: Error {}

    /// What a store refuses to change.
    enum Refusal: String, CaseIterable {
        case unstorableValue, misspeltName, misspeltKeyPath, dynamicAttribute, frozenItem
        case itemOfEarlierWriteBlock, deletedItem, nesting, detachedItem

        var code: DataStoreError.Code {
            switch self {
            case .unstorableValue: .unsupportedValue
            case .misspeltName, .misspeltKeyPath, .dynamicAttribute, .detachedItem:
                .unknownAttribute
            case .frozenItem, .itemOfEarlierWriteBlock: .itemNotMutable
            case .deletedItem: .itemDeleted
            case .nesting: .limitExceeded
            }
        }

        /// Tries the change in a write block.
        func attempt(
            _ db: borrowing DataStoreWriter, _ old: OldItems
        ) throws {
            let item = try #require(try db.first(Restaurant.self))
            item.stars = 5
            switch self {
            case .unstorableValue: item.setValue(UInt64.max, forKeyPath: "value")
            case .misspeltName: item.setObject("x", forKey: "nome")
            case .misspeltKeyPath: item.setValue("x", forKeyPath: "nome.first")
            case .dynamicAttribute:
                let request = DataStoreRequest(itemTypeKey: "RestaurantOwner")
                try db.dynamicItems(request).first?["nome"] = .string("x")
            case .frozenItem: old.frozen?.name = "x"
            case .itemOfEarlierWriteBlock: old.written?.name = "x"
            case .deletedItem:
                try db.delete(item)
                item.name = "x"
            case .nesting: item.value = (0..<101).reduce(.null) { value, _ in .array([value]) }
            case .detachedItem: Restaurant().setValue("x", forKeyPath: "nome")
            }
        }
    }

    /// Items of blocks that have ended.
    ///
    /// Used by one thread at a time.
    final class OldItems: @unchecked Sendable {
        var frozen: Restaurant?
        var written: Restaurant?

        init(_ store: any DataStore) throws {
            try store.write { db in
                try db.create(RestaurantOwner.self).name = "owner"
                let item = try db.create(Restaurant.self)
                item.name = "a"
                written = item
            }
            try store.performRead { db in frozen = try db.first(Restaurant.self) }
        }
    }

    private func expectUnchanged(_ store: any DataStore) throws {
        try store.read { db in
            let items = try db.items(Restaurant.self)
            #expect(items.map(\.name) == ["a"])
            #expect(items.map(\.stars) == [0])
        }
    }

    @Test(arguments: Backend.memoryAndReference, Refusal.allCases)
    func refusedChangeFailsABlockThatThrows(_ backend: Backend, _ refusal: Refusal) async throws {
        try await backend.withStore { store in
            let old = try OldItems(store)
            expectError(refusal.code) {
                try store.write { db in
                    try refusal.attempt(db, old)
                    _ = try db.create(Restaurant.self)
                }
            }
            try expectUnchanged(store)
            expectError(refusal.code) {
                try store.writeSync { db in try refusal.attempt(db, old) }
            }
            try expectUnchanged(store)
            let error = await #expect(throws: DataStoreError.self) {
                try await store.write { db in try refusal.attempt(db, old) }
            }
            #expect(error?.code == refusal.code)
            try expectUnchanged(store)
            let outcome: Result<Void, any Error> = await withCheckedContinuation { continuation in
                store.writeAsync { db in
                    try refusal.attempt(db, old)
                } completion: {
                    continuation.resume(returning: $0)
                }
            }
            let failure = #expect(throws: DataStoreError.self) { try outcome.get() }
            #expect(failure?.code == refusal.code)
            try expectUnchanged(store)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func refusedChangeIsReportedOnce(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a"])
            let error = expectError(.unknownAttribute) {
                try store.write { db in
                    let item = try #require(try db.first(Restaurant.self))
                    item.setValue(1, forKeyPath: "nome")
                    item.setValue(UInt64.max, forKeyPath: "value")
                }
            }
            #expect(error?.attribute == "nome")
            #expect(error?.isReported == true)
            #expect(errors.codes == [.unknownAttribute, .unsupportedValue])
        }
    }

    @Test(arguments: Backend.memoryAndReference, Refusal.allCases)
    func refusedChangeIsReportedAndTheOriginalsBlockGoesOn(
        _ backend: Backend, _ refusal: Refusal
    ) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            let old = try OldItems(store)
            store.writeSync { db in
                try? refusal.attempt(db, old)
                db.createItem(ofMutableType: Restaurant.self)?.setObject("b", forKey: "name")
            }
            let done = DispatchSemaphore(value: 0)
            store.writeAsync { db in
                db.createItem(ofMutableType: Restaurant.self)?.setObject(1, forKey: "nome")
            } completion: {
                done.signal()
            }
            done.wait()
            try #expect(store.names().contains("b"))
            try #expect(store.names().last == .some(nil))
            // An item in no store has no handler.
            let first = refusal == .detachedItem ? [] : [refusal.code]
            #expect(errors.codes == first + [.unknownAttribute])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func refusalThatTheCallerWasToldOfDoesNotFailTheBlock(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let item = try db.create(Restaurant.self)
                item.name = "a"
                expectError(.unknownAttribute) { try item.setStoredValue(1, forKeyPath: "nome") }
            }
            try #expect(store.names() == ["a"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func errorOfTheBlockItselfGoesFirst(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            #expect(throws: Failure.self) {
                try store.write { db in
                    try db.first(Restaurant.self)?.setValue(1, forKeyPath: "nome")
                    throw Failure()
                }
            }
            try store.write { db in try db.first(Restaurant.self)?.name = "b" }
            try #expect(store.names() == ["b"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func refusedChangeConcernsTheInnermostBlock(_ backend: Backend) throws {
        try backend.withStore { outer in
            try Backend.memory.withStore { inner in
                try outer.write { db in
                    try db.create(Restaurant.self).name = "outer"
                    // Its block goes on, and so does the one around it.
                    inner.writeSync { db in
                        db.createItem(ofMutableType: Restaurant.self)?
                            .setValue(1, forKeyPath: "nome")
                    }
                    expectError(.unknownAttribute) {
                        try inner.write { db in
                            try db.create(Restaurant.self).setValue(1, forKeyPath: "nome")
                        }
                    }
                }
                try #expect(outer.names() == ["outer"])
                try #expect(inner.names() == [nil])
                expectError(.unknownAttribute) {
                    try outer.write { db in
                        let item = try db.create(Restaurant.self)
                        inner.read { _ in item.setValue(1, forKeyPath: "nome") }
                    }
                }
                try #expect(outer.names() == ["outer"])
            }
        }
    }
}
