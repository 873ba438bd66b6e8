import Foundation
import JustPersist

/// Comparisons with attributes of related items, answered once from those items instead of for each item: semi-joins.
extension Block {
    /// The most related items that are looked up together.
    private static var mostJoined: Int { 50_000 }

    /// The predicate with comparisons such as `author.name == "Ann"` and `ANY books.year > 2000` replaced by ones with the
    /// related items that fulfil them; `nil` if that is impossible, or reads more than looking at each item.
    ///
    /// An item is replaced if it matches with a related item and never without one, so that the results are equal.
    func joined(
        _ predicate: DataStorePredicate, of request: DataStoreRequest, _ type: BlockType
    ) throws(DataStoreError) -> DataStorePredicate? {
        guard !type.relationships.isEmpty, predicate.hasComparison(where: { join($0, type) != nil })
        else { return nil }
        // Errors name what the program wrote.
        _ = try request.copy().keys(of: type.namesForQuery)
        let most = try mostLookups(type)
        // An index for another part leaves few items to look at.
        let known = IndexAlternatives(predicate, of: type, mostRanges: Self.mostRanges(for: most))
        guard known.unions.isEmpty else { return nil }
        let mayStop = request.slice.limit != nil && request.sortDescriptors?.isEmpty ?? true
        let noted = explained
        explained = nil
        defer { explained = noted }
        do throws(DataStoreError) {
            let joined = try predicate.mapComparisons { (comparison) throws(DataStoreError) in
                guard let join = join(comparison, type) else { return .comparison(comparison) }
                return try matches(join, comparison, type, mayStop: mayStop)
                    ?? .comparison(comparison)
            }
            return joined == predicate ? nil : joined
        } catch {
            // The damaged item may be related to none, and the store may know the attribute by a former name.
            if [.corrupted, .unknownAttribute].contains(error.code) { return nil }
            throw error
        }
    }

    /// A relationship, and the names after it in a path.
    private struct Join {
        let name: String
        let isToMany: Bool
        let rest: [String]
    }

    private func join(
        _ comparison: DataStorePredicate.Comparison, _ type: BlockType
    ) -> Join? {
        guard case .path(let path) = comparison.left, path.components.count > 1,
            case .value = comparison.right
        else { return nil }
        let name = path.components[0]
        let rest = Array(path.components.dropFirst())
        guard let relationship = type.relationship(name) else { return nil }
        guard comparison.modifier == (relationship.isToMany ? .any : .direct) else { return nil }
        return Join(name: name, isToMany: relationship.isToMany, rest: rest)
    }

    /// The comparison as one with the related items that fulfil it.
    private func matches(
        _ join: Join, _ comparison: DataStorePredicate.Comparison, _ type: BlockType, mayStop: Bool
    ) throws(DataStoreError) -> DataStorePredicate? {
        let prepared = PreparedComparison(comparison, now: Surroundings.date)
        if !join.isToMany, try prepared.matches(left: .null) { return nil }
        let reader = RecordReadAccessor(self)
        let relation = try reader.relation(join.name, of: type.itemType)
        let other = try blockType(ItemType(dynamic: relation.destination))
        guard let modifier = modifier(join, other) else { return nil }
        let condition = DataStorePredicate.comparison(
            .init(
                .path(.init(join.rest)), comparison.operator, comparison.right, modifier: modifier,
                options: comparison.options))
        let isIndexed = !IndexAlternatives(condition, of: other, mostRanges: 64).unions.isEmpty
        if !isIndexed {
            // A program that takes the first matches looks at few items.
            if mayStop { return nil }
            if !join.isToMany, try mostLookups(other) > 2 * mostLookups(type) { return nil }
        }
        // The program may have items of this type as objects of a class.
        let request = DataStoreRequest(type: ItemType(ofAnyClass: relation.destination))
        request.predicate = condition
        switch relation.storage {
        case .reference:
            let others = try references(request, relation.destination, from: nil)
            return others.map {
                .comparison(.init(.path(.init([join.name])), .in, .value(.array($0))))
            }
        case .inverse(let attribute):
            return try ids(references(request, relation.destination, from: attribute), type)
        case .links(let links, let isSource):
            let names = links.names(isSource: isSource)
            guard let others = try references(request, relation.destination, from: nil) else {
                return nil
            }
            let linked = DataStoreRequest(itemTypeKey: links.key)
            linked.predicate = .comparison(
                .init(.path(.init([names.far])), .in, .value(.array(others))))
            return try ids(references(linked, links.key, from: names.near), type)
        }
    }

    /// How the rest of a path is compared with the related items; `nil` for a rest that may lead through arrays.
    private func modifier(_ join: Join, _ other: BlockType) -> DataStorePredicate.Modifier? {
        if other.table == nil { return nil }
        let first = join.rest[0]
        if other.relationshipToMany(first) != nil { return join.isToMany ? .any : nil }
        let isID = join.rest == DataStorePredicate.AttributePath.uniqueToken.components
        guard let kinds = other.kinds(ofAttribute: first) else { return isID ? .direct : nil }
        if !join.isToMany { return .direct }
        let isPlain =
            join.rest.count == 1
            && kinds.isDisjoint(with: [ValueKinds(.array), ValueKinds(.dictionary)])
        return isPlain ? .direct : nil
    }

    /// The ids of the items that these references lead to, as a condition.
    private func ids(
        _ references: [DataStoreValue]?, _ type: BlockType
    ) throws(DataStoreError) -> DataStorePredicate? {
        let token = DataStorePredicate.AttributePath.uniqueToken
        guard let references, type.attributeForQuery(token.components[0]) == nil else { return nil }
        let ids = Set(
            references.compactMap { value -> UUID? in
                if case .reference(let reference) = value { reference.id.uuid } else { nil }
            })
        return .comparison(.init(.path(token), .in, .value(.array(ids.map { .uuid($0) }))))
    }

    /// References to the items of a request, or those in an attribute of them; `nil` if there are too many.
    private func references(
        _ request: DataStoreRequest, _ key: String, from attribute: String?
    ) throws(DataStoreError) -> [DataStoreValue]? {
        var found: [DataStoreValue] = []
        var failure: DataStoreError?
        request.limit = Self.mostJoined + 1
        try RecordReadAccessor(self).performScan(request) { item in
            guard let attribute else {
                found.append(.reference(.init(itemTypeKey: key, id: item.uniqueToken)))
                return
            }
            do throws(DataStoreError) {
                found.append(try item.backing.value(forAttribute: attribute))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return found.count > Self.mostJoined ? nil : found
    }
}

extension DataStorePredicate {
    fileprivate func hasComparison(where body: (Comparison) -> Bool) -> Bool {
        switch self {
        case .constant, .evaluated: false
        case .not(let part): part.hasComparison(where: body)
        case .and(let parts), .or(let parts): parts.contains { $0.hasComparison(where: body) }
        case .comparison(let comparison): body(comparison)
        }
    }
}
