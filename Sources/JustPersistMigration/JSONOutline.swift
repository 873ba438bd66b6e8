import Foundation

/// Which arrays the object at the start of a file has as its members, found without reading what is in
/// them.
struct JSONOutline {
    /// An array among the members.
    struct Member {
        let name: String
        /// The place of its bracket in the file.
        let offset: Int
        let line: Int
    }

    private(set) var arrays: [Member] = []
    /// Whether something follows behind the object.
    private(set) var hasMore = false

    private enum Expected {
        case key, value, other
    }

    /// Reads the file from its start, up to what follows behind the object.
    init(_ file: FileHandle, chunkSize: Int) throws {
        try file.seek(toOffset: 0)
        var skimmer = JSONSkimmer()
        var isComplete = false
        var expected = Expected.other
        var key: [UInt8] = []
        var offset = 0
        var line = 1
        while let chunk = try file.read(upToCount: chunkSize), !chunk.isEmpty {
            for byte in [UInt8](chunk) {
                offset += 1
                if byte == 0x0a { line += 1 }
                if isComplete {
                    if byte > 0x20 {
                        hasMore = true
                        return
                    }
                    continue
                }
                let wasInString = skimmer.isInString
                isComplete = skimmer.isComplete(behind: byte)
                if wasInString || skimmer.isInString {
                    if skimmer.depth != 1 { continue }
                    if expected == .value { expected = .other }
                    if expected == .key { key.append(byte) }
                    continue
                }
                switch (byte, skimmer.depth) {
                case (UInt8(ascii: "{"), 1), (UInt8(ascii: ","), 1):
                    expected = .key
                    key = []
                case (UInt8(ascii: ":"), 1): expected = .value
                case (UInt8(ascii: "["), 2):
                    if expected == .value {
                        arrays.append(Member(name: Self.name(key), offset: offset - 1, line: line))
                    }
                    expected = .other
                case (0...0x20, _): break
                default: expected = .other
                }
            }
        }
    }

    /// The name that a key in its quotes stands for.
    private static func name(_ key: [UInt8]) -> String {
        let object = Array("{".utf8) + key + Array(":0}".utf8)
        var parser = JSONParser(object, object.indices)
        let members = try? parser.object()
        return members?.first?.name ?? String(decoding: key, as: UTF8.self)
    }
}
