import CLMDB
import Foundation
import JustPersist
import JustPersistRecords

/// A copy of an environment that LMDB writes into a pipe, and this process writes from there to a file.
///
/// This way the progress of the copy is known, and it can be cancelled.
struct EnvironmentCopy {
    /// The environment and the pipe, for LMDB's own thread.
    // LMDB lets any thread copy an environment; the one that started it waits for the end.
    @safe private struct Source: @unchecked Sendable {
        let environment: OpaquePointer
        let flags: UInt32
    }

    /// The result of LMDB, once its thread has ended.
    private final class Outcome: Sendable {
        let code = Locked<Int32?>(nil)
        let done = DispatchSemaphore(value: 0)
    }

    /// Writes the copy to a new file, which is synced, and returns its length.
    ///
    /// The environment stays open meanwhile.
    @unsafe static func write(
        _ environment: OpaquePointer, to file: URL, compacting: Bool, at directory: StoreDirectory,
        for operation: String, _ meter: MaintenanceMeter
    ) throws -> Int {
        let target = unsafe open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw failure(errno, operation, file) }
        let handle = FileHandle(fileDescriptor: target, closeOnDealloc: true)
        do {
            let source = unsafe Source(
                environment: environment, flags: compacting ? UInt32(MDB_CP_COMPACT) : 0)
            let length = try receive(source, into: target, file, at: directory, operation, meter)
            guard fsync(target) == 0 else { throw failure(errno, operation, file) }
            try handle.close()
            return length
        } catch {
            unsafe unlink(file.path)
            throw error
        }
    }

    private static func receive(
        _ source: Source, into target: Int32, _ file: URL, at directory: StoreDirectory,
        _ operation: String, _ meter: MaintenanceMeter
    ) throws -> Int {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw failure(errno, operation, file) }
        let (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let outcome = Outcome()
        Thread.detachNewThread {
            // If the copy is cancelled, the other end of the pipe is closed: that must fail the write, and not end the
            // process.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGPIPE)
            _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
            let code = unsafe mdb_env_copyfd2(source.environment, writing, source.flags)
            close(writing)
            outcome.code.withLock { $0 = code }
            outcome.done.signal()
        }
        var length = 0
        let result = Result {
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = unsafe read(reading, &buffer, buffer.count)
                if count == 0 { return }
                guard count > 0 else {
                    if errno == EINTR { continue }
                    throw failure(errno, operation, file)
                }
                try store(buffer, count, in: target, file, operation)
                length += count
                try meter.advance(bytes: count)
            }
        }
        close(reading)
        outcome.done.wait()
        try result.get()
        try LMDBError.check(
            outcome.code.withLock { $0 } ?? EIO, in: operation, at: directory)
        return length
    }

    private static func store(
        _ buffer: [UInt8], _ count: Int, in target: Int32, _ file: URL, _ operation: String
    ) throws(DataStoreError) {
        var done = 0
        while done < count {
            let written = unsafe buffer.withUnsafeBytes { bytes in
                // SAFETY: the buffer has at least `count` bytes.
                unsafe Foundation.write(target, bytes.baseAddress?.advanced(by: done), count - done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure(written < 0 ? errno : ENOSPC, operation, file) }
            done += written
        }
    }

    private static func failure(_ number: Int32, _ operation: String, _ file: URL) -> DataStoreError
    {
        DataStoreError(systemError: number, in: operation, path: file.path)
    }
}
