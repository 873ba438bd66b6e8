import JustPersist

/// Checks that change streams name the relationships whose others, or their order, changed, for both items.
extension RelationshipChecks {
    private static let shapes =
        [.oneToOne, .friends] + GraphShape.oneToMany + GraphShape.manyToMany
        + GraphShape.withoutInverse

    /// The items that the blocks relate.
    private static func items(of shape: GraphShape) -> [GraphStep] {
        // The two types may be one.
        let types = [shape.schemas.first, shape.schemas.last].compactMap { $0?.itemTypeKey }
        return zip(types, [["l1", "l2", "l3"], ["r1", "r2", "r3", "r4"]]).map {
            .create($0, $1)
        }
    }

    /// Blocks that relate, order and separate items, from both sides, and one that changes nothing.
    private static func blocks(_ shape: GraphShape) -> [[GraphStep]] {
        let back = shape.relationship("rights", of: "Left").flatMap {
            shape.inverse(of: $0, "Left")
        }
        return [
            [.replace("l1.rights", with: ["r2", "r1"])],
            [.replace("l1.rights", with: ["r3", "r1"])],
            [.replace("l1.rights", with: ["r1", "r3"])],
            [.replace("l1.rights", with: ["r1", "r3"])],
        ] + (back.map { [[.replace("r1.\($0.name)", with: ["l2"])]] } ?? []) + [
            [.replace("l3.rights", with: ["r3"])], [.delete("r3")],
            [.replace("l2.rights", with: ["r2"]), .removeAll("l1.rights")],
        ]
    }

    /// Compares the stream of a store with the changes of blocks that `commit` makes, for each shape.
    private static func examine(
        _ check: CheckContext, _ commit: (GraphStore, [GraphStep], Graph) throws -> Graph
    ) throws {
        for shape in shapes {
            let store = try GraphStore(check, shape)
            var graph = try store.commit(items(of: shape), to: Graph(shape))
            let stream = try RelatedStream(of: store)
            for steps in blocks(shape) {
                let changed = try commit(store, steps, graph)
                stream.expect(graph, changed, "after \(steps)")
                graph = changed
            }
        }
    }

    static let changes: [CheckDefinition] = [
        rel(
            "stream-in-block", also: .changeStreams, clause: [21, 22],
            "A change stream names the relationships of both items that a block relates, orders or separates."
        ) { check in
            try examine(check) { store, steps, graph in try store.commit(steps, to: graph) }
        },
        rel(
            "stream-in-merge", also: .changeStreams && .childStores, clause: [15, 21, 22],
            "A change stream names the relationships of both items that a merge of a child relates, orders or separates."
        ) { check in
            try examine(check) { store, steps, graph in
                let child = try store.child()
                let changed = try child.commit(steps, to: graph)
                _ = try store.store.merge(child.store, policy: .fail)
                try child.store.close()
                return changed
            }
        },
        rel(
            "stream-by-cascade", also: .changeStreams, clause: [21, 23],
            "A change stream names the relationships of the items that lose others by a cascade."
        ) { check in
            let store = try GraphStore(check, RelatedClasses.shape)
            var graph = try store.commit(
                [
                    .create("RelatedAuthor", ["a1", "a2"]), .create("RelatedDesk", ["d1"]),
                    .create("RelatedBook", ["b1", "b2", "b3"]),
                    .create("RelatedTag", ["t1", "t2"]), .create("RelatedShelf", ["s1"]),
                    .set("a1.desk", to: "d1"), .replace("a1.books", with: ["b1", "b2"]),
                    .replace("a2.friends", with: ["a1"]), .replace("b1.tags", with: ["t1"]),
                    .replace("b2.tags", with: ["t2", "t1"]), .replace("b3.tags", with: ["t1"]),
                    .replace("b3.readers", with: ["a1", "a2"]),
                    .replace("s1.books", with: ["b2", "b3"]),
                ], to: Graph(RelatedClasses.shape))
            let stream = try RelatedStream(of: store)
            for step: GraphStep in [.delete("a1"), .deleteAll("RelatedTag")] {
                let changed = try store.commit([step], to: graph)
                stream.expect(graph, changed, "after \(step)")
                graph = changed
            }
        },
        rel(
            "stream-from-log", also: .changeStreams && .persistent, clause: [21, 22],
            "The change log names the relationships of both items after the store is opened again."
        ) { check in
            try check.requireChangeLog()
            if !check.reopeningKeepsData { try check.notApplicable("a child keeps nothing") }
            for shape in shapes {
                var store = try GraphStore(check, shape)
                var graph = try store.commit(items(of: shape), to: Graph(shape))
                for steps in blocks(shape) {
                    let token = try store.store.read { db in try db.changeToken }
                    let changed = try store.commit(steps, to: graph)
                    store = try store.reopened()
                    try RelatedStream(of: store, since: token).expect(
                        graph, changed, "reopened after \(steps)")
                    graph = changed
                }
            }
        },
    ]
}

/// An observation of a store, for the relationships that it names.
private struct RelatedStream {
    private let store: GraphStore
    private let observation: any ChangeObservation

    /// Begins to observe later commits.
    init(of store: GraphStore) throws {
        let token = try store.store.read { db in try db.changeToken }
        try self.init(of: store, since: token)
    }

    init(of store: GraphStore, since token: ChangeToken) throws {
        self.store = store
        observation = try store.store.observeChanges(.everything, since: token)
    }

    /// Expects that what was reported since the last call names the relationships that differ between two graphs.
    func expect(_ old: Graph, _ new: Graph, _ when: String, line: Int = #line) {
        let check = store.check
        var named: Set<Graph.End> = []
        while let set = observation.poll() {
            check.expect(
                set.isComplete && set.types.allSatisfy(\.isComplete),
                "\(store.shape.name), \(when): a set is not complete", line: line)
            for update in set.types.flatMap(\.updated) {
                let item = new.name(update.id)
                named.formUnion(
                    update.attributes.map { Graph.End(item, $0) }.filter { new.schema($0) != nil })
            }
        }
        func isInBoth(_ end: Graph.End) -> Bool {
            old.items.contains(end.item) && new.items.contains(end.item)
        }
        let wanted = new.ends.filter { isInBoth($0) && old.read($0) != new.read($0) }
        check.expectEqual(
            wanted.filter { !named.contains($0) }.map(\.description), [],
            "\(store.shape.name), \(when): the relationships that changed, and are not named",
            line: line)
        // A relationship that was set to what it was may be named.
        let idle = named.filter { !isInBoth($0) || old.read($0).isEmpty && new.read($0).isEmpty }
        check.expectEqual(
            idle.map(\.description).sorted(), [],
            "\(store.shape.name), \(when): named relationships of others, or of new or deleted items",
            line: line)
    }
}
