import Foundation

/// The comparison of texts in a sort.
///
/// It applies to values that are texts. Other values keep their order among each other and relative to texts.
public enum TextOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// By the Unicode scalars of the composed form (NFC), as `<` compares in a predicate: "Zoo" before "apple".
    case scalars
    /// As ``scalars``, ignoring case, as `<[c]` compares: "apple" before "Zoo", and "Zoo" and "zoo" are equal.
    case caseInsensitive
    /// As ``scalars``, but a run of digits from 0 to 9 is compared as one number: "file 9" before "file 10".
    ///
    /// Leading zeros are ignored, so "007" and "7" are equal.
    case numeric
    /// As Finder sorts names: by the rules of the current locale, ignoring case at first, and with numbers by their
    /// value; see Foundation's `localizedStandardCompare(_:)`.
    ///
    /// Each comparison takes some microseconds, and no index has this order. It may differ between two machines,
    /// and between two releases of Foundation.
    case localizedStandard
}

extension TextOrder {
    /// The form of a value that ``order(_:_:)`` compares.
    package func key(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value else { return value }
        return switch self {
        case .scalars, .localizedStandard: value
        case .caseInsensitive: .string(text.folded(.caseInsensitive))
        case .numeric: .string(text.numbersByLength)
        }
    }

    /// The order of two values, given their keys.
    package func order(_ a: DataStoreValue, _ b: DataStoreValue) -> ValueOrder {
        guard self == .localizedStandard, case .string(let first) = a, case .string(let second) = b
        else { return a.sortOrder(against: b) }
        return switch first.localizedStandardCompare(second) {
        case .orderedAscending: .ascending
        case .orderedSame: .same
        case .orderedDescending: .descending
        }
    }
}

extension String {
    /// The text with the number of digits inserted before each number, so that scalar order is numeric order.
    ///
    /// A number still begins with a digit, so its order relative to other characters does not change. The number of
    /// digits is preceded by its own length, as one scalar: the shorter of two numbers comes first, at any length.
    fileprivate var numbersByLength: String {
        guard utf8.contains(where: Self.digits.contains) else { return self }
        let text = composed.utf8
        var result: [UInt8] = []
        var place = text.startIndex
        while place < text.endIndex {
            guard Self.digits.contains(text[place]) else {
                result.append(text[place])
                text.formIndex(after: &place)
                continue
            }
            let end = text[place...].firstIndex { !Self.digits.contains($0) } ?? text.endIndex
            let number = text[place..<end].drop { $0 == UInt8(ascii: "0") }
            let length = String(number.count).utf8
            result.append(UInt8(ascii: "0"))
            result.append(UInt8(length.count))
            result += length
            result += number
            place = end
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
