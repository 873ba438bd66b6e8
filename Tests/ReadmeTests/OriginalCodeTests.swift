import Testing

/// The tables of *Migrating from JustPersist*: code of the original library's users that compiles as it is, and code that
/// needs an edit.
@Suite struct OriginalCodeTests {
    /// Compiles as it was written, with a store of this package in the place of theirs.
    static let unchanged = [
        Refused(
            accepted: "stores and requests",
            """
            class Client: NSObject {
                static let shared: DataStore = {
                    return InMemoryDataStore { error in
                        print("error: \\(error.localizedDescription)")
                    }
                }()
            }
            final class Screen: DataStoreUsing {
                var dataStore: DataStore
                var childDataStore: ChildDataStore!
                var name: String?
                init(_ dataStore: DataStore) { self.dataStore = dataStore }

                func load() {
                    dataStore.read { (accessor) in
                        let request = DataStoreRequest(itemType: Restaurant.self)
                        request.setFilter(whereAttribute: "name", equalsValue: "Thai Garden")
                        request.setSort(byKey: "name", ascending: true)
                        request.offset = 1
                        request.limit = 10
                        let all = accessor.items(forRequest: request) as? [Restaurant] ?? []
                        guard let first = accessor.firstItem(forRequest: request) as? Restaurant else {
                            return
                        }
                        self.name = first.name
                        print(all.count, accessor.countItems(forRequest: request), first.uniqueToken)
                    }
                }

                func edit() {
                    childDataStore = dataStore.makeChildDataStore()
                    childDataStore.setup()
                    dataStore.merge(childDataStore)
                    childDataStore.tearDown()
                }
            }
            """),
        Refused(
            accepted: "accessors and items",
            """
            let dataStore: DataStore = store
            dataStore.errorHandler = { error in print(error.localizedDescription) }
            dataStore.writeSync { (accessor) in
                let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as! Restaurant
                restaurant.setValue("Thai Garden", forKeyPath: "name")
                restaurant.set("Thai Garden", forKey: "name")
                let name: String? = restaurant.get(forKey: "name")
                print(Restaurant.itemTypeKey, restaurant.value(forKeyPath: "name") as Any, name ?? "")
                let request = DataStoreRequest(itemType: Restaurant.self)
                for item in accessor.mutableItems(forRequest: request) { item.setValue(1, forKeyPath: "stars") }
                let other = accessor.firstMutableItem(forRequest: request) as? Restaurant
                let live = accessor.mutableVersion(ofItem: restaurant) as? Restaurant
                accessor.insert(restaurant)
                accessor.delete(item: restaurant)
                accessor.deleteAllItems(ofMutableType: Restaurant.self)
                print(other?.stars ?? 0, live?.stars ?? 0)
            }
            dataStore.writeSync { (accessor) in
                do {
                    let created: Restaurant = try accessor.create()
                    let live: Restaurant = try accessor.mutableVersion(ofItem: created)
                    try accessor.delete(live)
                    try accessor.deleteAll(Restaurant.self)
                } catch {
                    print(error)
                }
            }
            dataStore.writeAsync { (accessor) in
                let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as! Restaurant
                restaurant.stars = 4
            }
            """),
    ]

    /// Does not compile any more; the article says what to write.
    static let edited = [
        Refused(
            "an accessor as a parameter",
            """
            func load(_ accessor: DataStoreReadAccessor) {}
            store.readSync { accessor in load(accessor) }
            """, "write 'borrowing DataStoreReader'"),
        Refused(
            "a kept block",
            """
            final class Screen {
                let dataStore: DataStore
                var onChange: ((DataStoreReadAccessor) -> Void)?
                init(_ dataStore: DataStore) { self.dataStore = dataStore }
                func show() { if let onChange { dataStore.read(onChange) } }
            }
            """, "write 'borrowing DataStoreReader'"),
        Refused(
            "a queued block with an object",
            """
            final class Screen {
                var name = ""
                func save(_ dataStore: DataStore) { dataStore.writeAsync { _ in self.name = "" } }
            }
            """, "capture of 'self' with non-Sendable type 'Screen'"),
        Refused(
            "the parent of a child",
            """
            func parent(of child: ChildDataStore) -> DataStore { child.parent }
            """, "does not conform to 'DataStore'"),
        Refused(
            "an item's type", "func show(_ item: DataStoreItem) {}",
            "must be written 'any DataStoreItem'"),
        Refused(
            "a live item's type", "func show(_ items: [MutableDataStoreItem]) {}",
            "must be written 'any MutableDataStoreItem'"),
        Refused(
            "tokens as objects",
            "func same(_ a: Restaurant, _ b: Restaurant) -> Bool { a.uniqueToken === b.uniqueToken }",
            "expected to be an instance of a class"),
        Refused(
            "NSPredicate",
            """
            let request = DataStoreRequest(itemType: Restaurant.self)
            request.predicate = NSPredicate(value: true)
            """, "to type 'DataStorePredicate'"),
        Refused(
            "NSSortDescriptor",
            """
            let request = DataStoreRequest(itemType: Restaurant.self)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            """, "to expected element type 'DataStoreSortDescriptor'"),
        Refused(
            "a request's subclass", "final class Best: DataStoreRequest {}",
            "inheritance from a final class"),
        Refused(
            "a handler of NSError", "store.errorHandler = { (error: NSError) in print(error) }",
            "DataStoreErrorHandler"),
        Refused(
            "an error's user information",
            "store.errorHandler = { error in print(error.userInfo) }", "no member 'userInfo'"),
        Refused(
            "an error's item",
            """
            do { throw CancellationError() } catch DataStoreError.couldNotDeleteItem(let item) {
                print(item)
            }
            """, "cannot call value of non-function type 'DataStoreError.Code'"),
        Refused(
            "a reference in a typed key path",
            """
            print(try store.readSync { db in try db.count(Restaurant.self, where: \\.owner.name == "a") })
            """, "cannot infer key path type"),
    ]

    @Test func compilesUnchanged() async throws { try await Refused.check(Self.unchanged) }

    @Test func needsAnEdit() async throws { try await Refused.check(Self.edited) }
}
