/// Finds the end of an object or array without parsing its content; the text may not be valid JSON.
struct JSONSkimmer {
    /// The number of open brackets.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// The index after the byte that closes the first bracket; `nil` if that is not among these bytes.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
        // A copy on the stack, which is several times faster.
        var skimmer = self
        defer { self = skimmer }
        for index in bytes.indices where skimmer.isComplete(after: bytes[index]) {
            return index + 1
        }
        return nil
    }

    /// Reads the next byte, and returns whether it closes the first bracket.
    @inline(__always)
    private mutating func isComplete(after byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            return depth == 0
        default: break
        }
        return false
    }
}
