import Foundation
import JustPersist

/// Parses one JSON object (RFC 8259) directly into values.
///
/// Foundation's parser does not return the text of a number, which determines whether 38 digits are enough.
struct JSONParser {
    /// An error in the text, with the place of its byte.
    struct Failure: Error {
        let reason: String
        let offset: Int
        /// Whether the text is JSON, and an object in it is in the notation of a kind that its content does not have.
        var isWrongKind = false
    }

    typealias Member = (name: String, value: DataStoreValue)

    private let bytes: [UInt8]
    private let end: Int
    /// The first byte that was not read.
    private(set) var position: Int

    /// A parser of the bytes in `range`; the places of errors are its indices.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// The members of the only object in the text, in its order, including repeated names and nulls.
    mutating func object() throws(Failure) -> [Member] {
        skipSpace()
        guard position < end else { throw failure("there is nothing") }
        guard bytes[position] == UInt8(ascii: "{") else {
            throw failure("an item must be an object in braces, but this begins with \(found)")
        }
        var result: [Member] = []
        try members(depth: 0) { result.append(($0, $1)) }
        skipSpace()
        guard position == end else {
            throw failure("\(found) follows the end of the object")
        }
        return result
    }

    /// The string, number or word at the beginning of the text; more may follow.
    mutating func scalar() throws(Failure) -> DataStoreValue { try value(depth: 0) }

    // MARK: Values

    private mutating func value(depth: Int) throws(Failure) -> DataStoreValue {
        skipSpace()
        guard position < end else { throw failure("the text ends where a value should be") }
        switch bytes[position] {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try dictionary(depth: depth + 1)
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw failure("a value should be where \(found) is")
        }
    }

    private mutating func dictionary(depth: Int) throws(Failure) -> DataStoreValue {
        var values: [String: DataStoreValue] = [:]
        let start = position
        try members(depth: depth) { values[$0] = $1 }
        if values.count == 1, let (name, content) = values.first {
            if let value = JSONTag.value(name, content) { return value }
            throw Failure(
                reason: """
                    {"\(name)": …} is the notation of a kind, which \(content.excerpt) does not have. For a dictionary with \
                    this key write “$\(name)”
                    """, offset: start, isWrongKind: true)
        }
        return .dictionary(values)
    }

    private mutating func members(
        depth: Int, _ body: (String, DataStoreValue) -> Void
    ) throws(Failure) {
        try enter(depth)
        if skip(UInt8(ascii: "}")) { return }
        repeat {
            skipSpace()
            guard position < end, bytes[position] == UInt8(ascii: "\"") else {
                throw failure("a key in quotes should be where \(found) is")
            }
            let name = try string()
            skipSpace()
            guard skip(UInt8(ascii: ":")) else {
                throw failure("“:” should follow the key “\(name)”, where \(found) is")
            }
            body(name, try value(depth: depth))
            skipSpace()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else {
            throw failure("“,” or “}” should be where \(found) is")
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> [DataStoreValue] {
        try enter(depth)
        var values: [DataStoreValue] = []
        if skip(UInt8(ascii: "]")) { return values }
        repeat {
            values.append(try value(depth: depth))
            skipSpace()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else {
            throw failure("“,” or “]” should be where \(found) is")
        }
        return values
    }

    /// Advances past an opening bracket, unless the nesting is too deep.
    private mutating func enter(_ depth: Int) throws(Failure) {
        guard depth <= DataStoreValue.depthLimit else {
            throw failure(
                "more than \(DataStoreValue.depthLimit) objects and arrays are inside one another")
        }
        position += 1
        skipSpace()
    }

    private mutating func word(
        _ text: StaticString, _ value: DataStoreValue
    ) throws(Failure) -> DataStoreValue {
        let word = text.description
        guard bytes[position..<end].starts(with: word.utf8) else {
            throw failure("a value should be where \(found) is")
        }
        position += word.utf8.count
        return value
    }

    private mutating func number() throws(Failure) -> DataStoreValue {
        let start = position
        let isNegative = skip(UInt8(ascii: "-"))
        var int: Int64? = 0
        let digits = position
        while let digit = digit() {
            int = int.flatMap { int in
                let (tenfold, overflow) = int.multipliedReportingOverflow(by: 10)
                let step = Int64(isNegative ? -digit : digit)
                let (sum, carry) = tenfold.addingReportingOverflow(step)
                return overflow || carry ? nil : sum
            }
        }
        guard position > digits, position == digits + 1 || bytes[digits] != UInt8(ascii: "0") else {
            throw failure("a number begins with a zero or has no digits", at: start)
        }
        var isWhole = true
        if skip(UInt8(ascii: ".")) {
            isWhole = false
            guard digit() != nil else { throw failure("a number has no digits after its point") }
            while digit() != nil {}
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            isWhole = false
            _ = skip(UInt8(ascii: "-")) || skip(UInt8(ascii: "+"))
            guard digit() != nil else { throw failure("a number has no digits in its exponent") }
            while digit() != nil {}
        }
        if isWhole, let int { return .int(int) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = DataStoreValue(jsonNumber: text) else {
            throw failure("the number \(text.prefix(40)) is too large for any kind", at: start)
        }
        return value
    }

    private mutating func digit() -> Int? {
        guard position < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
        else { return nil }
        position += 1
        return Int(bytes[position - 1] - UInt8(ascii: "0"))
    }

    // MARK: Strings

    private mutating func string() throws(Failure) -> String {
        let start = position
        position += 1
        var unescaped: [UInt8] = []
        var plainStart = position
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let plain = bytes[plainStart..<position]
                position += 1
                let text =
                    unescaped.isEmpty
                    ? String(validating: plain, as: UTF8.self)
                    : String(validating: unescaped + plain, as: UTF8.self)
                guard let text else { throw failure("a string is not valid UTF-8", at: start) }
                return text
            case UInt8(ascii: "\\"):
                unescaped += bytes[plainStart..<position]
                position += 1
                try unescaped.append(contentsOf: String(escape()).utf8)
                plainStart = position
            case 0..<0x20:
                throw failure("a string holds \(found), which must be escaped")
            default: position += 1
            }
        }
        throw failure("the text ends inside a string")
    }

    /// The character of an escape, after its backslash.
    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        let start = position - 1
        guard position < end else { throw failure("the text ends inside a string") }
        position += 1
        switch bytes[position - 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var code = try fourHexDigits()
            if (0xd800..<0xdc00).contains(code), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
                let low = try fourHexDigits()
                guard (0xdc00..<0xe000).contains(low) else { break }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            if let scalar = Unicode.Scalar(code) { return scalar }
        default: throw failure("a string has an escape that JSON does not know", at: start)
        }
        throw failure("a string has half of a surrogate pair, which is no character", at: start)
    }

    private mutating func fourHexDigits() throws(Failure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < end,
                let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue
            else { throw failure("“\\u” needs four hexadecimal digits") }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            default: return
            }
        }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func failure(_ reason: String, at offset: Int? = nil) -> Failure {
        Failure(reason: reason, offset: offset ?? position)
    }

    /// The text at the position, for a message.
    private var found: String {
        position < end ? JSONParser.name(of: bytes[position]) : "the end of the text"
    }

    /// A byte in a message.
    static func name(of byte: UInt8) -> String {
        (0x21...0x7e).contains(byte)
            ? "“\(Character(Unicode.Scalar(byte)))”"
            : "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
