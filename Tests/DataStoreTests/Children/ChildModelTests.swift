import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Families of stores that random blocks and merges change, compared with the reference store.
@Suite struct ChildModelTests {
    private static let type = "Note"
    private static let schema = ItemSchema(
        type, attributes: ["a", "b", "c", "d"].map { AttributeSchema($0) },
        indexes: [IndexSchema(["a"]), IndexSchema(["b", "c"])])

    /// A store, two children of it, and a child of one of these.
    fileprivate final class Tree {
        let stores: [any DataStore]
        /// The place of each store's parent.
        static let parents = [0, 0, 0, 1]

        init(_ root: any DataStore) throws {
            try root.open()
            try root.write { db in try db.declare(ChildModelTests.schema) }
            var stores = [root]
            for parent in Self.parents.dropFirst() {
                let child = try stores[parent].makeChild()
                try child.open()
                stores.append(child)
            }
            self.stores = stores
        }
    }

    private struct Rollback: Error {}

    @Test func randomBlocksAndMergesLeaveWhatTheReferenceHas() throws {
        try withTemporaryDirectory { directory in
            var random = RandomPredicates()
            print("seed: \(random.seed)")
            let tree = try Tree(Backend.memory.make(at: directory))
            let model = try Tree(ReferenceDataStore())
            var ids = [ItemID()]
            for round in 0..<150 {
                let operation = Operation(&random, &ids)
                let outcomes = try [tree, model].map { tree in
                    try operation.perform(on: tree.stores)
                }
                #expect(
                    outcomes[0] == outcomes[1], "seed \(random.seed), round \(round), \(operation)")
                for place in tree.stores.indices {
                    let found = try dump(tree.stores[place])
                    let expected = try dump(model.stores[place])
                    #expect(
                        found == expected,
                        "seed \(random.seed), round \(round), \(operation), store \(place)")
                    if found != expected { return }
                }
                if round % 25 == 24 { for store in tree.stores { try expectSound(store) } }
            }
            try tree.stores[0].close()
        }
    }

    /// Everything in a store.
    private func dump(_ store: any DataStore) throws -> [String] {
        try store.read { db in
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: Self.type)).map { item in
                "\(item.uniqueToken) \(["a", "b", "c", "d"].map { item[$0] })"
            }
            return items + ["\(try db.count(DataStoreRequest(itemTypeKey: Self.type)))"]
        }
    }

    /// What happens in both families.
    fileprivate enum Operation {
        case write(store: Int, [Step], merging: Int?, MergePolicy, isRolledBack: Bool)
        case merge(Int, MergePolicy)
        case discard(Int)

        enum Step {
            case set(ItemID, attribute: String, DataStoreValue)
            case insert(ItemID, a: DataStoreValue)
            case delete(ItemID)
            case deleteAll
        }

        init(_ random: inout RandomPredicates, _ ids: inout [ItemID]) {
            let policy = MergePolicy.allCases[random.int(0..<3)]
            switch random.int(0..<10) {
            case 0...2: self = .merge(random.int(1..<4), policy)
            case 3 where random.int(0..<4) == 0: self = .discard(random.int(1..<4))
            default:
                let store = random.int(0..<4)
                let steps = (0..<random.int(1..<6)).map { _ in Step(&random, &ids) }
                // The child whose block is open.
                let merging = store > 0 && random.int(0..<6) == 0 ? store : nil
                self = .write(
                    store: store, steps, merging: merging, policy,
                    isRolledBack: random.int(0..<6) == 0)
            }
        }

        /// Executes the step, and returns its result.
        func perform(on stores: [any DataStore]) throws -> String {
            switch self {
            case .merge(let place, let policy): return merge(place, policy, stores)
            case .discard(let place):
                try stores[place].close()
                try stores[place].open()
                // Closed with its parent.
                if place == 1 { try stores[3].open() }
                return "discarded"
            case .write(let place, let steps, let merging, let policy, let isRolledBack):
                var outcome = ""
                do {
                    try stores[place].write { db in
                        for step in steps { outcome += try step.perform(db) }
                        if let merging { outcome += merge(merging, policy, stores) }
                        if isRolledBack { throw Rollback() }
                    }
                } catch is Rollback {
                    outcome += " rolled back"
                }
                return outcome
            }
        }

        private func merge(
            _ place: Int, _ policy: MergePolicy, _ stores: [any DataStore]
        ) -> String {
            let parent = stores[Tree.parents[place]]
            do {
                let report = try parent.merge(stores[place], policy: policy)
                return "merged \(text(report.conflicts))"
            } catch let error as DataStoreError {
                return "\(error.code) \(text(error.conflicts))"
            } catch {
                return "\(error)"
            }
        }

        private func text(_ conflicts: [MergeConflict]) -> String {
            conflicts.map { "\($0), \($0.base as Any), \($0.child as Any), \($0.parent as Any)" }
                .sorted().joined(separator: "; ")
        }
    }
}

extension ChildModelTests.Operation.Step {
    fileprivate init(_ random: inout RandomPredicates, _ ids: inout [ItemID]) {
        // Mostly one of the last, for the others may have been deleted.
        let id = ids[max(0, ids.count - random.int(1..<16))]
        let value = DataStoreValue.int(Int64(random.int(0..<4)))
        switch random.int(0..<20) {
        case 0...11:
            self = .set(
                id, attribute: ["a", "b", "c", "d"][random.int(0..<4)],
                random.int(0..<5) == 0 ? .null : value)
        case 12...15:
            ids.append(ItemID())
            self = .insert(ids[ids.count - 1], a: value)
        case 16...18: self = .delete(id)
        default: self = random.int(0..<4) == 0 ? .deleteAll : .delete(id)
        }
    }

    fileprivate func perform(_ db: borrowing DataStoreWriter) throws -> String {
        let type = ItemType(dynamic: "Note")
        switch self {
        case .set(let id, let attribute, let value):
            guard let item = try db.performFetchItem(type, id: id) else { return "-" }
            try item.backing.setValue(value, forAttribute: attribute)
            return "s"
        case .insert(let id, let a):
            return try db.performInsert(DynamicItem("Note", id: id, values: ["a": a])) ? "i" : "+"
        case .delete(let id):
            guard let item = try db.performFetchItem(type, id: id) else { return "-" }
            return try db.performDelete(item) ? "d" : "?"
        case .deleteAll:
            try db.performDeleteAll([type])
            return "x"
        }
    }
}
