import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// The two items of a relationship, as the commands name them.
struct RelatedItems: ParsableArguments {
    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The type of the item.", completion: .storedTypes) var type: String
    @Argument(help: "The id of the item, its uniqueToken.", transform: ItemID.init(argument:))
    var id: ItemID
    @Argument(help: "The name of the relationship.") var name: String
    @Argument(help: "The id of the other item.", transform: ItemID.init(argument:))
    var otherID: ItemID

    /// Runs `body` with the items in one write block, and prints the text that it returns.
    func change(
        _ verb: String,
        _ body: (DynamicItem, Relation, DynamicItem) throws -> String
    ) throws {
        let opened = try OpenStore.changing(store)
        let text = try opened.store.write { db in
            let relationship = try db.schemas().known(type, in: verb).relationship(name, in: verb)
            return try body(
                try item(id, type, verb, db),
                try db.relation(relationship.name, of: ItemType(dynamic: type)),
                try item(otherID, relationship.destination, verb, db))
        }
        try opened.close()
        let output = Output()
        try output.line(text)
        try output.flush()
    }

    private func item(
        _ id: ItemID, _ type: String, _ verb: String, _ db: borrowing DataStoreWriter
    ) throws -> DynamicItem {
        if let item = try db.performFetchItem(ItemType(dynamic: type), id: id) as? DynamicItem {
            return item
        }
        throw DataStoreError(
            .invalidRequest, in: verb, "There is no item of “\(type)” with the id \(id).",
            itemType: type)
    }
}

extension ItemID {
    /// An id as it is written on the command line.
    init(argument: String) throws {
        guard let id = ItemID(argument) else {
            throw ValidationError(
                "“\(argument)” is no id of an item. Ids are printed by query --columns uniqueToken."
            )
        }
        self = id
    }
}

/// Relates an item to another one.
struct LinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Relate an item to another one.",
        discussion: """
            The relationship must be declared, by a program's classes or by import --relation; info lists those of each type. The \
            other side changes with it. In a relationship to one item the other item replaces the former one. Nothing is \
            asked; unlink ends the relation, and does not restore a former one.
            """)

    @OptionGroup var items: RelatedItems
    @Option(
        parsing: .unconditional,
        help: .init(
            "The place in an ordered relationship, counted from 0; the end without it. An item that is there already is moved.",
            valueName: "place"))
    var at: Int?

    func validate() throws {
        if let at, at < 0 { throw ValidationError("--at must be 0 or more.") }
    }

    func run() throws {
        try items.change("link") { item, relation, other in
            let (relationship, name) = (relation.schema, relation.schema.name)
            let taken = relation.inverse.map { other.former($0) } ?? ""
            guard relationship.isToMany else {
                if at != nil { throw notOrdered(relationship) }
                if item[name] == .reference(ItemReference(to: other)) {
                    return "Nothing to do: the items are related already."
                }
                let former = item.former(relationship)
                try item.setRelatedItem(name, to: other)
                return "Related.\(former)\(taken)"
            }
            let others = item.related(toMany: name, as: DynamicItem.self)
            let isNew = !others.contains(other)
            if let at {
                guard relationship.isOrdered else { throw notOrdered(relationship) }
                others.insert(other, at: at)
                return isNew ? "Related.\(taken)" : "Moved."
            }
            if !isNew { return "Nothing to do: the items are related already." }
            others.insert(other)
            return "Related.\(taken)"
        }
    }

    private func notOrdered(_ relationship: RelationshipSchema) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "link",
            "“\(relationship.name)” of “\(items.type)” has no order, so there are no places in it. Leave --at out.",
            itemType: items.type, attribute: relationship.name)
    }
}

extension DynamicItem {
    /// A sentence about the item to which a relationship to one leads, which is about to change; empty if there is none.
    fileprivate func former(_ relationship: RelationshipSchema) -> String {
        guard !relationship.isToMany, case .reference(let other) = self[relationship.name] else {
            return ""
        }
        return
            " “\(relationship.name)” of \(uniqueToken) was \(other.itemTypeKey) \(other.id) before."
    }
}

/// Ends the relation of an item to another one.
struct UnlinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink", abstract: "End the relation of an item to another one.",
        discussion: """
            Neither item is deleted. The other side changes with it. Nothing is asked, as link undoes it.
            """)

    @OptionGroup var items: RelatedItems

    func run() throws {
        try items.change("unlink") { item, relation, other in
            let (relationship, name) = (relation.schema, relation.schema.name)
            let nothing = "Nothing to do: the items are not related."
            if relationship.isToMany {
                let others = item.related(toMany: name, as: DynamicItem.self)
                return others.remove(other) ? "No longer related." : nothing
            }
            guard item[name] == .reference(ItemReference(to: other)) else { return nothing }
            try item.setRelatedItem(name, to: nil)
            return "No longer related."
        }
    }
}
