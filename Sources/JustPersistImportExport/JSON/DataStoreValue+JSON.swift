import Foundation
public import JustPersist

extension DataStoreValue {
    /// The value as JSON on one line, which ``ItemImport`` restores bit for bit.
    ///
    /// - Null, Bool, String, Int, arrays and dictionaries are JSON's own. The keys of dictionaries are sorted.
    /// - A Double always has a point or an exponent; one that is not finite is `{"$double": "nan"}`, `"inf"` or
    ///   `"-inf"`.
    /// - A Date is `{"$date": milliseconds since 1970}`, or if these are not a whole number `{"$date":
    ///   {"$secondsSince2001": seconds}}`.
    /// - A Decimal is `{"$decimal": "1.5"}`, or a plain number if neither an Int nor a Double can represent the
    ///   number.
    /// - Data is `{"$data": Base64}`, a UUID `{"$uuid": "…"}`, a URL `{"$url": "…"}`, a reference
    ///   `{"$ref": {"type": "…", "id": "…"}}`.
    /// - A dictionary that looks like one of these has an additional `$` before its only key.
    public var jsonText: String {
        var writer = JSONWriter()
        writer.append(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value of a JSON text, by the rules of ``ItemImport``; `nil` for any other text.
    public init?(jsonText text: String) {
        guard let value = try? Self.parsed(jsonText: text) else { return nil }
        self = value
    }

    /// The value of a JSON text; `nil` for any other text.
    ///
    /// - Throws: `.invalidInput` for an object in the notation of a kind that its content does not have.
    package static func parsed(jsonText text: String) throws(DataStoreError) -> DataStoreValue? {
        let bytes = Array(text.utf8)
        var parser = JSONParser(bytes, bytes.indices)
        do throws(JSONParser.Failure) {
            let value = try parser.scalar()
            return bytes[parser.position...].allSatisfy(JSONItemReader.isSpace) ? value : nil
        } catch {
            if !error.isWrongKind { return nil }
            throw DataStoreError(.invalidInput, in: "read", error.reason + ".")
        }
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
