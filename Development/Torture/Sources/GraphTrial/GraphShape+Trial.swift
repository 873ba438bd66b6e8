import JustPersist

extension GraphShape {
    /// Five types with relationships of every kind between them, with random rules, orders and limits.
    static func trial(using random: inout SeededGenerator) -> GraphShape {
        func rule() -> RelationshipSchema.DeleteRule {
            random.pick(RelationshipSchema.DeleteRule.allCases)
        }
        let isLimited = random.int(in: 0..<3) == 0
        return GraphShape(
            "five types",
            [
                "A": [
                    RelationshipSchema(
                        "bs", to: "B", isToMany: true, isOrdered: random.bool(), deleteRule: rule(),
                        inverse: "a", maximum: isLimited ? random.int(in: 1...6) : nil)
                ],
                "B": [
                    RelationshipSchema("a", to: "A", deleteRule: rule()),
                    RelationshipSchema("c", to: "C", deleteRule: rule(), inverse: "b"),
                ],
                "C": [
                    RelationshipSchema(
                        "b", to: "B", deleteRule: rule(),
                        minimum: isLimited && random.bool() ? 1 : 0),
                    RelationshipSchema(
                        "ds", to: "D", isToMany: true, isOrdered: random.bool(), deleteRule: rule(),
                        inverse: "cs"),
                ],
                "D": [
                    RelationshipSchema(
                        "cs", to: "C", isToMany: true, isOrdered: random.bool(), deleteRule: rule()),
                    RelationshipSchema("bs", to: "B", isToMany: true, isOrdered: random.bool()),
                ],
                "E": [
                    RelationshipSchema(
                        "friends", to: "E", isToMany: true, deleteRule: rule(), inverse: "friends"),
                    RelationshipSchema("next", to: "E", deleteRule: rule(), inverse: "previous"),
                    RelationshipSchema("previous", to: "E", deleteRule: rule()),
                    RelationshipSchema("a", to: "A"),
                ],
            ])
    }
}
