import JustPersist
import JustPersistImportExport

extension DataStoreValue {
    /// The value of a text on the command line, as one of some kinds, or of any kind if there are none.
    ///
    /// `null` is null. If several kinds fit the text, the first in the list below applies; a text in double quotes is
    /// a string, and without kinds a text is parsed as JSON if it is valid JSON.
    ///
    /// - Throws: `.invalidInput` for an object of JSON in the notation of a kind that its content does not have.
    init?(argument text: String, kinds: Set<Kind>) throws(DataStoreError) {
        if text == "null" {
            self = .null
            return
        }
        if kinds.isEmpty {
            self = try Self.parsed(jsonText: text) ?? .string(text)
            return
        }
        let json = DataStoreValue(jsonText: text)
        if kinds.contains(.string), text.hasPrefix("\""), case .string? = json, let json {
            self = json
            return
        }
        guard let value = DataStoreValue(cell: text, kinds: kinds) else { return nil }
        self = value
    }
}
