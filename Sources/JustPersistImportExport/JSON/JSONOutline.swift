/// The arrays among the members of the object at the beginning of a file.
///
/// The text of the object is checked, but not parsed into values.
struct JSONOutline {
    /// An array among the members.
    struct Member {
        let name: String
        /// The offset of its bracket in the file.
        let offset: Int
        let line: Int
    }

    private(set) var arrays: [Member] = []
    /// The first byte after the object, if there is one.
    private(set) var rest: (byte: UInt8, line: Int)?

    /// Reads the file from the object's brace, its current offset, up to the first byte after the object.
    init(_ source: ByteSource, chunkSize: Int, offset: Int, line: Int) throws {
        var checker = JSONChecker(line: line)
        var offset = offset
        while let chunk = try source.next(upTo: chunkSize) {
            for byte in chunk {
                if checker.isComplete, !JSONItemReader.isSpace(byte) {
                    rest = (byte, checker.line)
                    return
                }
                let depth = checker.depth
                try checker.take(byte)
                if depth == 1, checker.depth == 2, byte == UInt8(ascii: "[") {
                    arrays.append(Member(name: checker.key, offset: offset, line: checker.line))
                }
                offset += 1
            }
        }
        try checker.end()
    }
}
