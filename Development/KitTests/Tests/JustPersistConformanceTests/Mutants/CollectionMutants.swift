import JustPersist

@testable import JustPersistConformance

/// Stores that return other collections or attributes than were set.
enum CollectionMutants {
    static let all: [SabotagedType] = [
        FlattensArrays.self, SplitsNamesAtDots.self, KeepsEmptyCollectionsAsNil.self,
        DropsNullsInCollections.self, RefusesNothing.self, LowercasesAttributeNames.self,
        KeepsFewAttributes.self,
    ]
}

/// Keeps arrays in arrays as one array.
final class FlattensArrays: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/array-nested"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .array(let values) = value else { return value }
        return .array(
            values.flatMap { element in
                if case .array(let inner) = stored(element) { inner } else { [element] }
            })
    }
}

/// Keeps the value of a name with a dot in a dictionary of its own.
final class SplitsNamesAtDots: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/dictionary-nested"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .dictionary(let entries) = value else { return value }
        var split: [String: DataStoreValue] = [:]
        for (name, value) in entries {
            let names = name.split(separator: ".", omittingEmptySubsequences: false)
            split[String(names[0])] = names.dropFirst().reversed().reduce(value) { inner, name in
                .dictionary([String(name): inner])
            }
        }
        return .dictionary(split)
    }
}

/// Keeps empty collections as nil.
final class KeepsEmptyCollectionsAsNil: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/empty-collections"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        value == .array([]) || value == .dictionary([:]) ? .null : value
    }
}

/// Keeps collections without their nils.
final class DropsNullsInCollections: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/null-inside-collections", "val/random-values"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        switch value {
        case .array(let values): .array(values.filter { !$0.isNull }.map(stored))
        case .dictionary(let entries):
            .dictionary(entries.filter { !$0.value.isNull }.mapValues(stored))
        default: value
        }
    }
}

/// Declares few kinds of values, and accepts all.
final class RefusesNothing: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 50 }
    override class var caughtBy: [String] {
        ["pred/undeclared-operator-refused", "val/unsupported-kind-refused"]
    }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.valueKinds.subtract([.decimal, .array, .reference])
        capabilities.predicateOperators.subtract([.between, .endsWith])
        return capabilities
    }
}

/// Keeps the names of attributes in lower case, and finds values by the names as they are.
final class LowercasesAttributeNames: RowMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/attribute-names", "uni/attribute-names"] }

    override class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow {
        let values = row.values.map { ($0.key.lowercased(), $0.value) }
        return ReferenceRow(row.key, values: Dictionary(values, uniquingKeysWith: { $1 }))
    }
}

/// Keeps 256 attributes of an item at most.
final class KeepsFewAttributes: RowMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["many/attributes"] }

    override class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow {
        let values = row.values.sorted { $0.key < $1.key }.prefix(256).map { ($0.key, $0.value) }
        return ReferenceRow(row.key, values: Dictionary(uniqueKeysWithValues: values))
    }
}
