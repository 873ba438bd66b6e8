#if os(Linux)
    import Foundation

    /// System calls of this process that fail, made so by an attached `strace`.
    ///
    /// Only for a child process of a test: it has one tracer at most, and `strace` stays until the end.
    struct FailingSystemCalls {
        private let tracer = Process()

        /// Lets the calls that `rule` names fail, if they concern `place`.
        init(_ rule: String, at place: URL) throws { try self.init(rule, at: [place]) }

        /// Lets the calls that `rule` names fail, if they concern one of `places`.
        ///
        /// - Parameter rule: What follows `inject=` in strace's language, such as `access:error=EIO:when=1`.
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
            // The one signal that is not blocked in it: a process inherits what the thread blocks.
            kill(tracer.processIdentifier, SIGKILL)
            tracer.waitUntilExit()
        }

        /// Whether `strace` has all threads: the one that asks need not be the first it took.
        private func isTraced() throws -> Bool {
            let tasks = "/proc/self/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
                let status = "\(tasks)/\(task)/status"
                // A thread that has ended meanwhile has none.
                let text = try? String(contentsOfFile: status, encoding: .utf8)
                return text?.contains("TracerPid:\t0\n") != true
            }
        }

        /// Lets a process that is no ancestor trace this one, where the system asks for that.
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

    /// The writes of LMDB's meta pages, made to fail in a child process of a test.
    enum FailingMetaPages {
        /// Lets them fail until the store is opened anew.
        static func fail() throws {
            // LMDB writes meta pages through a descriptor of their own, opened with O_DSYNC.
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
