import CLevelDB
import JustPersist
import JustPersistRecords

/// An iterator over the state of the database that was committed when it was created.
///
/// It pins that state without a LevelDB snapshot, which in 1.23 can bring deleted data back.
final class Iterator {
    private let object: CObject
    /// Keeps the database open: iterators must be destroyed first.
    private let database: Database

    init(on database: Database) {
        self.database = database
        object = unsafe CObject(database.makeIterator(), destroyedBy: leveldb_iter_destroy)
    }

    var isValid: Bool { unsafe leveldb_iter_valid(object.pointer) != 0 }

    func seek(to key: Span<UInt8>) {
        unsafe key.withCBytes { key, count in unsafe leveldb_iter_seek(object.pointer, key, count) }
    }

    func seekToLast() { unsafe leveldb_iter_seek_to_last(object.pointer) }

    func next() { unsafe leveldb_iter_next(object.pointer) }

    func previous() { unsafe leveldb_iter_prev(object.pointer) }

    /// Copies the key of the iterator, which must be valid, to the start of a buffer; returns its length.
    func copyKey(to buffer: inout [UInt8]) -> Int {
        var count = 0
        let bytes = unsafe leveldb_iter_key(object.pointer, &count)
        unsafe buffer.overwrite(bytes, count: count)
        return count
    }

    /// Copies the key as ``copyKey(to:)`` does; returns `nil` if it is beyond the end of a range.
    ///
    /// The key is compared in place: LevelDB assembles it from pieces, and reading a fresh copy takes longer.
    func copyKey(inside range: KeyRange, reversed: Bool, to buffer: inout [UInt8]) -> Int? {
        var count = 0
        let bytes = unsafe leveldb_iter_key(object.pointer, &count)
        // SAFETY: the bytes stay valid until the iterator moves.
        let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        let key = unsafe Span<UInt8>(_unsafeElements: raw.assumingMemoryBound(to: UInt8.self))
        if reversed {
            if key.isOrdered(before: range.lower.span) { return nil }
        } else if let upper = range.upper, !key.isOrdered(before: upper.span) {
            return nil
        }
        unsafe buffer.overwrite(bytes, count: count)
        return count
    }

    /// Copies the value of the iterator, which must be valid, to the start of a buffer; returns its length.
    func copyValue(to buffer: inout [UInt8]) -> Int {
        var count = 0
        let bytes = unsafe leveldb_iter_value(object.pointer, &count)
        unsafe buffer.overwrite(bytes, count: count)
        return count
    }

    /// Throws an error that the iterator has met.
    ///
    /// A damaged block ends a scan, or is skipped, without any other sign.
    func checkErrors() throws(DataStoreError) {
        try unsafe check("read", at: database.path) {
            unsafe leveldb_iter_get_error(object.pointer, $0)
        }
    }
}
