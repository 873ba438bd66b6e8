/// Splits a file into the JSON texts of its items.
///
/// It keeps at most one chunk and one item in memory.
struct JSONItemReader {
    /// The range of an item's text in ``buffer``, valid until the next one is read.
    struct Item {
        let range: Range<Int>
        /// The number of the line it begins on, counted from 1.
        let line: Int
    }

    /// An error in a text that cannot be split into items.
    struct Failure: Error {
        let reason: String
        let line: Int
    }

    private enum State {
        case lines, arrayStart, arrayRest, end
    }

    static let itemLimit = ImportRow.mostBytes

    private let source: ByteSource
    private let chunkSize: Int
    private var state = State.lines
    /// Whether only white space may follow the array.
    private var isArrayAlone = true
    private(set) var buffer: [UInt8] = []
    /// The first byte that belongs to no item returned before.
    private var position = 0
    private var isAtEnd = false
    private(set) var line: Int
    /// The reader's offset in the file.
    private(set) var offset: Int

    /// A reader of a source from its current offset on, after a byte order mark if there is one.
    init(_ source: ByteSource, chunkSize: Int, offset: Int = 0, line: Int = 1) throws {
        self.source = source
        self.chunkSize = chunkSize
        self.offset = offset
        self.line = line
        while buffer.count < 3, try refill() {}
        if buffer.starts(with: [0xef, 0xbb, 0xbf]) { consume(upTo: 3) }
    }

    /// The next item; `nil` after the last one.
    mutating func next() throws -> Item? {
        switch state {
        case .lines: return try nextLine()
        case .arrayStart, .arrayRest: return try nextElement()
        case .end: return nil
        }
    }

    // MARK: Lines

    private mutating func nextLine() throws -> Item? {
        while true {
            var scanned = 0
            var end: Int?
            repeat {
                end = buffer[(position + scanned)...].firstIndex(of: 0x0a)
                scanned = buffer.count - position
            } while try end == nil && scanned <= Self.itemLimit && refill()
            let range = position..<(end ?? buffer.count)
            guard range.count <= Self.itemLimit else { throw tooLarge }
            if range.isEmpty, end == nil { return nil }
            let item = Item(range: range, line: line)
            let isBlank = buffer[range].allSatisfy(Self.isSpace)
            position = min(range.upperBound + 1, buffer.count)
            offset += range.count + (end == nil ? 0 : 1)
            line += 1
            if !isBlank { return item }
        }
    }

    private var tooLarge: Failure {
        Failure(
            reason: "an item has more than \(Self.itemLimit >> 20) MiB, which is the limit",
            line: line)
    }

    // MARK: Arrays

    /// Reads the items from the array that begins at the next byte.
    ///
    /// - Parameter isAlone: Whether nothing may follow it in the file.
    mutating func enterArray(isAlone: Bool) {
        state = .arrayStart
        isArrayAlone = isAlone
        consume(upTo: position + 1)
    }

    private mutating func nextElement() throws -> Item? {
        var byte = try nextVisible()
        if byte == UInt8(ascii: "]") { return try endOfArray() }
        if state == .arrayRest {
            guard byte == UInt8(ascii: ",") else {
                throw failure("“,” or “]” should follow an item of the array", byte)
            }
            consume(upTo: position + 1)
            byte = try nextVisible()
        }
        state = .arrayRest
        guard byte == UInt8(ascii: "{") else {
            throw failure("an item of the array must be an object in braces", byte)
        }
        var skimmer = JSONSkimmer()
        var length = 0
        let start = line
        while true {
            let end = skimmer.end(in: buffer[(position + length)...])
            length = (end ?? buffer.count) - position
            guard length <= Self.itemLimit else { throw tooLarge }
            if let end {
                let range = position..<end
                consume(upTo: end)
                return Item(range: range, line: start)
            }
            guard try refill() else {
                throw Failure(reason: "the file ends inside the item", line: start)
            }
        }
    }

    private mutating func endOfArray() throws -> Item? {
        consume(upTo: position + 1)
        state = .end
        if isArrayAlone, let byte = try nextVisible() {
            throw failure("nothing may follow the array", byte)
        }
        return nil
    }

    private func failure(_ rule: String, _ byte: UInt8?) -> Failure {
        let found = byte.map { "here is " + JSONParser.name(of: $0) } ?? "here the file ends"
        return Failure(reason: "\(rule), but \(found)", line: line)
    }

    // MARK: Bytes

    /// The next byte that is not white space, without consuming it; `nil` at the end of the file.
    mutating func nextVisible() throws -> UInt8? {
        while true {
            let rest = buffer[position...]
            if let place = rest.firstIndex(where: { !Self.isSpace($0) }) {
                consume(upTo: place)
                return buffer[place]
            }
            consume(upTo: buffer.count)
            guard try refill() else { return nil }
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    private mutating func consume(upTo end: Int) {
        for byte in buffer[position..<end] where byte == 0x0a { line += 1 }
        offset += end - position
        position = end
    }

    /// Drops consumed bytes, and reads another chunk; returns false at the end of the file.
    private mutating func refill() throws -> Bool {
        if isAtEnd { return false }
        buffer.removeFirst(position)
        position = 0
        guard let chunk = try source.next(upTo: chunkSize) else {
            isAtEnd = true
            return false
        }
        buffer.append(contentsOf: chunk)
        return true
    }
}
