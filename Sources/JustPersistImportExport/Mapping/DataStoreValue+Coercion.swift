import Foundation
import JustPersist

extension DataStoreValue {
    /// The value converted to one of some kinds; `nil` if that is not possible, and unchanged if there are no kinds.
    ///
    /// Numbers are converted if the conversion is exact. A text is read as a cell of CSV; an empty text is null if it
    /// is not a value of the kinds. Other values become the text that a cell would have.
    func coerced(to kinds: Set<Kind>) -> DataStoreValue? {
        if kinds.isEmpty || isNull || kinds.contains(kind) { return self }
        if let exact = exactly(asOneOf: kinds) { return exact }
        switch self {
        case .string(let text):
            if let value = DataStoreValue(cell: text, kinds: kinds) { return value }
            // These words remain texts or numbers if those kinds are allowed.
            if kinds == [.bool], let value = Self.truthValues[text.lowercased()] {
                return .bool(value)
            }
            return text.isEmpty ? .null : nil
        case .int(0) where kinds.contains(.bool): return .bool(false)
        case .int(1) where kinds.contains(.bool): return .bool(true)
        case .double where kinds.contains(.decimal):
            return cell.flatMap { DataStoreValue(cell: $0, kinds: [.decimal]) }
        case .decimal where kinds.contains(.double):
            return cell.flatMap { DataStoreValue(cell: $0, kinds: [.double]) }
        case .array, .dictionary: return nil
        default: return kinds.contains(.string) ? cell.map { .string($0) } : nil
        }
    }

    private static let truthValues = [
        "1": true, "yes": true, "y": true, "true": true, "t": true,
        "0": false, "no": false, "n": false, "false": false, "f": false,
    ]
}

extension Set<DataStoreValue.Kind> {
    /// The names of the kinds in a message.
    var names: String {
        sorted { $0.rawValue < $1.rawValue }.map { "\($0)" }.joined(separator: " or ")
    }
}

/// Reads points in time in the formats of a mapping.
struct DateReader {
    private let formats: [ItemMapping.DateFormat]
    // The formatters are kept, because creating one takes longer than reading many dates.
    private let formatters: [String: DateFormatter]

    init(_ formats: [ItemMapping.DateFormat]) {
        self.formats = formats
        var formatters: [String: DateFormatter] = [:]
        for case .pattern(let pattern) in formats {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.isLenient = false
            formatter.dateFormat = pattern
            formatters[pattern] = formatter
        }
        self.formatters = formatters
    }

    /// The point in time, by the first format that fits; null for an empty text, and `nil` if none fits.
    func date(_ value: DataStoreValue) -> DataStoreValue? {
        switch value {
        case .null, .date: return value
        case .string(""): return .null
        default: break
        }
        for format in formats {
            if let date = date(value, format) { return .date(date) }
        }
        return nil
    }

    private func date(_ value: DataStoreValue, _ format: ItemMapping.DateFormat) -> Date? {
        let text = value.cell ?? ""
        switch format {
        case .iso8601:
            guard case .date(let date)? = value.coerced(to: [.date]) else { return nil }
            return date
        case .pattern(let pattern): return formatters[pattern]?.date(from: text)
        case .secondsSince1970: return number(value).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970:
            return number(value).map { Date(timeIntervalSince1970: $0 / 1000) }
        }
    }

    private func number(_ value: DataStoreValue) -> Double? {
        guard case .double(let number)? = value.coerced(to: [.double]), number.isFinite else {
            return nil
        }
        return number
    }

    /// The names of the formats in a message.
    var names: String {
        formats.map { format in
            switch format {
            case .iso8601: "ISO 8601"
            case .secondsSince1970: "seconds since 1970"
            case .millisecondsSince1970: "milliseconds since 1970"
            case .pattern(let pattern): "“\(pattern)”"
            }
        }.joined(separator: " or ")
    }
}
