import JustPersist

/// Checks of relationships, for stores that keep them.
///
/// Most are scripts, whose results a graph of names predicts.
enum RelationshipChecks {
    static let all: [CheckDefinition] =
        scripts.map(\.definition) + orders + rules + reading + predicates + stores + changes + [
            CheckDefinition(
                "rel/undeclared-refused", clause: [22], gate: .counterCheck(.relationships),
                "A store that keeps no relationships refuses items of a class that has them."
            ) { check in
                check.expectError(.unsupported, what: "creating an item with relationships") {
                    try check.openStore().write { db in
                        _ = try db.create(RelatedClasses.Author.self)
                    }
                }
            }
        ]

    /// Makes a check for stores that declare relationships.
    static func rel(
        _ name: String, also requirement: Requirement? = nil, clause: [Int] = [22],
        _ summary: String, run: @escaping @Sendable (CheckContext) throws -> Void
    ) -> CheckDefinition {
        let needed = requirement.map { .relationships && $0 } ?? Requirement.relationships
        return CheckDefinition(
            "rel/\(name)", clause: clause, gate: .requires(needed), summary, run: run)
    }
}

/// A check that carries out the same blocks on several shapes, and compares every relationship of every item with the
/// graph that the contract requires: in the block after each step, after the block, and after the store was reopened.
struct GraphScript: Sendable {
    let name: String
    let clause: [Int]
    let summary: String
    let shapes: [GraphShape]
    let blocks: [[GraphStep]]

    init(
        _ name: String, clause: [Int] = [22], _ summary: String, on shapes: [GraphShape],
        _ blocks: [GraphStep]...
    ) {
        self.name = name
        self.clause = clause
        self.summary = summary
        self.shapes = shapes
        self.blocks = blocks
    }

    var definition: CheckDefinition {
        RelationshipChecks.rel(name, clause: clause, summary) { check in
            for shape in shapes { try run(check, shape) }
        }
    }

    private func run(_ check: CheckContext, _ shape: GraphShape) throws {
        var store = try GraphStore(check, shape)
        var graph = Graph(shape)
        for (number, block) in blocks.enumerated() {
            graph = try store.commit(block, to: graph, ", block \(number + 1)")
            try store.expect(graph, "after block \(number + 1)")
        }
        if check.reopeningKeepsData {
            store = try store.reopened()
            try store.expect(graph, "after the store was closed and opened")
        }
    }
}
