import JustPersist

extension RelationshipChecks {
    /// A predicate or a sort, and the labels of the items that it must give.
    private struct Probe: Sendable {
        let type: String
        var format: String?
        var sort: (key: String, ascending: Bool)?
        let wanted: [String]

        init(_ type: String, _ format: String, _ wanted: [String]) {
            (self.type, self.format, self.wanted) = ("Related\(type)", format, wanted)
        }

        init(_ type: String, by key: String, ascending: Bool = true, _ wanted: [String]) {
            (self.type, self.wanted) = ("Related\(type)", wanted)
            sort = (key, ascending)
        }
    }

    /// Two authors with books, one of them with books without tags, and one without books.
    private static let library: [GraphStep] = [
        .create("RelatedAuthor", ["a1", "a2", "a3"]),
        .create("RelatedBook", ["b1", "b2", "b3", "b4"]), .create("RelatedTag", ["t1", "t2"]),
        .create("RelatedDesk", ["d1", "d2"]), .replace("a1.books", with: ["b1", "b2"]),
        .replace("a2.books", with: ["b3"]), .replace("b1.tags", with: ["t2", "t1"]),
        .replace("b3.tags", with: ["t1"]), .set("a2.desk", to: "d1"), .set("b1.sequel", to: "b4"),
        .set("b2.sequel", to: "b3"), .replace("a1.friends", with: ["a2"]),
    ]

    static let predicates: [CheckDefinition] = [
        probing(
            "any-all-none-empty",
            "ANY over nothing is false, ALL and NONE over nothing are true, and the count of nothing is 0.",
            [
                Probe("Author", "ANY books.label == 'b3'", ["a2"]),
                Probe("Author", "ANY books.label != 'b3'", ["a1"]),
                Probe("Author", "ALL books.label != 'b3'", ["a1", "a3"]),
                Probe("Author", "NONE books.label == 'b3'", ["a1", "a3"]),
                Probe("Author", "NOT (ANY books.label == 'b3')", ["a1", "a3"]),
                Probe("Author", "books.@count == 0", ["a3"]),
                Probe("Author", "books.@count > 1", ["a1"]),
                Probe("Author", "friends.@count == 1", ["a1", "a2"]),
                Probe("Author", "ANY books.tags.label == 't2'", ["a1"]),
                Probe("Book", "ANY tags.label == 't1'", ["b1", "b3"]),
                Probe("Book", "ALL tags.label == 't1'", ["b2", "b3", "b4"]),
                Probe("Book", "NONE tags.label == 't1'", ["b2", "b4"]),
                Probe("Tag", "ANY books.author.label == 'a2'", ["t1"]),
            ]),
        probing(
            "subquery-binds-one",
            "SUBQUERY evaluates its whole predicate for one element at a time.",
            [
                Probe(
                    "Author",
                    "SUBQUERY(books, $b, $b.label == 'b1' AND $b.tags.@count == 0).@count > 0", []),
                Probe(
                    "Author",
                    "SUBQUERY(books, $b, $b.label == 'b2' AND $b.tags.@count == 0).@count == 1",
                    ["a1"]),
                Probe(
                    "Author", "SUBQUERY(books, $b, $b.label != 'b9').@count == 0", ["a3"]),
                Probe(
                    "Author", "SUBQUERY(books, $b, ANY $b.tags.label == 't2').@count == 1", ["a1"]),
                Probe(
                    "Book", "SUBQUERY(tags, $t, $t.books.@count == 2).@count == 1", ["b1", "b3"]),
            ]),
        probing(
            "nil-in-path", "A path through a relationship without a target is nil.",
            [
                Probe("Book", "author.label == nil", ["b4"]),
                Probe("Book", "author == nil", ["b4"]),
                Probe("Book", "author.label == 'a1'", ["b1", "b2"]),
                Probe("Book", "author.desk.label == nil", ["b1", "b2", "b4"]),
                Probe("Book", "author.desk.label == 'd1'", ["b3"]),
                Probe("Book", "sequel.author.label == 'a2'", ["b2"]),
                Probe("Book", "sequel.author == nil", ["b1", "b3", "b4"]),
                Probe("Author", "desk.label == nil", ["a1", "a3"]),
                Probe("Desk", "author == nil", ["d2"]),
                Probe("Book", "author.books.@count == 2", ["b1", "b2"]),
            ]),
        probing(
            "sort-across", "Items are sorted by values of others, and by their number.",
            [
                Probe("Book", by: "author.label", ["b4", "b1", "b2", "b3"]),
                Probe("Book", by: "author.label", ascending: false, ["b3", "b1", "b2", "b4"]),
                Probe("Author", by: "books.@count", ["a3", "a2", "a1"]),
                Probe("Author", by: "books.@count", ascending: false, ["a1", "a2", "a3"]),
                Probe("Author", by: "desk.label", ["a1", "a3", "a2"]),
                Probe(
                    "Book", by: "sequel.author.label", ascending: false, ["b2", "b1", "b3", "b4"]),
            ]),
    ]

    /// Makes a check that asks for items in every way, with their class and without, in a read block and in the block
    /// that made the items.
    private static func probing(
        _ name: String, _ summary: String, _ probes: [Probe]
    ) -> CheckDefinition {
        rel(name, clause: [10, 12, 24], summary) { check in
            let store = try GraphStore(check, RelatedClasses.shape)
            let graph = try store.store.write { db in
                var graph = Graph(store.shape)
                for step in library { try store.apply(step, to: &graph, db) }
                try ask(probes, graph, "in the block that made them", [true], store, db)
                return graph
            }
            try store.store.read { db in
                try ask(probes, graph, "in a read block", [true, false], store, db)
            }
            if check.reopeningKeepsData {
                let store = try store.reopened()
                try store.store.read { db in
                    try ask(probes, graph, "after reopening", [false, true], store, db)
                }
            }
        }
    }

    private static func ask<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ probes: [Probe], _ graph: Graph, _ when: String, _ withClass: [Bool],
        _ store: GraphStore, _ db: borrowing Accessor
    ) throws {
        for isOfClass in withClass {
            for probe in probes {
                let request = DataStoreRequest(
                    type: isOfClass
                        ? store.shape.itemType(probe.type) : ItemType(dynamic: probe.type))
                request.predicate = try probe.format.map { try DataStorePredicate($0) }
                request.sortDescriptors = probe.sort.map {
                    [DataStoreSortDescriptor(key: $0.key, ascending: $0.ascending)]
                }
                let text = probe.format ?? probe.sort.map { "sorted by \($0.key)" } ?? ""
                // An aggregation sorts its rows, and not the items.
                for way in Way.allCases where probe.sort == nil || way != .aggregate {
                    let answer = try way.answer(to: request, db)
                    let what = "\(way.primitive) of \(probe.type), \(text), \(when)"
                    store.check.expectEqual(answer.count, probe.wanted.count, "the number: \(what)")
                    if let ids = answer.ids {
                        store.check.expectEqual(ids.map(graph.name), probe.wanted, what)
                    }
                }
            }
        }
    }
}
