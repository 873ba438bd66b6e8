import Foundation
package import JustPersist

extension DataStoreValue {
    /// The value as a cell of CSV, from which reading a cell of that kind makes the same value; `nil` for null.
    package var cell: String? {
        switch self {
        case .null: nil
        case .string(let value): value
        case .bool, .int, .array, .dictionary: jsonText
        case .double(let value): value.isFinite ? value.description : value.jsonTagText
        case .date(let value):
            value.exactISO8601 ?? Date.secondsPrefix
                + value.timeIntervalSinceReferenceDate.exactText
        case .data(let value): value.base64EncodedString()
        case .uuid(let value): value.uuidString.lowercased()
        case .decimal(let value): value.description
        case .url(let value):
            value.exactTexts.count == 1
                ? value.relativeString
                : DataStoreValue.array(value.exactTexts.map { .string($0) }).jsonText
        case .reference(let value): "\(value.itemTypeKey) \(value.id)"
        }
    }

    /// The value of one of some kinds that a text stands for: of the first in ``kindsInOrder`` that it can be.
    package init?(cell text: String, kinds: Set<Kind>) {
        for kind in Self.kindsInOrder where kinds.contains(kind) {
            guard let value = Self.value(text, kind) else { continue }
            self = value
            return
        }
        return nil
    }

    /// The kinds, those first whose texts are not all texts of the later ones.
    package static let kindsInOrder: [Kind] = [
        .bool, .int, .double, .decimal, .date, .uuid, .reference, .array, .dictionary, .string,
        .url, .data,
    ]

    private static func value(_ text: String, _ kind: Kind) -> DataStoreValue? {
        switch kind {
        case .string: .string(text)
        case .bool: bool(text).map { .bool($0) }
        case .int: Int64(text).map { .int($0) }
        case .double: double(text).map { .double($0) }
        case .decimal: Decimal(exactText: text).map { .decimal($0) }
        case .date: date(text).map { .date($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .data: Data(base64Encoded: text).map { .data($0) }
        case .url: url(text).map { .url($0) }
        case .reference: reference(text).map { .reference($0) }
        case .array, .dictionary:
            DataStoreValue(jsonText: text).flatMap { $0.kind == kind ? $0 : nil }
        case .null: nil
        }
    }

    private static func bool(_ text: String) -> Bool? {
        switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    private static func double(_ text: String) -> Double? {
        guard let value = Double(cell: text) else { return nil }
        // A number that is too large is none.
        return value.isInfinite && text.utf8.contains { (0x30...0x39).contains($0) } ? nil : value
    }

    /// A point in time, or a day, which begins in Greenwich.
    private static func date(_ text: String) -> Date? {
        Date(momentCell: text)
            ?? (text.utf8.count == 10 ? Date(iso8601: text + "T00:00:00Z") : nil)
    }

    private static func url(_ text: String) -> URL? {
        if text.hasPrefix("["), case .array(let parts)? = DataStoreValue(jsonText: text),
            case .url(let url)? = DataStoreValue(tag: JSONTag.url, .array(parts))
        {
            return url
        }
        return URL(written: [text])
    }

    private static func reference(_ text: String) -> ItemReference? {
        guard let space = text.lastIndex(of: " "),
            let id = ItemID(String(text[space...].dropFirst()))
        else { return nil }
        return ItemReference(itemTypeKey: String(text[..<space]), id: id)
    }
}

extension Date {
    /// In front of the seconds of a date that ISO 8601 with milliseconds does not hold.
    fileprivate static let secondsPrefix = "secondsSince2001:"

    /// The point in time that a cell stands for, as an export writes it; `nil` if for none, or for a day.
    init?(momentCell text: String) {
        guard text.hasPrefix(Self.secondsPrefix) else {
            self.init(iso8601: text)
            return
        }
        guard let seconds = Double(cell: String(text.dropFirst(Self.secondsPrefix.count)))
        else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Double {
    /// The number that a cell stands for, or what is none; `nil` for other text.
    init?(cell text: String) {
        // Bits are written only of what no number says; other text with 0x is something else.
        guard let value = Double(exactText: text), !text.hasPrefix("0x") || !value.isFinite
        else { return nil }
        self = value
    }
}
