import CLMDB

/// A cursor of LMDB; closes itself.
///
/// One of a write transaction must go before the transaction ends.
@safe struct Cursor: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes over an open cursor.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe mdb_cursor_close(pointer) }

    /// Moves as `operation` says, sets `key` and `value` to those found, and returns the code of LMDB.
    func move(_ operation: MDB_cursor_op, _ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        unsafe mdb_cursor_get(pointer, &key, &value, operation)
    }

    /// Stores a value; fast for ascending keys, since the page of the last one is tried first.
    func put(_ value: inout MDB_val, forKey key: inout MDB_val) -> Int32 {
        unsafe mdb_cursor_put(pointer, &key, &value, 0)
    }

    /// Stores a value behind the last key of all, and fills the pages; `MDB_KEYEXIST`, and nothing is stored,
    /// if the key does not belong there.
    func append(_ value: inout MDB_val, forKey key: inout MDB_val) -> Int32 {
        unsafe mdb_cursor_put(pointer, &key, &value, UInt32(MDB_APPEND))
    }
}
