import Foundation

/// A request of HTTP/1.1, read strictly: text that two programs could understand in two ways is refused.
struct InspectorRequest: Sendable {
    /// The reason that a request is not answered.
    enum Refusal: Error {
        case malformed
        case headTooLarge
        case bodyTooLarge
        case unsupportedTransfer
        case unsupportedVersion

        var status: Int {
            switch self {
            case .malformed: 400
            case .headTooLarge: 431
            case .bodyTooLarge: 413
            case .unsupportedTransfer: 501
            case .unsupportedVersion: 505
            }
        }
    }

    /// In capitals, as they are written.
    let method: String
    /// The path, in which nothing is decoded: the paths of the inspector need no escapes.
    let path: String
    /// The decoded parameters of the query, in their order.
    let query: [(name: String, value: String)]
    /// The values by the names in lower case.
    let headers: [String: String]
    /// The number of bytes that follow the head.
    let bodyCount: Int
    var body: [UInt8] = []

    /// Whether the connection ends with this request.
    var closes: Bool { headers["connection"]?.lowercased() == "close" }

    /// The position after the empty line that ends a head.
    static func endOfHead(in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for place in start...max(start, bytes.count - 4)
        where place + 4 <= bytes.count && bytes[place] == 13 && bytes[place + 1] == 10
            && bytes[place + 2] == 13 && bytes[place + 3] == 10
        {
            return place + 4
        }
        return nil
    }

    /// Reads a head with the empty line at its end.
    init(head: ArraySlice<UInt8>, maximumBody: Int) throws(Refusal) {
        // No control characters, no text beyond ASCII; a lone CR or LF would end a line for some programs only.
        var isAfterReturn = false
        for byte in head {
            switch byte {
            case 10 where isAfterReturn, 13 where !isAfterReturn, 9 where !isAfterReturn: break
            case 0x20..<0x7f where !isAfterReturn: break
            default: throw .malformed
            }
            isAfterReturn = byte == 13
        }
        var lines = String(decoding: head, as: UTF8.self).split(
            separator: Character("\r\n"), omittingEmptySubsequences: false
        ).dropLast(2)
        let words = (lines.popFirst() ?? "").split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[1].first == "/", words[0].allSatisfy(\.isUppercase),
            !words[0].isEmpty
        else { throw .malformed }
        if words[2] != "HTTP/1.1" { throw .unsupportedVersion }
        method = String(words[0])
        let target = words[1].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(target[0])
        query = try Self.parameters(target.count == 2 ? target[1] : "")
        headers = try Self.headers(lines)
        if headers["transfer-encoding"] != nil { throw .unsupportedTransfer }
        let length = headers["content-length"] ?? "0"
        guard !length.isEmpty, length.count < 16, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let count = Int(length)
        else { throw .malformed }
        if count > maximumBody { throw .bodyTooLarge }
        bodyCount = count
    }

    private static func headers(
        _ lines: ArraySlice<Substring>
    ) throws(Refusal) -> [String: String] {
        if lines.count > 100 { throw .headTooLarge }
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                line[..<colon].utf8.allSatisfy({ isTokenByte($0) })
            else { throw .malformed }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let name = line[..<colon].lowercased()
            // The first and the last of several would be read by different programs.
            if headers[name] != nil { throw .malformed }
            headers[name] = value.trimmingCharacters(in: .whitespaces)
        }
        return headers
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func parameters(
        _ text: Substring
    ) throws(Refusal) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        for word in text.split(separator: "&") {
            let parts = word.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]),
                let value = decoded(parts.count == 2 ? parts[1] : "")
            else { throw .malformed }
            parameters.append((name, value))
        }
        if parameters.count > 100 { throw .malformed }
        return parameters
    }

    /// A text without its escapes, as a form writes them; `nil` if they are no UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
