import JustPersist

/// Runs a history on a candidate and on a model, and finds the first place where they differ.
struct ModelRunner {
    /// Makes an open, empty store for each run.
    typealias Make = () throws -> any DataStore

    /// How the candidate is made.
    let makeCandidate: Make
    /// How the model is made.
    let makeModel: Make
    /// Closes the candidate, and gives an open store over the same data.
    let reopen: (any DataStore) throws -> any DataStore
    /// Called between operations.
    var tick: () -> Void = {}

    /// The states are compared after the block in which so many further steps are full.
    private let stepsBetweenDumps = 10

    /// Where the two differ, and how; `nil` if they agree to the end.
    ///
    /// Throws only where the kit itself fails: a store that cannot be opened or read is a difference.
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
            // A model in memory has nothing to open again.
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
    /// The attributes that items of the history are given.
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
    /// Of a store's number: where something happens.
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
