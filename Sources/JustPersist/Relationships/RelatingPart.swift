/// A part of a type's items that relates items, as verification and repair see it.
package enum RelatingPart {
    /// The references of a relationship to one.
    case reference(Relation)
    /// All items of a type of links.
    case links(LinkEnds)

    /// The relationship that is named in messages.
    package var relation: Relation? {
        switch self {
        case .reference(let relation): relation
        case .links(let ends): ends.fromSource ?? ends.fromTarget
        }
    }

    /// The keys of the types of which an earlier or a later release may keep the items in another way.
    package var typeKeys: Set<String> {
        switch self {
        case .reference(let relation):
            Set(
                [relation.owner, relation.destination, relation.reversed?.order?.key].compactMap(
                    \.self))
        case .links(let ends):
            Set(
                [ends.fromSource, ends.fromTarget].flatMap { [$0?.owner, $0?.destination] }
                    .compactMap(\.self)
            )
            .union([ends.type.key])
        }
    }
}

/// The links of a type, with the relationships of the items at both ends.
package struct LinkEnds {
    package let type: LinkType
    /// Whether the links are only the places in the order of a relationship whose inverse is to one.
    let isOrder: Bool
    /// The relationship of the items at which the links begin, if they declare it.
    package private(set) var fromSource: Relation?
    /// The relationship of the items at which the links end, if they declare it.
    package private(set) var fromTarget: Relation?

    fileprivate init(_ type: LinkType, isOrder: Bool = false) {
        self.type = type
        self.isOrder = isOrder
    }

    fileprivate mutating func add(_ relation: Relation, isSource: Bool) {
        if isSource || relation.isSymmetric { fromSource = relation }
        if !isSource || relation.isSymmetric { fromTarget = relation }
    }

    /// Whether each link has one in the other direction.
    package var isSymmetric: Bool { fromSource?.isSymmetric == true }

    /// Whether a link may have lost one of its ends, by the rule of the item that was deleted; one end is always there.
    package func mayLack(source: Bool, target: Bool) -> Bool {
        if !source, !target { return true }
        if isOrder || source && target { return false }
        return (source ? fromSource : fromTarget)?.schema.leavesReferences == true
    }
}

extension RelationshipSchema {
    /// Whether others may refer to a deleted item at the end of a block: by the rule of no action, now or earlier.
    var keepsReferences: Bool { leftReferences || deleteRule == .noAction }

    /// Whether others may refer to a deleted item, until the end of the block also by a rule that denies.
    var leavesReferences: Bool { keepsReferences || deleteRule == .deny }
}

extension [ItemSchema] {
    /// The parts of the items of a store that relate items, by the keys of the types.
    package var relatingParts: [String: [RelatingPart]] {
        var parts: [String: [RelatingPart]] = [:]
        var links: [String: LinkEnds] = [:]
        for schema in self {
            for relationship in schema.relationships {
                // Declarations that disagree are an error for a class only: see `isWhole`.
                guard let relation = try? self.relation(relationship, of: schema, isWhole: false)
                else { continue }
                if let order = relation.order {
                    links[order.key, default: LinkEnds(order, isOrder: true)]
                        .add(Relation(order, of: relation), isSource: true)
                }
                switch relation.storage {
                case .reference: parts[relation.owner, default: []].append(.reference(relation))
                case .inverse: break
                case .links(let type, let isSource):
                    links[type.key, default: LinkEnds(type)].add(relation, isSource: isSource)
                }
            }
        }
        for (key, ends) in links { parts[key, default: []].append(.links(ends)) }
        return parts
    }
}
