import Foundation
import JustPersist

extension ModelHistory {
    /// Swift code that executes the history on a store, for pasting into a test.
    ///
    /// Inside a block, items are named `item1`, `item2` and so on. Between blocks, their ids are kept in `ids`.
    var snippet: String {
        var writer = SnippetWriter(attributes: attributes)
        for operation in operations { writer.write(operation) }
        return writer.text
    }
}

private struct SnippetWriter {
    private let attributes: [String]
    private var lines = ["var ids: [Int: (type: ItemType, id: ItemID)] = [:]"]
    private var parents: [Int: Int] = [:]

    init(attributes: [String]) { self.attributes = attributes }

    var text: String { lines.joined(separator: "\n") }

    private func name(_ store: Int) -> String { store == 0 ? "store" : "child\(store)" }

    mutating func write(_ operation: ModelOperation) {
        switch operation {
        case .reopen: lines += ["try store.close()", "try store.open()"]
        case .makeChild(let child, let parent):
            lines.append("let child\(child) = try \(name(parent)).makeChild()")
            lines.append("try child\(child).open()")
            parents[child] = parent
        case .merge(let child, let policy):
            let parent = name(parents[child] ?? 0)
            lines.append("try \(parent).merge(child\(child), policy: .\(policy.rawValue))")
        case .discard(let child): lines.append("try child\(child).close()")
        case .read(let requests, let store):
            lines.append("try \(name(store)).performRead { db in")
            for request in requests { write(request) }
            lines.append("}")
        case .write(let steps, let store, let isRolledBack):
            lines.append("try\(isRolledBack ? "?" : "") \(name(store)).performWrite { db in")
            for step in steps { write(step) }
            if isRolledBack { lines.append("    throw CancellationError()  // rolls back") }
            lines.append("}")
        }
    }

    private mutating func write(_ step: ModelStep) {
        switch step {
        case .create(let item, let type, let values):
            declare(type)
            lines.append("    let item\(item) = try db.create(\(type.escaped))")
            lines.append("    ids[\(item)] = (ItemType(of: item\(item)), item\(item).uniqueToken)")
            for (name, value) in values.sorted(by: { $0.key.precedesInBytes($1.key) }) {
                lines.append("    item\(item)[\(name.escaped)] = \(value.swiftText)")
            }
        case .insert(let item, let type, let values):
            declare(type)
            lines.append(
                """
                    _ = try db.performInsert(DynamicItem(\(type.escaped), id: ids[\(item)]?.id ?? ItemID(), \
                values: \(values.swiftText)))
                """)
        case .set(let item, let name, let value):
            live(item)
            lines.append("        .setStoredValue(\(value.swiftText), forKeyPath: \(name.escaped))")
        case .setThawed(let item, let name, let value):
            lines.append("    // item\(item) is to come from a read block before this one")
            live(item)
            lines.append("        .setStoredValue(\(value.swiftText), forKeyPath: \(name.escaped))")
        case .delete(let item):
            lines.append(
                """
                    if let known = ids[\(item)], let item = try db.performFetchItem(known.type, id: known.id) {
                        try db.delete(item)
                    }
                """)
        case .deleteAll(let types):
            let list = types.map { "ItemType(dynamic: \($0.escaped))" }.joined(separator: ", ")
            lines.append("    try db.performDeleteAll([\(list)])")
        case .request(let request): write(request)
        }
    }

    private mutating func declare(_ type: String) {
        let list = attributes.map { "AttributeSchema(\($0.escaped))" }.joined(separator: ", ")
        lines.append("    try db.declare(ItemSchema(\(type.escaped), attributes: [\(list)]))")
    }

    private mutating func live(_ item: Int) {
        lines.append(
            """
                try ids[\(item)].flatMap { try db.performFetchItem($0.type, id: $0.id) as? DynamicItem }?
            """)
    }

    private mutating func write(_ request: ModelRequest) {
        var arguments = ["type: ItemType(dynamic: \(request.type.escaped))"]
        if let predicate = request.predicate {
            arguments.append("predicate: try DataStorePredicate(\(predicate.description.escaped))")
        }
        if !request.sort.isEmpty {
            let keys = request.sort.map {
                "\($0.ascending ? ".ascending" : ".descending")(\($0.key.escaped))"
            }
            arguments.append("sortDescriptors: [\(keys.joined(separator: ", "))]")
        }
        if let offset = request.offset { arguments.append("offset: \(offset)") }
        if let limit = request.limit { arguments.append("limit: \(limit)") }
        lines.append(
            "    print(try db.dynamicItems(DataStoreRequest(\(arguments.joined(separator: ", ")))))"
        )
    }
}

extension DataStoreValue {
    /// The value as Swift code.
    fileprivate var swiftText: String {
        switch self {
        case .null: ".null"
        case .bool(let value): ".bool(\(value))"
        case .int(let value): ".int(\(value))"
        case .double(let value): ".double(\(value.swiftText))"
        case .string(let value): ".string(\(value.escaped))"
        case .date(let value):
            """
            .date(Date(timeIntervalSinceReferenceDate: \
            \(value.timeIntervalSinceReferenceDate.swiftText)))
            """
        case .data(let value):
            ".data(Data([\(value.map { String($0) }.joined(separator: ", "))]))"
        case .uuid(let value): ".uuid(ItemID(\(value.uuidString.escaped))?.uuid ?? UUID())"
        case .decimal(let value): ".decimal(Decimal(string: \"\(value)\") ?? .nan)"
        case .url(let value): "try DataStoreValue(URL(string: \(value.relativeString.escaped)))"
        case .reference(let value):
            """
            .reference(ItemReference(itemTypeKey: \(value.itemTypeKey.escaped), \
            id: ids[\(value.id.low)]?.id ?? ItemID()))
            """
        case .array(let values):
            ".array([\(values.map(\.swiftText).joined(separator: ", "))])"
        case .dictionary(let values): ".dictionary(\(values.swiftText))"
        }
    }
}

extension Double {
    fileprivate var swiftText: String {
        isFinite ? description : "Double(bitPattern: 0x\(String(bitPattern, radix: 16)))"
    }
}

extension [String: DataStoreValue] {
    fileprivate var swiftText: String {
        if isEmpty { return "[:]" }
        let entries = sorted { $0.key.precedesInBytes($1.key) }.map {
            "\($0.key.escaped): \($0.value.swiftText)"
        }
        return "[\(entries.joined(separator: ", "))]"
    }
}
