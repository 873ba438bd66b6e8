import Foundation
import JustPersist

extension DataStoreValue {
    /// An ASCII text of the value, which differs if two values differ in kind or in any bit.
    ///
    /// Ids of items are replaced with the results of `name`, so that stores with different ids can be compared.
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
    /// A text that shows every bit: NaN with its payload, and zero with its sign.
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
    /// The string in quotes, with each scalar outside printable ASCII as a Swift escape.
    ///
    /// Strings with different bytes have different texts, even if they are canonically equivalent.
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

    /// Whether the string precedes another one in the order of their UTF-8 bytes.
    func precedesInBytes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
