import Foundation

extension PredicateExpressions.KeyPath: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        switch try conversion.term(root) {
        case .item:
            return .operand(.plain(.path(try conversion.itemClass.path(for: keyPath))))
        case .operand(let operand):
            if let emptiness = try emptiness(of: operand, conversion) {
                return .operand(.condition(emptiness))
            }
            return .operand(
                try operand.map { (base) throws(DataStoreError) in
                    guard let property = property(of: base) else {
                        throw conversion.unsupported(self)
                    }
                    return property
                })
        }
    }

    /// Whether the value is empty, if the property is `isEmpty`.
    private func emptiness(
        of operand: Conversion.Operand, _ conversion: Conversion
    ) throws(DataStoreError) -> Conversion.Condition? {
        let count: Conversion.Operand
        switch Root.Output.self {
        case is String.Type where kind == .collectionIsEmpty:
            let empty = Conversion.Operand.plain(.value(.string("")))
            return !(try conversion.comparison(operand, .notEqual, empty, of: String.self))
        case is Data.Type where keyPath == \Data.isEmpty:
            count = operand.map { .function(.length, [$0]) }
        case is any ListType.Type where kind == .collectionIsEmpty: count = operand.map(\.counted)
        case let type as any NamedEntries.Type where keyPath == type.isEmptyPath:
            count = operand.map(\.counted)
        default: return nil
        }
        let none = Conversion.Operand.plain(.value(.int(0)))
        return !(try conversion.comparison(count, .greater, none, of: Int.self))
    }

    /// The property of a value.
    private func property(
        of base: DataStorePredicate.Expression
    ) -> DataStorePredicate.Expression? {
        switch Root.Output.self {
        case is String.Type: return kind == .collectionCount ? .function(.length, [base]) : nil
        case is Data.Type: return keyPath == \Data.count ? .function(.length, [base]) : nil
        case let type as any NamedEntries.Type where keyPath == type.countPath:
            return base.counted
        case is any ListType.Type:
            switch kind {
            case .collectionCount: return base.counted
            case .collectionFirst: return .element(of: base, .first)
            case .bidirectionalCollectionLast: return .element(of: base, .last)
            default: return nil
            }
        case is Date.Type:
            let seconds = DataStorePredicate.Expression.cast(base, to: .number)
            if keyPath == \Date.timeIntervalSinceReferenceDate { return seconds }
            guard keyPath == \Date.timeIntervalSince1970 else { return nil }
            let difference = Date.timeIntervalBetween1970AndReferenceDate
            return .function(.add, [seconds, .value(.double(difference))])
        case is UUID.Type: return keyPath == \UUID.uuidString ? .cast(base, to: .string) : nil
        case is ItemReference.Type:
            return keyPath == \ItemReference.id ? .cast(base, to: .uuid) : nil
        default: break
        }
        if let itemClass = Root.Output.self as? any DataStoreItem.Type {
            return (try? itemClass.path(for: keyPath)).map { base.appending($0.components) }
        }
        if Self.isRawValue(keyPath) { return base }
        if let name = CodedProperty.name(of: keyPath, in: Root.Output.self) {
            return base.appending([name])
        }
        return nil
    }

    /// Whether the property is the stored raw value of an enum.
    private static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
        guard let type = Root.Output.self as? any (RawRepresentable & CaseIterable).Type else {
            return false
        }
        func isOf<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> Bool {
            guard EnumCases.isEnum(type),
                let keyPath = keyPath as? Swift.KeyPath<Value, Value.RawValue>
            else { return false }
            // Nothing is known of the property except its values.
            return type.allCases.allSatisfy { value in
                guard let stored = try? DataStoreValue(attributeValue: value),
                    let raw = try? DataStoreValue(attributeValue: value.rawValue),
                    let property = try? DataStoreValue(attributeValue: value[keyPath: keyPath])
                else { return false }
                return stored == raw && property == raw
            }
        }
        return isOf(type)
    }
}

/// A dictionary that is stored as a dictionary, or a relationship to many.
private protocol NamedEntries {
    static var countPath: AnyKeyPath { get }
    static var isEmptyPath: AnyKeyPath { get }
}

/// The others in a relationship, which requests see as an array of references.
extension ToMany: NamedEntries {
    fileprivate static var countPath: AnyKeyPath { \Self.count }
    fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
}

extension Dictionary: NamedEntries where Key == String {
    fileprivate static var countPath: AnyKeyPath { \Self.count }
    fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
}
