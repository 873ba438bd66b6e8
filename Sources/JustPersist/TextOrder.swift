import Foundation

/// How a sort compares texts.
///
/// It concerns attributes that hold a text. Other values, and texts against these, order as they always do.
public enum TextOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// By the Unicode scalars of the composed form (NFC), as `<` compares in a predicate: "Zoo" before "apple".
    case scalars
    /// The same without regard to case, as `<[c]` compares: "apple" before "Zoo", and "Zoo" and "zoo" are equal.
    case caseInsensitive
    /// The same as ``scalars``, but digits from 0 to 9 in a row are compared as one number: "file 9" before "file 10".
    ///
    /// Zeros at the beginning of a number count for nothing, so "007" and "7" are equal.
    case numeric
    /// As Finder sorts names: by the rules of the current locale, without regard to case at first, and numbers by
    /// their value; see Foundation's `localizedStandardCompare(_:)`.
    ///
    /// Takes some microseconds for each comparison, and no index has this order. It may differ between two machines,
    /// and between two releases of Foundation.
    case localizedStandard
}

extension TextOrder {
    /// What stands for a value in ``order(_:_:)``.
    package func key(_ value: DataStoreValue) -> DataStoreValue {
        guard case .string(let text) = value else { return value }
        return switch self {
        case .scalars, .localizedStandard: value
        case .caseInsensitive: .string(text.folded(.caseInsensitive))
        case .numeric: .string(text.numbersByLength)
        }
    }

    /// How two values stand, of which these are the keys.
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
    /// The text with the number of digits before each number, so that the order of the scalars is that of the numbers.
    ///
    /// A number still begins with a digit, so that it stands to other characters as before. The number of digits has
    /// its own number of digits before it, as one scalar: of numbers of any length, the shorter one comes first.
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
