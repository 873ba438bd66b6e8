import JustPersist

/// Writes values, and expects to read equal ones.
extension CheckContext {
    /// A new store with a declared type for values.
    func openValues() throws -> StoredType {
        try StoredType("ValueItem", ["before", "value", "behind"], in: try openStore(), self)
    }

    /// Writes strings of which no two are equal, as ``roundTrip(_:equalToNothing:)`` does.
    func roundTrip(strings: [String]) throws {
        try roundTrip(strings.map { [.string($0)] })
    }

    /// Writes values, one for each item, and expects to read each with its kind and its bits: in the same block, in a
    /// later block, and after the store was reopened.
    ///
    /// Expects that `==` finds the equal values, and `!=` the others.
    ///
    /// The values of a group are equal, and differ from those of other groups. Values of kinds that the store does not
    /// declare are left out.
    func roundTrip(
        _ groups: [[DataStoreValue]], equalToNothing: [DataStoreValue] = []
    ) throws {
        let declared = capabilities.valueKinds.union([.null])
        func isDeclared(_ value: DataStoreValue) -> Bool { value.kinds.isSubset(of: declared) }
        var samples: [(value: DataStoreValue, group: Int?)] = []
        for (index, group) in groups.enumerated() {
            samples += group.filter(isDeclared).map { ($0, index) }
        }
        samples += equalToNothing.filter(isDeclared).map { ($0, nil) }
        guard samples.contains(where: { !$0.value.isNull }) else {
            try notApplicable("the store declares none of the kinds of values")
        }
        var items = try openValues()
        let ids = try write(samples.map(\.value), to: items)
        func read(_ items: StoredType, _ when: String) throws {
            try expect(samples.map(\.value), of: ids, in: items, when)
            for sample in samples {
                let equal = zip(samples, ids).filter { $0.0.group == sample.group }.map(\.1)
                let found = sample.group == nil ? [] : equal
                try items.expect(found, where: "value", .equal, sample.value, when)
                let others = ids.filter { !found.contains($0) }
                try items.expect(others, where: "value", .notEqual, sample.value, when)
            }
        }
        try read(items, "in a later block")
        if reopeningKeepsData {
            items = try items.reopened()
            try read(items, "after the store was reopened")
        }
    }

    /// Writes values, one for each item, between two other attributes that detect a value of the wrong length.
    func write(_ values: [DataStoreValue], to items: StoredType) throws -> [ItemID] {
        try items.store.write { db in
            var ids: [ItemID] = []
            for value in values {
                let item = try items.create(
                    ["before": .string("before"), "value": value, "behind": .string("behind")], db)
                expectIdentical(try item.value("value"), value, "a value when it was set")
                ids.append(item.uniqueToken)
            }
            for (value, id) in zip(values, ids) {
                expectIdentical(
                    try items.live(id, db).value("value"), value, "a value later in its block")
            }
            return ids
        }
    }

    /// Expects that the items have these values.
    func expect(
        _ values: [DataStoreValue], of ids: [ItemID], in items: StoredType, _ when: String,
        line: Int = #line
    ) throws {
        try items.store.read { db in
            for (value, id) in zip(values, ids) {
                let item = try require(
                    try items.item(id, db), "the item of \(value.shortText)", line: line)
                expectIdentical(try item.value("value"), value, "a value \(when)", line: line)
                expectEqual(
                    [try item.value("before"), try item.value("behind")],
                    [.string("before"), .string("behind")],
                    "the attributes beside \(value.shortText) \(when)", line: line)
                expectEqual(
                    try item.values()["value"] == nil, value.isNull,
                    "whether \(value.shortText) counts as nil \(when)", line: line)
            }
        }
    }
}

extension DataStoreValue {
    /// The kinds of the value and of all values in it.
    var kinds: Set<Kind> {
        switch self {
        case .array(let values): values.reduce([kind]) { $0.union($1.kinds) }
        case .dictionary(let values): values.values.reduce([kind]) { $0.union($1.kinds) }
        default: [kind]
        }
    }
}
