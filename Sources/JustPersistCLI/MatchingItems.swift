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
        if predicate == nil, ids.isEmpty {
            throw ValidationError("Say which items: --where PREDICATE, or --id ID.")
        }
        if predicate != nil, !ids.isEmpty {
            throw ValidationError("Use either --where or --id.")
        }
    }

    /// Prints the number of items, asks for confirmation, and then runs `change` with all of them in one write block.
    ///
    /// - Parameters:
    ///   - deed: The participle for the items: “changed”.
    ///   - prepare: Receives the store's schema of the type, before the confirmation.
    ///   - isDeletion: Whether the items are deleted: those named by ids are then not read, because they may be damaged, and
    ///     the number of the items that cascades delete with them is printed too.
    ///   - begin: Runs in the write block before the first item is changed.
    ///   - change: Changes one item; nothing is changed if it throws, or if the user interrupts.
    func change(
        _ deed: String, isDeletion: Bool = false,
        prepare: (ItemSchema) throws -> Void = { _ in },
        begin: (borrowing DataStoreWriter) throws -> Void = { _ in },
        _ change: (DynamicItem, borrowing DataStoreWriter) throws -> Void
    ) throws {
        let request = DataStoreRequest(itemTypeKey: type)
        request.predicate =
            try predicate.map { try DataStorePredicate($0, arguments: []) }
            ?? DataStorePredicate("SELF IN %@", ids)
        let opened = try OpenStore.changing(store)
        var others = 0
        let count = try opened.store.read { db in
            let schema = try changeable(db, deed)
            if let predicate = request.predicate {
                try KnownAttributes(schema).check(predicate)
            }
            try prepare(schema)
            // Counting does not read the items, which is enough if the user is not asked.
            let isListed = isDeletion && (!yes || !ids.isEmpty)
            let items = isListed ? try references(request, db) : []
            if !yes { others = try Self.dependents(items, db) }
            let count = isListed ? items.count : try db.count(request)
            if count == 0 { FruitlessPredicate(request.predicate, of: schema)?.complain() }
            return count
        }
        if count > 0, !yes { try confirm(count, others, deed) }
        let interruption = Interruption()
        let changed = try opened.store.write { db in
            let deleted = isDeletion ? try references(request, db) : []
            let items =
                isDeletion
                ? deleted.map { DynamicItem($0.itemTypeKey, id: $0.id) }
                : try db.dynamicItems(request)
            let dependents = try Self.dependents(deleted, db)
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
            return Set(items.map(\.uniqueToken))
        }
        try opened.close()
        for id in Set(ids).subtracting(changed).sorted() {
            StandardStreams.complain("There is no item \(id) of “\(type)”.")
        }
        let output = Output()
        let more =
            others > 0
            ? ", and \(others.counted("other")) with \(changed.count == 1 ? "it" : "them")" : ""
        try output.line("\(changed.count.counted("item")) \(deed)\(more).")
        try output.flush()
    }

    /// The items to be deleted: those that match, or those with the ids, also if they are damaged.
    private func references(
        _ request: DataStoreRequest, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws -> [ItemReference] {
        var items: [ItemReference] = []
        if ids.isEmpty {
            try db.performScan(request) { items.append(ItemReference(to: $0)) }
            return items
        }
        let key = try db.schemas().known(type, in: "deleted").itemTypeKey
        for id in Set(ids) {
            do throws(DataStoreError) {
                if try db.performFetchItem(ItemType(dynamic: key), id: id) == nil { continue }
            } catch {
                if error.code != .corrupted { throw error }
            }
            items.append(ItemReference(itemTypeKey: key, id: id))
        }
        return items
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

    /// The number of other items that are deleted with some, by the rules of cascade.
    ///
    /// The others of a damaged item are not known.
    private static func dependents(
        _ items: [ItemReference], _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> Int {
        guard let type = items.first?.itemTypeKey,
            try db.relations(ofType: type).contains(where: { $0.schema.deleteRule == .cascade })
        else { return 0 }
        do throws(DataStoreError) {
            return try db.cascadeTargets(of: items).count
        } catch {
            if error.code != .corrupted { throw error }
        }
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
