import CLMDB

/// A cursor of LMDB, closed automatically.
///
/// The cursor of a write transaction must be closed before the transaction ends.
@safe struct Cursor: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes ownership of an open cursor.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe mdb_cursor_close(pointer) }

    /// Moves as `operation` requires, sets `key` and `value` to the entry found, and returns the code of LMDB.
    func move(_ operation: MDB_cursor_op, _ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        unsafe mdb_cursor_get(pointer, &key, &value, operation)
    }

    /// Stores a value; fast for ascending keys, because the page of the last one is tried first.
    ///
    /// With `MDB_APPEND`, `key` must follow the last key of all, and pages are filled completely; otherwise nothing is
    /// stored, and `MDB_KEYEXIST` is returned.
    func put(_ value: inout MDB_val, forKey key: inout MDB_val, _ flags: Int32) -> Int32 {
        unsafe mdb_cursor_put(pointer, &key, &value, UInt32(flags))
    }

    /// Deletes the entry at the cursor, which then is at the following entry.
    func delete() -> Int32 { unsafe mdb_cursor_del(pointer, 0) }
}
