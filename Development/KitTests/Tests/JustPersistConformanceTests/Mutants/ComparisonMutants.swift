import Foundation
import JustPersist

@testable import JustPersistConformance

/// Stores that compare values wrongly.
enum ComparisonMutants {
    static let all: [SabotagedType] = [
        ComparesStringsAsBytes.self, ComparesBeginningsOfStrings.self,
        ComparesNumbersAsDoubles.self, ComparesAsText.self, TrimsOperands.self,
        NotDropsNil.self, NotEqualMissesNil.self, IndexesNoNil.self, TakesNilForLeast.self,
        TakesNaNForItself.self,
    ]
}

// MARK: Values

/// Compares strings by their bytes of UTF-8.
final class ComparesStringsAsBytes: SightMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 21 }
    override class var caughtBy: [String] {
        [
            "uni/canonical-equivalence-eq", "uni/sort-order",
            "uni/canonical-equivalence-in-begins", "pred/eq", "pred/begins-ends-contains",
        ]
    }

    override class func seen(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value else { return value }
        // A letter for each byte, none of which is canonically equivalent to others.
        let letters = text.utf8.map { Unicode.Scalar($0) }
        return .string(String(String.UnicodeScalarView(letters)))
    }
}

/// Compares only the first 511 bytes of a string, as many as fit into a key.
final class ComparesBeginningsOfStrings: SightMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 29 }
    override class var caughtBy: [String] { ["many/key-bytes", "model/replay-corpus"] }

    override class func seen(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value, text.utf8.count > 511 else { return value }
        return .string(String(decoding: text.utf8.prefix(511), as: UTF8.self))
    }
}

/// Compares numbers as Doubles.
final class ComparesNumbersAsDoubles: SightMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["pred/numeric-cross-kind", "val/int-extremes", "sort/single-key"]
    }

    override class func seen(_ value: DataStoreValue) -> DataStoreValue {
        switch value {
        case .int(let number): .double(Double(number))
        case .decimal(let number): .double(NSDecimalNumber(decimal: number).doubleValue)
        default: value
        }
    }
}

/// Compares values of all kinds by their texts.
final class ComparesAsText: SightMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["pred/kind-mismatch-is-false", "sort/nan-and-mixed-kinds-total-order"]
    }

    override class func seen(_ value: DataStoreValue) -> DataStoreValue {
        switch value {
        case .null, .string: value
        case .int(let number): .string("\(number)")
        case .double(let number): .string("\(number)")
        case .bool(let isTrue): .string("\(isTrue)")
        case .uuid(let id): .string("\(id)")
        case .url(let url): .string(url.absoluteString)
        default: .string("\(value)")
        }
    }
}

/// Compares strings without white space at their ends.
final class TrimsOperands: SightMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/special-characters-in-operand"] }

    override class func seen(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value else { return value }
        return .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

// MARK: nil and NaN

/// NOT finds no item that has nil in one of the attributes concerned, as in SQL.
final class NotDropsNil: QueryMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 20 }
    override class var caughtBy: [String] { ["pred/partition", "pred/and-or-not"] }

    override class func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        guard case .not(let part) = predicate else { return super.matches(predicate, subject) }
        return !matches(part, subject) && part.names.allSatisfy { !subject.value($0).isNull }
    }
}

/// != finds no item that has nil, as in SQL.
final class NotEqualMissesNil: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/ne"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        if comparison.operator == .notEqual, value(of: comparison.left, subject).isNull {
            return false
        }
        return super.holds(comparison, subject)
    }
}

/// Nothing is equal or unequal to nil, as in SQL.
final class IndexesNoNil: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "pred/nil-and-constants", "pred/in",
            "pred/attribute-against-attribute",
        ]
    }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        let values = [comparison.left, comparison.right].map { value(of: $0, subject) }
        return !values.contains(where: \.isNull) && super.holds(comparison, subject)
    }
}

/// Treats nil as less than every value, as in a sort.
final class TakesNilForLeast: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/nil-and-constants"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        let (left, right) = (
            value(of: comparison.left, subject), value(of: comparison.right, subject)
        )
        switch comparison.operator {
        case .less where left.isNull, .lessOrEqual where left.isNull: return true
        case .greater where right.isNull, .greaterOrEqual where right.isNull: return true
        default: return super.holds(comparison, subject)
        }
    }
}

/// Treats NaN as equal to NaN.
final class TakesNaNForItself: SightMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/nan", "val/double-nan"] }

    override class func seen(_ value: DataStoreValue) -> DataStoreValue {
        guard case .double(let number) = value, number.isNaN else { return value }
        return .string("NaN")
    }
}
