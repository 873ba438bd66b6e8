import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// Lists, adds and drops indexes.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Show, add or drop the indexes of a store.",
        discussion: """
            An index that an item class of the program declares comes back with the program's next write; one that was \
            added here stays until it is dropped here.
            """,
        subcommands: [List.self, Add.self, Drop.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the indexes of all types, or of one.")

        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @Argument(help: "The type of the items.", completion: .storedTypes) var type: String?
        @OptionGroup var tables: TableOptions

        func run() throws {
            let opened = try OpenStore.reading(store)
            var schemas: [ItemSchema] = []
            try opened.store.performRead { db in schemas = try db.schemas() }
            if let type, !schemas.contains(where: { $0.itemTypeKey == type }) {
                throw DataStoreError.unknownType(type, among: schemas, in: "index")
            }
            var table = TextTable(header: ["TYPE", "ATTRIBUTES", "UNIQUE", "CASE"])
            for schema in schemas where type == nil || schema.itemTypeKey == type {
                for index in schema.indexes {
                    table.append([
                        schema.itemTypeKey, index.attributes.joined(separator: ", "),
                        index.isUnique ? "yes" : "no", index.ignoresCase ? "ignored" : "counts",
                    ])
                }
            }
            let output = tables.output
            try table.write(to: output)
            try output.flush()
        }
    }

    /// What names an index.
    struct Named: ParsableArguments {
        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
        @Argument(
            help:
                "The attributes, the first one deciding first; names behind dots lead into dictionaries."
        )
        var attributes: [String]
        @Flag(help: "No two items may have the same values.") var unique = false
        @Flag(help: "Texts are compared without regard to case.") var ignoreCase = false

        var index: IndexSchema {
            IndexSchema(attributes, isUnique: unique, ignoresCase: ignoreCase)
        }

        func validate() throws {
            if attributes.isEmpty { throw ValidationError("Name at least one attribute.") }
        }

        /// Runs `body` in a write block, after a look at whether the store has the type and the attributes.
        func write(_ body: (borrowing DataStoreWriter) throws -> Void) throws {
            let opened = try OpenStore.changing(store)
            let violation = Locked<DataStoreError?>(nil)
            let named = (type, attributes.first)
            opened.store.errorHandler = { error in
                if error.code == .uniqueViolation, (error.itemType, error.attribute) == named {
                    violation.withLock { $0 = error }
                } else {
                    StandardStreams.writeError("justpersist: \(error)\n")
                }
            }
            var isNew = false
            try opened.store.performWrite { db in
                let schema = try db.schemas().known(type, in: "index")
                let known = KnownAttributes(schema)
                for attribute in attributes { try known.check(path: attribute, in: "the index") }
                isNew = !schema.indexes.contains(index)
                try body(db)
            }
            let line = ProgressLine()
            try opened.store.buildIndexes { progress in
                line.show(
                    items: progress.done,
                    fraction: Double(progress.done) / Double(max(1, progress.total)))
            }
            line.clear()
            if isNew, unique, let violation = violation.withLock({ $0 }) {
                try opened.store.performWrite { db in
                    _ = try db.dropIndex(index, ofType: type)
                }
                throw DataStoreError(
                    .uniqueViolation, in: "index", violation.message + " The index was not added.",
                    itemType: type)
            }
            try opened.close()
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an index; it is ready when the command ends.")

        @OptionGroup var named: Named

        func run() throws {
            try named.write { db in
                try db.declare(ItemSchema(named.type, attributes: [], indexes: [named.index]))
            }
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Drop an index.")

        @OptionGroup var named: Named

        func run() throws {
            try named.write { db in
                if try db.dropIndex(named.index, ofType: named.type) { return }
                let names = named.attributes.joined(separator: ", ")
                throw DataStoreError(
                    .invalidRequest, in: "index",
                    "“\(named.type)” has no \(named.unique ? "unique " : "")index over \(names). List them with: justpersist index list \(named.store)",
                    itemType: named.type)
            }
        }
    }
}
