import JustPersist
import Testing

/// Requests that name an attribute that the type does not have.
@Suite struct UnknownAttributeTests {
    @Test(arguments: Backend.memoryAndReference) func aFilterByAMisspeltAttributeMatchedNothing(
        _ backend: Backend
    ) throws {
        try backend.withStore { store in
            try store.fill(["a", "b"])
            let child = store.capabilities.childStores == .none ? nil : store.makeChildDataStore()
            try child?.open()
            for store in [store, child].compactMap({ $0 }) {
                try store.read { db in
                    for request in [
                        DataStoreRequest(itemType: Restaurant.self),
                        DataStoreRequest(itemTypeKey: "Restaurant"),
                    ] {
                        func expectRefusal(_ body: () throws -> Void) {
                            let error = expectError(.unknownAttribute, body)
                            #expect(error?.attribute == "nam")
                            #expect(error?.message.contains("“name”") == true)
                        }
                        request.setFilter(whereAttribute: "nam", equalsValue: "a")
                        expectRefusal { _ = try db.items(request) }
                        expectRefusal { _ = try db.count(request) }
                        expectRefusal { _ = try db.explain(request) }
                        expectRefusal { try db.forEach(request) { _ in } }
                        for text in [
                            "NOT nam == 1", "name == 'a' AND nam.x.@count == 1", "1 IN nam",
                        ] {
                            request.predicate = try DataStorePredicate(text)
                            expectRefusal { _ = try db.items(request) }
                        }
                        request.predicate = nil
                        request.setSort(byKey: "nam", ascending: true)
                        expectRefusal { _ = try db.items(request) }
                        request.sortDescriptors = nil
                        for aggregation in [
                            DataStoreAggregation(groupedBy: ["nam"], [.count]),
                            DataStoreAggregation([.max("nam.x")]),
                        ] { expectRefusal { _ = try db.aggregate(request, aggregation) } }
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func namesThatAreKnownStayKnown(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b"])
            try store.read { db in
                let request = DataStoreRequest(itemType: Restaurant.self)
                for text in ["uniqueToken != nil", "SELF != nil", "value.x == nil"] {
                    request.predicate = try DataStorePredicate(text)
                    try #expect(db.count(request) == 2, "\(text)")
                }
                // A type that the store has never seen has no items.
                let unseen = DataStoreRequest(itemTypeKey: "Unseen")
                unseen.setFilter(whereAttribute: "nope", equalsValue: 1)
                unseen.setSort(byKey: "nope", ascending: true)
                try #expect(db.count(unseen) == 0)
                try #expect(db.items(unseen).isEmpty)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func anInfinityThatIsNoNumberWasAnAttribute(
        _ backend: Backend
    ) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.read { db in
                for (text, advice) in [
                    ("stars < inf", "double(\"inf\")"), ("ANYKEY == 1", "ANYKEY"),
                ] {
                    let request = DataStoreRequest(itemType: Restaurant.self)
                    request.predicate = try DataStorePredicate(text)
                    let error = expectError(.unknownAttribute) { _ = try db.count(request) }
                    #expect(error?.message.contains(advice) == true)
                }
            }
        }
    }
}
