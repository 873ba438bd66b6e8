import JustPersist

/// Runs a history on a candidate and on a model, and finds the first place where they differ.
struct ModelRunner {
    /// Makes an open, empty store for each run.
    typealias Make = () throws -> any DataStore

    /// Makes the candidate.
    let makeCandidate: Make
    /// Makes the model.
    let makeModel: Make
    /// Closes the candidate, and returns an open store over the same data.
    let reopen: (any DataStore) throws -> any DataStore
    /// Called between operations.
    var tick: () -> Void = {}

    /// The number of steps after which the states are compared, at the end of a block.
    private let stepsBetweenDumps = 10

    /// A description of the first difference between the two; `nil` if there is none.
    ///
    /// Throws only if the kit itself fails: a store that cannot be opened or read counts as a difference.
    func difference(in history: ModelHistory) throws -> String? {
        let attributes = history.attributes
        let model = ModelSubject(try makeModel(), attributes: attributes) { $0 }
        defer { try? model.destroy() }
        let candidate: ModelSubject
        do {
            candidate = ModelSubject(try makeCandidate(), attributes: attributes, reopen: reopen)
        } catch {
            return "A new store could not be opened: \(error)"
        }
        defer { try? candidate.destroy() }
        return try difference(in: history, candidate, model)
    }

    private func difference(
        in history: ModelHistory, _ candidate: ModelSubject, _ model: ModelSubject
    ) throws -> String? {
        let types = history.types
        var steps = 0
        for (index, operation) in history.operations.enumerated() {
            tick()
            // The model is in memory, and need not be opened again.
            let expected = operation == .reopen ? ["reopened"] : model.run(operation)
            let actual = candidate.run(operation)
            if let difference = Self.difference(actual, expected, in: operation, at: index) {
                return difference
            }
            let count = operation.stepCount
            let isDue =
                (steps + count) / stepsBetweenDumps > steps / stepsBetweenDumps
                || operation == .reopen || index == history.operations.count - 1
            steps += count
            guard isDue else { continue }
            let states: [Int: StoreDump]
            do { states = try candidate.dumps(typeKeys: types) } catch {
                return "After operation \(index + 1) the store could not be read: \(error)"
            }
            let wanted = try model.dumps(typeKeys: types)
            for (number, state) in states.sorted(by: { $0.key < $1.key }) {
                guard let difference = wanted[number].flatMap({ state.difference(from: $0) }) else {
                    continue
                }
                return """
                    After operation \(index + 1) (\(operation.name)) \
                    \(number == 0 ? "the store" : "child \(number)") differs from the \
                    history:
                    \(difference)
                    """
            }
        }
        return nil
    }

    private static func difference(
        _ actual: [String], _ expected: [String], in operation: ModelOperation, at index: Int
    ) -> String? {
        if actual == expected { return nil }
        let step = zip(actual, expected).prefix { $0 == $1 }.count
        func outcome(_ outcomes: [String]) -> String {
            outcomes.indices.contains(step) ? outcomes[step] : "nothing"
        }
        return """
            In operation \(index + 1) (\(operation.name)), step \(step + 1)\
            \(operation.text(ofStep: step).map { ", \($0)" } ?? ""):
            got \(outcome(actual))
            expected \(outcome(expected))
            """
    }
}

extension ModelHistory {
    /// The attributes of the items in the history.
    var attributes: [String] {
        Set(steps.flatMap(\.attributes)).sorted { $0.precedesInBytes($1) }
    }
}

extension ModelStep {
    /// The attributes that the step sets.
    var attributes: [String] {
        switch self {
        case .create(_, _, let values), .insert(_, _, let values): Array(values.keys)
        case .set(_, let attribute, _), .setThawed(_, let attribute, _): [attribute]
        case .delete, .deleteAll, .request: []
        }
    }
}

extension ModelOperation {
    fileprivate var name: String {
        switch self {
        case .write(_, let store, let isRolledBack):
            "a write block\(store.place)\(isRolledBack ? " that throws at its end" : "")"
        case .read(_, let store): "a read block\(store.place)"
        case .reopen: "reopening"
        case .makeChild(let child, let parent): "making child \(child)\(parent.place)"
        case .merge(let child, let policy): "merging child \(child), \(policy.rawValue)"
        case .discard(let child): "discarding child \(child)"
        }
    }

    fileprivate func text(ofStep index: Int) -> String? {
        switch self {
        case .write(let steps, _, _) where index < steps.count: steps[index].text
        case .read(let requests, _) where index < requests.count: requests[index].text
        default: nil
        }
    }
}

extension Int {
    /// The store with this number, as the end of a phrase.
    fileprivate var place: String { self == 0 ? "" : " of child \(self)" }
}

extension ModelStep {
    fileprivate var text: String {
        switch self {
        case .create(let item, let type, _): "making #\(item) of \(type.escaped)"
        case .insert(let item, let type, _): "inserting #\(item) of \(type.escaped)"
        case .set(let item, let attribute, let value):
            "setting \(attribute.escaped) of #\(item) to \(value.text)"
        case .setThawed(let item, let attribute, let value):
            "setting \(attribute.escaped) of the mutable version of #\(item) to \(value.text)"
        case .delete(let item): "deleting #\(item)"
        case .deleteAll(let types):
            "deleting all of \(types.map(\.escaped).joined(separator: ", "))"
        case .request(let request): request.text
        }
    }
}

extension ModelRequest {
    fileprivate var text: String {
        var text = "asking for \(type.escaped)"
        if let predicate { text += " where \(predicate)" }
        for key in sort { text += ", by \(key.key.escaped) \(key.ascending ? "up" : "down")" }
        if let offset { text += ", offset \(offset)" }
        if let limit { text += ", limit \(limit)" }
        return text
    }
}

extension DataStoreValue {
    fileprivate var text: String { canonicalText { "#\($0.low)" } }
}
