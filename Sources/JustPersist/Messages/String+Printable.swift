extension String {
    /// The text with control characters escaped, so that it stays on its line, cannot control a terminal, and does not
    /// change the direction of the following text.
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
    /// Whether terminals act on the scalar instead of showing it: C0, DEL, C1, the line and paragraph separators, the
    /// bidirectional controls, and the byte order mark, which is invisible.
    package var isControl: Bool {
        switch value {
        case ..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
        case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }
}
