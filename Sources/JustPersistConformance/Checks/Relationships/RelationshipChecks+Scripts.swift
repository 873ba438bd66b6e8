import JustPersist

extension RelationshipChecks {
    private static let items: [GraphStep] = [
        .create("Left", ["l1", "l2", "l3"]), .create("Right", ["r1", "r2", "r3", "r4"]),
    ]

    /// Chains of three types and of one, whose deletion deletes all.
    private static func levels(_ others: GraphShape.Others, back: GraphShape.Others) -> GraphShape {
        func down(_ type: String) -> RelationshipSchema {
            RelationshipSchema(
                "down", to: type, isToMany: others != .one, isOrdered: others == .ordered,
                deleteRule: .cascade, inverse: "up")
        }
        func up(_ type: String) -> RelationshipSchema {
            RelationshipSchema("up", to: type, isToMany: back != .one)
        }
        return GraphShape(
            "three levels, down: \(others), up: \(back)",
            [
                "Top": [down("Middle")], "Middle": [up("Top"), down("Bottom")],
                "Bottom": [up("Middle")],
            ])
    }

    private static func ring(_ isToMany: Bool, inverse: String?) -> GraphShape {
        let back = inverse.map { [RelationshipSchema($0, to: "Left", isToMany: true)] } ?? []
        return GraphShape(
            "a ring, to many: \(isToMany), inverse: \(inverse ?? "none")",
            [
                "Left": [
                    RelationshipSchema(
                        "next", to: "Left", isToMany: isToMany, deleteRule: .cascade,
                        inverse: inverse)
                ] + back
            ])
    }

    private static func deleting(
        _ rule: RelationshipSchema.DeleteRule, _ rights: GraphShape.Others,
        _ lefts: GraphShape.Others
    ) -> GraphShape { .pair(rights, lefts, left: .init(rule: rule)) }

    private static func withRule(_ rule: RelationshipSchema.DeleteRule) -> [GraphShape] {
        [
            deleting(rule, .many, .one), deleting(rule, .ordered, .one),
            deleting(rule, .many, .many), deleting(rule, .ordered, .ordered),
        ]
    }

    static let scripts: [GraphScript] = [
        GraphScript(
            "inverse-from-one-side",
            "One side may name its inverse, or the other, or both: each keeps both sides in step.",
            on: GraphShape.Namers.allCases.flatMap {
                [
                    .pair(.one, .one, named: $0), .pair(.many, .one, named: $0),
                    .pair(.ordered, .one, named: $0), .pair(.many, .many, named: $0),
                    .pair(.ordered, .ordered, named: $0),
                ]
            },
            items + [
                .replace("l1.rights", with: ["r2"]), .reads("r2.lefts", ["l1"]),
                .replace("r3.lefts", with: ["l2"]), .reads("l2.rights", ["r3"]),
            ], [.replace("r2.lefts", with: []), .reads("l1.rights", [])]),
        GraphScript(
            "set-to-one-appears-in-to-many",
            "An item whose to-one relationship is set is at once among the others of the new one.",
            on: GraphShape.oneToMany,
            items + [
                .set("r2.lefts", to: "l1"), .reads("l1.rights", ["r2"]),
                .set("r1.lefts", to: "l1"), .set("r1.lefts", to: "l1"),
            ], [.set("r3.lefts", to: "l2"), .set("r4.lefts", to: "l2")]),
        GraphScript(
            "add-sets-to-one",
            "Adding an item to a relationship to many sets its to-one relationship at once.",
            on: GraphShape.oneToMany,
            items + [.insert("r2", into: "l1.rights"), .reads("r2.lefts", ["l1"])],
            [.insert("r1", into: "l1.rights"), .insert("r4", into: "l2.rights", at: 0)]),
        GraphScript(
            "move-between-owners-leaves-the-old",
            "An item that gets another owner, from either side, leaves the former one.",
            on: GraphShape.oneToMany,
            items + [.replace("l1.rights", with: ["r1", "r2", "r3"])],
            [.set("r2.lefts", to: "l2"), .reads("l2.rights", ["r2"])],
            [.insert("r1", into: "l2.rights"), .reads("l1.rights", ["r3"])],
            [.insert("r3", into: "l3.rights"), .set("r2.lefts", to: "l1")]),
        GraphScript(
            "remove-nils-to-one",
            "Removing an item from a relationship to many sets its to-one relationship to nil.",
            on: GraphShape.oneToMany,
            items + [.replace("l1.rights", with: ["r1", "r2", "r3"])],
            [
                .remove("r2", from: "l1.rights"), .reads("r2.lefts", []),
                .remove("r2", from: "l1.rights"), .remove("r1", from: "l2.rights"),
            ], [.set("r1.lefts", to: nil), .removeAll("l1.rights"), .reads("r3.lefts", [])]),
        GraphScript(
            "add-twice-is-once", "Adding an item that is there changes nothing.",
            on: GraphShape.toMany + [.oneToOne],
            items + [.replace("l1.rights", with: ["r2"]), .replace("l1.rights", with: ["r2"])],
            [.replace("l1.rights", with: ["r2"])]),
        GraphScript(
            "steals-partner",
            "In a relationship of one to one, an item that gets a new partner frees both former ones.",
            on: GraphShape.Namers.allCases.map { .pair(.one, .one, named: $0) },
            items + [.set("l1.rights", to: "r1"), .set("l2.rights", to: "r2")],
            [.set("l1.rights", to: "r2"), .reads("l2.rights", []), .reads("r1.lefts", [])],
            [.set("r2.lefts", to: "l3"), .set("r1.lefts", to: "l3"), .reads("r2.lefts", [])],
            [.set("l2.rights", to: "r2"), .set("l2.rights", to: nil), .reads("r2.lefts", [])]),
        GraphScript(
            "both-sides-agree", "Both sides of a relationship of many to many see each change.",
            on: GraphShape.manyToMany,
            items + [
                .insert("r1", into: "l1.rights"), .insert("l2", into: "r1.lefts"),
                .insert("r2", into: "l2.rights"), .insert("l1", into: "r2.lefts"),
                .insert("r3", into: "l2.rights", at: 1),
            ],
            [.remove("l1", from: "r1.lefts"), .reads("l1.rights", ["r2"])],
            [.removeAll("l2.rights"), .replace("r4.lefts", with: ["l3", "l1"])]),
        GraphScript(
            "self-relation-is-symmetric",
            "A relationship that is its own inverse holds for both items, also for an item with itself.",
            on: [.friends],
            [
                .create("Left", ["a", "b", "c"]), .insert("b", into: "a.rights"),
                .reads("b.rights", ["a"]), .insert("a", into: "c.rights"),
                .reads("a.rights", ["b", "c"]), .insert("a", into: "b.rights"),
                .insert("b", into: "b.rights"),
            ], [.remove("a", from: "b.rights"), .reads("a.rights", ["c"])],
            [.remove("b", from: "b.rights"), .delete("a"), .reads("c.rights", [])]),
        GraphScript(
            "nullify", clause: [23],
            "Deleting an item takes it out of every other side, also of relationships without an inverse.",
            on: [.oneToOne] + GraphShape.oneToMany + GraphShape.manyToMany
                + GraphShape.withoutInverse,
            items + [
                .replace("l1.rights", with: ["r1"]), .replace("l2.rights", with: ["r2"]),
                .replace("l3.rights", with: ["r3"]),
            ], [.delete("r1"), .reads("l1.rights", [])],
            [.delete("l2")], [.replace("l3.rights", with: ["r2"]), .delete("r2"), .delete("l3")]),
        GraphScript(
            "cascade-three-levels", clause: [23],
            "Cascades go through all levels, and nothing else is deleted.",
            on: [
                levels(.one, back: .one), levels(.many, back: .one), levels(.ordered, back: .one),
                levels(.many, back: .many), levels(.ordered, back: .many),
            ],
            [
                .create("Top", ["t1", "t2"]), .create("Middle", ["m1", "m2", "m3"]),
                .create("Bottom", ["b1", "b2", "b3", "b4"]),
                .replace("t1.down", with: ["m1"]), .replace("t2.down", with: ["m2"]),
                .replace("m1.down", with: ["b1"]), .replace("m2.down", with: ["b2"]),
                .replace("m3.down", with: ["b3"]),
            ], [.delete("t1")], [.delete("m3")], [.delete("b2")], [.delete("t2")]),
        GraphScript(
            "cascade-cycle", clause: [23],
            "A cascade through a circle ends, and deletes each once.",
            on: [
                ring(false, inverse: nil), ring(true, inverse: nil), ring(true, inverse: "before"),
            ],
            [
                .create("Left", ["a", "b", "c", "d"]), .replace("a.next", with: ["b"]),
                .replace("b.next", with: ["c"]), .replace("c.next", with: ["a"]),
                .replace("d.next", with: ["d"]),
            ], [.delete("b")], [.delete("d")]),
        GraphScript(
            "cascade-diamond-once", clause: [23],
            "An item that a cascade reaches in two ways is deleted once.",
            on: [ring(true, inverse: nil), ring(true, inverse: "before")],
            [
                .create("Left", ["top", "one", "two", "end", "other"]),
                .replace("top.next", with: ["one", "two"]), .replace("one.next", with: ["end"]),
                .replace("two.next", with: ["end"]), .replace("other.next", with: ["top"]),
            ], [.delete("top")]),
        GraphScript(
            "deny-rolls-back", clause: [5, 23],
            "A block that deletes an item whose rule denies it is rolled back as a whole.",
            on: withRule(.deny) + [deleting(.deny, .one, .one), deleting(.deny, .one, .many)],
            items + [.replace("l1.rights", with: ["r1"]), .replace("l2.rights", with: ["r2"])],
            [.create("Left", ["l9"]), .delete("l1"), .mustFail],
            [.delete("l3")], [.delete("r2"), .delete("l2")]),
        GraphScript(
            "deny-satisfied-later-in-block", clause: [23],
            "A deletion that a rule denies succeeds if the others are gone by the end of the block.",
            on: withRule(.deny),
            items + [
                .replace("l1.rights", with: ["r1", "r2"]), .replace("l2.rights", with: ["r3"]),
            ], [.delete("l1"), .delete("r1"), .mustFail],
            [.delete("l1"), .delete("r1"), .delete("r2")],
            [.removeAll("l2.rights"), .delete("l2")]),
        GraphScript(
            "deny-satisfied-by-another-partner", clause: [23],
            "A deletion that a rule denies succeeds if the other has another partner by the end of the block.",
            on: [deleting(.deny, .one, .one), deleting(.deny, .many, .one)],
            items + [.replace("l1.rights", with: ["r1"])],
            [.delete("l1"), .set("r1.lefts", to: "l2")],
            [.delete("l2"), .set("r1.lefts", to: nil)]),
        GraphScript(
            "no-action-reads-nil", clause: [23, 24],
            "Under the rule of no action others stay, and read nil where they refer to the deleted item.",
            on: withRule(.noAction) + [deleting(.noAction, .one, .one)],
            items + [.replace("l1.rights", with: ["r1"]), .replace("l2.rights", with: ["r2"])],
            [.delete("l1"), .reads("r1.lefts", [])],
            [.replace("l3.rights", with: ["r1"]), .reads("r1.lefts", ["l3"])],
            [.delete("l2"), .delete("r2")]),
        GraphScript(
            "delete-all-keeps-rules", clause: [23],
            "Deleting all items of a type follows the rules of each.", on: [RelatedClasses.shape],
            [
                .create("RelatedAuthor", ["a1", "a2"]), .create("RelatedBook", ["b1", "b2", "b3"]),
                .create("RelatedTag", ["t1", "t2"]), .create("RelatedDesk", ["d1"]),
                .create("RelatedShelf", ["s1"]), .set("a1.desk", to: "d1"),
                .replace("a1.books", with: ["b1", "b2"]), .replace("a2.friends", with: ["a1"]),
                .replace("b1.tags", with: ["t2", "t1"]), .replace("b3.tags", with: ["t1"]),
                .replace("b3.readers", with: ["a1", "a2"]), .set("b3.sequel", to: "b1"),
                .replace("s1.books", with: ["b3"]),
            ], [.deleteAll("RelatedTag"), .reads("b1.tags", [])],
            [.deleteAll("RelatedShelf"), .mustFail],
            [.deleteAll("RelatedAuthor"), .reads("d1.author", []), .reads("b3.readers", [])],
            [.deleteAll("RelatedShelf"), .deleteAll("RelatedBook")]),
        GraphScript(
            "required-at-end-of-block", clause: [23],
            "A required relationship is judged at the end of the block, from both sides.",
            on: [
                .pair(.many, .one, right: .init(minimum: 1)),
                .pair(.ordered, .one, right: .init(minimum: 1)),
                .pair(.one, .one, right: .init(minimum: 1)),
                .pair(.many, .many, right: .init(minimum: 1)),
            ],
            [.create("Right", ["r9"]), .mustFail],
            [
                .create("Right", ["r1", "r2"]), .create("Left", ["l1", "l2"]),
                .replace("l1.rights", with: ["r1"]), .replace("r2.lefts", with: ["l2"]),
            ],
            [.replace("l1.rights", with: []), .mustFail],
            [.replace("r2.lefts", with: []), .mustFail], [.delete("l1"), .mustFail],
            [.delete("l1"), .delete("r1")],
            [.replace("r2.lefts", with: []), .replace("l2.rights", with: ["r2"])]),
        GraphScript(
            "min-max", clause: [23],
            "Limits of numbers are judged for items that were created or whose others changed.",
            on: [
                .pair(.many, .one, left: .init(minimum: 1, maximum: 3)),
                .pair(.ordered, .one, left: .init(minimum: 1, maximum: 3)),
                .pair(.many, .many, left: .init(minimum: 1, maximum: 3)),
                .pair(.ordered, .ordered, left: .init(minimum: 1, maximum: 3)),
            ],
            [.create("Left", ["l9"]), .mustFail],
            [
                .create("Left", ["l1"]), .create("Right", ["r1", "r2", "r3", "r4"]),
                .replace("l1.rights", with: ["r1", "r2", "r3"]),
            ],
            [.insert("r4", into: "l1.rights"), .mustFail],
            [.replace("r4.lefts", with: ["l1"]), .mustFail],
            [.replace("r4.lefts", with: ["l1"]), .delete("r1")],
            [.removeAll("l1.rights"), .mustFail], [.delete("r2"), .delete("r3")],
            [.delete("r4"), .mustFail]),
    ]
}
