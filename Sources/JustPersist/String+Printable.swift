extension String {
    /// The text with its control characters written out, so that it stays on its line and cannot steer a
    /// terminal or turn the direction in which the rest is read.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case let control where control.isControl:
                text += "\\u{\(String(control.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether terminals act on the scalar instead of showing it: C0, DEL, C1, the separators of lines and
    /// paragraphs, the bidirectional controls, and the byte order mark, which shows nothing.
    package var isControl: Bool {
        switch value {
        case ..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
        case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }
}
