import ArgumentParser
import JustPersist
import JustPersistCommandLine
import JustPersistPostgres

/// Makes views over a store in PostgreSQL.
struct SQLViewsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql-views",
        abstract: "Make views over a store in PostgreSQL, for psql and reports.",
        discussion: """
            Each type gets a view of its name, with a column for each attribute, in a schema of its own: jpv_ and the name \
            of the store. Views that are there already are replaced; run this again when types have changed. The views \
            only read.
            """)

    @Argument(help: "postgres://USER@HOST/DATABASE?store=NAME", completion: .stores)
    var store: String

    func run() throws {
        let opened = try OpenStore.changing(store)
        guard let postgres = opened.store as? PostgresDataStore else {
            throw ValidationError("“\(store)” is not in PostgreSQL, so SQL cannot read it.")
        }
        let views = try postgres.makeViews()
        try opened.close()
        let output = Output()
        for view in views { try output.line(view) }
        if views.isEmpty { try output.line("The store has no types, so there are no views.") }
        try output.flush()
    }
}
