import Foundation
import JustPersist

/// Makes a failing history as short and simple as possible, such that it still fails.
///
/// It first removes operations and steps (delta debugging), and then simplifies values, names and predicates.
struct HistoryShrinker {
    /// The number of histories that may still be tried.
    private var budget: Int
    private let fails: (ModelHistory) throws -> Bool

    /// A shrinker that calls `fails` at most `budget` times.
    init(budget: Int = 1500, fails: @escaping (ModelHistory) throws -> Bool) {
        self.budget = budget
        self.fails = fails
    }

    /// A simplified part of the history that also fails; the history itself if none was found.
    mutating func shrink(_ history: ModelHistory) throws -> ModelHistory {
        var smallest = history
        while budget > 0 {
            let before = smallest
            smallest = try withFewerOperations(smallest)
            smallest = try withFewerSteps(smallest)
            smallest = try withPlainerParts(smallest)
            if smallest == before { break }
        }
        let renumbered = smallest.renumbered
        return try stillFails(renumbered) ? renumbered : smallest
    }

    private mutating func stillFails(_ history: ModelHistory) throws -> Bool {
        guard budget > 0 else { return false }
        budget -= 1
        return try fails(history)
    }

    private mutating func withFewerOperations(_ history: ModelHistory) throws -> ModelHistory {
        ModelHistory(
            operations: try minimized(history.operations) { ModelHistory(operations: $0) })
    }

    private mutating func withFewerSteps(_ history: ModelHistory) throws -> ModelHistory {
        let places = history.operations.indices.flatMap { operation in
            (0..<history.operations[operation].stepCount).map { (operation, $0) }
        }
        let kept = try minimized(places) { history.keeping($0) }
        return history.keeping(kept)
    }

    /// Removes parts of a list, first large ones and then small ones, as long as the rest still fails.
    private mutating func minimized<Element>(
        _ elements: [Element], _ history: ([Element]) -> ModelHistory
    ) throws -> [Element] {
        var elements = elements
        var size = max(1, elements.count / 2)
        while !elements.isEmpty {
            var start = 0
            var isShorter = false
            while start < elements.count {
                var rest = elements
                rest.removeSubrange(start..<min(start + size, rest.count))
                if try stillFails(history(rest)) {
                    elements = rest
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, size / 2)
        }
        return elements
    }

    private mutating func withPlainerParts(_ history: ModelHistory) throws -> ModelHistory {
        var plainest = history
        var isPlainer = true
        while isPlainer, budget > 0 {
            isPlainer = false
            for candidate in plainest.plainer where candidate.weight < plainest.weight {
                if try stillFails(candidate) {
                    plainest = candidate
                    isPlainer = true
                    break
                }
            }
        }
        return plainest
    }
}

extension ModelHistory {
    /// The size of the history as text, plus an amount for each different name.
    ///
    /// A simpler history weighs less.
    fileprivate var weight: Int {
        let names = Set(attributes + types)
        return ((try? JSONEncoder().encode(self).count) ?? .max / 2) + names.count * 100
            + names.subtracting(["a", "Model"]).count * 100
    }

    /// The history with only the steps at some places, which are in order.
    fileprivate func keeping(_ places: [(operation: Int, step: Int)]) -> ModelHistory {
        let steps = Dictionary(grouping: places, by: \.operation).mapValues { $0.map(\.step) }
        return ModelHistory(
            operations: operations.indices.compactMap { index in
                guard let kept = steps[index] else { return nil }
                return switch operations[index] {
                case .write(let steps, let store, let isRolledBack):
                    .write(kept.map { steps[$0] }, store: store, isRolledBack: isRolledBack)
                case .read(let requests, let store):
                    .read(kept.map { requests[$0] }, store: store)
                case .reopen, .makeChild, .merge, .discard: operations[index]
                }
            })
    }

    /// The history with its items numbered from 1, in the order of their creation.
    fileprivate var renumbered: ModelHistory {
        var numbers: [Int: Int] = [:]
        for item in steps.compactMap(\.made?.item) where numbers[item] == nil {
            numbers[item] = numbers.count + 1
        }
        // Items that were never created stay distinct from those that were.
        let unmade = numbers.count + 1
        return mapItems { numbers[$0] ?? unmade }
    }
}
