import Foundation

/// The kernel's figures on this process's memory, in bytes.
struct ProcessMemory: Codable {
    /// The peak of resident memory, including mapped files.
    let peak: Int
    /// The resident memory that is not backed by a file.
    let own: Int

    /// Nil if there is no /proc.
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
