import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that accept a certain number of something, and drop the rest.
enum MultitudeSabotages {
    static let all: [Sabotage] = [100, 1_024, 4_096].flatMap { most in
        [
            sabotage("groups", most) { faults in
                faults.aggregate = { [aggregate = faults.aggregate] in
                    Array(try aggregate($0, $1, $2).prefix(most))
                }
            },
            sabotage("keys", most) { faults in
                faults.fetch = { [fetch = faults.fetch] request, block in
                    let items = try fetch(request, block)
                    return request.sortDescriptors?.isEmpty == false
                        ? Array(items.prefix(most)) : items
                }
            },
            sabotage("elements", most) { faults in
                faults.rules = { rules, _ in
                    rules.stored = { value in
                        guard case .array(let elements) = value else { return value }
                        return .array(Array(elements.prefix(most)))
                    }
                }
            },
            sabotage("members", most) { faults in
                faults.change(.fetch) { question, ask in
                    let request = question.request.copy()
                    request.predicate = request.predicate.map { $0.takingMembers(most) }
                    try ask((request, question.block))
                }
            },
            sabotage("attributes", most) { faults in
                faults.schemas = { [schemas = faults.schemas] block in
                    try schemas(block).map {
                        ItemSchema($0.itemTypeKey, attributes: Array($0.attributes.prefix(most)))
                    }
                }
            },
            sabotage("commits", most) { faults in
                faults.observe = { CutObservation($0, most) }
            },
            sabotage("key-bytes", most) { faults in
                faults.rules = { rules, _ in
                    rules.rows = { request, state throws(DataStoreError) in
                        var cut = state
                        for row in state.rows {
                            cut.put(
                                ReferenceRow(row.key, values: row.values.mapValues { $0.cut(most) })
                            )
                        }
                        return try ReferenceQuery.rows(request, in: cut)
                            .compactMap { state.row($0.key) }
                    }
                }
            },
            sabotage("value-bytes", most) { faults in
                faults.rules = { rules, _ in rules.stored = { $0.cut(most) } }
            },
        ]
    }

    private static func sabotage(
        _ multitude: String, _ most: Int, _ body: (inout Faults) -> Void
    ) -> Sabotage {
        Sabotage(
            "\(most) \(multitude) at most", caughtBy: "many/\(multitude)",
            profile: most > 4_000 ? .full : .quick, body)
    }
}

extension DataStoreValue {
    /// The first bytes of a text or of data.
    fileprivate func cut(_ most: Int) -> DataStoreValue {
        switch self {
        case .string(let text): .string(String(text.prefix(most)))
        case .data(let data): .data(data.prefix(most))
        default: self
        }
    }
}

extension DataStorePredicate {
    /// The predicate with the first members of an IN.
    fileprivate func takingMembers(_ most: Int) -> DataStorePredicate {
        guard case .comparison(let comparison) = self, comparison.operator == .in,
            case .value(.array(let members)) = comparison.right
        else { return self }
        return .comparison(
            Comparison(
                comparison.left, .in, .value(.array(Array(members.prefix(most)))),
                modifier: comparison.modifier, options: comparison.options))
    }
}

/// An observation that reports some of the items of each set.
private final class CutObservation: ChangeObservation {
    private let observation: any ChangeObservation
    private let most: Int

    init(_ observation: any ChangeObservation, _ most: Int) {
        self.observation = observation
        self.most = most
    }

    func next() async -> ChangeSet? { cut(await observation.next()) }

    func poll() -> ChangeSet? { cut(observation.poll()) }

    private func cut(_ set: ChangeSet?) -> ChangeSet? {
        guard let set else { return nil }
        let types = set.types.map { changes in
            ItemChanges(
                itemTypeKey: changes.itemTypeKey, inserted: Array(changes.inserted.prefix(most)),
                updated: changes.updated, deleted: changes.deleted,
                isComplete: changes.isComplete, token: changes.token)
        }
        return ChangeSet(types: types, isComplete: set.isComplete, token: set.token)
    }
}
