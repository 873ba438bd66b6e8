import Foundation

extension Span<UInt8> {
    /// Whether these bytes of a text in UTF-8 are its composed form; false if a quick check cannot decide.
    ///
    /// True if composition leaves all scalars unchanged next to any other scalar.
    package var isSurelyComposed: Bool {
        var index = 0
        while index < count {
            let lead = self[index]
            if lead < 0xCC {
                index += 1
                continue
            }
            guard let (scalar, length) = scalar(at: index),
                String.steadyScalars.contains(where: { $0.contains(scalar) })
            else { return false }
            index += length
        }
        return true
    }
}

extension Span<UInt8> {
    /// The first scalar of a text in UTF-8, if every canonically equal text begins with it in its decomposed form
    /// (NFD) too; `nil` if a quick check cannot decide.
    package var firstSteadyScalar: UInt32? {
        guard count > 0 else { return nil }
        if self[0] < 0x80 { return UInt32(self[0]) }
        guard let (scalar, _) = scalar(at: 0) else { return nil }
        return Unicode.Scalar.withoutDecomposition.contains { $0.contains(scalar) } ? scalar : nil
    }

    /// The scalar beyond ASCII whose UTF-8 begins at an index, and the number of its bytes; `nil` if the bytes are not
    /// complete.
    @inline(__always)
    private func scalar(at index: Int) -> (UInt32, length: Int)? {
        let lead = self[index]
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard index + length <= count else { return nil }
        var scalar = UInt32(lead) & (0xFF >> UInt32(length + 1))
        for place in 1..<length { scalar = scalar << 6 | UInt32(self[index + place] & 0x3F) }
        return (scalar, length)
    }
}

extension Unicode.Scalar {
    /// Common ranges of letters beyond ASCII that are not marks and have no canonical decomposition.
    package static let withoutDecomposition: [ClosedRange<UInt32>] = [
        // Han, Greek, Cyrillic, Arabic, Hebrew.
        0x4E00...0x9FFF, 0x391...0x3A9, 0x3B1...0x3C9, 0x410...0x418, 0x41A...0x438, 0x43A...0x44F,
        0x404...0x406, 0x454...0x456, 0x490...0x491, 0x627...0x63A, 0x641...0x64A, 0x671...0x6BF,
        0x5D0...0x5EA,
        // Devanagari, Bengali, Gurmukhi, Gujarati, Tamil, Telugu, Kannada, Malayalam.
        0x904...0x928, 0x92A...0x930, 0x932...0x933, 0x935...0x939, 0x985...0x9B9, 0xA05...0xA32,
        0xA85...0xAB9, 0xB85...0xB93, 0xC05...0xC39, 0xC85...0xCB9, 0xD05...0xD39,
        // Thai, Lao, Georgian, Armenian, Ethiopic.
        0xE01...0xE32, 0xE40...0xE46, 0xE81...0xEB0, 0x10D0...0x10FA, 0x531...0x587,
        0x1200...0x1248,
    ]
}

extension String {
    /// Whether the text is its own composed form; false if a quick check cannot decide.
    ///
    /// True if composition leaves all scalars unchanged next to any other scalar.
    var isSurelyComposed: Bool {
        // This holds for all scalars up to U+02FF, whose first byte is 0xCB.
        if utf8.allSatisfy({ $0 < 0xCC }) { return true }
        return unicodeScalars.allSatisfy { scalar in
            Self.steadyScalars.contains { $0.contains(scalar.value) }
        }
    }

    /// Common ranges of such scalars: no combining marks, no jamo, and no scalars that composition replaces.
    fileprivate static let steadyScalars: [ClosedRange<UInt32>] = [
        0...0x2FF, 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FE, 0x3001...0x3029,
        0xAC00...0xD7A3, 0x400...0x482, 0x48A...0x52F, 0x391...0x3CE, 0x1E00...0x1EFF,
        0x2010...0x2027, 0x2030...0x205E, 0xFF01...0xFF5E, 0x1F300...0x1FAFF,
    ]

    /// The composed form (NFC).
    package var composed: String {
        if isSurelyComposed { return self }
        // Decomposed first, because Foundation does not join a syllable with a following jamo.
        return withOrderedMarks.precomposedStringWithCanonicalMapping
    }

    /// The decomposed form with the marks after each letter in canonical order.
    ///
    /// Foundation does not reorder marks that are newer than its tables; Swift's tables are complete.
    private var withOrderedMarks: String {
        var scalars = Array(decomposedStringWithCanonicalMapping.unicodeScalars)
        var start = 0
        while start < scalars.count {
            var end = start
            while end < scalars.count, scalars[end].combiningClass > 0 { end += 1 }
            if end > start + 1 {
                // Swift's sort is stable, which marks of one class require.
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
