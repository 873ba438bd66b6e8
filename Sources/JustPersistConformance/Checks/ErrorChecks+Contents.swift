import Foundation
import JustPersist

extension ErrorChecks {
    /// Checks of the contents of errors.
    static let contents: [CheckDefinition] = [
        CheckDefinition(
            "err/errors-are-typed", clause: [14],
            "A failure is a DataStoreError with a code, the operation, a message, and the type and attribute."
        ) { check in
            let store = try check.openStore()
            let other = try check.openStore()
            var foreign: DynamicItem?
            try other.performWrite { db in foreign = try db.addNote("foreign") }
            let stranger = try check.require(foreign, "an item of another store")
            try store.addNote("stored")
            try store.addNote("doomed")
            let type = Notes.type.key
            try store.performRead { db in
                expectTold(check, .invalidRequest, "a fetch with a negative limit", type: type) {
                    _ = try db.performFetch(Notes.impossible)
                }
                expectTold(check, .invalidRequest, "a count with a negative offset", type: type) {
                    _ = try db.performCount(DataStoreRequest(type: Notes.type, offset: -1))
                }
                let frozen = try check.require(try db.note("stored"), "an item in a read block")
                expectTold(
                    check, .itemNotMutable, "setting an attribute in a read block", type: type,
                    attribute: "text"
                ) { try frozen.setStoredValue("changed", forKeyPath: "text") }
            }
            try store.performWrite { db in
                let live = try check.require(try db.note("stored"), "an item in a write block")
                expectTold(
                    check, .unsupportedValue, "setting an attribute to UInt64.max", type: type,
                    attribute: "extra"
                ) { try live.setStoredValue(UInt64.max, forKeyPath: "extra") }
                expectTold(
                    check, .unsupportedValue, "setting an attribute to a thread", type: type,
                    attribute: "extra"
                ) { try live.setStoredValue(Thread.current, forKeyPath: "extra") }
                expectTold(
                    check, .unknownAttribute, "setting an attribute that there is not", type: type,
                    attribute: "unheardOf"
                ) { try live.setStoredValue(1, forKeyPath: "unheardOf") }
                expectTold(check, .foreignItem, "deleting another store's item", type: type) {
                    _ = try db.performDelete(stranger)
                }
                expectTold(check, .foreignItem, "inserting another store's item", type: type) {
                    _ = try db.performInsert(stranger)
                }
                let doomed = try check.require(try db.note("doomed"), "an item in a write block")
                try db.delete(doomed)
                expectTold(
                    check, .itemDeleted, "setting an attribute of a deleted item", type: type,
                    attribute: "text"
                ) { try doomed.setStoredValue("changed", forKeyPath: "text") }
                expectTold(check, .invalidName, "declaring a type without a name") {
                    try db.declare(ItemSchema("", attributes: []))
                }
                expectTold(check, .invalidName, "declaring an attribute with a dot") {
                    try db.declare(ItemSchema(type, attributes: [AttributeSchema("a.b")]))
                }
                expectTold(check, .nestedWrite, "a write inside a write block") {
                    try store.performWrite { _ in }
                }
            }
            check.expectEqual(
                try store.notes(), ["stored"],
                "the items of a write block that went on after each refusal")
            try store.close()
            expectTold(check, .notSetUp, "a read after tearDown") { _ = try store.notes() }
            expectTold(check, .notSetUp, "a write after tearDown") { try store.addNote("late") }
        },
        CheckDefinition(
            "err/couldNotCreate-delete-fetch", clause: [14],
            "The generic calls throw the original library's cases."
        ) { check in
            let store = try check.openStore()
            let type = ErrorCheckItem.itemTypeKey
            var kept: ErrorCheckItem?
            try store.performWrite { db in
                let item: ErrorCheckItem = try db.create()
                try item.setStoredValue("stored", forKeyPath: "name")
                kept = item
            }
            let item = try check.require(kept, "an item made by the generic create")
            try store.performWrite { db in
                let live: ErrorCheckItem = try db.mutableVersion(ofItem: item)
                check.expectEqual(
                    live.uniqueToken, item.uniqueToken,
                    "the token of the generic mutableVersion(ofItem:)")
                try db.delete(live)
                expectTold(check, .couldNotDeleteItem, "deleting a deleted item", type: type) {
                    try db.delete(live)
                }
                expectTold(
                    check, .couldNotFetchMutableVersion,
                    "the mutable version of an item deleted in the same block", type: type
                ) {
                    let _: ErrorCheckItem = try db.mutableVersion(ofItem: item)
                }
            }
            try store.performWrite { db in
                expectTold(
                    check, .couldNotDeleteItem, "deleting an item deleted in an earlier block",
                    type: type
                ) { try db.delete(item) }
                expectTold(
                    check, .couldNotFetchMutableVersion,
                    "the mutable version of an item deleted in an earlier block", type: type
                ) {
                    let _: ErrorCheckItem = try db.mutableVersion(ofItem: item)
                }
                check.expectError(
                    .couldNotCreateItemOfType, .invalidName,
                    what: "creating an item of a class whose type has no name"
                ) { _ = try db.create(NamelessItem.self) }
                check.expectSuccess("deleting all items of a class that has none") {
                    try db.deleteAll(ErrorCheckItem.self)
                }
                let again: ErrorCheckItem = try db.create()
                try again.setStoredValue("again", forKeyPath: "name")
            }
            let names = try store.read { db in
                try db.items(ErrorCheckItem.self).map(\.name)
            }
            check.expectEqual(names, ["again"], "the items after calls that could not be done")
        },
    ]

    /// Expects an error that names the operation, and the type and attribute that it concerns.
    private static func expectTold(
        _ check: CheckContext, _ code: DataStoreError.Code, _ what: String, type: String? = nil,
        attribute: String? = nil, line: Int = #line, _ body: () throws -> Void
    ) {
        guard let error = check.expectError(code, what: what, line: line, body) else { return }
        check.expect(
            !error.operation.isEmpty, "The error of \(what) names no operation: \(error)",
            line: line)
        check.expect(!error.message.isEmpty, "The error of \(what) has no message", line: line)
        if let type {
            check.expectEqual(
                error.itemType, type, "the type that the error of \(what) names", line: line)
        }
        if let attribute {
            check.expectEqual(
                error.attribute, attribute, "the attribute that the error of \(what) names",
                line: line)
        }
    }
}

/// An item class for the generic calls.
private final class ErrorCheckItem: MutableDataStoreItem {
    static let schema = ItemSchema(
        "ConformanceErrorCheckItem", attributes: [AttributeSchema("name", kinds: [.string])])
    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? { optionalAttribute(at: 0) }
}

/// An item class that no store can keep.
private final class NamelessItem: MutableDataStoreItem {
    static let schema = ItemSchema("", attributes: [])
    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }
}
