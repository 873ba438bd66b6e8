import Foundation

/// A text to be found in others, as BEGINSWITH, ENDSWITH and CONTAINS find it.
///
/// Texts are compared by the Unicode scalars of their composed form (NFC), so that a composed and a
/// decomposed "é" are found alike, and "e" is no part of either. Unlike Swift's own `hasPrefix`, a part
/// may end inside a character: "क" begins "कि", and "\n" is a part of "\r\n". Texts that are equal to
/// Swift begin, end and contain each other.
///
/// The empty text begins, ends and is contained in nothing: so do Foundation's in-memory predicates
/// (realm-swift, pull request 5200, "Make empty string matching match Foundation semantics").
struct TextPattern: Sendable {
    /// The text, as it was given.
    let text: String
    private let bytes: [UInt8]
    /// For each length of a match, the length of the longest shorter match that ends where it ends.
    private let fallbacks: [Int]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.composed.utf8)
        var fallbacks: [Int] = []
        fallbacks.reserveCapacity(bytes.count)
        var matched = 0
        for (index, byte) in bytes.enumerated() {
            while matched > 0, bytes[matched] != byte { matched = fallbacks[matched - 1] }
            if index > 0, bytes[matched] == byte { matched += 1 }
            fallbacks.append(matched)
        }
        self.fallbacks = fallbacks
    }

    func isPrefix(of other: String, _ wholeCharacters: Bool = false) -> Bool {
        if bytes.isEmpty { return false }
        // Of characters a text begins with no other than of scalars.
        if wholeCharacters { return other.starts(with: text) }
        return other.composed.utf8.starts(with: bytes) || other == text
    }

    func isSuffix(of other: String, _ wholeCharacters: Bool = false) -> Bool {
        if bytes.isEmpty { return false }
        if wholeCharacters { return other.reversed().starts(with: text.reversed()) }
        return other.composed.utf8.reversed().starts(with: bytes.reversed()) || other == text
    }

    /// Takes time in proportion to the length of both, whatever they hold.
    func isContained(in other: String, _ wholeCharacters: Bool = false) -> Bool {
        if bytes.isEmpty { return false }
        if wholeCharacters, !isContained(in: other) { return false }
        // Between characters of ASCII there is nothing that a match could end in, but a carriage return and a line feed.
        if wholeCharacters, !other.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) {
            return Self.has(other, text)
        }
        var matched = 0
        for byte in other.composed.utf8 {
            while matched > 0, bytes[matched] != byte { matched = fallbacks[matched - 1] }
            if bytes[matched] == byte { matched += 1 }
            if matched == bytes.count { return true }
        }
        return other == text
    }

    /// Whether a list has another as a part, whose elements follow each other in it.
    private static func has<List: Collection>(_ list: List, _ part: List) -> Bool
    where List.Element: Equatable {
        list.contains(part)
    }
}

extension String {
    /// The text without the differences that the options tell to ignore, in no locale's way.
    package func folded(_ options: DataStorePredicate.Options) -> String {
        if utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? lowercased() : self
        }
        var compare: String.CompareOptions = []
        if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
        return composed.folding(options: compare, locale: nil)
    }
}
