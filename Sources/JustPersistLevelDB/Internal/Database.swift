import CLevelDB
import Foundation
import JustPersist
import Synchronization

/// One open LevelDB database. Closed with the last reference.
// @unchecked: a leveldb_t may be used from any thread, and the options never change.
@safe final class Database: @unchecked Sendable {
    let path: String
    /// Identifies this opening among all others.
    let author = UInt64.random(in: .min ... .max)
    /// The last commit at the time of the opening; set only by `init`.
    private(set) var inherited: CommitRing.Entry?
    /// Twice the number of the last commit; one more while a commit is running, or after it failed.
    private let progress: Atomic<UInt64>

    private let handle: OpaquePointer
    private let forkCount = ForkCount.current
    private let options: CObject
    private let cache: CObject
    private let filter: CObject
    private let read: CObject
    private let write: CObject

    /// Opens the database in the directory at `path`.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - configuration: The configuration of the store.
    ///   - mayCreate: Whether to create a database if LevelDB sees none: only if none exists, because LevelDB would
    ///     overwrite the files of one that it failed to see.
    init(
        at path: String, _ configuration: LevelDBConfiguration, mayCreate: Bool = false
    ) throws(DataStoreError) {
        let options = unsafe CObject(
            leveldb_options_create(), destroyedBy: leveldb_options_destroy)
        let cache = unsafe CObject(
            leveldb_cache_create_lru(max(0, configuration.blockCacheSize)),
            destroyedBy: leveldb_cache_destroy)
        let filter = unsafe CObject(
            leveldb_filterpolicy_create_bloom(10), destroyedBy: leveldb_filterpolicy_destroy)
        unsafe leveldb_options_set_create_if_missing(options.pointer, mayCreate ? 1 : 0)
        unsafe leveldb_options_set_paranoid_checks(options.pointer, 1)
        unsafe leveldb_options_set_cache(options.pointer, cache.pointer)
        unsafe leveldb_options_set_filter_policy(options.pointer, filter.pointer)
        // LevelDB compares the checksum of a whole block in each lookup, which takes most of its time. By default, blocks
        // have twice this size.
        unsafe leveldb_options_set_block_size(options.pointer, 2 << 10)
        unsafe leveldb_options_set_write_buffer_size(
            options.pointer, max(0, configuration.writeBufferSize))
        unsafe leveldb_options_set_max_open_files(
            options.pointer, Int32(clamping: configuration.maximumOpenFiles))
        let compression =
            configuration.compression == .snappy
            ? leveldb_snappy_compression : leveldb_no_compression
        unsafe leveldb_options_set_compression(options.pointer, Int32(compression))

        let handle: OpaquePointer?
        do throws(DataStoreError) {
            unsafe handle = try unsafe check("open", at: path) {
                unsafe leveldb_open(options.pointer, KeptLocks.name(of: path), $0)
            }
        } catch {
            KeptLocks.check(at: path)
            throw error
        }
        guard let handle = unsafe handle else {
            throw DataStoreError(levelDB: "no handle and no error", in: "open", path: path)
        }
        self.path = path
        self.options = options
        self.cache = cache
        self.filter = filter
        unsafe self.handle = handle

        read = unsafe CObject(
            leveldb_readoptions_create(), destroyedBy: leveldb_readoptions_destroy)
        unsafe leveldb_readoptions_set_verify_checksums(read.pointer, 1)
        write = unsafe CObject(
            leveldb_writeoptions_create(), destroyedBy: leveldb_writeoptions_destroy)
        unsafe leveldb_writeoptions_set_sync(
            write.pointer, configuration.durability == .full ? 1 : 0)

        progress = Atomic(0)
        noted = Atomic(0)
        inherited = try CommitRing.lastCommit(in: self)
        progress.store((inherited?.number ?? 0) * 2, ordering: .releasing)
        noted.store(inherited?.number ?? 0, ordering: .releasing)
    }

    deinit {
        // A forked child lacks the background thread, for which closing would wait.
        guard ForkCount.current == forkCount else { return }
        unsafe leveldb_close(handle)
        KeptLocks.check(at: path)
    }

    // MARK: Reading

    /// The caller must destroy the iterator before it releases the database.
    func makeIterator() -> OpaquePointer {
        unsafe leveldb_create_iterator(handle, read.pointer)
    }

    /// The newest committed value of `key`.
    func value(forKey key: Span<UInt8>) throws(DataStoreError) -> Value? {
        var count = 0
        let bytes = try unsafe check("read", at: path) { error in
            unsafe key.withCBytes { key, keyCount in
                unsafe leveldb_get(handle, read.pointer, key, keyCount, &count, error)
            }
        }
        guard let bytes = unsafe bytes else { return nil }
        return unsafe Value(bytes, count: count)
    }

    /// A value allocated by LevelDB.
    @safe struct Value: ~Copyable {
        private let bytes: UnsafeMutablePointer<CChar>
        private let count: Int

        fileprivate init(_ bytes: UnsafeMutablePointer<CChar>, count: Int) {
            unsafe self.bytes = bytes
            self.count = count
        }

        deinit { unsafe leveldb_free(bytes) }

        borrowing func withSpan(
            _ body: (Span<UInt8>) throws(DataStoreError) -> Void
        ) throws(DataStoreError) {
            // SAFETY: the memory is freed with this value, which `body` cannot outlive.
            let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
            try body(unsafe Span(_unsafeElements: raw.assumingMemoryBound(to: UInt8.self)))
        }
    }

    /// The last commit that is known to be in a table.
    private let sorted = Atomic<UInt64>(0)

    /// Merges all tables into as few as possible, and returns when that is done.
    ///
    /// LevelDB first sorts its log into a table, and starts a new log.
    func compact() {
        unsafe leveldb_compact_range(handle, nil, 0, nil, 0)
        sorted.store(lastCommit, ordering: .releasing)
    }

    // MARK: Committing

    /// The number of the last commit; `nil` while one is running, and after one has failed.
    ///
    /// When two calls return the same number, everything read from LevelDB between them is the state after that commit.
    /// A commit changes the number before it asks LevelDB to write, and because of LevelDB's own lock, a reader that
    /// sees the write also sees the new number.
    var settledCommit: UInt64? {
        let progress = progress.load(ordering: .acquiring)
        return progress.isMultiple(of: 2) ? progress / 2 : nil
    }

    /// Whether a commit is running, or has failed, after the one with that number.
    func isCommitting(after commit: UInt64) -> Bool {
        progress.load(ordering: .acquiring) == commit * 2 + 1
    }

    /// The last commit before a running one that some block may have seen, if any.
    private let overtaken = Atomic<UInt64>(.max)

    /// Notes that a block begins on a state that may or may not include the running commit.
    func noteOvertaking() { overtaken.store(lastCommit, ordering: .releasing) }

    /// Whether a block may have seen a later state than a commit's, so no further block may begin on it.
    func isOvertaken(_ commit: UInt64) -> Bool { overtaken.load(ordering: .acquiring) == commit }

    /// The number of the last commit, if the ring has it and it was made after the opening and the last compaction, and so
    /// is in the newest log.
    var loggedCommit: UInt64? {
        let known = max(inherited?.number ?? 0, sorted.load(ordering: .acquiring))
        let noted = noted.load(ordering: .acquiring)
        return settledCommit.flatMap { $0 > known && $0 == noted ? $0 : nil }
    }

    /// The number of the last commit that the ring has: those of a load are not in it.
    private let noted: Atomic<UInt64>

    /// The last commit that the ring has; `nil` if there is none.
    var notedCommit: CommitRing.Entry? {
        let number = noted.load(ordering: .acquiring)
        return number == inherited?.number ?? 0
            ? inherited : CommitRing.Entry(number: number, author: author)
    }

    /// The number of the last commit that succeeded.
    var lastCommit: UInt64 { progress.load(ordering: .acquiring) / 2 }

    /// Applies the batch as the next commit.
    ///
    /// Never called by two threads at once. After it has thrown, the database must not be written to any more: LevelDB
    /// continues after a gap in its log, and would lose acknowledged writes.
    ///
    /// - Parameters:
    ///   - isOfLoad: Whether the batch is a part of a load. The next commit outside of the load adds its entry to the ring,
    ///     because the ring's keys would make the ranges of all tables overlap.
    ///   - pinReaders: Called when ``settledCommit`` is `nil` and nothing has changed yet; required if there may be
    ///     readers.
    func commit(
        _ batch: borrowing WriteBatch, isOfLoad: Bool = false, pinReaders: () -> Void = {}
    ) throws(DataStoreError) {
        guard let lastCommit = settledCommit else {
            throw DataStoreError(
                .storageFailure, in: "write",
                "The LevelDB store at “\(path)” has to be opened again before it is written to.")
        }
        if !isOfLoad {
            let first = max(
                noted.load(ordering: .acquiring), lastCommit - min(lastCommit, CommitRing.slots))
            for number in first..<(lastCommit + 1) {
                CommitRing.note(.init(number: number + 1, author: author), in: batch)
            }
        }
        progress.store(lastCommit * 2 + 1, ordering: .releasing)
        pinReaders()
        try unsafe check("write", at: path) {
            unsafe leveldb_write(handle, write.pointer, batch.object.pointer, $0)
        }
        progress.store(lastCommit * 2 + 2, ordering: .releasing)
        if !isOfLoad { noted.store(lastCommit + 1, ordering: .releasing) }
    }
}
