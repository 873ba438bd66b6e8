import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// Clause 14: what is reported, how often, where, and in which words.
@Suite struct ErrorTests {
    @Test(arguments: Backend.memoryAndReference)
    func eachFailureIsReportedOnceBeforeTheCallReturns(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            let bad = DataStoreRequest(itemType: Restaurant.self)
            bad.limit = -1
            var expected = 0
            func step(_ code: DataStoreError.Code = .invalidRequest, line: Int = #line) {
                expected += 1
                #expect(errors.codes.count == expected, "line \(line)")
                #expect(errors.codes.last == code, "line \(line)")
            }
            store.read { db in
                _ = db.items(forRequest: bad)
                step()
                _ = db.firstItem(forRequest: bad) as (any DataStoreItem)?
                step()
                _ = db.countItems(forRequest: bad)
                step()
                let typed: [Restaurant] = db.items(forRequest: bad)
                #expect(typed.isEmpty)
                step()
            }
            store.writeSync { db in
                _ = db.mutableItems(forRequest: bad)
                step()
                _ = db.firstMutableItem(forRequest: bad)
                step()
                let item = db.createItem(ofMutableType: Restaurant.self)
                item?.setValue(1, forKeyPath: "undeclared")
                step(.unknownAttribute)
                _ = item?.value(forKeyPath: "undeclared")
                step(.unknownAttribute)
                _ = db.delete(item: Restaurant())
                step(.foreignItem)
            }
            // None of the throwing forms reports.
            expectError(.invalidRequest) {
                try store.read { db in _ = try db.performFetch(bad) }
            }
            expectError(.foreignItem) {
                try store.write { db in try db.delete(Restaurant()) }
            }
            #expect(errors.codes.count == expected)
        }
    }

    @Test func handlerMayBeSetAndMayUseTheStore() throws {
        let errors = ErrorLog()
        let store = RecordStore(engine: SortedArrayEngine())
        try store.open()
        store.errorHandler = { [weak store] error in
            errors.append(error)
            try? store?.fill(["from the handler"])
        }
        store.read { db in
            let request = DataStoreRequest(itemType: Restaurant.self)
            request.offset = -1
            #expect(db.items(forRequest: request).isEmpty)
        }
        #expect(errors.codes == [.invalidRequest])
        try #expect(store.names() == ["from the handler"])
        store.errorHandler = nil
        store.tearDown()
        store.read { _ in }
        #expect(errors.codes.count == 1)
    }

    @Test(arguments: Backend.memoryAndReference)
    func anItemOfAClassThatOnlyReadsIsNotCreated(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                _ = expectError(.couldNotCreateItemOfType) {
                    _ = try db.performCreate(ItemType(ReadOnlyItem.self))
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func errorsSayWhatToDo(_ backend: Backend) throws {
        let errors = ErrorLog()
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory, errors: errors)
            store.read { _ in }
            store.setup()
            store.writeSync { db in
                let item = db.createItem(ofMutableType: Restaurant.self)
                item?.setValue(1, forKeyPath: "undeclared")
            }
            store.tearDown()
        }
        let all = errors.all
        #expect(all.map(\.code) == [.notSetUp, .unknownAttribute])
        for error in all {
            #expect((error as any Error).localizedDescription == error.message)
            #expect(!error.operation.isEmpty)
            #expect(error.description.contains(error.code.rawValue))
        }
        #expect(all[0].message.contains("setup()"))
        #expect(all[1].itemType == "Restaurant")
        #expect(all[1].attribute == "undeclared")
        #expect(all[1].message.contains("undeclared"))
    }

    @Test(arguments: Backend.memoryAndReference)
    func requestForAnotherClassThanTheResultsIsAnError(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a"])
            let request = DataStoreRequest(itemType: Restaurant.self)
            store.read { db in
                let owners: [RestaurantOwner] = db.items(forRequest: request)
                #expect(owners.isEmpty)
                #expect(errors.codes == [.invalidRequest])
                let owner: RestaurantOwner? = db.firstItem(forRequest: request)
                #expect(owner == nil)
                #expect(errors.codes == [.invalidRequest, .invalidRequest])
                #expect(errors.all.last?.message.contains("RestaurantOwner") == true)
                #expect(errors.all.last?.itemType == "Restaurant")
                expectError(.invalidRequest) { _ = try db.dynamicItems(request) }
                let items: [Restaurant] = db.items(forRequest: request)
                #expect(items.map(\.name) == ["a"])
                let first: Restaurant? = db.firstItem(forRequest: request)
                #expect(first?.name == "a")
            }
            store.writeSync { db in
                let frozen = DataStoreRequest(itemType: ReadOnlyRestaurant.self)
                #expect(db.mutableItems(forRequest: frozen).isEmpty)
                #expect(db.firstMutableItem(forRequest: frozen) == nil)
            }
            store.writeSync { db in
                #expect(db.mutableItems(forRequest: request).count == 1)
                #expect(db.firstMutableItem(forRequest: request) != nil)
            }
            #expect(errors.codes.dropFirst(2) == [.itemNotMutable, .itemNotMutable])
        }
    }
}

/// A class whose items cannot be changed.
private final class ReadOnlyItem: DataStoreItem {
    static let schema = ItemSchema("ReadOnly", attributes: [AttributeSchema("a")])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }
}

/// The restaurants for those who only read them.
private final class ReadOnlyRestaurant: DataStoreItem {
    static let schema = ItemSchema("Restaurant", attributes: [AttributeSchema("name")])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }
}
