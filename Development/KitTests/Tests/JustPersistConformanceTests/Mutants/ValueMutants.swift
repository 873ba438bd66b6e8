import Foundation
import JustPersist

@testable import JustPersistConformance

/// Stores that return another value than was set.
enum ValueMutants {
    static let all: [SabotagedType] = [
        TrimsStrings.self, CutsStringsAtNUL.self, CutsLongStrings.self, ComposesStrings.self,
        KeepsEmptyStringsAsNil.self, KeepsIntsAsDoubles.self, KeepsIntsIn32Bits.self,
        KeepsDoublesAsFloats.self, KeepsNaNAsNil.self, KeepsWholeDoublesAsInts.self,
        KeepsBoolsAsInts.self, RoundsDates.self, CutsDataAtNUL.self, CutsTheLargestValue.self,
        KeepsUUIDsAsText.self, KeepsDecimalsAsDoubles.self, StandardizesURLs.self,
    ]
}

/// A store that changes values when they are set.
class ValueMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.stored = stored
        return rules
    }

    class func stored(_ value: DataStoreValue) -> DataStoreValue { value }
}

/// Keeps strings without white space at their ends.
final class TrimsStrings: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/string"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value else { return value }
        return .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

/// Cuts strings at a NUL, as C does.
final class CutsStringsAtNUL: ValueMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 22 }
    override class var caughtBy: [String] { ["val/string-embedded-nul"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value else { return value }
        return .string(String(text.prefix { $0 != "\0" }))
    }
}

/// Keeps integers as doubles in between, as a JSON library does.
final class KeepsIntsAsDoubles: ValueMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 23 }
    override class var caughtBy: [String] { ["val/int-extremes"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .int(let number) = value else { return value }
        return .int(Int64(exactly: Double(number)) ?? .max)
    }
}

/// Keeps true as 1.
final class KeepsBoolsAsInts: ValueMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 24 }
    override class var caughtBy: [String] { ["val/bool-is-not-int"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .bool(let isTrue) = value else { return value }
        return .int(isTrue ? 1 : 0)
    }
}

/// Keeps dates in whole milliseconds.
final class RoundsDates: ValueMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 25 }
    override class var caughtBy: [String] { ["val/date-subsecond", "val/date-extremes"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .date(let date) = value else { return value }
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        return .date(Date(timeIntervalSince1970: milliseconds / 1000))
    }
}

/// Keeps an empty string as nil.
final class KeepsEmptyStringsAsNil: ValueMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 26 }
    override class var caughtBy: [String] { ["val/string-empty-is-not-nil"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        value == .string("") ? .null : value
    }
}

/// Cuts strings at 64 KiB.
final class CutsLongStrings: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/string", "size/value-1MiB"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value, text.utf8.count > 1 << 16 else { return value }
        return .string(String(decoding: text.utf8.prefix(1 << 16), as: UTF8.self))
    }
}

/// Keeps strings in their composed form.
final class ComposesStrings: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["uni/round-trip", "uni/normalisation-not-applied"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value else { return value }
        return .string(text.precomposedStringWithCanonicalMapping)
    }
}

/// Keeps the lower 32 bits of integers.
final class KeepsIntsIn32Bits: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/uint64-above-int64", "val/int-extremes"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .int(let number) = value else { return value }
        return .int(Int64(Int32(truncatingIfNeeded: number)))
    }
}

/// Keeps floating-point numbers in 32 bits.
final class KeepsDoublesAsFloats: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/double-extremes"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .double(let number) = value else { return value }
        return .double(Double(Float(number)))
    }
}

/// Keeps NaN as nil, as a JSON library does.
final class KeepsNaNAsNil: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/double-nan"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .double(let number) = value, number.isNaN else { return value }
        return .null
    }
}

/// Keeps 1.0 as 1, as a JSON library does.
final class KeepsWholeDoublesAsInts: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/int-is-not-double"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .double(let number) = value, let whole = Int64(exactly: number) else {
            return value
        }
        return .int(whole)
    }
}

/// Cuts data at a NUL, as C does.
final class CutsDataAtNUL: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/data-all-bytes"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .data(let data) = value else { return value }
        return .data(data.prefix { $0 != 0 })
    }
}

/// Declares a limit of 1 MiB, and keeps one byte less.
final class CutsTheLargestValue: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["size/value-at-limit"] }
    private static let limit = 1 << 20

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.limits.valueBytes = Self.limit
        return capabilities
    }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .data(let data) = value else { return value }
        return .data(data.prefix(limit - 1))
    }
}

/// Keeps UUIDs as text.
final class KeepsUUIDsAsText: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/uuid"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .uuid(let id) = value else { return value }
        return .string(id.uuidString)
    }
}

/// Keeps decimals with the digits that a Double has.
final class KeepsDecimalsAsDoubles: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/decimal"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .decimal(let number) = value else { return value }
        return .decimal(Decimal(NSDecimalNumber(decimal: number).doubleValue))
    }
}

/// Keeps URLs with the “..” in their paths resolved.
final class StandardizesURLs: ValueMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/url"] }

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        guard case .url(let url) = value else { return value }
        return .url(url.standardized)
    }
}
