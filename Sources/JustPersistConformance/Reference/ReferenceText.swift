import Foundation
package import JustPersist

/// Text as requests compare it.
package enum ReferenceText {
    /// The Unicode scalars of the composed form (NFC).
    package static func scalars(_ text: String) -> [Unicode.Scalar] {
        // Of ASCII every text is its own composed form.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array(text.unicodeScalars) }
        var scalars = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
        // Foundation's tables may be older than Swift's and leave newer marks in their places.
        var start = 0
        for index in 0...scalars.count
        where index == scalars.count || isStarter(scalars[index]) {
            scalars[start..<index].sort { combiningClass($0) < combiningClass($1) }
            start = index + 1
        }
        let decomposed = String(String.UnicodeScalarView(scalars))
        return Array(decomposed.precomposedStringWithCanonicalMapping.unicodeScalars)
    }

    /// The text without the differences that the options tell to ignore, in no locale's way.
    package static func folded(_ text: String, _ options: DataStorePredicate.Options) -> String {
        if options.isEmpty { return text }
        var ignored: String.CompareOptions = []
        if options.contains(.caseInsensitive) { ignored.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { ignored.insert(.diacriticInsensitive) }
        return String(String.UnicodeScalarView(scalars(text)))
            .folding(options: ignored, locale: nil)
    }

    /// How two texts stand: the same when canonically equivalent, or else by scalars.
    package static func order(_ a: String, _ b: String) -> ValueOrder {
        if a == b { return .same }
        let (a, b) = (scalars(a), scalars(b))
        return a.lexicographicallyPrecedes(b) ? .ascending : .descending
    }

    /// Where a text may be found in another.
    package enum Place { case start, end, anywhere }

    /// Whether a text has another as a part; none has the empty one.
    package static func has(_ text: String, _ part: String, at place: Place) -> Bool {
        if part.isEmpty { return false }
        if text == part { return true }
        let (text, part) = (scalars(text), scalars(part))
        guard part.count <= text.count else { return false }
        let last = text.count - part.count
        let starts =
            switch place {
            case .start: 0...0
            case .end: last...last
            case .anywhere: 0...last
            }
        return starts.contains { start in text[start..<start + part.count].elementsEqual(part) }
    }

    private static func isStarter(_ scalar: Unicode.Scalar) -> Bool {
        combiningClass(scalar) == 0
    }

    private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.properties.canonicalCombiningClass.rawValue
    }
}
