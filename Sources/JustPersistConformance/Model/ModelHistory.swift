import JustPersist

/// A sequence of operations on a store, as data that can be run again, shortened, written to a file and printed.
///
/// Items are identified by numbers, independent of the ids that a store gives them. An operation on an unknown number
/// also has a defined outcome, so that every part of a history is a valid history.
struct ModelHistory: Codable, Hashable, Sendable {
    var operations: [ModelOperation]
}

/// One call of a store.
///
/// Stores have numbers: 0 is the store itself, and each child has its own number.
enum ModelOperation: Codable, Hashable, Sendable {
    /// A write block. If it throws at its end, it has no effect.
    case write([ModelStep], store: Int = 0, isRolledBack: Bool = false)
    /// A read block.
    case read([ModelRequest], store: Int = 0)
    /// Closing the store, and opening it again.
    case reopen
    /// Making and opening a child, known as `child` from then on.
    case makeChild(_ child: Int, of: Int)
    /// Merging a child into its parent.
    case merge(_ child: Int, policy: MergePolicy)
    /// Closing a child without a merge.
    case discard(_ child: Int)
}

/// One call inside a write block.
enum ModelStep: Codable, Hashable, Sendable {
    /// Makes an item, known as `item` from then on.
    case create(item: Int, type: String, values: [String: DataStoreValue])
    /// Inserts an item that was created outside of the store, with the id that belongs to the number, if there is one.
    case insert(item: Int, type: String, values: [String: DataStoreValue])
    /// Changes a value of the live item; null removes it.
    case set(item: Int, attribute: String, value: DataStoreValue)
    /// Changes a value through the mutable version of an item that was read before the block.
    case setThawed(item: Int, attribute: String, value: DataStoreValue)
    /// Deletes an item.
    case delete(item: Int)
    /// Deletes all items of types, in one call.
    case deleteAll(types: [String])
    /// Executes a request.
    case request(ModelRequest)
}

/// A request as data.
struct ModelRequest: Codable, Hashable, Sendable {
    var type: String
    var predicate: DataStorePredicate?
    var sort: [DataStoreSortDescriptor] = []
    var offset: Int?
    var limit: Int?
}

extension ModelHistory {
    /// The total number of steps in write blocks, requests in read blocks, and other operations.
    var stepCount: Int { operations.reduce(0) { $0 + $1.stepCount } }

    /// All steps of write blocks, in order.
    var steps: [ModelStep] { operations.flatMap(\.steps) }

    /// All requests, in order.
    var requests: [ModelRequest] { operations.flatMap(\.requests) }

    /// The types of the items.
    var types: [String] {
        Set(steps.compactMap(\.made?.type)).sorted { $0.precedesInBytes($1) }
    }

    /// Whether the history needs only these capabilities of a store.
    func isWithin(_ capabilities: DataStoreCapabilities) -> Bool {
        operations.allSatisfy { $0.isWithin(capabilities) }
            && steps.flatMap(\.values).allSatisfy { $0.isWithin(capabilities.valueKinds) }
            && requests.allSatisfy { request in
                request.predicate?.isWithin(capabilities) != false
            }
    }
}

extension ModelOperation {
    /// The number of steps of a write block, or of requests of a read block; 1 for any other operation.
    var stepCount: Int {
        switch self {
        case .write(let steps, _, _): steps.count
        case .read(let requests, _): requests.count
        case .reopen, .makeChild, .merge, .discard: 1
        }
    }

    fileprivate func isWithin(_ capabilities: DataStoreCapabilities) -> Bool {
        switch self {
        case .reopen: capabilities.persistence >= .reopening
        case .makeChild(_, let parent):
            capabilities.childStores >= (parent == 0 ? .oneLevel : .nested)
        case .write, .read, .merge, .discard: true
        }
    }

    /// The steps, if it is a write block.
    var steps: [ModelStep] {
        if case .write(let steps, _, _) = self { steps } else { [] }
    }

    /// All requests in it.
    var requests: [ModelRequest] {
        switch self {
        case .write(let steps, _, _): steps.compactMap(\.request)
        case .read(let requests, _): requests
        case .reopen, .makeChild, .merge, .discard: []
        }
    }
}

extension ModelStep {
    /// The item that the step creates or inserts, if any.
    var made: (item: Int, type: String, values: [String: DataStoreValue])? {
        switch self {
        case .create(let item, let type, let values), .insert(let item, let type, let values):
            (item, type, values)
        default: nil
        }
    }

    /// The request, if the step is one.
    var request: ModelRequest? {
        if case .request(let request) = self { request } else { nil }
    }

    /// The values that the step stores.
    var values: [DataStoreValue] {
        switch self {
        case .create(_, _, let values), .insert(_, _, let values): Array(values.values)
        case .set(_, _, let value), .setThawed(_, _, let value): [value]
        case .delete, .deleteAll, .request: []
        }
    }
}

extension DataStoreValue {
    /// Whether the value and all values in it are of the given kinds.
    func isWithin(_ kinds: Set<Kind>) -> Bool {
        guard isNull || kinds.contains(kind) else { return false }
        return switch self {
        case .array(let values): values.allSatisfy { $0.isWithin(kinds) }
        case .dictionary(let values): values.values.allSatisfy { $0.isWithin(kinds) }
        default: true
        }
    }
}

extension DataStorePredicate {
    /// Whether the store declares every operator and every constant in the predicate.
    func isWithin(_ capabilities: DataStoreCapabilities) -> Bool {
        switch self {
        case .constant, .evaluated: true
        case .not(let part): part.isWithin(capabilities)
        case .and(let parts), .or(let parts): parts.allSatisfy { $0.isWithin(capabilities) }
        case .comparison(let comparison):
            capabilities.predicateOperators.contains(comparison.operator)
                && [comparison.left, comparison.right].allSatisfy {
                    // A list of operands is an array whether or not the store keeps arrays.
                    $0.isWithin(capabilities.valueKinds.union([.array]))
                }
        }
    }
}

extension DataStorePredicate.Expression {
    fileprivate func isWithin(_ kinds: Set<DataStoreValue.Kind>) -> Bool {
        switch self {
        case .value(let value): value.isWithin(kinds)
        case .list(let parts): parts.allSatisfy { $0.isWithin(kinds) }
        default: true
        }
    }
}
