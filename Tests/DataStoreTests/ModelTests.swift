import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Random operations, compared with a model that anyone can understand.
@Suite struct ModelTests {
    private struct Rollback: Error {}

    /// The values of each item, by id.
    private typealias Model = [ItemID: [DataStoreValue]]

    @Test(arguments: Backend.allCases)
    func randomOperationsLeaveWhatTheModelHas(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try run(on: backend.make(at: directory), isPersistent: backend.isPersistent)
        }
    }

    @Test func engineOfAnotherAuthorNeedsNothingElse() throws {
        try run(on: RecordStore(engine: SortedArrayEngine()), isPersistent: true)
    }

    private func run(on store: any DataStore, isPersistent: Bool) throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        try store.open()
        var model: Model = [:]
        for round in 0..<60 {
            let isRolledBack = random.int(0..<5) == 0
            var changed = model
            do {
                try store.write { db in
                    for _ in 0..<random.int(1..<25) { try change(db, &changed, &random) }
                    if isRolledBack { throw Rollback() }
                }
                model = changed
            } catch is Rollback {
                #expect(isRolledBack)
            }
            try store.read { db in
                try check(db.items(Sample.self), against: model)
                try checkQueries(db.count(Sample.self), model)
            }
            if isPersistent, round % 20 == 19 {
                try store.close()
                try store.open()
            }
        }
        try expectSound(store)
        try store.close()
    }

    private func check(_ items: [Sample], against model: Model) throws {
        #expect(items.map(\.uniqueToken) == model.keys.sorted())
        for item in items {
            #expect((0..<5).map { item[$0] } == model[item.uniqueToken])
        }
    }

    private func checkQueries(_ count: Int, _ model: Model) throws {
        #expect(count == model.count)
    }

    /// One random operation on the block and on the model.
    private func change(
        _ db: borrowing DataStoreWriter, _ model: inout Model,
        _ random: inout RandomPredicates
    ) throws {
        let ids = model.keys.sorted()
        let id = ids.isEmpty ? nil : ids[random.int(0..<ids.count)]
        switch random.int(0..<14) {
        case 0...3:
            let item = try db.create(Sample.self)
            model[item.uniqueToken] = Array(repeating: .null, count: 5)
            for _ in 0..<random.int(0..<4) { set(item, &model, &random) }
        case 4...6:
            guard let id, let item = try db.item(Sample.self, id: id) else { return }
            for _ in 0..<random.int(1..<4) { set(item, &model, &random) }
        case 7:
            guard let id, let item = try db.item(Sample.self, id: id) else { return }
            try db.delete(item)
            model[id] = nil
        case 8:
            // An item that was deleted may come back under its id, and nothing but its new values.
            let item = Sample(
                backing: DictionaryBacking(
                    itemTypeKey: "Sample", schema: Sample.schema,
                    id: random.bool() ? id ?? ItemID() : ItemID()))
            let isNew = model[item.uniqueToken] == nil
            item[0] = random.attributeValue()
            try #require(db.insert(item) == true)
            if isNew { model[item.uniqueToken] = [item[0], .null, .null, .null, .null] }
        case 9:
            if random.int(0..<6) == 0 {
                try db.deleteAll(Sample.self)
                model = [:]
            }
        case 10: try check(db.items(Sample.self), against: model)
        case 11: try #expect(db.count(Sample.self) == model.count)
        case 12:
            guard let id else { return }
            let predicate = try DataStorePredicate("uniqueToken == %@", id)
            for case let item as Sample in try db.items(DataStoreRequest(samplesWhere: predicate)) {
                #expect(item.uniqueToken == id)
                set(item, &model, &random)
            }
        default:
            let sorted = try db.items(Sample.self, sortedBy: .descending("a"), limit: 3)
            let expected = model.sorted { a, b in
                let order = a.value[0].sortOrder(against: b.value[0])
                return order == .same ? a.key < b.key : order == .descending
            }
            #expect(sorted.map(\.uniqueToken) == expected.prefix(3).map(\.key))
        }
    }

    private func set(_ item: Sample, _ model: inout Model, _ random: inout RandomPredicates) {
        let index = random.int(0..<5)
        let value = random.attributeValue()
        item[index] = value
        model[item.uniqueToken]?[index] = value
    }
}
