import Foundation
public import JustPersist

extension DataStoreValue {
    /// The value as JSON on one line, from which ``ItemImport`` makes the same value again, bit for bit.
    ///
    /// - Null, Bool, String, Int, arrays and dictionaries are JSON's own. The keys of dictionaries are sorted.
    /// - A Double always has a point or an exponent; one that is not finite is `{"$double": "nan"}`, `"inf"` or
    ///   `"-inf"`.
    /// - A Date is `{"$date": milliseconds since 1970}`, or if these are no whole number
    ///   `{"$date": {"$secondsSince2001": seconds}}`.
    /// - A Decimal is `{"$decimal": "1.5"}`, or a plain number if the plain number is too long for an Int and a Double.
    /// - Data is `{"$data": Base64}`, a UUID `{"$uuid": "…"}`, a URL `{"$url": "…"}`, a reference
    ///   `{"$ref": {"type": "…", "id": "…"}}`.
    /// - A dictionary that would be taken for one of these has one `$` more in front of its only key.
    public var jsonText: String {
        var writer = JSONWriter()
        writer.append(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value that a JSON text spells, by the rules of ``ItemImport``; `nil` for any other text.
    public init?(jsonText text: String) {
        let bytes = Array(text.utf8)
        var parser = JSONParser(bytes, bytes.indices)
        guard let value = try? parser.scalar(),
            bytes[parser.position...].allSatisfy(JSONItemReader.isSpace)
        else { return nil }
        self = value
    }
}

extension String {
    /// The members as a JSON object on one line, in their order: a row of a file.
    public init(jsonObject members: [(name: String, value: DataStoreValue)]) {
        var writer = JSONWriter()
        writer.append(row: members)
        self.init(decoding: writer.bytes, as: UTF8.self)
    }
}
