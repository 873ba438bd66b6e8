extension String {
    /// The number of columns that the text takes on a terminal.
    var columns: Int {
        utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns }
    }

    /// The text, shortened to a number of columns, the last of which is an ellipsis.
    func cut(to limit: Int) -> String {
        guard columns > limit else { return self }
        var width = 1
        return prefix { character in
            width += character.columns
            return width <= limit
        } + "…"
    }
}

extension Character {
    /// The number of columns on a terminal: 2 for East Asian wide characters and emoji, 0 for marks alone.
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{fe0f}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }

    /// The blocks whose characters are wide or full-width (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3,
        0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6,
        0x16fe0...0x18dff, 0x1aff0...0x1b2ff, 0x1f200...0x1f265, 0x20000...0x3fffd,
    ]
}
