/// Which arrays the object at the start of a file has as its members; the text of the object is checked,
/// but nothing made of it.
struct JSONOutline {
    /// An array among the members.
    struct Member {
        let name: String
        /// The place of its bracket in the file.
        let offset: Int
        let line: Int
    }

    private(set) var arrays: [Member] = []
    /// What follows behind the object, if something does.
    private(set) var rest: (byte: UInt8, line: Int)?

    /// Reads the file from the object's brace, where it stands, up to what follows behind the object.
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
