import Foundation
import JustPersist
import JustPersistMemory

/// Parses an input as a predicate in NSPredicate's language.
///
/// It must be refused with an error, or else be equal after it was printed and parsed again, and find the same items
/// with indexes as without.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPredicates(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    // libFuzzer owns the bytes and keeps them during the call.
    let text = unsafe String(
        decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let predicate = try? DataStorePredicate(text, arguments: []) else { return 0 }
    let printed = predicate.description
    do throws(DataStoreError) {
        let again = try DataStorePredicate(printed, arguments: [])
        demand(again == predicate, "“\(printed)” is “\(again)” when it is parsed again")
    } catch {
        // Printing may add brackets and quotes that exceed the limit of a format, and nothing else.
        demand(error.code == .limitExceeded, "“\(printed)” cannot be parsed again: \(error)")
    }
    do {
        let plain = try numbers(of: "Plain", predicate)
        let indexed = try numbers(of: "Indexed", predicate)
        demand(plain == indexed, "“\(text)” finds \(plain), and with indexes \(indexed)")
    } catch {
        let code = (error as? DataStoreError)?.code
        // A variable without a value is refused only here.
        demand(code == .limitExceeded || code == .invalidPredicate, "“\(text)” ends in \(error)")
    }
    return 0
}

/// Stops the process if a condition does not hold; libFuzzer then keeps the input.
private func demand(_ holds: Bool, _ message: @autoclosure () -> String) {
    // A precondition prints no message in a release build.
    if !holds { fatalError(message()) }
}

/// The numbers of the items of a type that match.
private func numbers(of type: String, _ predicate: DataStorePredicate) throws -> [DataStoreValue] {
    let request = DataStoreRequest(itemTypeKey: type)
    request.predicate = predicate
    return try store.read { db in try db.dynamicItems(request).map { $0["number"] } }
}

/// Two types with equal items, one of which has indexes.
private let store: InMemoryDataStore = {
    let store = InMemoryDataStore()
    let values: [String: [DataStoreValue]] = [
        "a": [
            .int(1), .double(1.5), .string("a"), .null, .bool(true),
            .date(Date(timeIntervalSinceReferenceDate: 0)),
        ],
        "b": [
            .string("café"), .string("CAFE\u{301}"), .string(""), .string("a\0b"),
            .array([.int(1), .string("x")]),
        ],
        "c": [
            .dictionary(["x": .int(1), "d": .dictionary(["e": .string("f")])]), .array([]),
            .int(.max), .null,
        ],
    ]
    do {
        try store.open()
        try store.write { db in
            for type in ["Plain", "Indexed"] {
                try db.declare(
                    ItemSchema(
                        type, attributes: ["number", "a", "b", "c"].map { AttributeSchema($0) },
                        indexes: type == "Plain"
                            ? []
                            : [
                                IndexSchema(["a"]), IndexSchema(["b"]),
                                IndexSchema(["b"], ignoresCase: true),
                                IndexSchema(["c.x"]), IndexSchema(["a", "b"]),
                            ]))
                var previous: DynamicItem?
                for number in 0..<60 {
                    let item = try db.create(type)
                    item["number"] = .int(Int64(number))
                    for (name, values) in values where number % 7 != 0 {
                        item[name] = values[(number * 31 + name.utf8.count) % values.count]
                    }
                    if number % 5 == 0, let previous { item["c"] = .reference(previous.reference) }
                    previous = item
                }
            }
        }
    } catch {
        fatalError("The store of the trial cannot be made: \(error)")
    }
    return store
}()
