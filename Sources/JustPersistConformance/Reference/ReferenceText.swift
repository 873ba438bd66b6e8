import Foundation
package import JustPersist

/// Compares texts as requests do.
package enum ReferenceText {
    /// The Unicode scalars of the composed form (NFC).
    package static func scalars(_ text: String) -> [Unicode.Scalar] {
        // An ASCII text is its own composed form.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array(text.unicodeScalars) }
        var scalars = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
        // Foundation's tables may be older than Swift's, and not reorder newer combining marks.
        var start = 0
        for index in 0...scalars.count
        where index == scalars.count || isStarter(scalars[index]) {
            scalars[start..<index].sort { combiningClass($0) < combiningClass($1) }
            start = index + 1
        }
        let decomposed = String(String.UnicodeScalarView(scalars))
        return Array(decomposed.precomposedStringWithCanonicalMapping.unicodeScalars)
    }

    /// The text without the differences that the options ignore, independently of locales.
    package static func folded(_ text: String, _ options: DataStorePredicate.Options) -> String {
        if options.isEmpty { return text }
        var ignored: String.CompareOptions = []
        if options.contains(.caseInsensitive) { ignored.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { ignored.insert(.diacriticInsensitive) }
        return String(String.UnicodeScalarView(scalars(text)))
            .folding(options: ignored, locale: nil)
    }

    /// The order of two texts: equal if they are canonically equivalent, or else by scalars.
    package static func order(_ a: String, _ b: String) -> ValueOrder {
        if a == b { return .same }
        let (a, b) = (scalars(a), scalars(b))
        return a.lexicographicallyPrecedes(b) ? .ascending : .descending
    }

    /// The order of two texts in a sort with a text order.
    package static func order(_ a: String, _ b: String, by textOrder: TextOrder) -> ValueOrder {
        switch textOrder {
        case .scalars: return order(a, b)
        case .caseInsensitive:
            return order(folded(a, .caseInsensitive), folded(b, .caseInsensitive))
        case .numeric:
            let (a, b) = (parts(a), parts(b))
            for (first, second) in zip(a, b) where first != second {
                return first.isOrdered(before: second) ? .ascending : .descending
            }
            return a.count < b.count ? .ascending : a.count > b.count ? .descending : .same
        case .localizedStandard:
            return switch a.localizedStandardCompare(b) {
            case .orderedAscending: .ascending
            case .orderedSame: .same
            case .orderedDescending: .descending
            }
        }
    }

    /// One scalar, or the digits of a number without leading zeros.
    private enum Part: Equatable {
        case scalar(Unicode.Scalar)
        case number([Unicode.Scalar])

        func isOrdered(before other: Part) -> Bool {
            switch (self, other) {
            case (.scalar(let a), .scalar(let b)): a < b
            // A scalar that is not a digit has one order relative to all digits.
            case (.scalar(let a), .number): a < "0"
            case (.number, .scalar(let b)): "0" < b
            case (.number(let a), .number(let b)):
                a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
            }
        }
    }

    private static func parts(_ text: String) -> [Part] {
        var parts: [Part] = []
        var isInNumber = false
        for scalar in scalars(text) {
            guard ("0"..."9").contains(scalar) else {
                parts.append(.scalar(scalar))
                isInNumber = false
                continue
            }
            var digits: [Unicode.Scalar] = []
            if isInNumber, case .number(let known)? = parts.popLast() { digits = known }
            if scalar != "0" || !digits.isEmpty { digits.append(scalar) }
            parts.append(.number(digits))
            isInNumber = true
        }
        return parts
    }

    /// The place at which a text is searched in another one.
    package enum Place { case start, end, anywhere }

    /// Whether a text contains another one at a place.
    ///
    /// No text contains the empty text.
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

    /// Whether a text contains another one at a place, such that the part begins and ends between two characters.
    package static func hasCharacters(_ text: String, _ part: String, at place: Place) -> Bool {
        let (text, part) = (Array(text), Array(part))
        if part.isEmpty || part.count > text.count { return false }
        let last = text.count - part.count
        let starts =
            switch place {
            case .start: 0...0
            case .end: last...last
            case .anywhere: 0...last
            }
        return starts.contains { start in Array(text[start..<start + part.count]) == part }
    }

    private static func isStarter(_ scalar: Unicode.Scalar) -> Bool {
        combiningClass(scalar) == 0
    }

    private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.properties.canonicalCombiningClass.rawValue
    }
}
