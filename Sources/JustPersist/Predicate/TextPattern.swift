import Foundation

/// A text to be found in others by BEGINSWITH, ENDSWITH and CONTAINS.
///
/// Texts are compared by the Unicode scalars of their composed form (NFC): a composed and a decomposed "é" are
/// equivalent, and "e" is not a part of either. Unlike with Swift's `hasPrefix`, a part may end inside a character:
/// "क" begins "कि", and "\n" is a part of "\r\n". Texts that are equal in Swift begin, end and contain each other.
///
/// No text begins with, ends with or contains the empty text, as in Foundation's in-memory predicates (realm-swift,
/// pull request 5200, "Make empty string matching match Foundation semantics").
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
        // A prefix by characters is always a prefix by scalars, too.
        if wholeCharacters { return other.starts(with: text) }
        return other.composed.utf8.starts(with: bytes) || other == text
    }

    func isSuffix(of other: String, _ wholeCharacters: Bool = false) -> Bool {
        if bytes.isEmpty { return false }
        if wholeCharacters { return other.reversed().starts(with: text.reversed()) }
        return other.composed.utf8.reversed().starts(with: bytes.reversed()) || other == text
    }

    /// The time is proportional to the sum of both lengths, for any content.
    func isContained(in other: String, _ wholeCharacters: Bool = false) -> Bool {
        if bytes.isEmpty { return false }
        if wholeCharacters, !isContained(in: other) { return false }
        // In ASCII, only a carriage return with a line feed is a character of several scalars.
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

    /// Whether a list contains another as a contiguous part.
    private static func has<List: Collection>(_ list: List, _ part: List) -> Bool
    where List.Element: Equatable {
        list.contains(part)
    }
}

extension String {
    /// The text without the differences that the options ignore, independent of the locale.
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
