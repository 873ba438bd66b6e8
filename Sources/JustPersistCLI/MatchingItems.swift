import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// The items that a command changes, and the confirmation.
struct MatchingItems: ParsableArguments {
    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: .init(
            "The items: a predicate as for query, or TRUEPREDICATE for all; see justpersist help predicates.",
            valueName: "predicate"))
    var predicate: String?
    @Option(
        name: .customLong("id"), parsing: .unconditionalSingleValue,
        help: .init("The item with this id, in place of --where. Repeatable."),
        transform: ItemID.init(argument:))
    var ids: [ItemID] = []
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        if (predicate == nil) == ids.isEmpty {
            throw ValidationError("Say which items: --where PREDICATE, or --id ID.")
        }
    }

    /// Deletes the items with the ids, which are not read: they may be damaged.
    func deleteByID() throws {
        let opened = try OpenStore.changing(store)
        let (key, references, others) = try opened.store.read { db in
            let key = try changeable(db, "deleted").itemTypeKey
            let references = Set(ids).map { ItemReference(itemTypeKey: key, id: $0) }
            return (key, references, try Self.cascadeTargets(of: references, db))
        }
        if !yes { try confirm(references.count, others, "deleted") }
        let deleted = try opened.store.write { db in
            let others = try Self.cascadeTargets(of: references, db)
            var deleted: [ItemID] = []
            for reference in references where try db.delete(key, id: reference.id) {
                deleted.append(reference.id)
            }
            return (items: deleted, others: others)
        }
        try opened.close()
        for id in Set(ids).subtracting(deleted.items).sorted() {
            StandardStreams.complain("There is no item \(id) of “\(type)”.")
        }
        try report(deleted.items.count, deleted.others, "deleted")
    }

    /// Prints the number of items, asks for confirmation, and then runs `change` with all of them in one write block.
    ///
    /// - Parameters:
    ///   - deed: The participle for the items: “changed”.
    ///   - prepare: Receives the store's schema of the type, before the confirmation.
    ///   - cascades: Whether items that depend on them are changed with them; their number is printed too.
    ///   - begin: Runs in the write block before the first item is changed.
    ///   - change: Changes one item; nothing is changed if it throws, or if the user interrupts.
    func change(
        _ deed: String, cascades: Bool = false, prepare: (ItemSchema) throws -> Void = { _ in },
        begin: (borrowing DataStoreWriter) throws -> Void = { _ in },
        _ change: (DynamicItem, borrowing DataStoreWriter) throws -> Void
    ) throws {
        let request = DataStoreRequest(itemTypeKey: type)
        request.predicate =
            try predicate.map { try DataStorePredicate($0, arguments: []) }
            ?? DataStorePredicate("uniqueToken IN %@", ids)
        let opened = try OpenStore.changing(store)
        var others = 0
        let count = try opened.store.read { db in
            let schema = try changeable(db, deed)
            if let predicate = request.predicate {
                try KnownAttributes(schema).check(predicate)
            }
            try prepare(schema)
            let count = try db.count(request)
            if count == 0 { FruitlessPredicate(request.predicate, of: schema)?.complain() }
            if cascades, !yes { others = try Self.dependents(request, db) }
            return count
        }
        if count > 0, !yes { try confirm(count, others, deed) }
        let interruption = Interruption()
        let changed = try opened.store.write { db in
            let items = try db.dynamicItems(request)
            let dependents = cascades ? try Self.dependents(request, db) : 0
            guard dependents == others || yes else {
                throw refusal(
                    "Meanwhile \(dependents.counted("other item depends", "other items depend")) on them, and not \(others). Nothing was \(deed); try again.",
                    deed)
            }
            others = dependents
            guard items.count == count || yes else {
                throw refusal(
                    "Meanwhile \(items.count.counted("item matches", "items match")), and not \(count). Nothing was \(deed); try again.",
                    deed)
            }
            if !items.isEmpty { try begin(db) }
            for item in items {
                try interruption.check("Interrupted: nothing was \(deed).")
                try change(item, db)
            }
            return items.count
        }
        try opened.close()
        try report(changed, others, deed)
    }

    /// The store's schema of the type, unless its items are the store's own.
    private func changeable(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ deed: String
    ) throws -> ItemSchema {
        let schema = try db.schemas().known(type, in: deed)
        if schema.itemTypeKey == AppliedSchemaStep.itemTypeKey {
            throw DataStoreError.ownRecord(schema.itemTypeKey, in: deed)
        }
        return schema
    }

    private func report(_ count: Int, _ others: Int, _ deed: String) throws {
        let output = Output()
        let more =
            others > 0
            ? ", and \(others.counted("other")) with \(count == 1 ? "it" : "them")" : ""
        try output.line("\(count.counted("item")) \(deed)\(more).")
        try output.flush()
    }

    /// The number of other items that are deleted with those of a request, by the rules of cascade.
    private static func dependents(
        _ request: DataStoreRequest, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws -> Int {
        guard
            try db.relations(ofType: request.type.key).contains(where: {
                $0.schema.deleteRule == .cascade
            })
        else { return 0 }
        var items: [ItemReference] = []
        try db.performScan(request) { items.append(ItemReference(to: $0)) }
        return try db.cascadeTargets(of: items).count
    }

    /// The number of the items that cascades delete; those of a damaged item are not known.
    private static func cascadeTargets(
        of items: [ItemReference], _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> Int {
        var targets: Set<ItemReference> = []
        for item in items {
            do throws(DataStoreError) {
                targets.formUnion(try db.cascadeTargets(of: [item]))
            } catch {
                if error.code != .corrupted { throw error }
            }
        }
        return targets.subtracting(items).count
    }

    private func confirm(_ count: Int, _ others: Int, _ deed: String) throws {
        let more =
            others > 0
            ? ", and \(others.counted("other item")) with \(count == 1 ? "it" : "them")" : ""
        let question = "\(count.counted("item")) of “\(type)” would be \(deed)\(more)."
        guard let goesOn = StandardStreams.confirms(question) else {
            throw refusal("\(question) \(StandardStreams.noConfirmation)", deed)
        }
        if !goesOn { throw refusal("Nothing was \(deed).", deed) }
    }

    private func refusal(_ message: String, _ deed: String) -> DataStoreError {
        DataStoreError(.invalidRequest, in: deed, message, itemType: type)
    }
}
