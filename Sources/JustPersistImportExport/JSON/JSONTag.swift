import Foundation
import JustPersist

/// Objects with one member whose name begins with `$`: the notation of kinds that JSON does not have.
///
/// A dictionary that looks like such a value has an additional `$` before its key, which is removed when it is read.
enum JSONTag {
    static let date = "$date"
    static let data = "$data"
    static let uuid = "$uuid"
    static let decimal = "$decimal"
    static let url = "$url"
    static let reference = "$ref"
    static let double = "$double"
    /// The member of a row with the item's id.
    static let id = "$id"

    private static let values: Set = [date, data, uuid, decimal, url, reference, double]

    /// The key of a dictionary with this one entry, as it is written.
    static func written(_ key: String, _ value: DataStoreValue) -> String {
        guard key.utf8.first == dollar else { return key }
        return name(escaped: key, among: values) != nil || isTag(key, value) ? "$" + key : key
    }

    /// The value of an object with this one member; `nil` if its name is that of a kind which its content does not have.
    static func value(_ name: String, _ content: DataStoreValue) -> DataStoreValue? {
        guard name.utf8.first == dollar else { return .dictionary([name: content]) }
        if isTag(name, content) { return DataStoreValue(tag: name, content) }
        return .dictionary([self.name(escaped: name, among: values) ?? name: content])
    }

    /// Whether an object with this one member is a value of a kind.
    ///
    /// `{"$ref": "#/…"}` is a dictionary, because JSON Schema and OpenAPI write references to parts of a document so.
    private static func isTag(_ name: String, _ content: DataStoreValue) -> Bool {
        values.contains(name) && (name != reference || content.kind != .string)
    }

    /// The name of an attribute as a member of a row.
    static func written(attribute name: String) -> String {
        name == id || self.name(escaped: name, among: [id]) != nil ? "$" + name : name
    }

    /// The attribute of a member of a row.
    static func attribute(_ name: String) -> String {
        self.name(escaped: name, among: [id]) ?? name
    }

    private static let dollar = UInt8(ascii: "$")

    /// The name without its first `$`, if there are several before a tag; else `nil`.
    private static func name(escaped name: String, among tags: Set<String>) -> String? {
        guard name.hasPrefix("$$") else { return nil }
        return tags.contains("$" + name.drop { $0 == "$" }) ? String(name.dropFirst()) : nil
    }
}

extension DataStoreValue {
    /// The value of `{tag: content}`; `nil` if it is an ordinary dictionary.
    init?(tag: String, _ content: DataStoreValue) {
        switch (tag, content) {
        case (JSONTag.date, _):
            guard let date = Date(json: content) else { return nil }
            self = .date(date)
        case (JSONTag.data, .string(let text)):
            guard let data = Data(base64Encoded: text) else { return nil }
            self = .data(data)
        case (JSONTag.uuid, .string(let text)):
            guard let uuid = UUID(uuidString: text) else { return nil }
            self = .uuid(uuid)
        case (JSONTag.decimal, .string(let text)):
            guard let decimal = Decimal(exactText: text) else { return nil }
            self = .decimal(decimal)
        case (JSONTag.url, .string(let text)):
            guard let url = URL(written: [text]) else { return nil }
            self = .url(url)
        case (JSONTag.url, .array(let parts)):
            guard parts.count == 2, case .string(let text) = parts[0],
                case .string(let base) = parts[1], let url = URL(written: [text, base])
            else { return nil }
            self = .url(url)
        case (JSONTag.reference, .dictionary(let parts)):
            guard parts.count == 2, case .string(let type)? = parts["type"],
                case .string(let text)? = parts["id"], let id = ItemID(text)
            else { return nil }
            self = .reference(ItemReference(itemTypeKey: type, id: id))
        case (JSONTag.double, .string(let text)):
            guard let double = Double(exactText: text), !double.isFinite else { return nil }
            self = .double(double)
        default: return nil
        }
    }
}

extension Double {
    /// A text that preserves every bit; the standard NaN is “nan”.
    var jsonTagText: String { bitPattern == Double.nan.bitPattern ? "nan" : exactText }
}

extension URL {
    /// The URL with these texts, unless Foundation changes it.
    init?(written texts: [String]) {
        self.init(exactTexts: texts)
        guard exactTexts == texts else { return nil }
    }
}
