import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Lists, adds and drops indexes.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Show, add or drop the indexes of a store.",
        discussion: """
            An index that an item class of the program declares is written again with the program's next write; one \
            that was added here stays until it is dropped here.
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

    /// The arguments that identify an index.
    struct Named: ParsableArguments {
        @Argument(help: .init(storeHelp), completion: .stores) var store: String
        @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
        @Argument(
            help:
                "The attributes, the leading one first; names after dots lead into dictionaries."
        )
        var attributes: [String]
        @Flag(help: "No two items may have the same values.") var unique = false
        @Flag(help: "Ignore case in texts.") var ignoreCase = false

        func validate() throws {
            if attributes.isEmpty { throw ValidationError("Name at least one attribute.") }
        }

        /// The attributes; they may be written as `index list` shows them, with commas between them.
        func names(in schema: ItemSchema) -> [String] {
            let known = Set(schema.attributes.map(\.name) + schema.indexes.flatMap(\.attributes))
            return attributes.flatMap { text in
                known.contains(text)
                    ? [text]
                    : QuotedNames.parts(of: text, separatedBy: ",").map {
                        $0.trimmingCharacters(in: .whitespaces)
                    }
            }
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an index; it is ready when the command ends.")

        @OptionGroup var named: Named

        func run() throws {
            let type = named.type
            let opened = try OpenStore.changing(named.store)
            let schema = try opened.store.read { db in
                try db.schemas().known(type, in: "index")
            }
            let attributes = named.names(in: schema)
            let known = KnownAttributes(schema)
            for attribute in attributes { try known.check(path: attribute, in: "the index") }
            let index = IndexSchema(
                attributes, isUnique: named.unique, ignoresCase: named.ignoreCase)
            let violation = Locked<DataStoreError?>(nil)
            opened.store.errorHandler = { error in
                if error.code == .uniqueViolation, error.itemType == type,
                    error.attribute == attributes.first
                {
                    violation.withLock { $0 = error }
                } else {
                    StandardStreams.complain(error.complaint)
                }
            }
            try opened.store.performWrite { db in
                try db.declare(ItemSchema(type, attributes: [], indexes: [index]))
            }
            let line = ProgressLine()
            try opened.store.buildIndexes { progress in
                line.show(
                    items: progress.done,
                    fraction: Double(progress.done) / Double(max(1, progress.total)))
            }
            line.clear()
            if !schema.indexes.contains(index), let violation = violation.withLock({ $0 }) {
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

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drop an index.",
            discussion: """
                The attributes identify the index, in their order. If several indexes have these attributes, --unique and \
                --ignore-case select one.
                """)

        @OptionGroup var named: Named

        func run() throws {
            let opened = try OpenStore.changing(named.store)
            try opened.store.performWrite { db in
                let schema = try db.schemas().known(named.type, in: "index")
                _ = try db.dropIndex(try index(of: schema), ofType: named.type)
            }
            try opened.close()
        }

        /// The index over the attributes; if there are several, the one that the flags describe.
        private func index(of schema: ItemSchema) throws -> IndexSchema {
            let attributes = named.names(in: schema)
            let over = schema.indexes.filter { $0.attributes == attributes }
            let exact = over.filter {
                ($0.isUnique, $0.ignoresCase) == (named.unique, named.ignoreCase)
            }
            let fitting = over.filter {
                ($0.isUnique || !named.unique) && ($0.ignoresCase || !named.ignoreCase)
            }
            if let index = exact.first ?? (fitting.count == 1 ? fitting.first : nil) {
                return index
            }
            let kind = (named.unique ? "unique " : "") + "index over \(attributes.listed)"
            throw DataStoreError(
                .invalidRequest, in: "index",
                fitting.isEmpty
                    ? "“\(named.type)” has no \(kind)\(named.ignoreCase ? " that ignores case" : ""). \(Self.advice(schema))"
                    : "“\(named.type)” has more than one \(kind). Add --unique or --ignore-case, as index list shows them.",
                itemType: named.type)
        }

        private static func advice(_ schema: ItemSchema) -> String {
            schema.indexes.isEmpty
                ? "It has no indexes."
                : "It has these: \(schema.indexes.map { $0.attributes.joined(separator: ", ") }.listed)."
        }
    }
}
