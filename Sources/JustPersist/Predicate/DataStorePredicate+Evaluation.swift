import Foundation

extension DataStorePredicate {
    /// A condition in Swift code that is evaluated on each item: a part of a `#Predicate` that a store cannot evaluate
    /// itself, or your own closure.
    ///
    /// ```swift
    /// let evaluation = DataStorePredicate.ItemEvaluation(Restaurant.self, "is nearby") { $0.isNearby }
    /// let predicate = try .evaluated(evaluation) && DataStorePredicate("stars > 3")
    /// ```
    ///
    /// The items that fulfil the other parts of an AND are created one by one and passed to the closure. A condition of
    /// this kind is therefore far slower than one that a store evaluates on its records, and uses no index. An
    /// evaluation equals only itself, cannot be encoded, and its text cannot be parsed.
    public struct ItemEvaluation: Sendable, Hashable {
        /// The class of the items.
        public let itemClass: any DataStoreItem.Type
        private let condition: Condition
        private let wanted: Bool

        /// A description of the condition.
        public var text: String { condition.text }

        /// A condition on items of a class, with a text that describes it.
        ///
        /// The closure is called on the thread of the block, possibly in the middle of a scan: it must only read the
        /// item. An error that it throws ends the request.
        public init<Item: DataStoreItem>(
            _ itemClass: Item.Type, _ text: String,
            _ isFulfilled: @escaping @Sendable (Item) throws -> Bool
        ) {
            self.init(itemClass: itemClass, text) { item in
                guard let item = item as? Item else { return nil }
                return try isFulfilled(item)
            }
        }

        /// A condition that may have no result: then neither it nor its ``opposite`` is fulfilled.
        init(
            itemClass: any DataStoreItem.Type, _ text: String,
            _ answer: @escaping @Sendable (any DataStoreItem) throws -> Bool?
        ) {
            self.itemClass = itemClass
            condition = Condition(text, answer)
            wanted = true
        }

        private init(_ other: ItemEvaluation, wanted: Bool) {
            itemClass = other.itemClass
            condition = other.condition
            self.wanted = wanted
        }

        /// The negated condition.
        var opposite: ItemEvaluation { ItemEvaluation(self, wanted: !wanted) }

        /// The identity of this condition and its opposite.
        var identity: ObjectIdentifier { ObjectIdentifier(condition) }

        /// Whether an item of the class fulfils the condition.
        ///
        /// - Throws: `.invalidPredicate` for an error of the closure, with the error, the condition and the item; a
        ///   ``DataStoreError`` of the closure unchanged.
        public func matches(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
            do {
                return try condition.answer(item) == wanted
            } catch let error as DataStoreError {
                throw error
            } catch {
                let type = item.backing.itemTypeKey
                throw DataStoreError(
                    .invalidPredicate, in: "predicate",
                    """
                    The predicate \(self) could not be evaluated on the “\(type)” \(item.uniqueToken): \
                    \(String(reflecting: error))
                    """, itemType: type)
            }
        }

        /// Whether both are the same condition, made by one initializer call.
        public static func == (left: ItemEvaluation, right: ItemEvaluation) -> Bool {
            left.condition === right.condition && left.wanted == right.wanted
        }

        /// Hashes the identity.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(identity)
            hasher.combine(wanted)
        }

        private final class Condition: Sendable {
            let text: String
            let answer: @Sendable (any DataStoreItem) throws -> Bool?

            init(
                _ text: String, _ answer: @escaping @Sendable (any DataStoreItem) throws -> Bool?
            ) {
                self.text = text
                self.answer = answer
            }
        }
    }
}

extension DataStorePredicate.ItemEvaluation: CustomStringConvertible {
    /// The text, marked as one that cannot be parsed.
    public var description: String { (wanted ? "" : "NOT ") + "«\(text)»" }
}

extension DataStorePredicate {
    /// The distinct conditions in the predicate that are evaluated on items.
    public var evaluations: [ItemEvaluation] {
        var found: [ItemEvaluation] = []
        var seen: Set<ObjectIdentifier> = []
        func note(_ predicate: DataStorePredicate) {
            switch predicate {
            case .evaluated(let evaluation):
                if seen.insert(evaluation.identity).inserted { found.append(evaluation) }
            case .constant: break
            case .not(let part): note(part)
            case .and(let parts), .or(let parts): parts.forEach(note)
            case .comparison(let comparison):
                note(comparison.left)
                note(comparison.right)
            }
        }
        func note(_ expression: Expression) {
            switch expression {
            case .value, .path, .count, .variable: break
            case .list(let parts), .function(_, let parts): parts.forEach(note)
            case .keyPath(of: let base, _), .cast(let base, _): note(base)
            case .element(of: let base, let index):
                note(base)
                if case .at(let place) = index { note(place) }
            case .subquery(let collection, _, let predicate):
                note(collection)
                note(predicate)
            case .ternary(let predicate, let first, let second):
                note(predicate)
                note(first)
                note(second)
            }
        }
        note(self)
        return found
    }
}
