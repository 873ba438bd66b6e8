import ArgumentParser
import JustPersist

/// An attribute that a type does not have yet, and its value, in the syntax of the command line.
struct NewAttribute: ExpressibleByArgument {
    let name: String
    private let kind: DataStoreValue.Kind?
    private let text: String

    init?(argument: String) {
        let parts = QuotedNames.parts(of: argument, separatedBy: "=", maxSplits: 1)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        text = parts[1]
        let colon = argument.hasPrefix("#\"") ? nil : parts[0].lastIndex(of: ":")
        let named = colon.flatMap { colon in
            DataStoreValue.Kind(named: parts[0][parts[0].index(after: colon)...])
        }
        guard let colon, let named, colon > parts[0].startIndex else {
            (name, kind) = (parts[0], nil)
            return
        }
        (name, kind) = (String(parts[0][..<colon]), named)
    }

    /// The value, for a type without such an attribute.
    func value(newIn schema: ItemSchema) throws -> DataStoreValue {
        if name == "uniqueToken" {
            throw DataStoreError(
                .invalidRequest, in: "update",
                "“uniqueToken” is the name of the id of an item. Choose another name.",
                itemType: schema.itemTypeKey, attribute: name)
        }
        guard schema.kinds(ofAttribute: name) == nil else {
            let isThere = schema.index(ofAttribute: name) != nil
            let current = schema.attributes.first { $0.formerNames.contains(name) }?.name
            let rename = isThere ? "" : current.map { ", which is now called “\($0)”" } ?? ""
            throw DataStoreError(
                .invalidRequest, in: "update",
                "“\(schema.itemTypeKey)” has an attribute “\(name)” already\(rename). Change it with --set.",
                itemType: schema.itemTypeKey, attribute: name)
        }
        if let value = try DataStoreValue(argument: text, kinds: kind.map { [$0] } ?? []) {
            return value
        }
        throw DataStoreError(
            .kindMismatch, in: "update",
            "“\(text)” cannot be read as \(kind.map { "\($0)" } ?? "a value"), for the new attribute “\(name)”. Nothing was changed.",
            itemType: schema.itemTypeKey, attribute: name)
    }
}
