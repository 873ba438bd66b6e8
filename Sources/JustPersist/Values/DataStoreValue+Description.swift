import Foundation

extension DataStoreValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as a literal: `"Thai"`, `3`, `4.5`, `true`, `nil`, `2026-01-02T12:00:00.000Z`, `["a", "b"]`.
    ///
    /// Values of different kinds may have equal texts, such as a Decimal and an Int. ``debugDescription`` shows the
    /// kind, and `Codable` preserves every bit.
    public var description: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.quoted.printable
        case .date(let value):
            // Foundation traps when it formats a date that is infinite or NaN.
            value.calendarText ?? "\(value.timeIntervalSinceReferenceDate) s since 2001"
        case .data(let value): value.count.counted("byte")
        case .uuid(let value): value.uuidString.lowercased()
        case .decimal(let value): "\(value)"
        case .url(let value): value.absoluteString.printable
        case .reference(let value): "\(value.itemTypeKey.printable) \(value.id)"
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .dictionary(let values) where values.isEmpty: "[:]"
        case .dictionary(let values):
            "["
                + values.sorted { $0.key < $1.key }
                .map { "\($0.key.quoted.printable): \($0.value)" }.joined(separator: ", ") + "]"
        }
    }

    /// The value with its kind: `string("Thai")`, `int(3)`, `null`.
    public var debugDescription: String { isNull ? "null" : "\(kind)(\(self))" }
}
