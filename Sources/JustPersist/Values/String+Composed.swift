import Foundation

extension Span<UInt8> {
    /// Whether these bytes of a text in UTF-8 are its own composed form, as far as that is quick to say.
    ///
    /// True where all its scalars are ones that composition leaves alone whatever stands beside them.
    package var isSurelyComposed: Bool {
        var index = 0
        while index < count {
            let lead = self[index]
            if lead < 0xCC {
                index += 1
                continue
            }
            let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
            guard index + length <= count else { return false }
            var scalar = UInt32(lead) & (0xFF >> UInt32(length + 1))
            for place in 1..<length { scalar = scalar << 6 | UInt32(self[index + place] & 0x3F) }
            guard String.steadyScalars.contains(where: { $0.contains(scalar) }) else {
                return false
            }
            index += length
        }
        return true
    }
}

extension String {
    /// Whether the text is its own composed form, as far as that is quick to say.
    ///
    /// True where all its scalars are ones that composition leaves alone whatever stands beside them.
    var isSurelyComposed: Bool {
        // Up to U+02FF, whose first byte is 0xCB, all are.
        if utf8.allSatisfy({ $0 < 0xCC }) { return true }
        return unicodeScalars.allSatisfy { scalar in
            Self.steadyScalars.contains { $0.contains(scalar.value) }
        }
    }

    /// Common ranges of such scalars: no combining marks, no jamo, nothing that is replaced.
    fileprivate static let steadyScalars: [ClosedRange<UInt32>] = [
        0...0x2FF, 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FE, 0x3001...0x3029,
        0xAC00...0xD7A3, 0x400...0x482, 0x48A...0x52F, 0x391...0x3CE, 0x1E00...0x1EFF,
        0x2010...0x2027, 0x2030...0x205E, 0xFF01...0xFF5E, 0x1F300...0x1FAFF,
    ]

    /// The composed form (NFC).
    var composed: String {
        if isSurelyComposed { return self }
        // Decomposed first: Foundation leaves a syllable and the jamo that would join it apart.
        return withOrderedMarks.precomposedStringWithCanonicalMapping
    }

    /// The decomposed form with the marks behind each letter in canonical order.
    ///
    /// Foundation leaves marks in place that are newer than its tables; those of Swift are complete.
    private var withOrderedMarks: String {
        var scalars = Array(decomposedStringWithCanonicalMapping.unicodeScalars)
        var start = 0
        while start < scalars.count {
            var end = start
            while end < scalars.count, scalars[end].combiningClass > 0 { end += 1 }
            if end > start + 1 {
                // Swift's sort is stable, as the order of marks of one class must be.
                scalars[start..<end].sort { $0.combiningClass < $1.combiningClass }
            }
            start = end + 1
        }
        var ordered = String.UnicodeScalarView()
        ordered.append(contentsOf: scalars)
        return String(ordered)
    }
}

extension Unicode.Scalar {
    fileprivate var combiningClass: UInt8 { properties.canonicalCombiningClass.rawValue }
}
