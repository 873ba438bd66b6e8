import Foundation
import JustPersist

extension DataStoreValue {
    /// The value as ASCII text that differs whenever the stored values do: the kind, then every bit of it.
    ///
    /// Ids of items are written as `name` has it, so that stores with other ids can be compared.
    func canonicalText(naming name: (ItemID) -> String) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): "bool \(value)"
        case .int(let value): "int \(value)"
        case .double(let value): "double \(value.bitExactText)"
        case .string(let value): "string \(value.escaped)"
        case .date(let value): "date \(value.timeIntervalSinceReferenceDate.bitExactText)"
        case .data(let value): "data \(value.count):\(value.hexadecimal)"
        case .uuid(let value): "uuid \(value.uuidString.lowercased())"
        case .decimal(let value): "decimal \(value)"
        case .url(let value):
            "url \(value.relativeString.escaped)"
                + (value.baseURL.map { " on \($0.absoluteString.escaped)" } ?? "")
        case .reference(let value): "reference \(value.itemTypeKey.escaped) \(name(value.id))"
        case .array(let values):
            "[" + values.map { $0.canonicalText(naming: name) }.joined(separator: ", ") + "]"
        case .dictionary(let values):
            "{"
                + values.sorted { $0.key.precedesInBytes($1.key) }
                .map { "\($0.key.escaped): \($0.value.canonicalText(naming: name))" }
                .joined(separator: ", ") + "}"
        }
    }
}

extension Double {
    /// A text of every bit: NaN with its payload, zero with its sign.
    fileprivate var bitExactText: String {
        isNaN ? "nan 0x\(String(bitPattern, radix: 16))" : description
    }
}

extension Data {
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension String {
    /// The string in quotes, with everything outside printable ASCII as a Swift escape.
    ///
    /// Strings that differ in one byte have different texts, even if they are canonically equivalent.
    var escaped: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\0": text += "\\0"
            case " "..."~": text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text + "\""
    }

    /// Whether the string comes before another by its bytes of UTF-8.
    func precedesInBytes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
