/// A pattern of LIKE: `*` for any number of characters and `?` for one.
///
/// A character is a Unicode scalar of the composed form, as in ``TextPattern``.
struct LikePattern: Sendable {
    /// The pattern, as it was given.
    let text: String
    private let parts: [Part]

    private enum Part: Equatable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    init(_ text: String) {
        self.text = text
        var parts: [Part] = []
        var isEscaped = false
        for scalar in text.composed.unicodeScalars {
            if isEscaped {
                parts.append(.scalar(scalar))
                isEscaped = false
                continue
            }
            switch scalar {
            case "\\": isEscaped = true
            case "?": parts.append(.one)
            // Two in a row mean no more than one.
            case "*": if parts.last != .any { parts.append(.any) }
            default: parts.append(.scalar(scalar))
            }
        }
        // At the end there is no character to escape.
        if isEscaped { parts.append(.scalar("\\")) }
        self.parts = parts
    }

    /// The time is at most proportional to the product of both lengths: only the last `*` is ever tried again.
    func matches(_ other: String) -> Bool {
        if other == text, !text.utf8.contains(UInt8(ascii: "\\")) { return true }
        let scalars = Array(other.composed.unicodeScalars)
        var (position, part) = (0, 0)
        var retry: (position: Int, part: Int)?
        while position < scalars.count {
            if part < parts.count, parts[part] == .any {
                part += 1
                retry = (position, part)
            } else if part < parts.count, matches(parts[part], scalars[position]) {
                position += 1
                part += 1
            } else if let last = retry {
                // The last `*` matches one more.
                position = last.position + 1
                part = last.part
                retry = (position, part)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .any }
    }

    private func matches(_ part: Part, _ scalar: Unicode.Scalar) -> Bool {
        switch part {
        case .scalar(let wanted): wanted == scalar
        case .one: true
        case .any: false
        }
    }
}
