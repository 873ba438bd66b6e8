import Foundation
package import JustPersist

extension DataStoreValue {
    /// The value as a cell of CSV, which can be read back as this kind; `nil` for null.
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

    /// The value of a text as one of some kinds: the first in ``kindsInOrder`` that fits.
    package init?(cell text: String, kinds: Set<Kind>) {
        for kind in Self.kindsInOrder where kinds.contains(kind) {
            guard let value = Self.value(text, kind) else { continue }
            self = value
            return
        }
        return nil
    }

    /// The kinds, in an order in which a kind precedes all kinds that accept more texts.
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
        // A number with digits that is too large is not a number.
        return value.isInfinite && text.utf8.contains { (0x30...0x39).contains($0) } ? nil : value
    }

    /// A point in time, or a day, which begins at midnight UTC.
    private static func date(_ text: String) -> Date? {
        Date(momentCell: text) ?? Date(iso8601Day: text)
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
    /// The prefix of the seconds of a date that ISO 8601 with milliseconds cannot represent.
    fileprivate static let secondsPrefix = "secondsSince2001:"

    /// The point in time in a cell, as an export writes it; `nil` for any other text, and for a day.
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
    /// The number in a cell, or a NaN or infinity; `nil` for other text.
    init?(cell text: String) {
        // Bits are written only for NaN; other text with 0x is not a number.
        guard let value = Double(exactText: text), !text.hasPrefix("0x") || !value.isFinite
        else { return nil }
        self = value
    }
}
