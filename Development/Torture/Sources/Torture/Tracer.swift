import Foundation

/// A process under strace: which of its system calls touch a store, and what to do at one of them.
struct Tracer {
    /// Every system call that touches files, by any name a machine knows it.
    static let calls = [
        "open", "openat", "access", "faccessat", "faccessat2", "stat", "lstat", "fstat",
        "newfstatat",
        "statx", "statfs", "fstatfs", "getdents64", "read", "pread64", "readv", "preadv", "write",
        "pwrite64", "writev", "pwritev", "fsync", "fdatasync", "msync", "ftruncate", "fallocate",
        "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir",
        "link",
        "linkat", "readlink", "readlinkat", "mmap", "fcntl", "flock", "lseek", "chmod", "fchmod",
        "fchmodat", "close",
    ]

    private static let filter = "trace=" + calls.map { "?" + $0 }.joined(separator: ",")

    /// Why nothing can be traced here; `nil` if it can.
    static let obstacle: String? = {
        #if os(Linux)
            let result = try? Child.run(
                ["strace", "-e", "trace=none", "/bin/true"], keepsErrors: true)
            guard result?.end == .exit(0) else {
                return "strace is missing or may not trace (apt-get install strace)"
            }
            return nil
        #else
            return "strace is there on Linux only"
        #endif
    }()

    /// What a run without faults did to a store.
    struct Survey: Sendable {
        /// How often each system call was made; of several threads, by the one that made it most often.
        var counts: [String: Int] = [:]
        /// The files that were touched, by name.
        var names: Set<String> = []
    }

    /// Runs a command to its end, and counts its calls on the files of a directory.
    static func survey(_ command: [String], of store: String, log: String) throws -> Survey {
        let result = try Child.run(
            ["strace", "-f", "-y", "-s", "200", "-o", log, "-e", filter] + command)
        guard result.end == .exit(0) else {
            throw TortureError("a run without faults ended with \(result.end): \(result.output)")
        }
        guard let text = FileManager.default.contents(atPath: log) else {
            throw TortureError("strace left no log")
        }
        var survey = Survey()
        var perThread: [String: Int] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            guard let place = line.range(of: store) else { continue }
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let end = words[1].firstIndex(of: "("), !words[1].hasPrefix("<")
            else { continue }
            let call = words[1][..<end].trimmingCharacters(in: .whitespaces)
            perThread["\(words[0]) \(call)", default: 0] += 1
            survey.counts[call] = max(
                survey.counts[call] ?? 0, perThread["\(words[0]) \(call)"] ?? 0)
            var rest = line[...]
            var next: Range<Substring.Index>? = place
            while let found = next {
                rest = rest[found.upperBound...]
                survey.names.insert(
                    String(
                        rest.prefix {
                            $0 == "/" || $0 == "." || $0 == "-" || $0 == "_" || $0.isLetter
                                || $0.isNumber
                        }))
                next = rest.range(of: store)
            }
        }
        return survey
    }

    /// The command that runs another and does something at its system calls on a store.
    ///
    /// - Parameter injection: As strace has it: `pwrite64:error=EIO:when=3`.
    static func command(
        _ command: [String], injecting injections: [String], into store: String, names: Set<String>,
        log: String
    ) -> [String] {
        var words = ["strace", "-f", "-y", "-o", log]
        let calls = Set(injections.compactMap { $0.split(separator: ":").first.map(String.init) })
        words += ["-e", "trace=" + calls.sorted().joined(separator: ",")]
        for name in expanded(names) { words += ["-P", store + name] }
        for injection in injections { words += ["-e", "inject=" + injection] }
        return words + command
    }

    /// The names, and those of later numbers: a fault moves LevelDB on to other files than it had in the survey.
    static func expanded(_ names: Set<String>) -> [String] {
        var all = names
        for name in names {
            let digits = name.filter(\.isNumber)
            guard digits.count == 6, let place = name.range(of: digits) else { continue }
            for number in 1...48 {
                let text = String(number)
                all.insert(
                    name.replacingCharacters(
                        in: place, with: String(repeating: "0", count: 6 - text.count) + text))
            }
        }
        return all.sorted()
    }
}
