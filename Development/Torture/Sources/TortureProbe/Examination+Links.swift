import JustPersist
import Workload

/// Compares the relationships of all items, from both sides, with the model.
extension Examination {
    /// Follows every relationship of every item, with prefetching and without, and asks for items by their links.
    mutating func examineLinks(_ state: ModelState, _ accessor: borrowing DataStoreReader) {
        for isPrefetched in [false, true] {
            for kind in Workload.Kind.allCases {
                examineLinks(of: kind, isPrefetched: isPrefetched, state, accessor)
            }
        }
        let parcels = state.keys(.parcel)
        let notes = state.keys(.note)
        request(.parcel, "notes.@count > 1", accessor) {
            parcels.filter { state.notes(.content, of: $0).count > 1 }
        }
        request(.note, "lists.@count == 0", accessor) {
            notes.filter { state.parcels(.listing, of: $0).isEmpty }
        }
        request(.note, "parcel == nil", accessor) {
            notes.filter { state.parcels(.content, of: $0).isEmpty }
        }
        for key in notes.suffix(2) {
            request(.parcel, "ANY list.key == \(key)", accessor) {
                state.parcels(.listing, of: key)
            }
        }
        for key in parcels.suffix(2) {
            request(.note, "parcel.key == \(key)", accessor) { state.notes(.content, of: key) }
        }
    }

    private mutating func request(
        _ kind: Workload.Kind, _ format: String, _ accessor: borrowing DataStoreReader,
        _ expected: () -> [Int]
    ) {
        let type = workload.typeKey(kind)
        do {
            let request = DataStoreRequest(
                type: ItemType(dynamic: type), predicate: try DataStorePredicate(format))
            let found = try accessor.dynamicItems(request).map {
                workload.key(kind, of: $0.uniqueToken)
            }
            if found != expected() {
                verdict.wrongLinks.append("\(type) where \(format): \(found), not \(expected())")
            }
        } catch {
            verdict.errors.append("\(type) where \(format): \(error)")
        }
    }

    private mutating func examineLinks(
        of kind: Workload.Kind, isPrefetched: Bool, _ state: ModelState,
        _ accessor: borrowing DataStoreReader
    ) {
        let type = workload.typeKey(kind)
        do {
            let items = try accessor.dynamicItems(DataStoreRequest(itemTypeKey: type))
            for relation in Workload.Relation.allCases {
                let name = workload.name(relation, of: kind)
                if isPrefetched { try accessor.prefetch(name, of: items) }
                for item in items {
                    guard let key = workload.key(kind, of: item.uniqueToken) else { continue }
                    compareLinks(of: item, kind, key, relation, state)
                }
            }
        } catch {
            verdict.errors.append("the relationships of \(type): \(error)")
        }
    }

    private mutating func compareLinks(
        of item: DynamicItem, _ kind: Workload.Kind, _ key: Int, _ relation: Workload.Relation,
        _ state: ModelState
    ) {
        let reported = reports.all.count
        let found = workload.related(relation, of: item, kind)
        // An error that was reported is no wrong answer; all of them are added to the verdict at the end.
        guard reports.all.count == reported else { return }
        let expected = state.others(relation, of: kind, key)
        if found == expected { return }
        let name = "\(workload.typeKey(kind)) \(key).\(workload.name(relation, of: kind))"
        for other in Set(found).subtracting(expected) {
            let link = Workload.Link(
                relation, note: kind == .note ? key : other, parcel: kind == .note ? other : key)
            if state.everLinked.contains(link) {
                verdict.olderValues.append("\(name) has \(other), which it had once")
            } else {
                verdict.wrongValues.append("\(name) has \(other), which it never had")
            }
        }
        verdict.wrongLinks.append("\(name): \(found), not \(expected)")
    }
}

extension Workload {
    /// The name of a relationship, seen from one side.
    func name(_ relation: Relation, of kind: Kind) -> String {
        switch (relation, kind) {
        case (.content, .note): "parcel"
        case (.content, .parcel): "notes"
        case (.listing, .note): "lists"
        case (.listing, .parcel): "list"
        }
    }

    /// The keys of the existing others of an item, in their order; -1 for one that was never written.
    func related(_ relation: Relation, of item: DynamicItem, _ kind: Kind) -> [Int] {
        let name = name(relation, of: kind)
        let others: [DynamicItem] =
            relation == .content && kind == .note
            ? item.related(name).map { [$0] } ?? [] : item.related(toMany: name).items
        return others.map { key(kind == .note ? .parcel : .note, of: $0.uniqueToken) ?? -1 }
    }
}

extension ModelState {
    /// The keys of the others of an item, in their order.
    func others(_ relation: Workload.Relation, of kind: Workload.Kind, _ key: Int) -> [Int] {
        kind == .note ? parcels(relation, of: key) : notes(relation, of: key)
    }
}
