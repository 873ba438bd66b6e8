import Foundation
import JustPersist

/// Readable text of values for messages: `{name: "Soup", price: 5, tags: nil}`.
struct ReadableText {
    /// Whether the text shows the kinds of values and every bit.
    let isExact: Bool

    /// The text of a value that is not compared with another one.
    static func of(_ value: Any) -> String { ReadableText(isExact: false).text(value) }

    /// The texts of two values.
    ///
    /// Long texts are shortened to the place where they first differ.
    ///
    /// Kinds and bits are shown if the texts would otherwise be equal.
    static func pair(_ a: Any, _ b: Any) -> (String, String) {
        let texts = [false, true].lazy.map { isExact in
            let writer = ReadableText(isExact: isExact)
            return (writer.text(a), writer.text(b), writer)
        }
        guard let (x, y, writer) = texts.first(where: { $0.0 != $0.1 }) ?? texts.last else {
            return ("", "")
        }
        let parts = (elements(of: a).map(writer.text), elements(of: b).map(writer.text))
        let place = zip(parts.0, parts.1).prefix { $0 == $1 }.count
        guard max(x.utf8.count, y.utf8.count) > 400, max(parts.0.count, parts.1.count) > 4 else {
            return x.shortened(beside: y)
        }
        return (excerpt(parts.0, at: place), excerpt(parts.1, at: place))
    }

    /// The elements of an array; empty for any other value.
    private static func elements(of value: Any) -> [Any] {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .collection ? mirror.children.map(\.value) : []
    }

    /// The elements of a long array that surround a place, with their places.
    private static func excerpt(_ elements: [String], at place: Int) -> String {
        let shown = max(0, min(place, elements.count) - 1)..<min(place + 2, elements.count)
        let texts = shown.map { "\($0): \(elements[$0].shortened(beside: "").0)" }
        let open = shown.lowerBound > 0 ? ["…"] : []
        let rest = shown.upperBound < elements.count ? ["…"] : []
        return "[\((open + texts + rest).joined(separator: ", "))] (\(elements.count) in all)"
    }

    private func text(_ value: Any) -> String {
        switch value {
        case let value as DataStoreValue:
            return isExact ? value.canonicalText(naming: \.description) : value.description
        case let row as DataStoreRow:
            return fields(zip(row.columns, row.values).map { ($0, $1) })
        case let value as String:
            return isExact ? value.escaped : text(DataStoreValue.string(value))
        // Foundation traps when it describes a date that is infinite or NaN.
        case let date as Date: return text(DataStoreValue.date(date))
        case let data as Data: return text(DataStoreValue.data(data))
        case let id as ItemID: return id.description
        case let code as DataStoreError.Code: return code.rawValue
        default: break
        }
        let mirror = Mirror(reflecting: value)
        let children = mirror.children.map(\.value)
        switch mirror.displayStyle {
        case .optional: return children.first.map(text) ?? "nil"
        case .collection: return "[\(children.map(text).joined(separator: ", "))]"
        case .set: return "[\(children.map(text).sorted().joined(separator: ", "))]"
        case .tuple: return "(\(children.map(text).joined(separator: ", ")))"
        case .dictionary:
            let entries = children.map { Mirror(reflecting: $0).children.map(\.value) }
            return fields(
                entries.map { ($0[0] as? String ?? text($0[0]), $0[1]) }.sorted { $0.0 < $1.0 })
        case .enum where !(value is any CustomStringConvertible):
            guard let payload = mirror.children.first else { return "\(value)" }
            return "\(payload.label ?? "")(\(text(payload.value)))"
        case .struct where isExact || !(value is any CustomStringConvertible):
            if children.isEmpty { return "\(value)" }
            return fields(mirror.children.map { ($0.label ?? "", $0.value) })
        default: return "\(value)"
        }
    }

    private func fields(_ fields: [(name: String, value: Any)]) -> String {
        let texts = fields.map {
            "\(isExact ? $0.name.escaped : $0.name.printable): \(text($0.value))"
        }
        return "{\(texts.joined(separator: ", "))}"
    }
}

extension String {
    /// The text and another one, shortened to the place where they first differ.
    func shortened(beside other: String) -> (String, String) {
        let window = 80
        if max(utf8.count, other.utf8.count) <= 2 * window { return (self, other) }
        let place = zip(utf8, other.utf8).prefix { $0 == $1 }.count
        func cut(_ text: String) -> String {
            let bytes = Array(text.utf8)
            let start = max(0, place - window / 2)
            let end = min(bytes.count, start + window)
            let part = start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : ""
            return (start > 0 ? "…" : "") + part + (end < bytes.count ? "…" : "")
                + " (\(bytes.count) characters as text)"
        }
        return (cut(self), cut(other))
    }
}
