import Foundation

/// Tells on standard output, one line for each frame, in whose code a fatal signal came.
///
/// So the driver can tell what LMDB itself does on damaged pages from a fault of the store.
enum CrashTrace {
    private typealias Collect =
        @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
    private typealias Write =
        @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32, Int32) -> Void

    // glibc has both, and Swift's module of it neither. Set once, before any other thread runs.
    nonisolated(unsafe) private static var collect: Collect?
    nonisolated(unsafe) private static var write: Write?

    static func install() {
        guard let first = dlsym(nil, "backtrace"), let second = dlsym(nil, "backtrace_symbols_fd")
        else { return }
        collect = unsafeBitCast(first, to: Collect.self)
        write = unsafeBitCast(second, to: Write.self)
        // The first call loads a library, which a handler must not do.
        _ = trace()
        var action = sigaction()
        action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handle
        #else
            action.__sigaction_handler.sa_handler = handle
        #endif
        for signal in [SIGSEGV, SIGBUS, SIGABRT] { sigaction(signal, &action, nil) }
    }

    /// Returning repeats what was fatal, now without a handler.
    private static let handle: @convention(c) (Int32) -> Void = { _ in
        var frames = trace()
        CrashTrace.write?(&frames, Int32(frames.count), 1)
    }

    private static func trace() -> [UnsafeMutableRawPointer?] {
        var frames = [UnsafeMutableRawPointer?](repeating: nil, count: 64)
        let count = collect?(&frames, Int32(frames.count)) ?? 0
        return Array(frames[..<Int(count)])
    }
}
