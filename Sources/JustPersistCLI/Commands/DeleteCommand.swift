import ArgumentParser
import JustPersist

/// Deletes the items of a type that match.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete the items of a type that match a predicate.",
        discussion: """
            Prints their number and asks first; also the number of the items that the rules of relationships (cascade) delete with \
            them. All of them are deleted, or none after an error. --id deletes an item without reading it, also a damaged one.
            """)

    @OptionGroup var matching: MatchingItems

    func run() throws {
        if !matching.ids.isEmpty { return try matching.deleteByID() }
        try matching.change("deleted", cascades: true) { item, db in
            let type = ItemType(dynamic: matching.type)
            // A cascade may have deleted it.
            if try db.performFetchItem(type, id: item.uniqueToken) != nil { try db.delete(item) }
        }
    }
}
