import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMemory
import Testing

/// Members of the original library beyond the calls of daily use, as its users wrote them.
@Suite struct OriginalMemberTests {
    private final class Screen: DataStoreUsing {
        var dataStore: any DataStore
        init(_ dataStore: any DataStore) { self.dataStore = dataStore }
    }

    /// As a class that keeps its child store in a property.
    private final class Draft {
        let childDataStore: any ChildDataStore
        init(childDataStore: any ChildDataStore) { self.childDataStore = childDataStore }
    }

    @Test func childDataStore() throws {
        let dataStore: any DataStore = ReferenceDataStore()
        dataStore.setup()
        var child: (any ChildDataStore)!
        child = dataStore.makeChildDataStore()
        child.setup()
        #expect(child.parent === dataStore)
        let draft = Draft(childDataStore: child)
        draft.childDataStore.writeSync { accessor in
            _ = accessor.createItem(ofMutableType: Restaurant.self)
        }
        func merge(_ childDataStore: any ChildDataStore) { dataStore.merge(childDataStore) }
        merge(draft.childDataStore)
        dataStore.read { accessor in
            let request = DataStoreRequest(itemType: Restaurant.self)
            #expect(accessor.countItems(forRequest: request) == 1)
        }
        child.tearDown()
        dataStore.tearDown()
    }

    @Test func dataStoreUsing() {
        let (first, second) = (Screen(InMemoryDataStore()), Screen(InMemoryDataStore()))
        let destination: AnyObject = second
        if let recipient = destination as? any DataStoreUsing {
            recipient.dataStore = first.dataStore
        }
        #expect(second.dataStore === first.dataStore)
    }

    @Test func numbersOfARequest() {
        let request = DataStoreRequest(itemType: Restaurant.self)
        #expect(request.limitNumber == nil && request.offsetNumber == nil)
        request.limitNumber = NSNumber(value: 10)
        request.offsetNumber = 20
        #expect(request.limit == 10 && request.offset == 20)
        #expect(request.limitNumber == 10 && request.offsetNumber?.intValue == 20)
        request.limitNumber = nil
        request.offsetNumber = nil
        #expect(request.limit == nil && request.offset == nil)
    }

    @Test(arguments: Backend.memoryAndReference)
    func writeAsyncWithoutCompletion(_ backend: Backend) throws {
        try backend.withStore { dataStore in
            dataStore.writeAsync(
                { accessor in
                    _ = accessor.createItem(ofMutableType: Restaurant.self)
                }, completion: nil)
            let completion: (@Sendable () -> Void)? = nil
            dataStore.writeAsync(
                { accessor in
                    _ = accessor.createItem(ofMutableType: Restaurant.self)
                }, completion: completion)
            let written = DispatchSemaphore(value: 0)
            dataStore.writeAsync { accessor in
                _ = accessor.createItem(ofMutableType: Restaurant.self)
            } completion: {
                written.signal()
            }
            written.wait()
            dataStore.read { accessor in
                let request = DataStoreRequest(itemType: Restaurant.self)
                #expect(accessor.countItems(forRequest: request) == 3)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func errorHandlerIsSet(_ backend: Backend) throws {
        let first = ErrorLog()
        try backend.withStore(errors: first) { dataStore in
            let second = ErrorLog()
            let fail = {
                dataStore.writeSync { accessor in
                    accessor.createItem(ofMutableType: Restaurant.self)?
                        .setValue(1, forKeyPath: "undeclared")
                }
            }
            fail()
            #expect(dataStore.errorHandler != nil)
            dataStore.errorHandler = { error in second.append(error) }
            fail()
            #expect(first.codes == [.unknownAttribute])
            #expect(second.codes == [.unknownAttribute])
            dataStore.errorHandler = nil
            #expect(dataStore.errorHandler == nil)
            dataStore.errorHandler = { error in first.append(error) }
            fail()
            #expect(first.codes.count == 2)
        }
    }

    @Test func errorHandlerOfARefusedChild() {
        let errors = ErrorLog()
        let dataStore: any DataStore = ChildlessStore(errors: ErrorLog())
        dataStore.setup()
        let child = dataStore.makeChildDataStore()
        child.errorHandler = { error in errors.append(error) }
        child.setup()
        #expect(errors.codes == [.unsupported])
        dataStore.tearDown()
    }

    @Test(arguments: Backend.memoryAndReference) func fourErrors(_ backend: Backend) throws {
        try backend.withStore { dataStore in
            try dataStore.fill(["a"])
            let caught = SharedList<String>()
            dataStore.writeSync { accessor in
                let request = DataStoreRequest(itemType: Restaurant.self)
                guard let item: Restaurant = accessor.firstItem(forRequest: request) else { return }
                accessor.delete(item: item)
                do {
                    try accessor.delete(item)
                } catch DataStoreError.couldNotCreateItemOfType {
                    Issue.record("the error of creating")
                } catch DataStoreError.couldNotDeleteItem {
                    caught.append("delete")
                } catch {
                    Issue.record(error)
                }
                do {
                    let _: Restaurant = try accessor.mutableVersion(ofItem: item)
                } catch DataStoreError.couldNotFetchMutableVersion {
                    caught.append("mutableVersion")
                } catch {
                    Issue.record(error)
                }
                do {
                    _ = try accessor.create("Undeclared")
                } catch DataStoreError.couldNotCreateItemOfType {
                    caught.append("create")
                } catch {
                    Issue.record(error)
                }
            }
            #expect(caught.all == ["delete", "mutableVersion", "create"])
        }
    }

    @Test func codesArePatterns() {
        func name(_ error: any Error) -> String {
            do {
                throw error
            } catch DataStoreError.couldNotDeleteItemsOfType {
                return "deleteAll"
            } catch DataStoreError.Code.storageFull {
                return "full"
            } catch let error as DataStoreError where error.code == .notSetUp {
                return "closed"
            } catch {
                return "other"
            }
        }
        let names = [
            DataStoreError(.couldNotDeleteItemsOfType, in: "", ""),
            DataStoreError(.storageFull, in: "", ""),
            DataStoreError(.notSetUp, in: "", ""), DataStoreError(.corrupted, in: "", ""),
        ].map { name($0) }
        #expect(names == ["deleteAll", "full", "closed", "other"])
        #expect(name(CancellationError()) == "other")
        switch DataStoreError(.storageFull, in: "", "") {
        case DataStoreError.couldNotDeleteItem: Issue.record("another code")
        case DataStoreError.Code.storageFull: break
        default: Issue.record("no code")
        }
    }
}
