import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistMigration

/// Shows and changes the types and attributes of a store.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Show or change the types and attributes of a store.",
        discussion: """
            A program that declares a former name of a type or an attribute finds it under that name. A program that declares \
            a type or an attribute that was dropped begins with an empty one.
            """,
        subcommands: [
            Show.self, Diff.self, History.self, Check.self, Rename.self, Convert.self, Drop.self,
        ], defaultSubcommand: Show.self)

    /// Throws for the name by which predicates and columns mean the id of an item.
    private static func refuseNameOfIDs(_ attribute: String) throws {
        if attribute == "uniqueToken" {
            throw ValidationError(
                "“uniqueToken” is the name of the id of an item. Choose another name.")
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the attributes of all types, or of one.")

        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @Argument(help: "The type of the items.", completion: .storedTypes) var type: String?
        @OptionGroup var tables: TableOptions

        func run() throws {
            let opened = try OpenStore.reading(store)
            let schemas = try opened.store.read { db in try db.schemas() }
            let shown = try type.map { [try schemas.known($0, in: "schema")] } ?? schemas
            var table = TextTable(header: ["TYPE", "ATTRIBUTE", "KINDS", "STORED", "FORMERLY"])
            for schema in shown {
                if !schema.formerTypeKeys.isEmpty || schema.attributes.isEmpty {
                    table.append([
                        schema.itemTypeKey, "", "", "",
                        schema.formerTypeKeys.joined(separator: ", "),
                    ])
                }
                for attribute in schema.attributes {
                    table.append([
                        schema.itemTypeKey, attribute.name, attribute.kinds.listed,
                        attribute.storedKinds.isEmpty ? "" : attribute.storedKinds.listed,
                        attribute.formerNames.joined(separator: ", "),
                    ])
                }
            }
            let output = tables.output
            try table.write(to: output)
            try output.flush()
        }
    }

    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show how the types and attributes of two stores differ.",
            discussion: """
                The sign - is before what only the first store has, + before what only the second has, and ~ before what both \
                declare differently. Items are not compared. The exit code is 1 if there is any difference.
                """)

        @Argument(help: .init("The first store: " + storeHelp), completion: .stores)
        var first: String
        @Argument(help: .init("The second store: " + storeHelp), completion: .stores)
        var second: String
        @Option(help: "A type to compare; all without it. Repeatable.") var type: [String] = []

        func run() throws {
            let stores = try DiffCommand.open(first, second)
            try DiffCommand.check(type, in: stores)
            var comparison = StoreComparison(
                stores.0.store, stores.1.store, types: type.isEmpty ? nil : type)
            comparison.includesItems = false
            let output = Output()
            let summary = try comparison.run { difference in
                for line in DiffCommand.lines(for: difference) { try output.line(line) }
            }
            if summary.isSame { try output.line("The declarations are the same.") }
            try output.flush()
            if !summary.isSame { throw ExitCode(1) }
        }
    }

    struct History: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the steps of schema plans that programs have applied to the store.")

        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @OptionGroup var tables: TableOptions

        func run() throws {
            let opened = try OpenStore.reading(store)
            var table = TextTable(header: ["PLAN", "STEP", "DATE", "RELEASE", "ITEMS"])
            for step in try opened.store.schemaHistory() {
                table.append([
                    step.plan, step.name, step.date.ISO8601Format(), step.release ?? "",
                    step.items > 0 ? "\(step.items)" : "",
                ])
            }
            let output = tables.output
            try table.write(to: output)
            try output.flush()
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look for stored values that do not have the declared kinds.",
            discussion: """
                Values that convert exactly, such as whole numbers in an attribute of kind double, are not counted. Ends with 1 \
                if there are others.
                """)

        @Argument(help: .init(storeHelp), completion: .stores) var store: String

        func run() throws {
            let opened = try OpenStore.reading(store)
            let output = Output()
            let found = try opened.store.read { db in
                try db.schemas().flatMap { schema in
                    try Self.mismatches(of: schema, db).map { (schema.itemTypeKey, $0) }
                }
            }
            for (type, mismatch) in found {
                try output.line("\(type.printable): \(mismatch.description.printable)")
            }
            if found.isEmpty { try output.line("All values have the declared kinds.") }
            try output.flush()
            if !found.isEmpty { throw ExitCode(1) }
        }

        private static func mismatches(
            of schema: ItemSchema, _ db: borrowing some DataStoreReadAccessor & ~Copyable
        ) throws -> [AttributeMismatch] {
            var mismatches = schema.attributes.filter {
                !$0.kinds.isEmpty && !$0.storedKinds.isSubset(of: $0.kinds.union([.null]))
            }.map { AttributeMismatch($0.name, declared: $0.kinds) }
            if mismatches.isEmpty { return [] }
            var failure: DataStoreError?
            try db.performScan(DataStoreRequest(itemTypeKey: schema.itemTypeKey)) { item in
                do throws(DataStoreError) {
                    for place in mismatches.indices {
                        mismatches[place].note(
                            try item.backing.value(forAttribute: mismatches[place].attribute))
                    }
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            return mismatches.filter { !$0.items.isEmpty }
        }
    }

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rename a type, or an attribute of it; no item is rewritten.")

        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
        @Argument(help: "The new name.") var newName: String
        @Option(help: "Rename this attribute and not the type.") var attribute: String?

        func validate() throws {
            if attribute != nil { try SchemaCommand.refuseNameOfIDs(newName) }
        }

        func run() throws {
            let opened = try OpenStore.changing(store)
            try opened.store.write { db in
                _ = try db.schemas().known(type, in: "schema")
                if let attribute {
                    try db.renameAttribute(attribute, to: newName, of: type)
                } else {
                    try db.renameType(type, to: newName)
                }
            }
            try opened.close()
        }
    }

    struct Convert: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Convert the values of an attribute to another kind, and declare it with that kind.",
            discussion: """
                Nothing is changed if a value cannot be converted, unless --keep-as or --drop-failures says what becomes of it.
                """)

        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
        @Argument(help: "The attribute.") var attribute: String
        @Argument(help: .init("The kind: \(DataStoreValue.Kind.names)")) var kind: String
        @Option(help: "Keep values that cannot be converted in this attribute.") var keepAs: String?
        @Flag(help: "Drop values that cannot be converted.") var dropFailures = false

        func validate() throws {
            if DataStoreValue.Kind(named: kind) == nil {
                throw ValidationError(
                    "There is no kind “\(kind.printable)”. The kinds are \(DataStoreValue.Kind.names)."
                )
            }
            if let keepAs { try SchemaCommand.refuseNameOfIDs(keepAs) }
            if keepAs != nil, dropFailures {
                throw ValidationError("Use either --keep-as or --drop-failures.")
            }
        }

        func run() throws {
            guard let kind = DataStoreValue.Kind(named: kind) else { return }
            let outcome: ConversionFailure =
                keepAs.map { .keep(as: $0) } ?? (dropFailures ? .drop : .fail)
            let opened = try OpenStore.changing(store)
            let report = try opened.store.write { db in
                _ = try db.schemas().known(type, in: "schema")
                return try db.convert(attribute, of: type, to: kind, onFailure: outcome)
            }
            try opened.close()
            let output = Output()
            try output.line("\(report.converted.counted("item")) converted.")
            if !report.failed.isEmpty {
                try output.line("\(report.failed.count.counted("item")) could not be converted.")
            }
            try output.flush()
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a type with its items, or an attribute of it, permanently.",
            discussion:
                "Asks first. The values of an attribute are hidden, and their bytes stay, without --erase."
        )

        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
        @Argument(help: "The attribute; without it, the whole type is removed.") var attribute:
            String?
        @Flag(help: "Remove the values of the attribute from all items.") var erase = false
        @Flag(help: "Do not ask.") var yes = false

        func run() throws {
            let opened = try OpenStore.changing(store)
            let count = try opened.store.read { db in
                _ = try db.schemas().known(type, in: "schema")
                return try db.count(DataStoreRequest(itemTypeKey: type))
            }
            if !yes {
                let question =
                    attribute.map {
                        "“\($0)” of \(count.counted("item")) of “\(type)” would be removed."
                    }
                    ?? "“\(type)” would be removed with \(count.counted("item"))."
                guard let goesOn = StandardStreams.confirms(question) else {
                    throw refusal("\(question) \(StandardStreams.noConfirmation)")
                }
                if !goesOn { throw refusal("Nothing was removed.") }
            }
            try opened.store.write { db in
                if let attribute {
                    try db.dropAttribute(attribute, of: type, erasingValues: erase)
                } else {
                    try db.dropType(type)
                }
            }
            try opened.close()
        }

        private func refusal(_ message: String) -> DataStoreError {
            DataStoreError(.invalidRequest, in: "schema", message, itemType: type)
        }
    }
}
