package import JustPersist

/// Finds items with equal unique values: sorts the items by their values, and compares adjacent ones.
package enum ReferenceUniqueness {
    /// An error if two items have equal unique values, and one of them did not in the earlier state; `nil` otherwise.
    ///
    /// Items that had equal values before are allowed.
    package static func violation(
        from judged: ReferenceState, to state: ReferenceState
    ) -> DataStoreError? {
        for type in state.types {
            for index in type.indexes where index.isUnique {
                let holders = holders(of: index, type, in: state)
                for (first, second) in zip(holders, holders.dropFirst())
                where first.agrees(with: second) {
                    // If three items have equal values, any of them may be the new one.
                    let all = holders.filter { $0.agrees(with: first) }
                    let new = all.first { holder in
                        guard let old = judged.row(holder.key) else { return true }
                        return !holder.agrees(with: Holder(old, index, type, in: state))
                    }
                    guard let new, let other = all.first(where: { $0.key != new.key }) else {
                        continue
                    }
                    return .uniqueViolation(other.key, new.key, index)
                }
            }
        }
        return nil
    }

    /// The errors for unique indexes that only the later state declares: one for each index with two items of equal
    /// values.
    package static func violations(
        declaredBetween before: ReferenceState, and state: ReferenceState
    ) -> [DataStoreError] {
        var violations: [DataStoreError] = []
        // Only few of a thousand types have such an index.
        for type in state.types where type.indexes.contains(where: \.isUnique) {
            let known = before.type(type.key)?.indexes ?? []
            for index in type.indexes where index.isUnique && !known.contains(index) {
                let holders = holders(of: index, type, in: state)
                guard
                    let (first, second) = zip(holders, holders.dropFirst()).first(where: {
                        $0.agrees(with: $1)
                    })
                else { continue }
                violations.append(.uniqueViolation(first.key, second.key, index))
            }
        }
        return violations
    }

    /// The items that may have the values of others, sorted by their values.
    private static func holders(
        of index: IndexSchema, _ type: ReferenceType, in state: ReferenceState
    ) -> [Holder] {
        state.rows.lazy.filter { $0.key.itemType == type.key }
            .map { Holder($0, index, type, in: state) }.filter(\.isComparable)
            .sorted { $0.isOrdered(before: $1) }
    }
}

/// An item, and its values for the attributes of an index.
private struct Holder {
    let key: ReferenceKey
    let values: [DataStoreValue]

    init(
        _ row: ReferenceRow, _ index: IndexSchema, _ type: ReferenceType,
        in state: ReferenceState
    ) {
        key = row.key
        let values: [DataStoreValue] = index.attributes.map { path in
            let names = path.split(separator: ".").map(String.init)
            let attribute = try? ReferenceAttribute(
                names[0], of: ItemType(dynamic: type.key), in: state)
            return names.dropFirst().reduce(attribute?.value(in: row) ?? .null) { value, name in
                // A value of another item is not a value of this one.
                if case .dictionary(let entries) = value { return entries[name] ?? .null }
                return .null
            }
        }
        self.values = values.map { value in
            guard index.ignoresCase, case .string(let text) = value else { return value }
            return .string(ReferenceText.folded(text, .caseInsensitive))
        }
    }

    /// Whether another item can have equal values: nil and NaN are equal to no value, and collections are not compared.
    var isComparable: Bool {
        values.allSatisfy { value in
            switch value {
            case .null, .array, .dictionary: false
            default: ReferenceOrder.isEqual(value, value)
            }
        }
    }

    func agrees(with other: Holder) -> Bool {
        isComparable
            && zip(values, other.values).allSatisfy { ReferenceOrder.isEqual($0, $1) }
    }

    func isOrdered(before other: Holder) -> Bool {
        for (mine, theirs) in zip(values, other.values) {
            let order = ReferenceOrder.sortOrder(mine, theirs)
            if order != .same { return order == .ascending }
        }
        return key < other.key
    }
}

extension DataStoreError {
    fileprivate static func uniqueViolation(
        _ first: ReferenceKey, _ second: ReferenceKey, _ index: IndexSchema
    ) -> DataStoreError {
        let names = index.attributes.map { "“\($0)”" }.joined(separator: " and ")
        return DataStoreError(
            .uniqueViolation, in: "write",
            """
            The items \(min(first, second).id) and \(max(first, second).id) of “\(first.itemType)” have the same \
            \(names), which is declared unique.
            """, itemType: first.itemType, attribute: index.attributes.first)
    }
}
