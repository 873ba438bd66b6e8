import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Clauses 10 and 12: the order of items.
@Suite struct SortTests {
    /// The tokens that a sorted request gives.
    private func tokens(
        _ store: any DataStore, _ sort: [DataStoreSortDescriptor], offset: Int? = nil,
        limit: Int? = nil, where predicate: DataStorePredicate? = nil
    ) throws -> [ItemID] {
        try store.read { db in
            try db.performFetch(
                DataStoreRequest(
                    type: ItemType(Sample.self), predicate: predicate, sortDescriptors: sort,
                    offset: offset, limit: limit)
            ).map(\.uniqueToken)
        }
    }

    /// What the contract says: each descriptor's order in turn, ties in the order of creation.
    private func expected(
        _ rows: [(id: ItemID, values: [DataStoreValue])], _ sort: [DataStoreSortDescriptor]
    ) -> [ItemID] {
        rows.sorted { a, b in
            for descriptor in sort {
                let index = Sample.names.firstIndex(of: descriptor.key) ?? 0
                switch a.values[index].sortOrder(against: b.values[index]) {
                case .same: continue
                case .ascending: return descriptor.ascending
                case .descending: return !descriptor.ascending
                }
            }
            return a.id < b.id
        }.map(\.id)
    }

    private func fill(
        _ store: any DataStore, _ values: [[DataStoreValue]]
    ) throws -> [(id: ItemID, values: [DataStoreValue])] {
        let ids = try store.write { db in
            try values.map { values in
                let item = try db.create(Sample.self)
                for (index, value) in values.enumerated() { item[index] = value }
                return item.uniqueToken
            }
        }
        return Array(zip(ids, values)).map { (id: $0, values: $1) }
    }

    @Test(arguments: Backend.allCases)
    func valuesOfEveryKindHaveOneTotalOrder(_ backend: Backend) throws {
        // From first to last, ascending.
        let ordered: [DataStoreValue] = [
            .null, .double(-.infinity), .int(.min), .double(-1.5), .int(-1), .bool(false),
            .decimal(Decimal(string: "0.5") ?? 0), .bool(true), .int(2), .double(0x1p53),
            .int((1 << 53) + 1), .decimal(Decimal(string: "9007199254740993.5") ?? 0), .int(.max),
            .double(0x1p63), .double(.infinity), .double(.nan), .string(""), .string("A"),
            .string("B"), .string("a"), .string("e"), .string("e\u{301}"), .string("é!"),
            .string("日"), .string("\u{10348}"), .date(.distantPast),
            .date(Date(timeIntervalSinceReferenceDate: 0.5)), .date(.distantFuture),
            .data(Data()), .data(Data([0])), .data(Data([0, 0])), .data(Data([255])),
            .uuid(ItemID(high: 1, low: 0).uuid), .uuid(ItemID(high: 1 << 63, low: 0).uuid),
            .url(URL(filePath: "/a")), .url(URL(filePath: "/b")),
            .reference(ItemReference(itemTypeKey: "A", id: ItemID(high: 2, low: 0))),
            .reference(ItemReference(itemTypeKey: "B", id: ItemID(high: 1, low: 0))),
            .array([]), .array([.null]), .array([.int(1)]), .array([.int(1), .null]),
            .dictionary([:]), .dictionary(["a": .int(2)]), .dictionary(["b": .int(1)]),
        ]
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(generator.seed)")
        try backend.withStore { store in
            let shuffled = ordered.shuffled(using: &generator)
            _ = try fill(store, shuffled.map { [$0] })
            let request = DataStoreRequest(itemType: Sample.self)
            for isAscending in [true, false] {
                request.setSort(byKey: "a", ascending: isAscending)
                let values = try store.read { db in
                    try db.performFetch(request).map { try $0.storedValue(forKeyPath: "a") }
                }
                #expect(values == (isAscending ? ordered : ordered.reversed()))
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func randomSortsOfRandomValues(_ backend: Backend) throws {
        var random = RandomValues()
        print("seed: \(random.generator.seed)")
        try backend.withStore { store in
            let rows = try fill(
                store, (0..<120).map { _ in (0..<5).map { _ in random.value() } })
            for _ in 0..<40 {
                let sort = (0..<random.generator.int(in: 1..<4)).map { _ in
                    DataStoreSortDescriptor(
                        key: random.generator.pick(Sample.names),
                        ascending: random.generator.bool())
                }
                let all = expected(rows, sort)
                try #expect(tokens(store, sort) == all)
                let offset = random.generator.int(in: 0..<130)
                let limit = random.generator.int(in: 1..<60)
                try #expect(
                    tokens(store, sort, offset: offset, limit: limit)
                        == Array(all.dropFirst(offset).prefix(limit)))
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func tiesAndUnsortedItemsAreInCreationOrder(_ backend: Backend) throws {
        try backend.withStore { store in
            let rows = try fill(store, (0..<50).map { [.int(Int64($0 % 3)), .string("same")] })
            try #expect(tokens(store, []) == rows.map(\.id))
            try #expect(tokens(store, [.ascending("b")]) == rows.map(\.id))
            try #expect(tokens(store, [.descending("b")]) == rows.map(\.id))
            let descending = (0..<3).reversed().flatMap { remainder in
                rows.indices.filter { $0 % 3 == remainder }.map { rows[$0].id }
            }
            try #expect(tokens(store, [.descending("a")]) == descending)
            try store.write { db in
                let items = try db.items(Sample.self, sortedBy: .descending("a"))
                #expect(items.map(\.uniqueToken) == descending)
                // An update does not change an item's place.
                items[0][2] = .int(1)
                #expect(try db.items(Sample.self).map(\.uniqueToken) == rows.map(\.id))
            }
            try #expect(tokens(store, []) == rows.map(\.id))
        }
    }

    @Test(arguments: Backend.allCases) func nilIsFirstAscendingAndLastDescending(
        _ backend: Backend
    ) throws {
        try backend.withStore { store in
            let rows = try fill(store, [[.int(1)], [.null], [.int(0)], [.null, .int(1)]])
            let ids = rows.map(\.id)
            try #expect(tokens(store, [.ascending("a")]) == [ids[1], ids[3], ids[2], ids[0]])
            try #expect(tokens(store, [.descending("a")]) == [ids[0], ids[2], ids[1], ids[3]])
            // No item has it.
            try #expect(tokens(store, [.ascending("e")]) == ids)
        }
    }

    @Test(arguments: Backend.allCases)
    func updatedItemMovesToItsNewPlace(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["b", "c", "d"])
            try store.write { db in
                try db.items(Restaurant.self, where: DataStorePredicate("name == 'd'"))[0].name =
                    "a"
                try #expect(
                    db.items(Restaurant.self, sortedBy: .ascending("name")).map(\.name)
                        == ["a", "b", "c"])
            }
            let names = try store.read { db in
                try db.items(Restaurant.self, sortedBy: .descending("name")).map(\.name)
            }
            #expect(names == ["c", "b", "a"])
        }
    }

    @Test(arguments: Backend.allCases)
    func sortKeysReachIntoDictionariesReferencesAndTokens(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let owners = try ["z", "a"].map { name in
                    let owner = try db.create(RestaurantOwner.self)
                    owner.name = name
                    return owner
                }
                for (index, owner) in owners.enumerated() {
                    let item = try db.create(Sample.self)
                    item[0] = .reference(
                        ItemReference(itemTypeKey: "RestaurantOwner", id: owner.uniqueToken))
                    item[1] = .dictionary(["x": .int(Int64(-index))])
                }
            }
            let ids = try tokens(store, [])
            try #expect(tokens(store, [.ascending("a.name")]) == ids.reversed())
            try #expect(tokens(store, [.ascending("b.x")]) == ids.reversed())
            try #expect(tokens(store, [.ascending("b.no")]) == ids)
            try #expect(tokens(store, [.descending("uniqueToken")]) == ids.reversed())
        }
    }

    @Test(arguments: Backend.allCases)
    func sortAndFilterGoTogether(_ backend: Backend) throws {
        try backend.withStore { store in
            let rows = try fill(store, (0..<30).map { [.int(Int64($0 % 5)), .int(Int64(-$0))] })
            let even = rows.filter { $0.values[0].isEqual(to: .int(2)) }
            try #expect(
                tokens(store, [.ascending("b")], where: DataStorePredicate("a == 2"))
                    == even.reversed().map(\.id))
        }
    }

    @Test(arguments: Backend.allCases) func emptySortKeyIsRefused(_ backend: Backend) throws {
        try backend.withStore { store in
            expectError(.invalidRequest) { _ = try tokens(store, [.ascending("")]) }
        }
    }
}
