import Foundation
import JustPersist
import JustPersistImportExport

extension DataStoreValue {
    /// The value that a text on the command line stands for, of one of some kinds, or of any if there are none.
    ///
    /// `null` is null. Of several kinds the text may be, the first in the order of the list below counts, a text in
    /// double quotes is a string, and without kinds a text is JSON if it can be read as such.
    init?(argument text: String, kinds: Set<Kind>) {
        if text == "null" {
            self = .null
            return
        }
        let json = DataStoreValue(jsonText: text)
        if kinds.isEmpty {
            self = json ?? .string(text)
            return
        }
        if kinds.contains(.string), text.hasPrefix("\""), case .string? = json, let json {
            self = json
            return
        }
        let order: [Kind] = [
            .bool, .int, .double, .decimal, .date, .uuid, .reference, .array, .dictionary, .string,
            .url, .data,
        ]
        for kind in order where kinds.contains(kind) {
            guard let value = Self.value(text, kind, json) else { continue }
            self = value
            return
        }
        return nil
    }

    private static func value(
        _ text: String, _ kind: Kind, _ json: DataStoreValue?
    ) -> DataStoreValue? {
        switch kind {
        case .bool: return text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .int: return Int64(text).map { .int($0) }
        case .double: return Double(text).map { .double($0) }
        case .decimal:
            // The number before something else would do for Foundation.
            guard let json, [.int, .double, .decimal].contains(json.kind) else { return nil }
            return Decimal(string: text).map { .decimal($0) }
        case .date: return date(text).map { .date($0) }
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .data: return Data(base64Encoded: text).map { .data($0) }
        case .url: return URL(string: text).map { .url($0) }
        case .reference:
            let parts = text.split(separator: " ")
            guard parts.count == 2, let id = UUID(uuidString: String(parts[1])) else { return nil }
            return .reference(ItemReference(itemTypeKey: String(parts[0]), id: ItemID(id)))
        case .array, .dictionary: return json.flatMap { $0.kind == kind ? $0 : nil }
        case .string: return .string(text)
        case .null: return nil
        }
    }

    /// A point in time as queries print it, or a day, which begins in Greenwich.
    private static func date(_ text: String) -> Date? {
        let formats = [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
            Date.ISO8601FormatStyle().year().month().day(),
        ]
        // Not parse(_:), which is content with the beginning of a text.
        let all = text.startIndex..<text.endIndex
        for format in formats {
            if let (end, date) = try? format.consuming(text, startingAt: all.lowerBound, in: all),
                end == all.upperBound
            {
                return date
            }
        }
        return nil
    }
}
