/// The relationships that a write block has changed, and what must hold for them at its end.
///
/// A store that declares ``DataStoreCapabilities/hasRelationships`` keeps one for each write block, returns it from the
/// accessor's ``DataStoreReadWriteAccessor/links``, and calls ``judge(_:)`` before the commit. Used on the block's thread.
public final class BlockLinks {
    /// A number of related items that must hold at the end.
    private struct Rule: Hashable {
        let item: ItemReference
        let name: String
    }

    /// A type as a class declares it, or as the store knows it.
    private struct Declaration: Hashable {
        let key: String
        let schema: ObjectIdentifier?
        let isWhole: Bool
    }

    /// The items whose numbers of others changed, by their type and the name of the relationship.
    private var limited: [String: (relation: Relation, items: Set<ItemReference>)] = [:]
    private var denied: [Rule: (relation: Relation, others: [ItemReference])] = [:]
    /// The relationships that lead to a type without an inverse there, by the type's key; `nil` until they are needed.
    private var withoutInverse: [String: [Relation]]?
    /// Whether the store has relationships; `nil` until that is needed.
    private var areInUse: Bool?
    private var relations: [Declaration: [Relation]] = [:]
    private var declared: Set<String> = []
    private var ordered: Set<Rule> = []
    /// The items for which something does not hold at the end of the block.
    package private(set) var brokenItems: Set<ItemReference> = []

    /// Whether the block follows its rules just now: their look-ups are no queries of the program, so uniqueness is not
    /// judged before them.
    public private(set) var isFollowingRules = false

    /// No changes.
    public init() {}

    /// Runs a part of a rule.
    func followingRules<Value>(
        _ body: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        let before = isFollowingRules
        isFollowingRules = true
        defer { isFollowingRules = before }
        return try body()
    }

    /// Forgets what was read from the declarations of the store.
    ///
    /// A store calls this when a declaration changes.
    public func declarationsChanged() {
        areInUse = nil
        withoutInverse = nil
        relations = [:]
    }

    /// Whether the store has relationships, asked once in the block.
    func areInUse(_ ask: () throws(DataStoreError) -> Bool) throws(DataStoreError) -> Bool {
        if let areInUse { return areInUse }
        let answer = try ask()
        areInUse = answer
        return answer
    }

    /// The relationships of a type, resolved once in the block.
    func relations(
        of type: ItemType, isWhole: Bool, _ resolve: () throws(DataStoreError) -> [Relation]
    ) throws(DataStoreError) -> [Relation] {
        let declaration = Declaration(
            key: type.key, schema: type.schema.map(ObjectIdentifier.init), isWhole: isWhole)
        if let known = relations[declaration] { return known }
        let resolved = try resolve()
        relations[declaration] = resolved
        return resolved
    }

    /// The relationships that lead to a type and have no inverse there.
    func withoutInverse(
        to key: String, _ resolve: () throws(DataStoreError) -> [String: [Relation]]
    ) throws(DataStoreError) -> [Relation] {
        if withoutInverse == nil { withoutInverse = try resolve() }
        return withoutInverse?[key] ?? []
    }

    /// Whether the order of an item's others is looked at for the first time in the block.
    func notesOrdered(_ item: ItemReference, _ name: String) -> Bool {
        ordered.insert(Rule(item: item, name: name)).inserted
    }

    /// Notes that a relationship has ended: no rule of it holds at the end of the block.
    func noteEnded(_ relation: Relation) {
        let (owner, name) = (relation.owner, relation.schema.name)
        limited["\(owner).\(name)"] = nil
        denied = denied.filter { $0.key.item.itemTypeKey != owner || $0.key.name != name }
        ordered = ordered.filter { $0.item.itemTypeKey != owner || $0.name != name }
    }

    /// Notes that a type of links was dropped, so that it is declared again before the next link.
    func noteDropped(_ key: String) { declared.remove(key) }

    /// Whether a type of links is declared for the first time in the block.
    func notesDeclared(_ key: String) -> Bool { declared.insert(key).inserted }

    /// Notes that the number of others of an item changed.
    func noteCount(_ relation: Relation, of item: ItemReference) {
        if relation.schema.isLimited {
            let key = "\(relation.owner).\(relation.schema.name)"
            limited[key, default: (relation, [])].items.insert(item)
        }
    }

    /// Notes that an item was deleted that may have no others at the end.
    ///
    /// - Parameter others: The others that the item itself referred to, which are counted if they still exist.
    func noteDenied(_ relation: Relation, of item: ItemReference, _ others: [ItemReference]) {
        denied[Rule(item: item, name: relation.schema.name)] = (relation, others)
    }

    /// Checks what must hold at the end of the block: limits of numbers, and deletions that are denied.
    ///
    /// - Throws: ``DataStoreError/Code/validationFailed``; the block must be rolled back then.
    public func judge(_ db: borrowing DataStoreWriter) throws(DataStoreError) {
        let error = try violation(
            db, "Relationships do not hold at the end of the block, and nothing of it is stored")
        if let error { throw error }
    }

    /// The error for what does not hold; `nil` if all holds.
    ///
    /// - Parameters:
    ///   - consequence: The beginning of the message, which a list of items follows.
    ///   - skipsDamage: Whether items whose others cannot be counted, because something is damaged, are passed over.
    package func violation(
        _ db: borrowing DataStoreWriter, _ consequence: String, skipsDamage: Bool = false
    ) throws(DataStoreError) -> DataStoreError? {
        brokenItems = []
        if limited.isEmpty, denied.isEmpty { return nil }
        var broken: [String] = []
        var first: (type: String, name: String)?
        func note(_ rule: Rule, _ text: String) {
            if first == nil { first = (rule.item.itemTypeKey, rule.name) }
            brokenItems.insert(rule.item)
            if broken.count < 100 {
                broken.append("\(rule.item.itemTypeKey) \(rule.item.id): \(text)")
            }
        }
        for (rule, (relation, others)) in denied {
            var count = 0
            if case .reference = relation.storage {
                for other in others where try db.exists(other) {
                    // The other one of a pair may have a new partner by now.
                    if relation.isPair, let back = relation.reversed,
                        try db.references(back, of: other).first?.id != rule.item.id
                    {
                        continue
                    }
                    count += 1
                }
            } else {
                count = try db.count(relation, of: rule.item)
            }
            if count > 0 {
                note(rule, "it was deleted, but has \(count) “\(rule.name)”, which denies that")
            }
        }
        for (relation, items) in limited.values {
            for item in items {
                let (rule, schema) = (Rule(item: item, name: relation.schema.name), relation.schema)
                let count: Int
                do throws(DataStoreError) {
                    guard try db.exists(item) else { continue }
                    count = try db.count(relation, of: item)
                } catch {
                    guard skipsDamage, error.isOfOneItem else { throw error }
                    continue
                }
                if count < schema.minimum {
                    note(
                        rule, "it has \(count) “\(rule.name)”, and needs \(schema.minimum) at least"
                    )
                } else if let maximum = schema.maximum, count > maximum {
                    note(rule, "it has \(count) “\(rule.name)”, and may have \(maximum) at most")
                }
            }
        }
        guard let first else { return nil }
        return DataStoreError(
            .validationFailed, in: "write",
            "\(consequence): \(broken.sorted().joined(separator: "; ")).",
            itemType: first.type, attribute: first.name)
    }
}
