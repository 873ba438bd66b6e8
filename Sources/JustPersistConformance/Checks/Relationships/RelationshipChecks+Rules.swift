import JustPersist

extension RelationshipChecks {
    static let orders: [CheckDefinition] = [
        rel(
            "order-survives-reopen", also: .persistent, "An order is kept when the store is closed."
        ) {
            check in
            if !check.reopeningKeepsData { try check.notApplicable("a child keeps nothing") }
            for shape in GraphShape.ordered {
                var (store, graph) = try filled(check, shape, rights: 12)
                var random = check.generator(shape.name)
                for round in 0..<3 {
                    let order = random.shuffled(graph.items(of: "Right"))
                    graph = try store.commit([.replace("l1.rights", with: order)], to: graph)
                    store = try store.reopened()
                    try store.expect(graph, "after reopening \(round + 1) times")
                    graph = try store.commit(
                        [.insert(order[0], into: "l1.rights", at: 5)], to: graph)
                }
            }
        },
        rel(
            "insert-at-every-place",
            "Items can be inserted at any place of an order, and at one place any number of times."
        ) { check in
            let many = check.profile.pick(quick: 80, full: 1_000, soak: 10_000)
            for shape in GraphShape.ordered {
                for place in [0, 1, Int.max] {
                    var (store, graph) = try filled(check, shape, rights: 0)
                    for first in stride(from: 0, to: many, by: 100) {
                        let steps = (first..<min(first + 100, many)).flatMap { number in
                            [
                                GraphStep.create("Right", ["r\(number)"]),
                                .insert("r\(number)", into: "l1.rights", at: min(place, number)),
                            ]
                        }
                        graph = try store.commit(steps, to: graph, comparing: false)
                        check.tick()
                    }
                    try store.expect(graph, "after \(many) insertions at place \(place)")
                }
            }
        },
        rel("move", "An item of an order moves to any other place, and the rest keep their order.")
        {
            check in
            for shape in GraphShape.ordered {
                var (store, graph) = try filled(check, shape, rights: 5)
                let names = graph.items(of: "Right")
                for name in names {
                    for place in 0...5 {
                        graph = try store.commit(
                            [
                                .replace("l1.rights", with: names),
                                .insert(name, into: "l1.rights", at: place),
                            ], to: graph)
                    }
                }
                try store.expect(graph, "after all moves")
                check.expectError(.invalidRequest, what: "an insertion at the place -1") {
                    _ = try store.store.write { [graph] db in
                        let owner = try store.item("l1", graph, db)
                        let other = try store.item("r1", graph, db)
                        ToMany<DynamicItem>(of: owner, "rights").insert(
                            try check.require(other as? DynamicItem, "a dynamic item"), at: -1)
                    }
                }
            }
        },
        rel(
            "order-after-merge", also: .childStores, clause: [15, 22],
            "After a merge an order has what both stores added, and each store's part in its order."
        ) { check in
            for shape in GraphShape.ordered {
                var (store, graph) = try filled(check, shape, rights: 8)
                let names = graph.items(of: "Right")
                graph = try store.commit(
                    [.replace("l1.rights", with: Array(names.prefix(4)))], to: graph)
                let child = try store.child()
                let ofChild = try child.commit(
                    [
                        .insert(names[4], into: "l1.rights", at: 0),
                        .insert(names[2], into: "l1.rights", at: 1),
                    ], to: graph)
                let ofParent = try store.commit(
                    [.insert(names[5], into: "l1.rights")], to: graph)
                try child.expect(
                    ofChild, "in the child", only: ofChild.read(Graph.End("l1.rights")),
                    of: Graph.End("l1.rights"))
                _ = try store.store.merge(child.store, policy: .childWins)
                for (one, what) in [(ofChild, "child"), (ofParent, "parent")] {
                    let moved = what == "parent" ? names[2] : names[5]
                    try store.expect(
                        one, "after the merge, the order of the \(what)",
                        only: one.read(Graph.End("l1.rights")).filter { $0 != moved },
                        of: Graph.End("l1.rights"))
                }
            }
        },
    ]

    /// A store with one item of `Left` that has the items of `Right`.
    static func filled(
        _ check: CheckContext, _ shape: GraphShape, rights: Int
    ) throws -> (GraphStore, Graph) {
        let store = try GraphStore(check, shape)
        let names = (0..<rights).map { "r\($0)" }
        let graph = try store.commit(
            [
                .create("Left", ["l1"]), .create("Right", names),
                .replace("l1.rights", with: names),
            ], to: Graph(shape))
        return (store, graph)
    }

    static let rules: [CheckDefinition] = [
        rel(
            "cascade-chain", clause: [23],
            "A cascade goes through a chain of any length, and needs no deep stack."
        ) { check in
            let shape = GraphShape(
                "a chain",
                ["Left": [RelationshipSchema("next", to: "Left", deleteRule: .cascade)]])
            let most = check.profile.pick(quick: 1_000, full: 100_000, soak: 100_000)
            var length = 1_000
            while length <= most {
                let store = try GraphStore(check, shape)
                let start = ContinuousClock.now
                var last: ItemReference?
                for first in stride(from: 0, to: length, by: 1_000) {
                    last = try store.store.write { [last] db in
                        var last = last
                        for _ in first..<min(first + 1_000, length) {
                            let item = try db.create("Left")
                            if let last { item["next"] = .reference(last) }
                            last = ItemReference(to: item)
                        }
                        return last
                    }
                    check.tick()
                }
                let first = try check.require(last, "the first item")
                try store.store.write { db in
                    let item = try check.require(
                        try db.performFetchItem(ItemType(dynamic: "Left"), id: first.id),
                        "the first item of a chain of \(length)")
                    check.expectEqual(
                        try db.cascadeTargets(of: item).count, length - 1,
                        "how many items cascadeTargets gives for a chain of \(length)")
                    check.tick()
                    try db.delete(item)
                }
                check.expectEqual(
                    try store.store.read { db in
                        try db.performCount(DataStoreRequest(itemTypeKey: "Left"))
                    }, 0, "the items left of a chain of \(length) whose first item was deleted")
                let duration = start.duration(to: .now)
                check.measure(
                    "cascade-chain-\(length)", duration / .milliseconds(1), unit: "ms")
                // A store without indexes looks at every item for each deletion.
                if duration > .seconds(3) { break }
                length *= 10
            }
        },
        rel(
            "rule-pairs-matrix", clause: [23],
            "Each rule on one side works with each on the other, one to one, one to many, and many to many."
        ) { check in
            let store = try check.openStore()
            for (number, rule) in RelationshipSchema.DeleteRule.allCases.enumerated() {
                for (other, back) in RelationshipSchema.DeleteRule.allCases.enumerated() {
                    for (rights, lefts) in [
                        (GraphShape.Others.one, GraphShape.Others.one), (.many, .one),
                        (.ordered, .one), (.many, .many),
                    ] {
                        let prefix = "\(number)\(other)\(rights)\(lefts)"
                        try examinePair(
                            .pair(
                                rights, lefts, prefix: "Pair\(prefix)", left: .init(rule: rule),
                                right: .init(rule: back)), prefix: "Pair\(prefix)", store, check)
                    }
                }
            }
        },
        rel(
            "delete-then-recreate-does-not-relink", clause: [9, 23],
            "An item that is created again under the id of a deleted one has none of its relationships."
        ) { check in
            let shapes =
                [GraphShape.oneToOne, .friends] + GraphShape.oneToMany + GraphShape.manyToMany
                + GraphShape.withoutInverse
            for shape in shapes {
                let store = try GraphStore(check, shape)
                let right = shape.name == "friends" ? "Left" : "Right"
                var graph = try store.commit(
                    [
                        .create("Left", ["l1"]), .create(right, ["r1", "r2"]),
                        .replace("l1.rights", with: ["r1"]),
                    ], to: Graph(shape))
                let id = try check.require(graph.reference("r1")?.id, "the id of r1")
                for isInOneBlock in [true, false] {
                    graph = try store.commit(
                        isInOneBlock ? [] : [.delete("r1")], to: graph)
                    graph = try store.store.write { [graph] db in
                        var graph = graph
                        if isInOneBlock { try store.apply(.delete("r1"), to: &graph, db) }
                        let new = DynamicItem(right, id: id)
                        check.expect(
                            try db.performInsert(new), "an id was taken after its item was deleted")
                        graph.create("r1", ItemReference(to: new))
                        try store.expect(graph, "after r1 was created again", db)
                        return graph
                    }
                    graph.endBlock()
                    try store.expect(graph, "after the block that created r1 again")
                    graph = try store.commit([.replace("l1.rights", with: ["r1"])], to: graph)
                }
            }
        },
    ]

    /// Deletes an item of each side, then all of a type.
    private static func examinePair(
        _ shape: GraphShape, prefix: String, _ store: any DataStore, _ check: CheckContext
    ) throws {
        let store = try GraphStore(check, shape, in: store)
        let hasMany = shape.schemas[0].relationships[0].isToMany
        let isMutual = shape.schemas[1].relationships[0].isToMany
        let start = try store.commit(
            [
                .create(prefix + "Left", ["l1", "l2", "l3"]),
                .create(prefix + "Right", ["r1", "r2", "r3", "r4"]),
                .replace("l1.rights", with: hasMany ? ["r1", "r2"] : ["r1"]),
                .replace("l2.rights", with: isMutual ? ["r2", "r3"] : ["r3"]),
            ], to: Graph(shape))
        var graph = start
        for steps: [GraphStep] in [
            [.delete("l1")], [.delete("r1")], [.delete("l1"), .delete("r1")],
            [.delete("r3"), .delete("l2")], [.delete("l3"), .delete("r4")],
            [.deleteAll(prefix + "Right")], [.deleteAll(prefix + "Left")],
        ] {
            let isPossible = steps.allSatisfy { step in
                if case .delete(let name) = step { graph.items.contains(name) } else { true }
            }
            if !isPossible { continue }
            // A cascade may take the second item with the first.
            if case .delete(let one) = steps[0], case .delete(let other)? = steps.dropFirst().first,
                graph.cascade(of: one).contains(other)
            {
                continue
            }
            graph = try store.commit(
                steps, to: graph, comparing: check.profile != .quick, " after \(steps)")
            try store.expect(graph, "after a block with \(steps)")
        }
    }
}
