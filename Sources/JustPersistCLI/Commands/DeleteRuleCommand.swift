import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// Changes the delete rule of a relationship.
struct DeleteRuleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-rule", abstract: "Change the delete rule of a relationship.",
        discussion: """
            The rule is the effect on the others when an item is deleted: with nullify they lose the item, with cascade they are \
            deleted too, with deny the deletion fails while there are others, and with noAction they stay as they are. It \
            applies to deletions from now on; info shows it. References to items that were deleted under noAction stay, and read \
            nil. The next write of a program whose class declares the relationship restores the rule of the class.
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
    @Argument(help: "The name of the relationship.") var name: String
    @Argument(
        help: "The rule: nullify, cascade, deny or noAction.",
        completion: .list(RelationshipSchema.DeleteRule.allCases.map(\.rawValue)),
        transform: { text in
            if let rule = RelationshipSchema.DeleteRule(rawValue: text) { return rule }
            throw ValidationError(
                "“\(text)” is no delete rule. The rules are nullify, cascade, deny and noAction.")
        })
    var rule: RelationshipSchema.DeleteRule

    func run() throws {
        let opened = try OpenStore.changing(store)
        let text = try opened.store.write { db in
            let schema = try db.schemas().known(type, in: "delete-rule")
            let known = try schema.relationship(name, in: "delete-rule")
            let relationship = "“\(name)” of “\(schema.itemTypeKey)”"
            if known.deleteRule == rule {
                return "Nothing to do: \(relationship) has the rule \(rule.rawValue) already."
            }
            try db.declare(
                ItemSchema(
                    schema.itemTypeKey, attributes: [], relationships: [known.deleting(by: rule)]))
            return
                "\(relationship) has the rule \(rule.rawValue) now, and had \(known.deleteRule.rawValue)."
        }
        try opened.close()
        let output = Output()
        try output.line(text)
        try output.flush()
    }
}

extension ItemSchema {
    /// The relationship with a name.
    func relationship(_ name: String, in verb: String) throws(DataStoreError) -> RelationshipSchema
    {
        if let known = relationships.first(where: { $0.name == name }) { return known }
        let names = relationships.map(\.name)
        throw DataStoreError(
            .unknownAttribute, in: verb,
            "“\(itemTypeKey)” has no relationship “\(name)”. "
                + (names.isEmpty ? "It has none." : "Its relationships are \(names.listed)."),
            itemType: itemTypeKey, attribute: name)
    }
}
