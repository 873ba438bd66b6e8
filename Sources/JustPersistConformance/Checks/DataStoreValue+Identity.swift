import Foundation
import JustPersist

extension DataStoreValue {
    /// Whether both values have the same kind and the same bits, including the keys of dictionaries.
    ///
    /// This is stricter than `==`, which uses Swift's `==` for the strings and numbers inside some kinds.
    func isIdentical(to other: DataStoreValue) -> Bool {
        switch (self, other) {
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.decimal(let a), .decimal(let b)):
            a.isNaN == b.isNaN && a.sign == b.sign && a.exponent == b.exponent
                && a.significand == b.significand
        case (.url(let a), .url(let b)):
            a.relativeString.hasSameBytes(as: b.relativeString)
                && (a.baseURL?.absoluteString ?? "").hasSameBytes(
                    as: b.baseURL?.absoluteString ?? "")
        case (.reference(let a), .reference(let b)):
            a.id == b.id && a.itemTypeKey.hasSameBytes(as: b.itemTypeKey)
        case (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count
                && zip(a.sortedByBytes, b.sortedByBytes).allSatisfy {
                    $0.key.hasSameBytes(as: $1.key) && $0.value.isIdentical(to: $1.value)
                }
        default: self == other
        }
    }

    /// The kind and the bits for a message, shortened if they are long.
    var shortText: String {
        let size =
            switch self {
            case .string(let text): text.utf8.count
            case .data(let data): data.count
            default: 0
            }
        if size > 1_000 { return "a \(kind) of \(size) bytes" }
        let text = canonicalText(naming: \.description)
        return text.utf8.count > 200 ? "\(text.prefix(120)) … \(text.suffix(60))" : text
    }
}

extension String {
    fileprivate func hasSameBytes(as other: String) -> Bool {
        // Compared as data, which is fast even in a build without optimisation.
        utf8.count == other.utf8.count && Data(utf8) == Data(other.utf8)
    }
}

extension [String: DataStoreValue] {
    fileprivate var sortedByBytes: [Element] { sorted { $0.key.precedesInBytes($1.key) } }
}

extension CheckContext {
    /// Expects that a value was read with the kind and the bits with which it was written.
    func expectIdentical(
        _ actual: DataStoreValue, _ expected: DataStoreValue, _ what: @autoclosure () -> String,
        file: String = #fileID, line: Int = #line
    ) {
        expect(
            actual.isIdentical(to: expected), actual, expected, what(), file: file, line: line)
    }

    /// Expects the errors that the error handler has received since the log was last emptied.
    func expectReports(
        _ codes: [DataStoreError.Code], of store: any DataStore, _ what: @autoclosure () -> String,
        file: String = #fileID, line: Int = #line
    ) {
        expectEqual(
            errors.codes, codes, "the errors reported by \(what())", file: file, line: line)
        errors.removeAll()
    }
}
