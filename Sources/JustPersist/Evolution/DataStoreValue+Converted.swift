import Foundation

extension DataStoreValue {
    /// This value as another kind, if there is one that means the same; `nil` if there is none.
    ///
    /// Numbers keep their value, so there is no Int for 2.5. A text is a number, a date, a UUID or a URL if it is written as
    /// one; a day, `2026-03-01`, is its beginning in UTC. A text is a Bool if it is `true`, `True`, `TRUE`, `false`, `False`,
    /// `FALSE`, `1` or `0`. Every kind but data, references and collections has a text. A value becomes an array with one
    /// element, and such an array that element. A date and a number become each other as seconds since 2001-01-01 00:00 UTC.
    public func converted(to kind: Kind) -> DataStoreValue? {
        if let exact = exactly(as: kind) { return exact }
        if case .array(let elements) = self {
            return elements.count == 1 ? elements[0].converted(to: kind) : nil
        }
        if isNull { return nil }
        switch kind {
        case .bool: return truth.map(DataStoreValue.bool)
        case .int: return wholeNumber.map(DataStoreValue.int)
        case .double: return floatingPointNumber.map(DataStoreValue.double)
        case .decimal: return nonNull(cast(to: .decimalNumber))
        case .string: return nonNull(cast(to: .string))
        case .date:
            if case .string(let text) = self, let day = Date(iso8601Day: text) { return .date(day) }
            return nonNull(cast(to: .date))
        case .uuid: return nonNull(cast(to: .uuid))
        case .url:
            guard case .string(let text) = self, !text.isEmpty else { return nil }
            guard let url = URL(string: text, encodingInvalidCharacters: false),
                url.absoluteString == text
            else { return nil }
            return .url(url)
        case .array: return .array([self])
        case .null, .data, .reference, .dictionary: return nil
        }
    }

    private func nonNull(_ value: DataStoreValue) -> DataStoreValue? { value.isNull ? nil : value }

    private var truth: Bool? {
        switch self {
        case .string("true"), .string("True"), .string("TRUE"), .string("1"), .int(1), .double(1),
            .decimal(1):
            true
        case .string("false"), .string("False"), .string("FALSE"), .string("0"), .int(0),
            .double(0), .decimal(0):
            false
        default: nil
        }
    }

    private var wholeNumber: Int64? {
        // A Double would round the digits of a text.
        let number =
            if case .string = self, case .decimal(let value) = cast(to: .decimalNumber) {
                DataStoreValue.decimal(value)
            } else {
                cast(to: .number)
            }
        return switch number {
        case .bool(let value): value ? 1 : 0
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        case .decimal(let value): Int64(value.description)
        default: nil
        }
    }

    private var floatingPointNumber: Double? {
        switch cast(to: .number) {
        case .bool(let value): return value ? 1 : 0
        case .int(let value): return Double(exactly: value)
        case .double(let value): return value
        case .decimal(let value):
            // Few decimals have an exact Double; the one with the same digits is meant.
            guard let nearest = Double(value.description),
                DataStoreValue.double(nearest).cast(to: .decimalNumber) == self
            else { return nil }
            return nearest
        default: return nil
        }
    }
}
