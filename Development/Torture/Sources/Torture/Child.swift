import Foundation
import Synchronization

/// A process that the driver starts, with its standard output in a pipe, and a time by which it has to end.
struct Child {
    /// How a process ended.
    enum End: Equatable, CustomStringConvertible {
        case exit(Int32)
        case signal(Int32)
        /// It had to be killed.
        case hang

        var description: String {
            switch self {
            case .exit(let status): "exit \(status)"
            case .signal(let number): "signal \(number)"
            case .hang: "hang"
            }
        }
    }

    /// What a process said, and how it ended.
    struct Result {
        let end: End
        let output: String
    }

    let id: pid_t
    private let output: Int32

    /// Starts a program in a group of its own.
    ///
    /// Standard error goes to where standard output goes, or nowhere.
    init(_ words: [String], keepsErrors: Bool = false, environment: [String] = []) throws {
        (id, output) = try Self.starting.withLock { _ in
            try Self.start(words, keepsErrors: keepsErrors, environment: environment)
        }
    }

    /// One start at a time: between the making of a pipe and its marking no other child may inherit it.
    private static let starting = Mutex(())

    private static func start(
        _ words: [String], keepsErrors: Bool, environment: [String]
    ) throws -> (id: pid_t, output: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TortureError("pipe: \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        if keepsErrors {
            posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments = words.map { strdup($0) } + [nil]
        var variables =
            (ProcessInfo.processInfo.environment.map { "\($0)=\($1)" } + [
                "SWIFT_BACKTRACE=enable=no"
            ] + environment).map { strdup($0) } + [nil]
        defer { for word in arguments + variables { free(word) } }
        var id: pid_t = 0
        let status = posix_spawnp(&id, words[0], &actions, &attributes, &arguments, &variables)
        guard status == 0 else {
            close(ends[0])
            throw TortureError(
                "\(words[0]) cannot be started: \(String(cString: strerror(status)))")
        }
        return (id, ends[0])
    }

    /// Kills the process and all that it started.
    func kill() { Foundation.kill(-id, SIGKILL) }

    /// Reads what it says until it ends.
    func finish(within seconds: Double) -> Result {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var text: [UInt8] = []
        var hangs = false
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let left = hangs ? 1 : deadline.timeIntervalSinceNow
            if left <= 0 {
                hangs = true
                kill()
                continue
            }
            guard poll(&entry, 1, Int32(min(left * 1000, 60_000)) + 1) >= 0 else { continue }
            guard entry.revents != 0 else {
                if hangs { break }
                continue
            }
            let count = read(output, &buffer, buffer.count)
            if count <= 0 { break }
            if text.count < 1 << 20 { text += buffer[..<count] }
        }
        close(output)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let end: End =
            if hangs { .hang } else if status & 0x7f == 0 { .exit(status >> 8 & 0xff) } else {
                .signal(status & 0x7f)
            }
        return Result(end: end, output: String(decoding: text, as: UTF8.self))
    }

    /// Starts a program and waits for it.
    @discardableResult
    static func run(
        _ words: [String], within seconds: Double = 30, keepsErrors: Bool = false
    ) throws -> Result {
        try Child(words, keepsErrors: keepsErrors).finish(within: seconds)
    }
}

/// Why the driver itself could not go on; not a fault of a store.
struct TortureError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) {
        self.description = description.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
