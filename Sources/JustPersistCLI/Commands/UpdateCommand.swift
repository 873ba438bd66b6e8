import ArgumentParser
import JustPersist

/// Changes the values of the items of a type that match.
struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change the items of a type that match a predicate, or have an id.",
        discussion: """
            Prints their number and asks first. All of them are changed, or none after an error.

            A value is read as the kind that its attribute holds: 5, 4.5, true, 2026-03-01T12:00:00Z, a UUID, a URL, Base64, \
            TYPE ID for a reference, or JSON for arrays and dictionaries. null removes a value; "null" in double quotes is \
            the text. Where an attribute has held nothing yet, and at a path into a dictionary, a value is JSON if it can be \
            read as such, or else a text: write 'address.zip="10001"' for the text 10001.

            --add NAME=VALUE gives the items an attribute that the type does not have yet; --set refuses such a name, which \
            may be misspelt. The value is JSON if it can be read as such, or else a text; --add NAME:KIND=VALUE names its kind.

            A name with an equals sign or a colon in it is written in quotes: '#"k=v"=5'.
            """)

    @OptionGroup var matching: MatchingItems
    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: .init(
            "KEY=VALUE: an attribute, or a path into a dictionary, and its new value. Repeatable.",
            valueName: "key=value"))
    var assignments: [Assignment] = []
    @Option(
        name: .customLong("add"), parsing: .unconditionalSingleValue,
        help: .init(
            "NAME=VALUE or NAME:KIND=VALUE: a new attribute, and its value. Repeatable. The kinds are \(DataStoreValue.Kind.names).",
            valueName: "name=value"))
    var additions: [NewAttribute] = []

    func validate() throws {
        if assignments.isEmpty, additions.isEmpty {
            throw ValidationError("Say what to change: --set KEY=VALUE or --add NAME=VALUE.")
        }
        var names: Set<String> = []
        for name in assignments.map(\.path) + additions.map(\.name)
        where !names.insert(name).inserted {
            throw ValidationError("“\(name.printable)” is given two values.")
        }
    }

    func run() throws {
        var values: [(path: String, value: DataStoreValue)] = []
        try matching.change("changed") { schema in
            for assignment in assignments {
                try KnownAttributes(schema).check(path: assignment.path, in: "--set")
                values.append((assignment.path, try assignment.value(schema)))
            }
            for addition in additions {
                values.append((addition.name, try addition.value(newIn: schema)))
            }
        } begin: { db in
            if additions.isEmpty { return }
            let attributes = additions.map { AttributeSchema($0.name) }
            try db.declare(ItemSchema(matching.type, attributes: attributes))
        } _: { item, _ in
            for (path, value) in values { try item.setStoredValue(value, forKeyPath: path) }
        }
    }
}

/// A key and a value, in the syntax of the command line.
struct Assignment: ExpressibleByArgument {
    let path: String
    let text: String

    init?(argument: String) {
        let parts = QuotedNames.parts(of: argument, separatedBy: "=", maxSplits: 1)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        (path, text) = (parts[0], parts[1])
    }

    /// The value as a kind of the attribute.
    func value(_ schema: ItemSchema) throws -> DataStoreValue {
        let place = schema.index(ofAttribute: path)
        if place == nil, path == "uniqueToken" {
            throw DataStoreError(
                .invalidRequest, in: "update", "An item's id, its uniqueToken, never changes.",
                itemType: schema.itemTypeKey)
        }
        let attribute = place.map { schema.attributes[$0] }
        let declared = attribute?.kinds ?? []
        let kinds = (declared.isEmpty ? attribute?.storedKinds ?? [] : declared).subtracting([.null]
        )
        if let value = try DataStoreValue(argument: text, kinds: kinds) { return value }
        let names = kinds.sorted { $0.rawValue < $1.rawValue }.map { "\($0)" }
        throw DataStoreError(
            .kindMismatch, in: "update",
            "“\(text)” cannot be read as \(names.joined(separator: " or ")), which “\(path)” of “\(schema.itemTypeKey)” holds. Nothing was changed.",
            itemType: schema.itemTypeKey, attribute: path)
    }
}
