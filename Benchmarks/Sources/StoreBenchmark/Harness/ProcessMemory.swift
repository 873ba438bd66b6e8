import Foundation

/// What the kernel says of this process' memory, in bytes.
struct ProcessMemory: Codable {
    /// The most that was ever resident, files mapped into memory included.
    let peak: Int
    /// What is resident now and belongs to no file.
    let own: Int

    /// Nil where there is no /proc.
    static func now() -> ProcessMemory? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
            return nil
        }
        func bytes(_ field: String) -> Int? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first
                .flatMap { Int($0) }.map { $0 * 1024 }
        }
        guard let peak = bytes("VmHWM"), let own = bytes("RssAnon") else { return nil }
        return ProcessMemory(peak: peak, own: own)
    }
}
