#if os(Linux)
    import Foundation

    /// Makes system calls of this process fail, with an attached `strace`.
    ///
    /// Use this only in a child process of a test: a process has at most one tracer, and `strace` stays attached until
    /// the end.
    struct FailingSystemCalls {
        private let tracer = Process()

        /// Makes the calls that `rule` names fail, if they concern `place`.
        init(_ rule: String, at place: URL) throws { try self.init(rule, at: [place]) }

        /// Makes the calls that `rule` names fail, if they concern one of `places`.
        ///
        /// - Parameter rule: The text after `inject=` in strace's language, such as `access:error=EIO:when=1`.
        init(_ rule: String, at places: [URL]) throws {
            Self.allowTracing()
            let messages = FileManager.default.temporaryDirectory
                .appending(path: "strace-\(UUID().uuidString)")
            let name = rule.prefix { $0 != ":" }
            tracer.executableURL = URL(filePath: "/usr/bin/env")
            tracer.arguments =
                ["strace", "-f", "-q", "-o", messages.path]
                + places.flatMap { ["-P", $0.path] }
                + ["-e", "trace=\(name)", "-e", "inject=\(rule)", "-p", "\(getpid())"]
            try tracer.run()
            try? FileManager.default.removeItem(at: messages)
            while try !isTraced() {
                guard tracer.isRunning else { throw Unavailable() }
                usleep(1_000)
            }
        }

        /// Lets the calls succeed again.
        func end() {
            // Uses the only signal that is not blocked: a process inherits the blocked signals of the thread.
            kill(tracer.processIdentifier, SIGKILL)
            tracer.waitUntilExit()
        }

        /// Whether `strace` is attached to all threads.
        ///
        /// It may attach to the calling thread before others.
        private func isTraced() throws -> Bool {
            let tasks = "/proc/self/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
                let status = "\(tasks)/\(task)/status"
                // A thread that has ended meanwhile has no status file.
                let text = try? String(contentsOfFile: status, encoding: .utf8)
                return text?.contains("TracerPid:\t0\n") != true
            }
        }

        /// Permits a process that is not an ancestor to trace this one, if the system requires a permission.
        private static func allowTracing() {
            typealias Call = @convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt
            guard let symbol = unsafe dlsym(nil, "prctl") else { return }
            let call = unsafe unsafeBitCast(symbol, to: Call.self)
            let setTracer = CInt(0x5961_6d61)
            _ = call(setTracer, .max, 0, 0, 0)
        }

        struct Unavailable: Error, CustomStringConvertible {
            let description = "strace could not attach. Run scripts/setup, and allow tracing."
        }
    }

    /// Makes the writes of LMDB's meta pages fail in a child process of a test.
    enum FailingMetaPages {
        /// Makes the writes fail until the store is opened again.
        static func fail() throws {
            // LMDB writes meta pages through a separate descriptor, which is opened with O_DSYNC.
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            for number in descriptors.compactMap({ Int32($0) }) {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(number)")
                guard target?.hasSuffix("data.mdb") == true, fcntl(number, F_GETFL) & O_DSYNC != 0
                else { continue }
                let null = unsafe Foundation.open("/dev/null", O_RDONLY)
                defer { close(null) }
                if dup2(null, number) == number { return }
            }
            throw POSIXError(.EBADF)
        }
    }
#endif
