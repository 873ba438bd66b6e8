import JustPersist

/// The folding of texts in the entries of indexes that ignore case.
enum CaseFolding {
    /// Identifies the folding of this process: Foundation's tables, on which it depends, differ between releases.
    ///
    /// It is a hash of the folded forms of all letters of the scripts that have two cases. It is computed once per
    /// process.
    static let own: UInt64 = {
        var letters = String.UnicodeScalarView()
        for range in scripts {
            for number in range {
                guard let scalar = Unicode.Scalar(number) else { continue }
                letters.append(scalar)
                // The space keeps the letter from being composed with the next one.
                letters.append(" ")
            }
        }
        let folded = Array(String(letters).folded(.caseInsensitive).utf8)
        return folded.span.wyhash(0..<folded.count, seed: 0)
    }()

    private static let scripts: [ClosedRange<UInt32>] = [
        // Latin, Greek, Cyrillic, Armenian, Georgian, Cherokee.
        0x20...0x58F, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1D00...0x1DBF,
        0x1E00...0x1FFF, 0x2100...0x218F, 0x24B6...0x24E9, 0x2C00...0x2D2F, 0xA640...0xA69F,
        0xA720...0xA7FF, 0xAB30...0xABBF, 0xFB00...0xFB17, 0xFF21...0xFF5A,
        // Deseret, Osage, Vithkuqi, Old Hungarian, Garay, Warang Citi, Medefaidrin, Adlam.
        0x10400...0x104FF, 0x10570...0x105BF, 0x10C80...0x10CFF, 0x10D40...0x10D8F,
        0x118A0...0x118DF, 0x16E40...0x16E7F, 0x1E900...0x1E943,
    ]
}
