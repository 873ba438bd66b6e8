import Foundation
public import JustPersist

extension DataStoreValue {
    /// The value as JSON on one line, from which ``JSONImport`` makes the same value where JSON can tell.
    ///
    /// - Null, Bool, String, Int, Double, arrays and dictionaries come back as they were: a Double always
    ///   has a point or an exponent. Dictionary keys are sorted.
    /// - A Date is `{"$date": milliseconds since 1970}`, which is exact for whole milliseconds, and
    ///   otherwise to a quarter of a microsecond.
    /// - A Decimal is a number with all its digits. It comes back with the same value, as an Int or a
    ///   Double where these hold it exactly.
    /// - Data is Base64 text, a UUID and a URL are their text, and a number that is not finite is “NaN”,
    ///   “inf” or “-inf”: these come back as strings.
    /// - A reference is `{"$ref": type, "$id": id}`, and comes back as a dictionary.
    public var jsonText: String {
        var text = ""
        appendJSON(to: &text)
        return text
    }

    /// The value that a JSON text spells, by the rules of ``JSONImport``; `nil` for any other text.
    package init?(jsonText text: String) {
        let bytes = Array(text.utf8)
        var parser = JSONParser(bytes, bytes.indices)
        guard let value = try? parser.scalar(),
            bytes[parser.position...].allSatisfy(JSONItemReader.isSpace)
        else { return nil }
        self = value
    }

    fileprivate func appendJSON(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .int(let value): text += String(value)
        case .double(let value): text += Self.number(value)
        case .string(let value): text.append(jsonString: value)
        case .date(let value): text += #"{"$date":\#(Self.milliseconds(of: value))}"#
        case .data(let value): text.append(jsonString: value.base64EncodedString())
        case .uuid(let value): text.append(jsonString: value.uuidString)
        case .decimal(let value): text += value.isNaN ? "\"NaN\"" : value.description
        case .url(let value): text.append(jsonString: value.absoluteString)
        case .reference(let value):
            text += #"{"$ref":"#
            text.append(jsonString: value.itemTypeKey)
            text += #","$id":"\#(value.id)"}"#
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.appendJSON(to: &text)
            }
            text += "]"
        case .dictionary(let values):
            text.append(jsonObject: values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }

    private static func number(_ value: Double) -> String {
        value.isFinite ? value.description : value.isNaN ? "\"NaN\"" : "\"\(value)\""
    }

    private static func milliseconds(of date: Date) -> String {
        let milliseconds = date.milliseconds
        return Int64(exactly: milliseconds).map(String.init) ?? number(milliseconds)
    }
}

extension String {
    /// The members as a JSON object on one line, in their order.
    public init(jsonObject members: [(name: String, value: DataStoreValue)]) {
        self = ""
        append(jsonObject: members)
    }

    fileprivate mutating func append(jsonObject members: [(name: String, value: DataStoreValue)]) {
        self += "{"
        for (index, member) in members.enumerated() {
            if index > 0 { self += "," }
            append(jsonString: member.name)
            self += ":"
            member.value.appendJSON(to: &self)
        }
        self += "}"
    }

    /// Appends a text in quotes, with what JSON demands escaped, and what a terminal would act on.
    fileprivate mutating func append(jsonString text: String) {
        self += "\""
        // The bytes from 0x7f on are DEL and those that all other control characters begin with.
        if text.utf8.contains(where: {
            $0 < 0x20 || $0 == 0x22 || $0 == 0x5c || $0 == 0x7f || $0 == 0xc2 || $0 == 0xd8
                || $0 == 0xe2
        }) {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": self += "\\\""
                case "\\": self += "\\\\"
                case "\n": self += "\\n"
                case "\r": self += "\\r"
                case "\t": self += "\\t"
                case let control where control.isControl:
                    let digits = String(control.value, radix: 16)
                    self += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: unicodeScalars.append(scalar)
                }
            }
        } else {
            self += text
        }
        self += "\""
    }
}
