import JustPersist
import JustPersistImportExport

extension DataStoreValue {
    /// The value that a text on the command line stands for, of one of some kinds, or of any if there are none.
    ///
    /// `null` is null. Of several kinds the text may be, the first in the order of the list below counts, a text in
    /// double quotes is a string, and without kinds a text is JSON if it can be read as such.
    init?(argument text: String, kinds: Set<Kind>) {
        if text == "null" {
            self = .null
            return
        }
        let json = DataStoreValue(jsonText: text)
        if kinds.isEmpty {
            self = json ?? .string(text)
            return
        }
        if kinds.contains(.string), text.hasPrefix("\""), case .string? = json, let json {
            self = json
            return
        }
        guard let value = DataStoreValue(cell: text, kinds: kinds) else { return nil }
        self = value
    }
}
