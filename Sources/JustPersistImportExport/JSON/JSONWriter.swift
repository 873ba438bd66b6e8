import Foundation
import JustPersist

/// Writes values as JSON, each on one line, in a form that restores them.
struct JSONWriter {
    /// The bytes that were written and not taken yet.
    private(set) var bytes: [UInt8] = []

    /// Removes and returns the bytes.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends a row, and its id as a member if there is one.
    mutating func append(
        row members: some Sequence<(name: String, value: DataStoreValue)>, id: ItemID? = nil
    ) {
        append("{")
        var isFirst = true
        if let id {
            append("\"\(JSONTag.id)\":\"\(id)\"")
            isFirst = false
        }
        for (name, value) in members {
            if !isFirst { append(",") }
            isFirst = false
            append(quoted: JSONTag.written(attribute: name))
            append(":")
            append(value)
        }
        append("}")
    }

    mutating func append(_ value: DataStoreValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .int(let value): append(String(value))
        case .double(let value):
            if value.isFinite {
                append(value.description)
            } else {
                append(JSONTag.double, text: value.jsonTagText)
            }
        case .string(let value): append(quoted: value)
        case .date(let value): append(value)
        case .data(let value): append(JSONTag.data, text: value.base64EncodedString())
        case .uuid(let value): append(JSONTag.uuid, text: value.uuidString.lowercased())
        case .decimal(let value): append(value)
        case .url(let value): append(value)
        case .reference(let value):
            append("{\"\(JSONTag.reference)\":{\"type\":")
            append(quoted: value.itemTypeKey)
            append(",\"id\":\"\(value.id)\"}}")
        case .array(let values):
            append("[")
            for (index, value) in values.enumerated() {
                if index > 0 { append(",") }
                append(value)
            }
            append("]")
        case .dictionary(let entries): append(entries)
        }
    }

    private mutating func append(_ entries: [String: DataStoreValue]) {
        append("{")
        if entries.count == 1, let (key, value) = entries.first {
            append(quoted: JSONTag.written(key, value))
            append(":")
            append(value)
        } else {
            for (index, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { append(",") }
                append(quoted: entry.key)
                append(":")
                append(entry.value)
            }
        }
        append("}")
    }

    private mutating func append(_ tag: String, text: String) {
        append("{\"\(tag)\":")
        append(quoted: text)
        append("}")
    }

    private mutating func append(_ date: Date) {
        append("{\"\(JSONTag.date)\":")
        if let milliseconds = date.wholeMilliseconds {
            append(String(milliseconds))
        } else {
            append("{\"\(Date.secondsKey)\":")
            append(.double(date.timeIntervalSinceReferenceDate))
            append("}")
        }
        append("}")
    }

    /// Appends a plain number if it would be read as this Decimal, and else a tagged one.
    private mutating func append(_ decimal: Decimal) {
        let text = decimal.description
        if !decimal.isNaN, !decimal.isInt64,
            DataStoreValue(jsonNumber: text) == .decimal(decimal)
        {
            append(text)
        } else {
            append(JSONTag.decimal, text: text)
        }
    }

    private mutating func append(_ url: URL) {
        let texts = url.exactTexts
        if texts.count == 1 {
            append(JSONTag.url, text: texts[0])
        } else {
            append("{\"\(JSONTag.url)\":")
            append(.array(texts.map { .string($0) }))
            append("}")
        }
    }

    /// Appends a text in quotes, and escapes the characters that JSON requires and those that affect a terminal.
    mutating func append(quoted text: String) {
        bytes.append(0x22)
        // The bytes from 0x7f on are DEL and the first bytes of all other control characters.
        if text.utf8.contains(where: {
            $0 < 0x20 || $0 == 0x22 || $0 == 0x5c || $0 == 0x7f || $0 == 0xc2 || $0 == 0xd8
                || $0 == 0xe2
        }) {
            for scalar in text.unicodeScalars { append(inQuotes: scalar) }
        } else {
            append(text)
        }
        bytes.append(0x22)
    }

    private mutating func append(inQuotes scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\n": append("\\n")
        case "\r": append("\\r")
        case "\t": append("\\t")
        case let control where control.isControl:
            let digits = String(control.value, radix: 16)
            append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }
}

extension Decimal {
    /// Whether JSON reads the number as an Int.
    fileprivate var isInt64: Bool { Int64(description) != nil }
}
