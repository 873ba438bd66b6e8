import Foundation
package import JustPersist

extension DataStoreValue {
    /// The value as a cell of a table or a CSV file: plain text, dates in ISO 8601, collections as JSON.
    package var cellText: String {
        switch self {
        case .null: return ""
        case .string(let value): return value
        case .date(let value): return Self.text(of: value)
        case .data(let value): return value.base64EncodedString()
        case .uuid(let value): return value.uuidString.lowercased()
        case .url(let value): return value.absoluteString
        case .double(let value): return "\(value)"
        case .reference(let value): return "\(value.itemTypeKey) \(value.id)"
        case .bool, .int, .decimal, .array, .dictionary: return jsonText
        }
    }

    private static func text(of date: Date) -> String {
        // Calendar dates have a limited range; seconds do not.
        guard abs(date.timeIntervalSince1970) < 100_000_000_000 else {
            return "\(date.timeIntervalSince1970) s"
        }
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
