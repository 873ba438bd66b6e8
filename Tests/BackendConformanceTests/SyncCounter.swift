#if os(Linux)
    import Foundation
    import JustPersist

    /// Counts the syncs of LMDB and LevelDB.
    ///
    /// Both are shared libraries, so their calls of the C library reach the functions with the same names that the
    /// program exports, for which the manifest sets a linker flag. These functions forward each call, and count it if
    /// it has succeeded.
    enum SyncCounter {
        private struct Counts {
            /// Syncs of log files.
            var logs = 0
            /// Meta pages that were written through to the disk, each after a sync of the other pages.
            var metaPages = 0
            var arePagesSynced = false
        }

        private static let counts = Locked<[String: Counts]>([:])

        /// The number of syncs of a LevelDB database's log.
        static func syncsOfLog(in directory: URL?) -> Int { counts(of: directory).logs }

        /// The number of times that LMDB synced its pages and, after them, the meta page that refers to them.
        static func syncsOfMetaPage(in directory: URL?) -> Int { counts(of: directory).metaPages }

        private static func counts(of directory: URL?) -> Counts {
            guard let path = directory?.resolvingSymlinksInPath().path else { return Counts() }
            return counts.withLock { $0[path] } ?? Counts()
        }

        fileprivate static func noteSync(of descriptor: CInt) {
            note(descriptor) { counts, file in
                if file.pathExtension == "log" { counts.logs += 1 }
                counts.arePagesSynced = true
            }
        }

        fileprivate static func noteWrite(to descriptor: CInt) {
            // LMDB writes meta pages through a separate descriptor, unless it is configured not to wait for the disk.
            guard fcntl(descriptor, F_GETFL) & O_DSYNC != 0 else { return }
            note(descriptor) { counts, _ in
                if counts.arePagesSynced { counts.metaPages += 1 }
                counts.arePagesSynced = false
            }
        }

        private static func note(_ descriptor: CInt, _ change: (inout Counts, URL) -> Void) {
            let link = "/proc/self/fd/\(descriptor)"
            guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
            else { return }
            let file = URL(filePath: path)
            counts.withLock {
                change(&$0[file.deletingLastPathComponent().path, default: Counts()], file)
            }
        }

        /// The C library's version of a function that this program also defines.
        fileprivate static func next<Function>(_ name: String, as type: Function.Type) -> Function {
            // RTLD_NEXT, which Swift does not import.
            let next = unsafe UnsafeMutableRawPointer(bitPattern: -1)
            guard let symbol = unsafe dlsym(next, name) else { fatalError("There is no \(name).") }
            // SAFETY: the callers name the type that POSIX gives the function.
            return unsafe unsafeBitCast(symbol, to: type)
        }
    }

    private typealias Sync = @convention(c) (CInt) -> CInt
    private typealias Write = @convention(c) (CInt, UnsafeRawPointer?, Int, Int) -> Int
    private let realSync = SyncCounter.next("fdatasync", as: Sync.self)
    private let realWrite = unsafe SyncCounter.next("pwrite", as: Write.self)

    /// Syncs a file, and counts the call.
    @_cdecl("fdatasync") public func countedSync(_ descriptor: CInt) -> CInt {
        let result = realSync(descriptor)
        if result == 0 { SyncCounter.noteSync(of: descriptor) }
        return result
    }

    /// Writes to a file, and counts the call.
    @_cdecl("pwrite") public func countedWrite(
        _ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: Int
    ) -> Int {
        let result = unsafe realWrite(descriptor, bytes, count, offset)
        if result == count { SyncCounter.noteWrite(to: descriptor) }
        return result
    }
#endif
