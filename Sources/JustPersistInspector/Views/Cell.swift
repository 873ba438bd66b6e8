import Foundation
import JustPersist
import JustPersistImportExport

/// A value as the page shows it.
struct Cell: Encodable {
    struct Target: Encodable {
        let type: String
        let id: String
    }

    /// The kind; `hidden` for a value that is not shown.
    let kind: String
    /// The text, or the beginning of it.
    let text: String
    /// The bytes of the whole value, if the text is only a beginning.
    let size: Int?
    /// The item that a reference leads to.
    let target: Target?

    /// - Parameter limit: The most bytes of the text.
    init(_ value: DataStoreValue, limit: Int, isHidden: Bool = false) {
        let size = value.storedSize(limit: 1 << 30) ?? 0
        if isHidden {
            (kind, text, target) = ("hidden", "", nil)
            self.size = size
            return
        }
        kind = "\(value.kind)"
        let (text, isWhole) = Self.text(of: value, size: size, limit: limit)
        self.text = text
        self.size = isWhole ? nil : size
        if case .reference(let reference) = value {
            target = Target(type: reference.itemTypeKey, id: reference.id.description)
        } else {
            target = nil
        }
    }

    private static func text(
        of value: DataStoreValue, size: Int, limit: Int
    ) -> (text: String, isWhole: Bool) {
        switch value {
        case .data(let data):
            let shown = data.prefix(limit / 4)
            return (shown.hexadecimal, shown.count == data.count)
        case .array(let values) where size > 4 * limit:
            return ("array of \(values.count.counted("element"))", false)
        case .dictionary(let values) where size > 4 * limit:
            return ("dictionary of \(values.count.counted("entry", "entries"))", false)
        default:
            let text = value.cellText
            if text.utf8.count <= limit { return (text, true) }
            return (String(decoding: text.utf8.prefix(limit), as: UTF8.self), false)
        }
    }
}

extension Sequence<UInt8> {
    /// Two digits for each byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return reduce(into: "") { text, byte in
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }
}

extension [UInt8] {
    /// The bytes of hexadecimal digits; `nil` for any other text.
    init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            append(UInt8(high << 4 | low))
        }
    }
}
