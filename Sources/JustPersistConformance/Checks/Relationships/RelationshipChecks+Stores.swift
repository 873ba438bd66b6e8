import JustPersist
import JustPersistMigration

extension RelationshipChecks {
    /// Changes of a child and of its parent, which have one result in either order, or under each policy.
    private struct Clash: Sendable {
        let name: String
        let before: [GraphStep]
        let child: [GraphStep]
        let parent: [GraphStep]
        /// Whether both set one relationship differently.
        var isConflict = false
        /// Whether the parent deletes what the child relates: the result is that of the deletion.
        var isDeletion = false
        var shapes: [GraphShape] = GraphShape.oneToMany + GraphShape.manyToMany
    }

    private static let clashes: [Clash] = [
        Clash(
            name: "both add", before: [], child: [.insert("r1", into: "l1.rights")],
            parent: [.insert("r2", into: "l1.rights")],
            shapes: [.pair(.many, .one), .pair(.many, .many), GraphShape.withoutInverse[1]]),
        Clash(
            name: "both add one", before: [], child: [.insert("r1", into: "l1.rights")],
            parent: [.insert("r1", into: "l1.rights")],
            shapes: [.pair(.many, .one), .pair(.many, .many), GraphShape.withoutInverse[1]]),
        Clash(
            name: "one adds, one removes", before: [.insert("r1", into: "l1.rights")],
            child: [.insert("r2", into: "l1.rights")], parent: [.remove("r1", from: "l1.rights")]),
        Clash(
            name: "one removes, one adds", before: [.insert("r1", into: "l1.rights")],
            child: [.remove("r1", from: "l1.rights")], parent: [.insert("r2", into: "l1.rights")]),
        Clash(
            name: "both remove", before: [.replace("l1.rights", with: ["r1", "r2", "r3"])],
            child: [.remove("r1", from: "l1.rights"), .remove("r2", from: "l1.rights")],
            parent: [.remove("r1", from: "l1.rights"), .remove("r3", from: "l1.rights")]),
        Clash(
            name: "both set one to one", before: [],
            child: [.set("l1.rights", to: "r1")], parent: [.set("l2.rights", to: "r2")],
            shapes: [.oneToOne, GraphShape.withoutInverse[0]]),
        Clash(
            name: "both set differently", before: [.replace("r1.lefts", with: ["l1"])],
            child: [.set("r1.lefts", to: "l2")], parent: [.set("r1.lefts", to: "l3")],
            isConflict: true, shapes: [.pair(.many, .one), .pair(.ordered, .one)]),
        Clash(
            name: "both take one partner", before: [],
            child: [.set("l1.rights", to: "r1")], parent: [.set("l2.rights", to: "r1")],
            isConflict: true, shapes: [.oneToOne]),
        Clash(
            name: "the parent deletes the other", before: [],
            child: [.insert("r1", into: "l1.rights")], parent: [.delete("r1")], isDeletion: true),
        Clash(
            name: "the parent deletes the owner", before: [],
            child: [.insert("r1", into: "l1.rights")], parent: [.delete("l1")], isDeletion: true),
        Clash(
            name: "the child deletes the other", before: [.insert("r1", into: "l1.rights")],
            child: [.delete("r1")], parent: [.insert("r2", into: "l1.rights")]),
    ]

    static let stores: [CheckDefinition] = [
        rel(
            "child-links-merge", also: .childStores, clause: [15, 22],
            "A merge combines what a child and its parent related, link by link."
        ) { check in
            for clash in clashes {
                for shape in clash.shapes {
                    for policy: MergePolicy in clash.isConflict
                        ? [.childWins, .parentWins, .fail] : [.childWins]
                    {
                        try merge(clash, shape, policy, check)
                    }
                }
            }
        },
        rel(
            "migration-keeps-graph", clause: [18, 22],
            "A migration to another store and back keeps all relationships, orders and rules."
        ) { check in
            for shape in [RelatedClasses.shape, .oneToOne, .friends] + GraphShape.toMany {
                let store = try GraphStore(check, shape)
                var random = check.generator(shape.name)
                let graph = try store.commitRandom(80, to: Graph(shape), &random)
                let second = store.inPlace(of: try check.secondStore())
                _ = try check.migrate(from: store.store, to: second.store)
                try second.expect(graph, "in another store after a migration")
                let back = store.inPlace(of: try check.openStore())
                // In other states of a store, it has items of other types.
                _ = try check.migrate(
                    from: second.store, to: back.store,
                    policy: check.variant == .plain ? .intoEmpty : .updateByID)
                try back.expect(graph, "after a migration back")
                let later = try back.commitRandom(40, to: graph, comparing: true, &random)
                try back.expect(later, "after changes of what was migrated")
            }
        },
        rel(
            "two-writers-add-to-one-set", clause: [16, 22],
            "Writers on several threads that add to the others of one item lose nothing."
        ) { check in
            let each = check.profile.pick(quick: 10, full: 100, soak: 1_000)
            for shape in [GraphShape.pair(.many, .one)] + GraphShape.manyToMany {
                let store = try GraphStore(check, shape)
                let names = (0..<4).map { writer in (0..<each).map { "r\(writer)x\($0)" } }
                let graph = try store.commit(
                    [.create("Left", ["l1"]), .create("Right", names.flatMap(\.self))],
                    to: Graph(shape))
                try check.threads(4) { writer in
                    for name in names[writer] {
                        _ = try store.commit(
                            [.insert(name, into: "l1.rights")], to: graph, comparing: false)
                        check.tick()
                    }
                }
                var wanted = graph
                let end = Graph.End("l1.rights")
                for name in names.flatMap(\.self) { wanted.insert(name, end) }
                if shape.relationships(of: "Left")[0].isOrdered {
                    for writer in names {
                        try store.expect(wanted, "the order of one writer", only: writer, of: end)
                    }
                } else {
                    try store.expect(wanted, "after 4 writers added \(each) each")
                }
            }
        },
        rel(
            "many-others", clause: [22, 24],
            "An item can have more than a thousand others, and they are found, counted and removed."
        ) { check in
            let many = check.profile.pick(quick: 1_500, full: 10_001, soak: 100_001)
            for shape in [GraphShape.pair(.many, .one), GraphShape.withoutInverse[1]] {
                let store = try GraphStore(check, shape)
                var graph = try store.commit([.create("Left", ["l1", "l2"])], to: Graph(shape))
                for first in stride(from: 0, to: many, by: 500) {
                    let names = (first..<min(first + 500, many)).map { "r\($0)" }
                    let steps = names.map { GraphStep.insert($0, into: "l1.rights") }
                    graph = try store.commit(
                        [.create("Right", names)] + steps, to: graph, comparing: false)
                    check.tick()
                }
                let end = Graph.End("l1.rights")
                try store.expect(
                    graph, "with \(many)", only: graph.read(end), of: end, areAll: true)
                graph = try store.commit(
                    [
                        .remove("r7", from: "l1.rights"), .remove("r7", from: "l1.rights"),
                        .insert("r8", into: "l1.rights"), .insert("r9", into: "l2.rights"),
                        .delete("r\(many - 1)"),
                    ], to: graph, comparing: false)
                try store.expect(
                    graph, "with some fewer", only: graph.read(end), of: end, areAll: true)
                graph = try store.commit([.delete("l1")], to: graph, comparing: false)
                try store.expect(
                    graph, "after the deletion of the one with many",
                    only: graph.read(Graph.End("l2.rights")),
                    of: Graph.End("l2.rights"))
            }
        },
        rel(
            "random-graph-model", clause: [5, 15, 22, 23, 24],
            "Random changes, with blocks that are rolled back, merges and reopenings, leave the graph of a model."
        ) { check in
            let isLong = check.variant == .plain
            let most = check.profile.pick(
                quick: 2_000, full: isLong ? 100_000 : 4_000, soak: isLong ? 1_000_000 : 10_000)
            var random = check.generator()
            var number = 0
            let start = ContinuousClock.now
            while number < most {
                // Classes and types without one in turn; the latter with random numbers of others, rules and limits.
                let isOfClass = number == 0 || random.bool()
                let shape = isOfClass ? RelatedClasses.shape : GraphShape.random(using: &random)
                var store = try GraphStore(check, shape)
                var graph = Graph(shape)
                for round in 0..<50 where number < most {
                    let count = random.int(in: 1...20)
                    number += count
                    let isStopped = random.int(in: 0..<6) == 0
                    let isInChild =
                        check.capabilities.childStores >= .oneLevel && !check.variant.isChild
                        && random.int(in: 0..<4) == 0
                    let writer = isInChild ? try store.child() : store
                    graph = try writer.commitRandom(
                        count, to: graph, isStopped: isStopped, comparing: round % 5 == 0, &random)
                    if isInChild {
                        let report = try store.store.merge(writer.store, policy: .fail)
                        check.expectEqual(report.conflicts, [], "the conflicts of a merge")
                        try writer.store.close()
                    }
                    let note = "(seed \(check.seed), after \(number) steps)"
                    if round % 5 == 4 { try store.expect(graph, note) }
                    if check.reopeningKeepsData, random.int(in: 0..<25) == 0 {
                        store = try store.reopened()
                        try store.expect(graph, "reopened \(note)")
                    }
                }
                try store.expect(graph, "(seed \(check.seed), after \(number) steps)")
                try store.store.destroy()
            }
            check.measure(
                "graph-steps", Double(number) / (start.duration(to: .now) / .seconds(1)),
                unit: "steps/s")
        },
    ]

    private static func merge(
        _ clash: Clash, _ shape: GraphShape, _ policy: MergePolicy, _ check: CheckContext
    ) throws {
        let store = try GraphStore(check, shape)
        let items: [GraphStep] = [
            .create("Left", ["l1", "l2", "l3"]), .create("Right", ["r1", "r2", "r3"]),
        ]
        let before = try store.commit(items + clash.before, to: Graph(shape))
        let child = try store.child()
        let ofChild = try child.commit(clash.child, to: before)
        let ofParent = try store.commit(clash.parent, to: before)
        if policy == .fail, clash.isConflict {
            check.expectError(.mergeConflict, what: "\(shape.name): a merge, \(clash.name)") {
                _ = try store.store.merge(child.store, policy: policy)
            }
            return try store.expect(ofParent, "after a merge that was refused, \(clash.name)")
        }
        let report = try store.store.merge(child.store, policy: policy)
        if !clash.isDeletion {
            check.expectEqual(
                report.conflicts.isEmpty, !clash.isConflict,
                "\(shape.name): whether a merge has no conflicts, \(clash.name)")
        }
        // The steps of the one that wins come last.
        let parentIsLast = policy == .parentWins || clash.isDeletion
        var wanted = parentIsLast ? ofChild : ofParent
        for step in parentIsLast ? clash.parent : clash.child { wanted.apply(step) }
        try store.expect(wanted, "after a merge, \(clash.name), \(policy)")
    }
}

extension GraphShape {
    /// Two types, with random numbers of others, rules and limits on both sides, and a relationship without an inverse.
    fileprivate static func random(using random: inout SeededGenerator) -> GraphShape {
        func side(_ isLimited: Bool) -> Side {
            Side(
                rule: random.pick(RelationshipSchema.DeleteRule.allCases),
                maximum: isLimited ? random.int(in: 1...6) : nil)
        }
        let (rights, lefts) = (random.pick(Others.allCases), random.pick(Others.allCases))
        let isLimited = random.int(in: 0..<4) == 0
        let pair = pair(
            rights, lefts, left: side(isLimited && rights != .one), right: side(false),
            named: random.pick(Namers.allCases))
        let others = random.pick(Others.allCases)
        let more = RelationshipSchema(
            "more", to: "Left", isToMany: others != .one, isOrdered: others == .ordered,
            deleteRule: random.pick(RelationshipSchema.DeleteRule.allCases))
        return GraphShape(
            pair.name + ", more: \(others) \(more.deleteRule)",
            [
                "Left": pair.schemas[0].relationships,
                "Right": pair.schemas[1].relationships + [more],
            ])
    }
}
