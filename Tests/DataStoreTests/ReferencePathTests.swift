import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Paths that lead through a reference to an item whose record is damaged.
@Suite struct ReferencePathTests {
    @Test(arguments: Backend.persistent)
    func aDamagedItemAtTheEndOfAPathIsAnErrorAndNoNull(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let (damaged, sound) = try store.write { db in
                try db.declare(
                    ItemSchema("Node", attributes: [AttributeSchema("n"), AttributeSchema("next")]))
                let target = try db.create("Node")
                target["n"] = .int(1)
                let other = try db.create("Node")
                other["n"] = .int(2)
                try db.declare(ItemSchema("Link", attributes: [AttributeSchema("to")]))
                try db.create("Link")["to"] = .reference(target.reference)
                try db.create("Link")["to"] = .reference(other.reference)
                return (target.uniqueToken, other.uniqueToken)
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            var records = try bytes.entries(tag: StoredBytes.recordTag)
            records[0].value[records[0].value.count - 1] ^= 1
            try bytes.put([records[0]])
            try store.open()
            try store.read { db in
                let request = DataStoreRequest(itemTypeKey: "Link")
                let links = try db.dynamicItems(request)
                let error = expectError(.corrupted) {
                    _ = try links[0].storedValue(forKeyPath: "to.n")
                }
                #expect(error?.itemType == "Node")
                #expect(error?.message.contains(damaged.description) == true)
                // The reference itself is not concerned, nor is the other one.
                #expect(
                    links[0]["to"] == .reference(ItemReference(itemTypeKey: "Node", id: damaged)))
                try #expect(links[1].storedValue(forKeyPath: "to.n") == .int(2))
                #expect(links[1]["to"] == .reference(ItemReference(itemTypeKey: "Node", id: sound)))
                for format in ["to.n == 2", "NOT to.n == 2", "to.n == nil"] {
                    request.predicate = try DataStorePredicate(format)
                    expectError(.corrupted) { _ = try db.performFetch(request) }
                    expectError(.corrupted) { _ = try db.performCount(request) }
                }
                request.predicate = nil
                request.setSort(byKey: "to.n", ascending: true)
                expectError(.corrupted) { _ = try db.performFetch(request) }
            }
            try store.close()
        }
    }
}
