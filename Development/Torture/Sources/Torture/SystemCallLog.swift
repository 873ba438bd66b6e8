import Foundation

/// The log of `strace -f -y -xx`: every call with its strings whole, and the order in which calls began and ended.
struct SystemCallLog {
    /// The calls that change files, or have changes written to the disk.
    static let filter =
        "trace="
        + [
            "open", "openat", "write", "pwrite64", "writev", "pwritev", "lseek", "fsync",
            "fdatasync", "ftruncate", "fallocate", "rename", "renameat", "renameat2", "unlink",
            "unlinkat", "mkdir", "mkdirat", "rmdir", "link", "linkat", "sendfile",
            "copy_file_range",
        ].map { "?" + $0 }.joined(separator: ",")

    /// The command that runs another, and leaves the log.
    static func command(_ command: [String], log: String) -> [String] {
        ["strace", "-f", "-y", "-xx", "-s", "67108864", "-o", log, "-e", filter] + command
    }

    /// One call.
    struct Call {
        let name: String
        /// Its arguments, with `$` for each string and without the paths of its descriptors.
        fileprivate(set) var arguments: [String] = []
        /// Its strings, in their order.
        fileprivate(set) var strings: [[UInt8]] = []
        /// The paths of its descriptors, in their order; last that of the descriptor it returned.
        fileprivate(set) var paths: [String] = []
        /// What it returned; `nil` if it never did.
        fileprivate(set) var result: Int?
        /// The text that is not taken apart yet.
        fileprivate var text: [UInt8]
    }

    /// Where a call begins or ends.
    enum Event {
        case begin(Int)
        case end(Int)
    }

    private(set) var calls: [Call] = []
    private(set) var events: [Event] = []

    init(_ bytes: Data) {
        // The calls that have not ended, by thread.
        var open: [Substring: Int] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let head = String(decoding: line.prefix(80), as: UTF8.self)
            let thread = head.prefix { $0.isNumber }
            let start = line.startIndex + head.prefix { $0.isNumber || $0 == " " }.utf8.count
            guard start < line.endIndex else { continue }
            if head.dropFirst(start - line.startIndex).hasPrefix("<... ") {
                guard let number = open.removeValue(forKey: thread),
                    let end = line[start...].firstIndex(of: UInt8(ascii: ">"))
                else { continue }
                calls[number].text += line[(end + 1)...]
                events.append(.end(number))
            } else if let end = line[start...].firstIndex(of: UInt8(ascii: "(")),
                line[start] >= UInt8(ascii: "a"), line[start] <= UInt8(ascii: "z")
            {
                let name = String(decoding: line[start..<end], as: UTF8.self)
                let unfinished = Data(" <unfinished ...>".utf8)
                let isWhole = line.suffix(unfinished.count) != unfinished
                let text = isWhole ? line[end...] : line[end...].dropLast(unfinished.count)
                events.append(.begin(calls.count))
                if isWhole { events.append(.end(calls.count)) } else { open[thread] = calls.count }
                calls.append(Call(name: name, text: [UInt8](text)))
            }
        }
        for number in calls.indices { calls[number].takeApart() }
    }
}

extension SystemCallLog.Call {
    /// Separates strings and paths from the rest, whose text then is that of plain arguments.
    fileprivate mutating func takeApart() {
        var plain: [UInt8] = []
        var place = 0
        while place < text.count {
            let byte = text[place]
            let isString = byte == UInt8(ascii: "\"")
            guard isString || byte == UInt8(ascii: "<") else {
                plain.append(byte)
                place += 1
                continue
            }
            let closing = isString ? byte : UInt8(ascii: ">")
            let end = text[(place + 1)...].firstIndex(of: closing) ?? text.endIndex
            let content = Self.bytes(text[(place + 1)..<end])
            if isString {
                strings.append(content)
                plain.append(UInt8(ascii: "$"))
            } else {
                paths.append(String(decoding: content, as: UTF8.self))
            }
            place = end + 1
        }
        text = []
        let parts = String(decoding: plain, as: UTF8.self)
            .split(separator: "= ", omittingEmptySubsequences: false)
        // “0x7f…” and “-1 EIO (…)” among them; the last sign of equality is that of the result.
        result = parts.last.flatMap { Int($0.prefix { $0 == "-" || $0.isNumber }) }
        arguments = parts.dropLast().joined(separator: "= ")
            .trimmingCharacters(in: CharacterSet(charactersIn: "() ")).components(separatedBy: ", ")
    }

    /// The bytes of `\x2f\x74`; what is not written so stands for itself.
    private static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.first == UInt8(ascii: "\\") else { return [UInt8](text) }
        return text.withUnsafeBufferPointer { text in
            let digit = { (byte: UInt8) in byte < 58 ? byte - 48 : byte - 87 }
            return [UInt8](unsafeUninitializedCapacity: text.count / 4) { bytes, count in
                for place in stride(from: 0, to: text.count - 3, by: 4) {
                    bytes[count] = digit(text[place + 2]) << 4 | digit(text[place + 3])
                    count += 1
                }
            }
        }
    }
}
