import JustPersist

/// Short histories that stores have failed, or might fail.
///
/// They are run before all others.
enum ReplayCorpus {
    static let histories: [(name: String, history: ModelHistory)] = [
        (
            "deletion spares a type whose name begins alike",
            ModelHistory(operations: [
                .write([
                    .create(item: 1, type: "Model", values: ["a": .int(1)]),
                    .create(item: 2, type: "ModelB", values: ["a": .int(2)]),
                ]),
                .write([.deleteAll(types: ["Model"])]),
                .read([ModelRequest(type: "Model"), ModelRequest(type: "ModelB")]),
            ])
        ),
        (
            "an item that comes back has none of its old values",
            ModelHistory(operations: [
                .write([.create(item: 1, type: "Model", values: ["a": .int(1), "b": .int(2)])]),
                .write([.delete(item: 1)]),
                .write([.insert(item: 1, type: "Model", values: ["b": .int(3)])]),
                .write([.insert(item: 1, type: "Model", values: ["a": .int(4)])]),
            ])
        ),
        (
            "a block that throws takes its changes out of queries too",
            ModelHistory(operations: [
                .write([.create(item: 1, type: "Model", values: ["a": .int(1)])]),
                .write(
                    [
                        .set(item: 1, attribute: "a", value: .int(2)),
                        .create(item: 2, type: "Model", values: ["a": .int(1)]),
                        .request(.whereA(.equal, .int(1))), .delete(item: 1),
                        .request(.whereA(.equal, .int(2))),
                    ], isRolledBack: true),
                .read([.whereA(.equal, .int(1)), .whereA(.equal, .int(2))]),
            ])
        ),
        (
            "a slice of a block's own items among stored ones",
            ModelHistory(operations: [
                .write((1...4).map { .create(item: $0, type: "Model", values: ["a": .int(2)]) }),
                .write([
                    .create(item: 5, type: "Model", values: ["a": .int(1)]), .delete(item: 2),
                    .set(item: 3, attribute: "a", value: .null),
                    .request(
                        ModelRequest(type: "Model", sort: [.ascending("a")], offset: 1, limit: 2)),
                    .request(
                        ModelRequest(type: "Model", sort: [.descending("a")], offset: 1, limit: 2)),
                ]),
            ])
        ),
        (
            "a value of another kind replaces the old one everywhere",
            ModelHistory(operations: [
                .write([.create(item: 1, type: "Model", values: ["a": .string("1")])]),
                .write([.setThawed(item: 1, attribute: "a", value: .int(1))]),
                .read([.whereA(.equal, .string("1")), .whereA(.equal, .int(1))]),
                .reopen,
                .read([.whereA(.equal, .string("1")), .whereA(.equal, .int(1))]),
            ])
        ),
        (
            "long strings that differ at their end",
            ModelHistory(operations: [
                .write(
                    ["b", "a"].enumerated().map { index, end in
                        .create(
                            item: index + 1, type: "Model",
                            values: ["a": .string(String(repeating: "x", count: 600) + end)])
                    }),
                .read([
                    ModelRequest(type: "Model", sort: [.ascending("a")]),
                    .whereA(.equal, .string(String(repeating: "x", count: 600) + "a")),
                ]),
            ])
        ),
        (
            "a merge carries changes and deletions, and the child goes on",
            ModelHistory(operations: [
                .write([
                    .create(item: 1, type: "Model", values: ["a": .int(1), "b": .int(1)]),
                    .create(item: 2, type: "Model", values: ["a": .int(2)]),
                ]),
                .makeChild(1, of: 0),
                .write(
                    [
                        .set(item: 1, attribute: "a", value: .int(10)), .delete(item: 2),
                        .create(item: 3, type: "Model", values: ["a": .int(3)]),
                    ], store: 1),
                .write([.set(item: 1, attribute: "b", value: .int(20))]),
                .merge(1, policy: .fail),
                .write([.set(item: 3, attribute: "a", value: .int(30))], store: 1),
                .merge(1, policy: .parentWins),
                .discard(1),
            ])
        ),
    ]
}

extension ModelRequest {
    /// A request for the items whose attribute `a` has a relation to a value.
    fileprivate static func whereA(
        _ relation: DataStorePredicate.Operator, _ value: DataStoreValue
    ) -> ModelRequest {
        ModelRequest(
            type: "Model",
            predicate: .comparison(
                DataStorePredicate.Comparison(
                    .path(DataStorePredicate.AttributePath(["a"])), relation, .value(value))))
    }
}
