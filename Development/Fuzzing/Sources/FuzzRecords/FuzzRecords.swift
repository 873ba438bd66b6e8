import Foundation
import JustPersist
import JustPersistRecords

/// Uses an input as the stored bytes of an item, or of another entry of a store, which its first byte selects.
///
/// Every request then returns values or an error: it must not stop the process, or need more memory than the bytes can
/// describe.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecords(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    // libFuzzer owns the bytes and keeps them during the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let engine = BytesEngine()
    var entries = template
    // Mostly an item.
    let place = choice < 128 ? firstRecord + Int(choice) % 4 : Int(choice) % entries.count
    if choice < 224 {
        entries[place].value = Array(input.dropFirst())
    } else {
        entries[place].key = Array(entries[place].key.prefix(1) + input.dropFirst())
    }
    Checksum.correct(&entries[place])
    attempt { try engine.fill(entries) }
    let store = RecordStore(engine: engine)
    store.errorHandler = { _ in }
    attempt { try store.open() }
    attempt { _ = try store.verify() }
    attempt {
        try store.performRead { db in
            for type in ["Note", "Other"] {
                let request = DataStoreRequest(itemTypeKey: type)
                attempt { for item in try db.dynamicItems(request) { _ = try item.values() } }
                attempt { _ = try db.count(request) }
                request.sortDescriptors = [.descending("a", .caseInsensitive), .ascending("b.x")]
                attempt { _ = try db.performFetch(request) }
                for predicate in predicates {
                    request.predicate = predicate
                    attempt { for item in try db.dynamicItems(request) { _ = item["b"] } }
                    attempt { _ = try db.count(request) }
                }
            }
        }
    }
    attempt {
        try store.performWrite { db in
            let request = DataStoreRequest(itemTypeKey: "Note")
            attempt {
                for item in try db.dynamicItems(request) {
                    item["a"] = .int(7)
                    item["e"] = .string("new")
                }
            }
            attempt { _ = try db.dynamicItems(request).map { try item(db, $0.id) } }
        }
    }
    attempt {
        try store.performWrite { db in try db.performDeleteAll([ItemType(dynamic: "Note")]) }
    }
    attempt { try store.close() }
    return 0
}

private func item(_ db: borrowing DataStoreWriter, _ id: ItemID) throws -> (any DataStoreItem)? {
    try db.performFetchItem(ItemType(dynamic: "Note"), id: id)
}

/// A request may fail, but must return.
private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { blackHole(error) }
}

@inline(never) private func blackHole(_ error: any Error) { _ = "\(error)" }

private let predicates: [DataStorePredicate] = [
    "a == 1", "a > 'b'", "b.x == 1", "ANY c == 2", "c.@count > 1", "d CONTAINS[cd] 'é'",
    "b.link.a == 1",
    "a BETWEEN {1, 5}", "a IN {1, 'x', 2.5}", "d MATCHES '.*a'", "b == NULL", "d ==[c] 'A'",
    "c.@sum > 1",
    "SUBQUERY(c, $x, $x > 1).@count > 0", "e == a",
].compactMap { try? DataStorePredicate($0) }

/// The entries of a store with values of every kind, in four items and an index.
private let template: [BytesEngine.Entry] = {
    let engine = BytesEngine()
    let store = RecordStore(
        engine: engine, changeLog: ChangeLogLength(commits: 100, bytes: 1 << 20))
    do {
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Note", attributes: ["a", "b", "c", "d", "e"].map { AttributeSchema($0) },
                    indexes: [
                        IndexSchema(["a"]), IndexSchema(["d"], ignoresCase: true),
                        IndexSchema(["c"]),
                    ]))
            try db.declare(ItemSchema("Other", attributes: [AttributeSchema("a")]))
            let other = try db.create("Other")
            other["a"] = .int(1)
            for number in 0..<4 {
                let note = try db.create("Note")
                note["a"] = [.int(1), .double(2.5), .bool(true), .decimal(3)][number]
                note["b"] = .dictionary(["x": .int(1), "link": .reference(other.reference)])
                note["c"] = .array([.int(Int64(number)), .string("x"), .null, .data(Data([1, 2]))])
                note["d"] = .string(
                    ["abc", "Éa", "", String(repeating: "long ", count: 400)][number])
                note["e"] = [.date(.now), .uuid(UUID()), .url(URL(filePath: "/x")), .null][number]
            }
        }
        return try engine.entries()
    } catch {
        fatalError("The store of the trial cannot be made: \(error)")
    }
}()

/// The place of the first type's first item: records have the tag 03.
private let firstRecord = template.firstIndex { $0.key.first == 3 } ?? 0
