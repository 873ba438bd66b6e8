import ArgumentParser
import JustPersist

/// Deletes the items of a type that match.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete the items of a type that match a predicate, or have an id.",
        discussion: """
            Prints their number and asks first; also the number of the items that the rules of relationships (cascade) delete with \
            them. All of them are deleted, or none after an error. --id deletes damaged items too.
            """)

    @OptionGroup var matching: MatchingItems

    func run() throws {
        try matching.change("deleted", isDeletion: true) { item, db in
            // A cascade may have deleted it.
            try db.delete(item.backing.itemTypeKey, id: item.uniqueToken)
        }
    }
}
