import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Prints a summary of a store.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show the types, attributes and size of a store.")

    /// The output format.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json
    }

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Option(help: "How to print it.") var format = Format.table
    @OptionGroup var tables: TableOptions

    func run() throws {
        let opened = try OpenStore.reading(store)
        var info = StoreInfo(store: store, sizeOnDisk: try Self.size(of: StoreURL(store)))
        try opened.store.performRead { db in
            for schema in try db.schemas() {
                // One damaged type must not hide the others.
                let count = Result { () throws(DataStoreError) in
                    try db.count(DataStoreRequest(itemTypeKey: schema.itemTypeKey))
                }
                if case .failure(let error) = count, error.code != .corrupted { throw error }
                info.types.append(StoreInfo.TypeInfo(schema, count: count))
            }
        }
        let output = tables.output
        switch format {
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try output.data(String(decoding: try encoder.encode(info), as: UTF8.self))
        case .table: for line in info.lines(width: output.width) { try output.line(line) }
        }
        try output.flush()
        let damaged = info.types.count { $0.damage != nil }
        if damaged > 0 {
            throw DataStoreError(
                .corrupted, in: "info", "Damaged types in “\(store)”: \(damaged). Run verify.")
        }
    }

    /// The bytes of the files of a store; 0 for a store without a path.
    private static func size(of url: StoreURL) throws -> Int {
        guard !url.location.isEmpty else { return 0 }
        let directory = try StoreDirectory.url(url.location, scheme: url.scheme)
            .resolvingSymlinksInPath()
        guard
            let names = try? FileManager.default.subpathsOfDirectory(atPath: directory.path)
        else { return 0 }
        return names.reduce(0) { sum, name in
            let file = directory.appending(path: name).path
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}

/// The summary of a store, as it is printed.
private struct StoreInfo: Encodable {
    struct TypeInfo: Encodable {
        let name: String
        /// The number of its items; `nil` if it cannot be read.
        let count: Int?
        /// The reason, if it cannot be read.
        let damage: String?
        let attributes: [AttributeInfo]
        let indexes: [IndexInfo]

        init(_ schema: ItemSchema, count: Result<Int, DataStoreError>) {
            name = schema.itemTypeKey
            switch count {
            case .success(let count): (self.count, damage) = (count, nil)
            case .failure(let error): (self.count, damage) = (nil, error.message)
            }
            attributes = schema.attributes.map { attribute in
                AttributeInfo(
                    name: attribute.name,
                    kinds: attribute.storedKinds.sorted { $0.rawValue < $1.rawValue }.map {
                        "\($0)"
                    })
            }
            indexes = schema.indexes.map {
                IndexInfo(
                    attributes: $0.attributes, isUnique: $0.isUnique, ignoresCase: $0.ignoresCase)
            }
        }
    }

    struct AttributeInfo: Encodable {
        let name: String
        let kinds: [String]
    }

    struct IndexInfo: Encodable {
        let attributes: [String]
        let isUnique: Bool
        let ignoresCase: Bool
    }

    let store: String
    let sizeOnDisk: Int
    var types: [TypeInfo] = []

    func lines(width: Int?) -> [String] {
        var lines = [
            "\(store): \(types.count.counted("type")), \(sizeOnDisk.counted("byte")) on disk"
        ]
        for type in types {
            if let damage = type.damage {
                lines += ["", "\(type.name): damaged. \(damage)"]
                continue
            }
            lines += ["", "\(type.name): \((type.count ?? 0).counted("item"))"]
            var table = TextTable(header: ["ATTRIBUTE", "KINDS"])
            for attribute in type.attributes {
                table.append([attribute.name, attribute.kinds.joined(separator: ", ")])
            }
            if !type.attributes.isEmpty {
                lines += table.lines(width: width.map { $0 - 2 }).map { "  " + $0 }
            }
            lines += type.indexes.map { index in
                "  index over \(index.attributes.joined(separator: ", "))"
                    + (index.isUnique ? ", unique" : "")
                    + (index.ignoresCase ? ", ignoring case" : "")
            }
        }
        return lines
    }
}
