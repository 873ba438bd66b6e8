import Foundation

/// The notation of values in a predicate's text.
///
/// `nil`, `TRUE`, numbers and quoted strings are NSPredicate's. Lists are written in braces, as in `{1, 2}`, and
/// dictionaries with colons, as in `{"a": 1}` and `{:}`. The other kinds are written as a word and texts:
/// `date("2024-05-01T12:00:00Z")` or, for dates outside the calendar, the seconds since 2001 as in `date("0.1")`;
/// `data("aGk=")` in base64, `uuid("…")`, `decimal("1.5")`, `url("…")` (and a second text for its base),
/// `reference("Type", "…")`, and `double("inf")` for numbers without digits.
extension DataStoreValue {
    /// The value in a predicate's text; parsing restores every bit.
    var predicateLiteral: String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .int(let value): String(value)
        case .double(let value): value.isFinite ? value.description : call(value.exactText)
        case .string(let text): text.quoted
        case .date(let date): call(date.exactText)
        case .data(let data): call(data.base64EncodedString())
        case .uuid(let uuid): call(uuid.uuidString)
        case .decimal(let value): call(value.description)
        case .url(let url): call(url.exactTexts)
        case .reference(let reference): call([reference.itemTypeKey, reference.id.description])
        case .array(let values):
            "{" + values.map(\.predicateLiteral).joined(separator: ", ") + "}"
        case .dictionary(let values) where values.isEmpty: "{:}"
        case .dictionary(let values):
            "{"
                + values.sorted { $0.key < $1.key }
                .map { "\($0.key.quoted): \($0.value.predicateLiteral)" }
                .joined(separator: ", ") + "}"
        }
    }

    private func call(_ text: String) -> String { call([text]) }

    private func call(_ texts: [String]) -> String {
        (Kind.literalNames[kind] ?? "") + "(" + texts.map(\.quoted).joined(separator: ", ") + ")"
    }

    /// The value of a word with texts in parentheses; `nil` if the texts do not fit.
    init?(literal kind: Kind, _ texts: [String]) {
        func value<Value>(
            _ parse: (String) -> Value?, _ make: (Value) -> DataStoreValue
        ) -> DataStoreValue? {
            texts.count == 1 ? parse(texts[0]).map(make) : nil
        }
        let parsed: DataStoreValue? =
            switch kind {
            case .double: value(Double.init(exactText:), DataStoreValue.double)
            case .date: value(Date.init(exactText:), DataStoreValue.date)
            case .data: value({ Data(base64Encoded: $0) }, DataStoreValue.data)
            case .uuid: value(UUID.init(uuidString:), DataStoreValue.uuid)
            case .decimal: value(Decimal.init(exactText:), DataStoreValue.decimal)
            case .url: URL(exactTexts: texts).map(DataStoreValue.url)
            case .reference where texts.count == 2:
                ItemID(texts[1]).map {
                    .reference(ItemReference(itemTypeKey: texts[0], id: $0))
                }
            default: nil
            }
        guard let parsed else { return nil }
        self = parsed
    }
}

extension DataStoreValue.Kind {
    /// The words for kinds that are written as a word and texts in parentheses.
    fileprivate static let literalNames: [Self: String] = [
        .double: "double", .date: "date", .data: "data", .uuid: "uuid", .decimal: "decimal",
        .url: "url", .reference: "reference",
    ]

    /// The kind whose values are written with this word, in either case, and texts in parentheses.
    init?(literalName word: String) {
        let word = word.lowercased()
        guard let kind = Self.literalNames.first(where: { $0.value == word })?.key else {
            return nil
        }
        self = kind
    }
}

extension Date {
    /// The time as a calendar date if that preserves every bit, or else as seconds since 2001.
    fileprivate var exactText: String {
        if let text = calendarText, let date = Date(exactText: text),
            DataStoreValue.date(date) == .date(self)
        {
            return text
        }
        return timeIntervalSinceReferenceDate.exactText
    }

    fileprivate init?(exactText text: String) {
        if let seconds = Double(exactText: text) {
            self.init(timeIntervalSinceReferenceDate: seconds)
        } else {
            self.init(iso8601: text)
        }
    }

    /// The time as a calendar date (ISO 8601), to the millisecond; `nil` outside the calendar's range.
    var calendarText: String? {
        // Within a few thousand years of 2001, the year has four digits.
        guard timeIntervalSinceReferenceDate.magnitude < 6e10 else { return nil }
        return formatted(Self.calendarForm)
    }

    private static var calendarForm: ISO8601FormatStyle {
        ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}

extension String {
    /// The text as a string literal of a predicate.
    var quoted: String {
        var literal = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            // A byte order mark is invisible, too.
            case _ where scalar.properties.generalCategory == .control || scalar == "\u{feff}":
                let digits = String(scalar.value, radix: 16)
                literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}
