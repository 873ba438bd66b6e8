import Foundation
import JustPersist

/// One attribute of the items of a type, from the declaration of the class and the store's knowledge.
struct ReferenceAttribute {
    /// The name under which the store keeps, or will keep, the values.
    let name: String
    let itemType: String
    private let kinds: Set<DataStoreValue.Kind>
    private let defaultValue: DataStoreValue?
    private let isOptional: Bool
    /// The state, for references to renamed types.
    private let state: ReferenceState

    /// The attribute of that name of a type; `nil` if the type has none.
    ///
    /// Throws if values are stored under two names of the attribute.
    init?(
        _ name: String, of type: ItemType, in state: ReferenceState
    ) throws(DataStoreError) {
        itemType = type.key
        self.state = state
        let known = try state.type(of: type)
        if let schema = type.schema {
            guard let index = schema.index(ofAttribute: name) else { return nil }
            let declared = schema.attributes[index]
            let isPlain = declared.formerNames.isEmpty && known?.has(name) == true
            let stored = isPlain ? name : try state.storedNames(schema)[index] ?? name
            let attribute = known?.attribute(stored)
            self.name = stored
            kinds = declared.kinds
            defaultValue =
                declared.withDefault(recorded: attribute?.defaultValue).defaultValue
            isOptional = declared.isOptional
        } else {
            guard let stored = known?.presentName(name), let attribute = known?.attribute(stored)
            else { return nil }
            self.name = stored
            let declared = attribute.declaredKinds
            kinds = declared
            defaultValue = attribute.defaultValue.map { value in
                declared.isEmpty ? value : value.exactly(asOneOf: declared) ?? value
            }
            isOptional = attribute.isOptional
        }
    }

    /// Whether a row without a stored value has a default other than null.
    var hasDefault: Bool { defaultValue != nil }

    /// The value of a row: converted to a declared kind if possible, or the default.
    func value(in row: ReferenceRow) -> DataStoreValue {
        let stored = row.values[name]
        if stored == nil || stored?.isNull == true && !isOptional { return defaultValue ?? .null }
        return stored.map { state.presented(converted($0) ?? $0) } ?? .null
    }

    /// Whether a value is of a declared kind.
    func holds(_ value: DataStoreValue) -> Bool {
        value.isNull || kinds.isEmpty || kinds.contains(value.kind)
    }

    /// The value to store when the attribute is set to a value.
    ///
    /// Throws if the kind is not declared.
    func checked(_ value: DataStoreValue, _ operation: String) throws(DataStoreError)
        -> DataStoreValue
    {
        if let value = converted(value) { return value }
        throw .kindMismatch(
            value.kind, of: name, ofType: itemType, declared: kinds, in: operation,
            "nothing was changed.")
    }

    /// The error for reading a value of an undeclared kind.
    func unreadable(_ value: DataStoreValue) -> DataStoreError {
        .kindMismatch(
            value.kind, of: name, ofType: itemType, declared: kinds, in: "value",
            "it was stored under an earlier declaration, and cannot be read.")
    }

    /// The value converted to a declared kind, if that is an equal number.
    private func converted(_ value: DataStoreValue) -> DataStoreValue? {
        if holds(value) { return value }
        switch value {
        case .int(let number) where kinds.contains(.double) && Double(exactly: number) != nil:
            return .double(Double(number))
        case .int(let number) where kinds.contains(.decimal):
            return .decimal(Decimal(number))
        case .double(let number) where kinds.contains(.int):
            return Int64(exactly: number).map { .int($0) }
        case .bool(let isTrue) where kinds.contains(.int): return .int(isTrue ? 1 : 0)
        default: return nil
        }
    }
}
