/// Finds the end of an object or array without reading what is in it; the text up to there is no JSON
/// until it has been parsed.
struct JSONSkimmer {
    /// How many brackets are open.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// The index behind the byte that closes the first bracket; `nil` if that is not among these bytes.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
        // A copy on the stack, which is several times faster.
        var skimmer = self
        defer { self = skimmer }
        for index in bytes.indices where skimmer.isComplete(behind: bytes[index]) {
            return index + 1
        }
        return nil
    }

    /// Takes the next byte, and tells whether it closes the first bracket.
    @inline(__always)
    private mutating func isComplete(behind byte: UInt8) -> Bool {
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
