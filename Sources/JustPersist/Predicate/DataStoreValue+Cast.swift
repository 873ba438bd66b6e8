import Foundation

extension DataStoreValue {
    /// The value converted to another class; null if the conversion is not defined.
    func cast(to valueClass: DataStorePredicate.ValueClass) -> DataStoreValue {
        let value: DataStoreValue? =
            switch valueClass {
            case .number: asNumber
            case .decimalNumber: asDecimal.map(DataStoreValue.decimal)
            case .string: asString.map(DataStoreValue.string)
            case .date: asDate.map(DataStoreValue.date)
            case .uuid: asUUID.map(DataStoreValue.uuid)
            }
        return value ?? .null
    }

    private var asNumber: DataStoreValue? {
        switch self {
        case .bool, .int, .double, .decimal: self
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        case .string(let text): Int64(text).map(DataStoreValue.int) ?? Self.double(in: text)
        default: nil
        }
    }

    /// The finite number that a text contains in decimal digits.
    private static func double(in text: String) -> DataStoreValue? {
        guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }),
            let value = Double(text), value.isFinite
        else { return nil }
        return .double(value)
    }

    private var asDecimal: Decimal? {
        switch self {
        case .bool(let value): return value ? 1 : 0
        case .int(let value): return Decimal(value)
        case .decimal(let value): return value
        case .double(let value):
            // Outside this range a decimal may lack the digits.
            guard value == 0 || (1e-90...1e90).contains(value.magnitude) else { return nil }
            return Decimal(exactText: value.description)
        case .string(let text):
            guard let value = Decimal(exactText: text), !value.isNaN else { return nil }
            return value
        default: return nil
        }
    }

    private var asString: String? {
        switch self {
        case .bool(let value): value ? "1" : "0"
        case .int(let value): value.description
        case .double(let value):
            Int64(exactly: value).flatMap { $0.magnitude < 1 << 53 ? $0.description : nil }
                ?? value.description
        case .decimal(let value): value.description
        case .string(let text): text
        case .date(let date): date.calendarText
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        default: nil
        }
    }

    private var asDate: Date? {
        switch self {
        case .date(let date): date
        case .string(let text): Date(iso8601: text)
        default:
            ExactNumber(self).map { Date(timeIntervalSinceReferenceDate: $0.asDouble) }
        }
    }

    private var asUUID: UUID? {
        switch self {
        case .uuid(let uuid): uuid
        case .string(let text): UUID(uuidString: text)
        case .reference(let reference): reference.id.uuid
        default: nil
        }
    }
}
