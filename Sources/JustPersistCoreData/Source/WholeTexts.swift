import Foundation
import JustPersist

// Foundation takes some texts for values that only begin with one, or corrects them.

extension Decimal {
    /// The number that a text is with all its digits; `nil` if it is none, or has more digits than a number can have.
    init?(wholeText text: String) {
        let digits = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber)
        guard digits.drop(while: { $0 == "0" }).count <= 38, let value = Decimal(exactText: text),
            !value.isNaN
        else { return nil }
        self = value
    }
}

extension UUID {
    /// The UUID that a text is.
    init?(wholeText text: String) {
        guard let uuid = UUID(uuidString: text), uuid.uuidString == text.uppercased() else {
            return nil
        }
        self = uuid
    }
}

extension URL {
    /// The URL that a text is, kept as it is written.
    init?(wholeText text: String) {
        guard let url = URL(string: text, encodingInvalidCharacters: false),
            url.relativeString == text
        else { return nil }
        self = url
    }
}

extension Data {
    /// The bytes of a file that has no more than a limit.
    init(contentsOf file: URL, atMost limit: Int) throws {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else { throw Malformed("it has more than \(limit) bytes") }
        self = data
    }
}
