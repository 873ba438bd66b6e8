import JustPersist

/// The faults of the relationships of a type, counted by kind: each kind is one problem in a report.
struct RelationProblems {
    private struct Group: Hashable {
        let part: Int
        let kind: RelationFault.Kind
    }

    private struct Faults {
        var count = 0
        var first: [ItemID] = []
    }

    private var groups: [Group: Faults] = [:]
    /// The most ids that a problem lists.
    private static let mostIDs = 10

    mutating func add(_ fault: RelationFault) {
        let group = Group(part: fault.part, kind: fault.kind)
        groups[group, default: Faults()].count += 1
        if groups[group, default: Faults()].first.count < Self.mostIDs {
            groups[group]?.first.append(fault.id)
        }
    }

    /// The problems of a type.
    func problems(of type: RelatingType) -> [DataStoreError] {
        let order = groups.sorted {
            ($0.key.part, $0.key.kind.rawValue) < ($1.key.part, $1.key.kind.rawValue)
        }
        return order.compactMap { group, faults in
            guard let relation = type.parts[group.part].part.relation else { return nil }
            let ids = faults.first.map(\.description).joined(separator: ", ")
            return DataStoreError(
                .corrupted, in: "verify",
                """
                “\(relation.schema.name)” of “\(relation.owner)”: \(group.kind.text(faults.count)) (\(ids)\
                \(faults.count > faults.first.count ? ", …" : "")). \(group.kind.advice)
                """, itemType: relation.owner, attribute: relation.schema.name)
        }
    }
}

extension RelationFault.Kind {
    fileprivate func text(_ count: Int) -> String {
        let items = count.counted("item")
        let links = count.counted("link")
        let isOne = count == 1
        return switch self {
        case .dangling: "\(items) \(isOne ? "refers" : "refer") to an item that does not exist"
        case .unpaired:
            "\(items) \(isOne ? "refers" : "refer") to a partner that does not refer back"
        case .withoutPlace: "\(items) \(isOne ? "has" : "have") no place in the order"
        case .withoutEnd: "\(links) \(isOne ? "relates" : "relate") an item that does not exist"
        case .doubled: "\(links) \(isOne ? "relates" : "relate") items that another link relates"
        case .misplaced:
            "\(links) \(isOne ? "has" : "have") an id that does not follow from the items"
        case .oneSided: "\(links) \(isOne ? "has" : "have") no link in the other direction"
        case .unordered: "\(links) \(isOne ? "has" : "have") no valid place in the order"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .dangling:
            """
            If an import brings the items, complete it. Otherwise repair the store, which makes the references nil.
            """
        case .unpaired:
            """
            Repair the store, which makes pairs of them where the partner has no other, and the remaining references nil.
            """
        case .withoutEnd:
            "If an import brings the items, complete it. Otherwise repair the store, which deletes the links."
        case .doubled: "Repair the store, which deletes the second link."
        case .misplaced: "Repair the store, which gives the links their ids."
        case .oneSided: "Repair the store, which adds the other links."
        case .withoutPlace, .unordered:
            "They are read in an order of the store. Repair the store, which puts them at the end."
        }
    }
}
