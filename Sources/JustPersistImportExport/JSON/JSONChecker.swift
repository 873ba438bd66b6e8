import JustPersist

/// Checks the text of a JSON value incrementally, as strictly as ``JSONParser`` does.
///
/// It keeps at most one string or number in memory.
struct JSONChecker {
    private enum Expected {
        case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing
    }

    /// The kind of the bytes in ``token``.
    private enum Token {
        case none, string, escape, word
    }

    /// A place in the text, as messages show it.
    private struct Place {
        var line = 1
        var column = 1

        mutating func advance(over byte: UInt8) {
            if byte == 0x0a {
                line += 1
                column = 1
            } else if byte & 0xc0 != 0x80 {
                column += 1
            }
        }
    }

    private static let tokenLimit = JSONItemReader.itemLimit
    /// An item in an array inside an object may be nested as deeply as the parser allows.
    private static let depthLimit = DataStoreValue.depthLimit + 3

    private var expected = Expected.value
    /// The closing brackets of the open ones.
    private var closers: [UInt8] = []
    private var kind = Token.none
    private var token: [UInt8] = []
    private var tokenStart = Place()
    private var place: Place

    /// A checker of a text that begins on a given line.
    init(line: Int) { place = Place(line: line) }

    /// The key that was read last.
    private(set) var key = ""
    /// The number of open brackets.
    var depth: Int { closers.count }
    /// The number of the line that the next byte is on, counted from 1.
    var line: Int { place.line }
    /// Whether the value has ended.
    var isComplete: Bool { expected == .nothing }

    /// Checks the next byte.
    mutating func take(_ byte: UInt8) throws(JSONItemReader.Failure) {
        switch kind {
        case .string:
            token.append(byte)
            if byte == UInt8(ascii: "\\") {
                kind = .escape
            } else if byte == UInt8(ascii: "\"") || byte < 0x20 {
                try endToken()
            }
        case .escape:
            token.append(byte)
            kind = .string
        case .word:
            if Self.isDelimiter(byte) {
                try endToken()
                try takeVisible(byte)
            } else {
                token.append(byte)
            }
        case .none: try takeVisible(byte)
        }
        guard token.count <= Self.tokenLimit else {
            throw failure("a text has more than \(Self.tokenLimit >> 20) MiB, which is the limit")
        }
        place.advance(over: byte)
    }

    /// Throws if the text cannot end here.
    func end() throws(JSONItemReader.Failure) {
        if !isComplete { throw failure("the file ends inside the object") }
    }

    // MARK: Structure

    private mutating func takeVisible(_ byte: UInt8) throws(JSONItemReader.Failure) {
        switch (byte, expected) {
        case (0x20, _), (0x0a, _), (0x0d, _), (0x09, _): return
        case (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .valueOrEnd):
            try open(UInt8(ascii: "}"), .keyOrEnd)
        case (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .valueOrEnd):
            try open(UInt8(ascii: "]"), .valueOrEnd)
        case (closers.last, .valueOrEnd), (closers.last, .keyOrEnd), (closers.last, .commaOrEnd):
            closers.removeLast()
            endValue()
        case (UInt8(ascii: ","), .commaOrEnd):
            expected = closers.last == UInt8(ascii: "}") ? .key : .value
        case (UInt8(ascii: ":"), .colon): expected = .value
        case (UInt8(ascii: "\""), .key), (UInt8(ascii: "\""), .keyOrEnd),
            (UInt8(ascii: "\""), .value), (UInt8(ascii: "\""), .valueOrEnd):
            beginToken(.string, byte)
        case (_, .value), (_, .valueOrEnd):
            guard !Self.isDelimiter(byte) else { throw unexpected(byte, at: place) }
            beginToken(.word, byte)
        default: throw unexpected(byte, at: place)
        }
    }

    private mutating func open(
        _ closer: UInt8, _ next: Expected
    ) throws(JSONItemReader.Failure) {
        guard depth < Self.depthLimit else {
            throw failure("more than \(Self.depthLimit) objects and arrays are inside one another")
        }
        closers.append(closer)
        expected = next
    }

    private mutating func endValue() { expected = closers.isEmpty ? .nothing : .commaOrEnd }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x0a, 0x0d, 0x09, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    // MARK: Strings, numbers and words

    private mutating func beginToken(_ kind: Token, _ byte: UInt8) {
        self.kind = kind
        token = [byte]
        tokenStart = place
    }

    private mutating func endToken() throws(JSONItemReader.Failure) {
        kind = .none
        var parser = JSONParser(token, token.indices)
        let value: DataStoreValue
        do throws(JSONParser.Failure) {
            value = try parser.scalar()
        } catch {
            throw failure(error.reason, at: tokenPlace(error.offset))
        }
        if expected == .key || expected == .keyOrEnd, case .string(let name) = value {
            key = name
            expected = .colon
        } else {
            endValue()
            guard parser.position == token.count else {
                throw unexpected(token[parser.position], at: tokenPlace(parser.position))
            }
        }
        token.removeAll(keepingCapacity: true)
    }

    private func tokenPlace(_ offset: Int) -> Place {
        token.prefix(offset).reduce(into: tokenStart) { $0.advance(over: $1) }
    }

    // MARK: Failures

    private func unexpected(_ byte: UInt8, at place: Place) -> JSONItemReader.Failure {
        let name = JSONParser.name(of: byte)
        let rule =
            switch expected {
            case .value, .valueOrEnd: "a value should be"
            case .key, .keyOrEnd: "a key in quotes should be"
            case .colon: "“:” should follow the key “\(key)”,"
            case .commaOrEnd: "“,” or \(JSONParser.name(of: closers.last ?? 0)) should be"
            case .nothing: "nothing should follow the value,"
            }
        return failure("\(rule) where \(name) is", at: place)
    }

    private func failure(_ reason: String, at place: Place? = nil) -> JSONItemReader.Failure {
        let place = place ?? self.place
        return JSONItemReader.Failure(
            reason: "\(reason) (column \(place.column))", line: place.line)
    }
}
